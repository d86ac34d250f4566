//! A batch of one game.

use super::any_batch::{AnyBatch, Decisions};
use super::config::{Autoreset, BatchConfig, BatchSetup, Illegal, Reset};
use super::decision::{policy_entries, seat_values};
use super::lane::{Lane, LaneCommand};
use super::legal_actions::LegalActions;
use super::log::{FinishedGames, LaneLog, Logs};
use super::memory::of_lanes;
use super::round::{Stuck, StuckReason};
use super::rows::{self, RowLengths, Rows};
use super::step::{self, CHUNK, FirstStuck, Observations, Opening, SAMPLE_CHUNK, Samples, Step};
use super::workers::Workers;
use crate::error::{ActionError, BatchError, Cause, SetupError};
use crate::game::{Options, Viewer};
use crate::games::{self, Registered, Visitor};
use crate::rng::game_seed;
use crate::session::{AnyState, Session};
use crate::spec::Spec;
use crate::trajectory::PolicyEntry;

/// Games of one kind, stepped together.
#[derive(Debug)]
pub(super) struct Batch<G: Registered> {
    setup: BatchSetup<G>,
    lanes: Vec<Lane<G>>,
    legal: Vec<LegalActions>,
    /// None if no games are logged.
    logs: Vec<LaneLog>,
    /// The effect of the next step in each lane.
    commands: Vec<LaneCommand>,
    /// The decisions that are logged with it.
    decisions: Vec<LaneDecision>,
    /// Whether a step is prepared.
    is_prepared: bool,
    workers: Workers,
    /// Whether a reset has shown the games or a step has played in them.
    used: bool,
    /// Whether opponents gave up in the last step, so that lanes are at different points of it, or its
    /// rows were lost.
    is_torn: bool,
}

/// The caller's decision about the next ply of a lane.
#[derive(Debug)]
struct LaneDecision {
    /// The lane, counted from 0.
    lane: usize,
    value: Option<Box<[f32]>>,
    policy: Option<Box<[PolicyEntry]>>,
}

impl<G: Registered> Batch<G> {
    /// A batch with a game dealt in every lane.
    ///
    /// # Errors
    /// If the number of lanes or threads is out of range, or if games end before the caller has a turn.
    fn new(rules: G, config: BatchConfig) -> Result<Self, BatchError> {
        let setup = BatchSetup { rules, config };
        let BatchConfig { lanes: count, first_lane, threads, .. } = setup.config;
        let end = first_lane.saturating_add(count);
        if count == 0 || end as u64 > 1 << 32 {
            return Err(BatchError::Lanes(if count == 0 { 0 } else { end }));
        }
        let workers = Workers::new(threads)?;
        let actions = setup.rules.table().len();
        let commands = of_lanes(count, |_| Ok(LaneCommand::Reset(Reset::Keep)))?;
        let mut legal = of_lanes(count, |_| LegalActions::new(actions))?;
        // Deals are quick. The plies of opponents before the caller's first turn may not be.
        let mut lanes = of_lanes(count, |lane| Lane::deal(&setup, first_lane + lane))?;
        let chunk = step::chunk(&setup, count, workers.threads());
        if count > chunk {
            workers.start()?;
        }
        let mut logs =
            vec![LaneLog::default(); if setup.config.sink.is_some() { count } else { 0 }];
        let (stuck, finished) = (FirstStuck::default(), FinishedGames::default());
        let opening = Opening {
            setup: &setup,
            first: 0,
            lanes: &mut lanes,
            legal: &mut legal,
            logs: Logs::new(first_lane, &mut logs, &finished),
            stuck: &stuck,
        };
        workers.run(opening, chunk, Opening::run);
        stuck.into_inner().map_or(Ok(()), |stuck| Err(opponent_error(&setup, stuck)))?;
        Ok(Self {
            setup,
            lanes,
            legal,
            logs,
            commands,
            decisions: Vec::new(),
            is_prepared: false,
            workers,
            used: false,
            is_torn: false,
        })
    }

    /// Executes the command of every lane and writes all rows, in parallel.
    ///
    /// # Errors
    /// If opponents do not play on: only a reset of all lanes can follow. If games cannot be logged.
    fn run(&mut self, rows: Rows<'_>) -> Result<(), BatchError> {
        self.used = true;
        self.is_prepared = false;
        let lengths = &self.row_lengths();
        let Self { setup, lanes, legal, logs, commands, workers, .. } = self;
        let chunk = step::chunk(setup, lanes.len(), workers.threads());
        let streamed = Step::streams(setup, lengths, lanes.len());
        let (stuck, finished) = (FirstStuck::default(), FinishedGames::default());
        let step = Step {
            setup,
            lengths,
            first: 0,
            stuck: &stuck,
            lanes,
            legal,
            commands,
            logs: Logs::new(setup.config.first_lane, logs, &finished),
            rows,
            streamed,
        };
        workers.run(step, chunk, Step::run);
        let logged = match (&setup.config.sink, finished.into_sorted()) {
            (Some(sink), games) if !games.is_empty() => sink.take(games),
            _ => Ok(()),
        };
        if let Some(stuck) = stuck.into_inner() {
            self.is_torn = true;
            return Err(opponent_error(&self.setup, stuck));
        }
        logged.map_err(BatchError::Log)
    }

    /// The caller's decisions about the next step, lane by lane.
    ///
    /// # Errors
    /// If games are not logged, a length differs, or the numbers are no results or no probabilities of
    /// legal actions.
    fn checked_decisions(&self, said: Decisions<'_>) -> Result<Vec<LaneDecision>, BatchError> {
        if said.value.is_none() && said.policy.is_none() {
            return Ok(Vec::new());
        }
        if self.logs.is_empty() {
            return Err(BatchError::NoLog);
        }
        let (lanes, players) = (self.lanes.len(), self.setup.rules.players());
        let actions = self.setup.rules.table().len();
        let value = rows_of("value", said.value, lanes, players)?;
        let policy = rows_of("policy", said.policy, lanes, actions)?;
        let mut decisions = Vec::with_capacity(lanes);
        for (lane, legal) in self.legal.iter().enumerate().filter(|(_, legal)| !legal.is_over()) {
            let number = self.setup.config.first_lane + lane;
            let refuse = |fault| BatchError::Decision { lane: number, fault };
            let is_legal = |action: usize| legal.get(action as i64).is_some();
            let value = value.map(|rows| seat_values(&rows[lane * players..][..players]));
            let policy =
                policy.map(|rows| policy_entries(&rows[lane * actions..][..actions], is_legal));
            let value = value.transpose().map_err(refuse)?;
            let policy = policy.transpose().map_err(refuse)?;
            decisions.push(LaneDecision { lane, value, policy });
        }
        Ok(decisions)
    }

    /// # Errors
    /// If opponents gave up in the last step.
    fn check_whole(&self) -> Result<(), BatchError> {
        if self.is_torn { Err(BatchError::Torn) } else { Ok(()) }
    }

    fn row_lengths(&self) -> RowLengths {
        let BatchSetup { rules, config, .. } = &self.setup;
        RowLengths {
            observation: config.format.len(&G::LAYOUT),
            mask: config.mask.len(rules.table().len()),
            players: rules.players(),
        }
    }

    /// The command for an action that is not legal in its lane.
    ///
    /// # Errors
    /// If the configuration has none.
    #[cold]
    fn command_instead(&self, number: usize, action: i64) -> Result<LaneCommand, BatchError> {
        let BatchConfig { first_lane, autoreset, illegal, .. } = self.setup.config;
        let lane = first_lane + number;
        if self.legal[number].is_over() {
            return match autoreset {
                Autoreset::NextStep => Ok(LaneCommand::Reset(Reset::Next)),
                Autoreset::SameStep | Autoreset::Disabled => Err(BatchError::Over { lane }),
            };
        }
        match illegal {
            Illegal::Forfeit => Ok(LaneCommand::Forfeit),
            Illegal::Refuse => {
                let source = self.action_error(number, action);
                Err(BatchError::Action { lane, source })
            }
        }
    }

    /// Why an action is illegal in its lane.
    fn action_error(&self, number: usize, action: i64) -> ActionError {
        let Self { setup, lanes, .. } = self;
        let mut session = Session::new(setup.rules.clone(), lanes[number].state.clone());
        let played = session.action(action).and_then(|action| session.apply(action));
        played.expect_err("the lane's mask refused the action")
    }
}

impl<G: Registered> AnyBatch for Batch<G> {
    fn spec(&self) -> Spec {
        Spec::unregistered(&self.setup.rules)
    }

    fn config(&self) -> &BatchConfig {
        &self.setup.config
    }

    fn lengths(&self) -> RowLengths {
        self.row_lengths()
    }

    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.row_lengths())?;
        if let Some(seed) = seed {
            self.setup.config.seed = seed;
        }
        self.is_torn = false;
        // `Reset::Keep` would leave what the buffers held before.
        rows.reward.fill(0.0);
        rows.terminated.fill(false);
        rows.truncated.fill(false);
        rows.forfeited.fill(false);
        let first_lane = self.setup.config.first_lane;
        for (number, command) in self.commands.iter_mut().enumerate() {
            *command = LaneCommand::Reset(match seed {
                Some(seed) => Reset::Seed(game_seed(seed, (first_lane + number) as u64)),
                None if self.used => Reset::Next,
                None => Reset::Keep,
            });
        }
        self.run(rows)
    }

    fn check_resets(&self, resets: &[Reset]) -> Result<(), BatchError> {
        rows::check_length("lanes", self.lanes.len(), resets.len())?;
        // Of a step that failed nothing is left where every lane is dealt anew.
        if resets.contains(&Reset::Keep) { self.check_whole() } else { Ok(()) }
    }

    fn reset_lanes(&mut self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError> {
        self.check_resets(resets)?;
        rows.check(self.lanes.len(), &self.row_lengths())?;
        self.is_torn = false;
        let commands = self.commands.iter_mut().zip(resets);
        commands.for_each(|(command, &reset)| *command = LaneCommand::Reset(reset));
        self.run(rows)
    }

    fn prepare(&mut self, actions: &[i64], decisions: Decisions<'_>) -> Result<(), BatchError> {
        self.check_whole()?;
        self.is_prepared = false;
        rows::check_length("actions", self.lanes.len(), actions.len())?;
        // Each action is read once: the caller's buffer may change meanwhile, and only checked actions
        // are played.
        for (number, &action) in actions.iter().enumerate() {
            self.commands[number] = match self.legal[number].get(action) {
                Some(action) => LaneCommand::Play(action),
                None => self.command_instead(number, action)?,
            };
        }
        self.decisions = self.checked_decisions(decisions)?;
        self.is_prepared = true;
        Ok(())
    }

    fn play(&mut self, rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.row_lengths())?;
        assert!(self.is_prepared, "a step is prepared before it is played");
        for LaneDecision { lane, value, policy } in self.decisions.drain(..) {
            self.logs[lane].decide(value, policy);
        }
        self.run(rows)
    }

    fn tear(&mut self) {
        self.is_torn = true;
    }

    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError> {
        let BatchSetup { rules, config: BatchConfig { format, .. }, .. } = &self.setup;
        if let Viewer::Player(player) = viewer
            && player >= rules.players()
        {
            return Err(BatchError::Viewer { viewer: player, players: rules.players() });
        }
        let length = format.len(&G::LAYOUT);
        rows::check_length("observation", self.lanes.len() * length, out.len())?;
        let observations = Observations { rows: out, length, lanes: &self.lanes };
        self.workers.run(observations, CHUNK, |Observations { rows, lanes, .. }| {
            for (row, lane) in rows.chunks_exact_mut(length).zip(lanes) {
                format.write(rules, &rules.view(&lane.state, viewer), row);
            }
        });
        Ok(())
    }

    fn covered_pieces(&self, out: &mut [u8]) -> Result<(), BatchError> {
        let length = G::LAYOUT.size.squares();
        rows::check_length("covered_pieces", self.lanes.len() * length, out.len())?;
        let setup = &self.setup;
        let observations = Observations { rows: out, length, lanes: &self.lanes };
        self.workers.run(observations, CHUNK, |Observations { rows, lanes, .. }| {
            for (row, lane) in rows.chunks_exact_mut(length).zip(lanes) {
                setup.rules.covered_pieces(&lane.state, lane.viewer(setup), row);
            }
        });
        Ok(())
    }

    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError> {
        rows::check_length("actions", self.lanes.len(), out.len())?;
        self.workers.run(Samples(out, &mut self.legal), SAMPLE_CHUNK, Samples::run);
        Ok(())
    }

    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>> {
        let lane = self.lanes.get(lane)?;
        Some(Box::new(Session::new(self.setup.rules.clone(), lane.state.clone())))
    }

    fn seeds(&self) -> Vec<u64> {
        self.lanes.iter().map(Lane::game_seed).collect()
    }
}

/// Rows of floats, if there are any.
fn rows_of<'a>(
    what: &'static str,
    rows: Option<&'a [f32]>,
    lanes: usize,
    length: usize,
) -> Result<Option<&'a [f32]>, BatchError> {
    rows.map_or(Ok(()), |rows| rows::check_length(what, lanes * length, rows.len()))?;
    Ok(rows)
}

/// Why opponents did not play on.
fn opponent_error<G: Registered>(setup: &BatchSetup<G>, stuck: Stuck) -> BatchError {
    match stuck.reason {
        StuckReason::NoTurn => BatchError::NoTurn,
        StuckReason::Failed(cause) => {
            let lane = setup.config.first_lane + stuck.lane;
            BatchError::Opponent { lane, cause: Cause(cause.into()) }
        }
    }
}

/// A batch by the game's name.
///
/// # Errors
/// If the game or an option does not exist, or the configuration is out of range. If games end before
/// the caller has a turn against opponents.
pub fn make(
    game: &str,
    options: &Options,
    config: BatchConfig,
) -> Result<Box<dyn AnyBatch>, SetupError> {
    games::with(game, options, Make(config))?
}

struct Make(BatchConfig);

impl Visitor for Make {
    type Output = Result<Box<dyn AnyBatch>, SetupError>;

    fn visit<G: Registered>(self, rules: G) -> Self::Output {
        Ok(Box::new(Batch::new(rules, self.0)?))
    }
}
