//! Batches in which an agent plays all seats but one.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use darkqi_engine::agent::{Agent, Decision, Request};
use darkqi_engine::agents::{AgentError, AgentSpec};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Action, AnyBatch, Batch, BatchConfig, GameExt, OpponentFailure, OpponentTurn, Opponents,
    Options, Player, Registered, Rng, SetupError, Stream,
};

use super::ply;
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

/// A batch whose caller plays one seat. An agent plays all others within the step.
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
) -> Result<Box<dyn AnyBatch>, Error> {
    batch_against_until(game, options, config, opponent, seat, Arc::default())
}

/// A batch as of [`batch_against`], whose opponent gives up while `stop` is true: steps and resets then
/// end with the failure [`Stopped`] in some lane.
///
/// # Errors
/// As [`batch_against`].
pub fn batch_against_until(
    game: &str,
    options: &Options,
    config: BatchConfig,
    opponent: &AgentSpec,
    seat: CallerSeat,
    stop: Arc<AtomicBool>,
) -> Result<Box<dyn AnyBatch>, Error> {
    struct Make<'a>(BatchConfig, &'a AgentSpec, CallerSeat, Arc<AtomicBool>);
    impl Visitor for Make<'_> {
        type Output = Result<Box<dyn AnyBatch>, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(config, spec, seat, stop) = self;
            if let CallerSeat::Fixed(seat) = seat
                && seat >= rules.players()
            {
                return Err(Error::Seat { seat, seats: rules.players() });
            }
            let agents = AgentOpponents::new(&rules, spec, seat, stop)?;
            let batch = Batch::against(rules, config, Box::new(agents));
            Ok(Box::new(batch.map_err(SetupError::from)?))
        }
    }
    games::with(game, options, Make(config, opponent, seat, stop))?
}

/// The cause of the failure of an opponent that was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// An agent that plays every seat but the caller's.
struct AgentOpponents<G: Registered> {
    /// Whether to give up.
    stop: Arc<AtomicBool>,
    seat: CallerSeat,
    spec: AgentSpec,
    batch_size: usize,
    workers: Mutex<Workers<G>>,
}

/// As many workers as threads have ever asked at the same time.
struct Workers<G: Registered> {
    prototype: Box<dyn Agent<G>>,
    idle: Vec<Worker<G>>,
}

/// A copy of the agent, with memory for what it is asked about and for what it answers.
struct Worker<G: Registered> {
    agent: Box<dyn Agent<G>>,
    /// The legal actions of each position.
    legal: Vec<Vec<Action>>,
    decisions: Vec<Decision>,
}

impl<G: Registered> AgentOpponents<G> {
    fn new(
        rules: &G,
        spec: &AgentSpec,
        seat: CallerSeat,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, AgentError> {
        let prototype = spec.build(rules)?;
        let batch_size = prototype.batch_size();
        let workers = Mutex::new(Workers { prototype, idle: Vec::new() });
        Ok(Self { stop, seat, spec: spec.clone(), batch_size, workers })
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

    fn workers(&self) -> MutexGuard<'_, Workers<G>> {
        self.workers.lock().expect("nothing panics that holds the lock")
    }

    fn take(&self) -> Worker<G> {
        let mut workers = self.workers();
        let idle = workers.idle.pop();
        idle.unwrap_or_else(|| Worker {
            agent: workers.prototype.boxed_clone(),
            legal: Vec::new(),
            decisions: Vec::new(),
        })
    }
}

impl<G: Registered> Opponents<G> for AgentOpponents<G> {
    fn caller(&self, rules: &G, seed: u64) -> Player {
        match self.seat {
            CallerSeat::Fixed(seat) => seat,
            CallerSeat::Random => {
                Rng::new(seed, Stream::Seat).below(rules.players() as u32) as Player
            }
        }
    }

    fn choose(
        &self,
        rules: &G,
        positions: &[OpponentTurn<'_, G>],
        actions: &mut Vec<Action>,
    ) -> Result<(), OpponentFailure> {
        self.check_running()?;
        let mut worker = self.take();
        let Worker { agent, legal, decisions } = &mut worker;
        legal.resize_with(positions.len().max(legal.len()), Vec::new);
        for (position, legal) in positions.iter().zip(&mut *legal) {
            rules.list_actions(position.state, legal);
        }
        let mut rngs: Vec<_> =
            positions.iter().map(|at| ply::stream(rules, at.state, at.seed)).collect();
        let positions = positions.iter().zip(&*legal).zip(&mut rngs);
        let mut requests: Vec<_> = positions
            .map(|((at, legal), rng)| {
                let view = ply::view(rules, at.state);
                Request { game: at.seed, view, legal, rng, stop: &self.stop }
            })
            .collect();
        decisions.clear();
        let decided = agent.decide_batch(rules, &mut requests, decisions);
        drop(requests);
        decided.map_err(|failure| OpponentFailure {
            position: failure.request,
            cause: failure.cause,
        })?;
        // A search that was stopped decides anything.
        self.check_running()?;
        actions.extend(decisions.iter().map(|decision| decision.action));
        self.workers().idle.push(worker);
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.batch_size
    }
}

impl<G: Registered> fmt::Debug for AgentOpponents<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentOpponents({}, {:?})", self.spec, self.seat)
    }
}
