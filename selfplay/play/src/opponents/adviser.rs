//! An agent that is asked about one position after another.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_engine::agent::{AgentFailure, AnyAgent, Ask, Decision};
use darkqi_engine::agents::{AgentSpec, PolicyFault};
use darkqi_env::{Action, AnyState, Rng, Spec, Stream};

use crate::error::Error;

/// The random stream of an agent at this ply of the game with this seed.
///
/// Each ply has a stream of its own, so that no generator needs to be kept between plies.
pub(super) fn stream(seed: u64, ply: u16) -> Rng {
    Rng::new(seed, Stream::Ply(ply))
}

/// An agent, ready to decide for any seat of a game, by what that seat may know.
///
/// A decision is a function of the position, the agent and the seed.
pub struct Adviser {
    agent: AgentSpec,
    player: Box<dyn AnyAgent>,
}

impl Adviser {
    /// An agent for a game with these options.
    ///
    /// # Errors
    /// If the agent cannot be made.
    pub fn new(spec: &Spec, agent: &AgentSpec) -> Result<Self, Error> {
        Ok(Self { agent: agent.clone(), player: agent.make(spec)? })
    }

    /// The agent's choice for the seat to move.
    ///
    /// # Errors
    /// If the game is over, the agent cannot decide or decides on an action that is not legal;
    /// [`Error::Stopped`] once the flag is set.
    ///
    /// # Panics
    /// If `game` is of another game.
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
        let mut rng = stream(seed, game.ply());
        let mut decisions = Vec::with_capacity(1);
        let legal = game.legal_actions();
        let asks = &mut [Ask::new(seed, game.state(), legal, &mut rng, stop)];
        let decided = self.player.decide(asks, &mut decisions);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let decided =
            decided.map(|()| decisions.pop().expect("there is one decision per position"));
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

/// An agent's choice for the seat to move, by what that seat may know, until `stop` is true.
///
/// The action is a function of the position, the agent and the seed. A batch of
/// [`batch_against`](crate::opponents::batch_against) plays the same in a game with this seed.
///
/// ```
/// use darkqi_engine::agent::NEVER;
/// use darkqi_env::Options;
/// use darkqi_play::opponents::choose;
///
/// let game = darkqi_env::deal("jieqi", &Options::new(), 7)?;
/// let action = choose(&*game, &"greedy".parse()?, 1, &NEVER)?;
/// assert!(game.legal_actions().contains(&action));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the game is over, or the agent cannot be made; [`Error::Stopped`] once the flag is set.
pub fn choose(
    game: &dyn AnyState,
    agent: &AgentSpec,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Action, Error> {
    Ok(Adviser::new(&game.spec(), agent)?.decide(game, seed, stop)?.action)
}
