//! Batches in which an agent plays all seats but one.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use darkqi_engine::agent::{AnyAgent, Ask};
use darkqi_engine::agents::{AgentError, AgentSpec};
use darkqi_env::{
    Action, AnyBatch, BatchConfig, Options, Player, Rng, Spec, Stream,
    batch::{OpponentFailure, OpponentTurn, Opponents, make},
};

use super::adviser::stream;
use crate::error::Error;

/// The seat of the caller of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CallerSeat {
    /// A random seat in each game, sampled from the game's seed.
    #[default]
    Random,
    /// Always this seat.
    Fixed(Player),
}

/// A batch whose caller plays one seat. An agent plays all others within the step. It gives up while
/// `stop` is true: steps and resets then end with a failure in some lane.
///
/// # Errors
/// If there is no such game, option or seat, the configuration is out of range, or the agent cannot
/// be made.
pub fn batch_against(
    game: &str,
    options: &Options,
    config: BatchConfig,
    opponent: &AgentSpec,
    seat: CallerSeat,
    stop: Arc<AtomicBool>,
) -> Result<Box<dyn AnyBatch>, Error> {
    let spec = Spec::new(game, options)?;
    if let CallerSeat::Fixed(seat) = seat
        && seat >= spec.num_players
    {
        return Err(Error::Seat { seat, seats: spec.num_players });
    }
    let agents = AgentOpponents::new(&spec, opponent, seat, stop)?;
    let opponents: Option<Arc<dyn Opponents>> = Some(Arc::new(agents));
    Ok(make(game, options, BatchConfig { opponents, ..config })?)
}

/// The cause of the failure of an opponent that was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("stopped")]
struct Stopped;

/// An agent that plays every seat but the caller's.
struct AgentOpponents {
    /// Whether to give up.
    stop: Arc<AtomicBool>,
    seat: CallerSeat,
    seats: usize,
    agent: AgentSpec,
    batch_size: usize,
    /// The agent that is copied, and as many copies as threads have ever asked at the same time.
    idle: Mutex<Vec<Box<dyn AnyAgent>>>,
}

impl AgentOpponents {
    fn new(
        spec: &Spec,
        agent: &AgentSpec,
        seat: CallerSeat,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, AgentError> {
        let prototype = agent.make(spec)?;
        let batch_size = prototype.batch_size();
        let idle = Mutex::new(vec![prototype]);
        Ok(Self { stop, seat, seats: spec.num_players, agent: agent.clone(), batch_size, idle })
    }

    /// # Errors
    /// If it is to give up.
    fn check_running(&self) -> Result<(), OpponentFailure> {
        if self.stop.load(Ordering::Relaxed) {
            Err(OpponentFailure { position: 0, cause: Stopped.into() })
        } else {
            Ok(())
        }
    }

    fn take(&self) -> Box<dyn AnyAgent> {
        let mut idle = self.idle.lock().expect("nothing panics that holds the lock");
        match idle.len() {
            1 => idle[0].boxed_clone(),
            _ => idle.pop().expect("there are copies"),
        }
    }

    fn give_back(&self, agent: Box<dyn AnyAgent>) {
        self.idle.lock().expect("nothing panics that holds the lock").push(agent);
    }
}

impl Opponents for AgentOpponents {
    fn caller(&self, seed: u64) -> Player {
        match self.seat {
            CallerSeat::Fixed(seat) => seat,
            CallerSeat::Random => Rng::new(seed, Stream::Seat).below(self.seats as u32) as Player,
        }
    }

    fn choose(
        &self,
        positions: &[OpponentTurn<'_>],
        actions: &mut Vec<Action>,
    ) -> Result<(), OpponentFailure> {
        self.check_running()?;
        let mut agent = self.take();
        let mut rngs: Vec<_> = positions.iter().map(|at| stream(at.seed, at.ply)).collect();
        let asked = positions.iter().zip(&mut rngs);
        let mut asks: Vec<_> = asked
            .map(|(at, rng)| Ask::new(at.seed, at.state, &at.legal, rng, &self.stop))
            .collect();
        let mut decisions = Vec::with_capacity(positions.len());
        let decided = agent.decide(&mut asks, &mut decisions);
        decided.map_err(|failure| OpponentFailure {
            position: failure.request,
            cause: failure.cause,
        })?;
        // A search that was stopped decides anything.
        self.check_running()?;
        actions.extend(decisions.iter().map(|decision| decision.action));
        self.give_back(agent);
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.batch_size
    }
}

impl fmt::Debug for AgentOpponents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentOpponents({}, {:?})", self.agent, self.seat)
    }
}
