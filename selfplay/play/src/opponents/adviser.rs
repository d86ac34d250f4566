//! An agent that is asked about one position after another.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_engine::agent::{Agent, AgentFailure, Decision, Request};
use darkqi_engine::agents::{AgentError, AgentSpec, PolicyFault};
use darkqi_env::{AnyState, Registered, Session, Spec, Visitor, games};

use super::ply;
use crate::error::Error;

/// An agent, ready to decide for any seat of a game, by what that seat may know.
///
/// A decision is a function of the position, the agent and the seed.
pub struct Adviser {
    agent: AgentSpec,
    keeper: Box<dyn Keeper>,
}

/// An agent whose game is known.
trait Keeper: Send {
    fn decide(
        &mut self,
        game: &dyn AnyState,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Decision, AgentFailure>;
}

struct KeeperOf<G: Registered>(Box<dyn Agent<G>>);

impl<G: Registered> Keeper for KeeperOf<G> {
    fn decide(
        &mut self,
        game: &dyn AnyState,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Decision, AgentFailure> {
        let session = (game as &dyn Any).downcast_ref::<Session<G>>();
        let session = session.expect("the session is of the game that the agent was made for");
        let (rules, state, legal) = (session.rules(), session.state(), session.legal_actions());
        let mut rng = ply::stream(rules, state, seed);
        let view = ply::view(rules, state);
        let mut request = Request { game: seed, view, legal, rng: &mut rng, stop };
        self.0.decide(rules, &mut request)
    }
}

impl Adviser {
    /// An agent for a game with these options.
    ///
    /// # Errors
    /// If the agent cannot be made.
    pub fn new(spec: &Spec, agent: &AgentSpec) -> Result<Self, Error> {
        struct Make<'a>(&'a AgentSpec);
        impl Visitor for Make<'_> {
            type Output = Result<Box<dyn Keeper>, AgentError>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                Ok(Box::new(KeeperOf(self.0.build(&rules)?)))
            }
        }
        let keeper = games::with(spec.name, &spec.options_in_force(), Make(agent))??;
        Ok(Self { agent: agent.clone(), keeper })
    }

    /// The agent's choice for the seat to move.
    ///
    /// # Errors
    /// If the game is over, the agent cannot decide or decides on an action that is not legal;
    /// [`Error::Stopped`] once the flag is set.
    ///
    /// # Panics
    /// If `game` is of another game, or no [`Session`].
    pub fn decide(
        &mut self,
        game: &dyn AnyState,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Decision, Error> {
        let agent = self.agent.to_string();
        if let Some(outcome) = game.outcome() {
            return Err(Error::Over { agent, reason: outcome.reason.name() });
        }
        let decided = self.keeper.decide(game, seed, stop);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        match decided {
            Ok(decision) if game.legal_actions().contains(&decision.action) => Ok(decision),
            Ok(Decision { action, .. }) => {
                let fault = PolicyFault::Action(format!("action {} is not legal", action.0));
                Err(Error::Undecided { agent, cause: fault.into() })
            }
            Err(AgentFailure { cause, .. }) => Err(Error::Undecided { agent, cause }),
        }
    }
}
