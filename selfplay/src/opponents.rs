//! Batches against an agent: what a learner of one seat steps.

use std::fmt;
use std::sync::{Mutex, MutexGuard};

use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Action, AnyBatch, Batch, BatchConfig, GameExt, Opponents, Options, Player, Registered, Rng,
    SetupError, Stream,
};

use crate::agents::{Agent, AgentError, AgentSpec};
use crate::choice::ask;
use crate::error::Error;

/// Which seat the caller of a batch plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Seat {
    /// One drawn anew for each game, from the game's seed.
    #[default]
    Drawn,
    /// Always this one.
    At(Player),
}

/// A batch whose caller plays one seat, and an agent all the others within the step.
///
/// # Errors
/// If there is no such game, option or seat, the configuration is out of range, or the agent cannot
/// be had.
pub fn batch_against(
    game: &str,
    options: &Options,
    config: BatchConfig,
    opponent: &AgentSpec,
    seat: Seat,
) -> Result<Box<dyn AnyBatch>, Error> {
    struct Make<'a>(BatchConfig, &'a AgentSpec, Seat);
    impl Visitor for Make<'_> {
        type Output = Result<Box<dyn AnyBatch>, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(config, spec, seat) = self;
            if let Seat::At(seat) = seat
                && seat >= rules.players()
            {
                return Err(Error::Seat { seat, seats: rules.players() });
            }
            let agents = Agents::new(spec, seat)?;
            let batch = Batch::against(rules, config, Box::new(agents));
            Ok(Box::new(batch.map_err(SetupError::from)?))
        }
    }
    games::with(game, options, Make(config, opponent, seat))?
}

/// An agent that plays every seat but the caller's.
struct Agents<G: Registered> {
    seat: Seat,
    spec: AgentSpec,
    desks: Mutex<Desks<G>>,
}

/// Copies of the agent, for as many threads as have ever asked at the same time.
struct Desks<G: Registered> {
    prototype: Box<dyn Agent<G>>,
    idle: Vec<Desk<G>>,
}

/// A copy of the agent with memory to list actions in.
struct Desk<G: Registered> {
    agent: Box<dyn Agent<G>>,
    legal: Vec<Action>,
}

impl<G: Registered> Agents<G> {
    fn new(spec: &AgentSpec, seat: Seat) -> Result<Self, AgentError> {
        let desks = Desks { prototype: spec.build()?, idle: Vec::new() };
        Ok(Self { seat, spec: spec.clone(), desks: Mutex::new(desks) })
    }

    fn desks(&self) -> MutexGuard<'_, Desks<G>> {
        self.desks.lock().expect("nothing panics that holds the desks")
    }

    fn take(&self) -> Desk<G> {
        let mut desks = self.desks();
        let idle = desks.idle.pop();
        idle.unwrap_or_else(|| Desk { agent: desks.prototype.boxed_clone(), legal: Vec::new() })
    }
}

impl<G: Registered> Opponents<G> for Agents<G> {
    fn caller(&self, rules: &G, seed: u64) -> Player {
        match self.seat {
            Seat::At(seat) => seat,
            Seat::Drawn => Rng::new(seed, Stream::Seat).below(rules.players() as u32) as Player,
        }
    }

    fn choose(&self, rules: &G, state: &G::State, seed: u64) -> Action {
        let mut desk = self.take();
        let Desk { agent, legal } = &mut desk;
        rules.list_actions(state, legal);
        let action = ask(&mut **agent, rules, state, legal, seed);
        self.desks().idle.push(desk);
        action
    }
}

impl<G: Registered> fmt::Debug for Agents<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agents({}, {:?})", self.spec, self.seat)
    }
}
