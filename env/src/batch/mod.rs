//! Thousands of games in one call. Nothing here knows a rule.
//!
//! Lane `i` plays its games one after another: the `k`-th is game `k * 2^32 + i` of the batch's
//! seed, whatever the number of lanes or threads. A batch may hold some of the lanes only, so that
//! several batches share them out.

mod buffers;
mod choice;
mod column;
mod config;
mod course;
mod crew;
mod lane;
mod mask;
mod memory;
mod opponents;
mod rows;
mod task;

use crate::error::{ActionError, BatchError, SetupError};
use crate::game::{Options, Viewer};
use crate::games::{self, Registered, Visitor};
use crate::rng::game_seed;
use crate::session::{AnyState, Session};
use crate::spec::Spec;
use choice::{Choice, Plan};
use course::{Course, PIECE, SAMPLES};
use crew::{Crew, Divisible};
use lane::Lane;
use memory::room;
use task::{Pairs, Task, Views};

pub use buffers::Buffers;
pub use config::{Autoreset, BatchConfig, Illegal, MAX_THREADS, Reset};
pub use mask::{Mask, MaskFormat};
pub use memory::zeroed;
pub use opponents::Opponents;
pub use rows::{RowLengths, Rows};

/// Games of one kind, stepped together.
#[derive(Debug)]
pub struct Batch<G: Registered> {
    course: Course<G>,
    lanes: Vec<Lane<G>>,
    /// What may be done in each lane.
    choices: Vec<Choice>,
    /// What is done next in each lane.
    plans: Vec<Plan>,
    team: Team,
    /// Whether a ply has been played or the games have been handed out by a reset.
    touched: bool,
}

/// Who steps the lanes.
#[derive(Debug)]
enum Team {
    /// The calling thread alone.
    Caller,
    /// The crew of the whole process.
    Shared,
    /// Threads of the batch's own.
    Own(Crew),
}

impl Team {
    fn threads(&self) -> usize {
        match self {
            Self::Caller => 1,
            Self::Shared => *crew::CORES,
            Self::Own(crew) => crew.threads(),
        }
    }

    /// Does all the work, in pieces of so many lanes if there are several to share.
    fn share<T: Divisible>(&self, whole: T, piece: usize, work: impl Fn(T) + Sync) {
        match self {
            _ if whole.lanes() <= piece => work(whole),
            Self::Caller => work(whole),
            Self::Shared => crew::SHARED.share(whole, piece, work),
            Self::Own(crew) => crew.share(whole, piece, work),
        }
    }
}

impl<G: Registered> Batch<G> {
    /// A batch with a game dealt in every lane.
    ///
    /// # Errors
    /// If the number of lanes or threads is out of range.
    pub fn new(rules: G, config: BatchConfig) -> Result<Self, BatchError> {
        Self::with_course(Course { rules, config, opponents: None })
    }

    /// A batch whose caller plays one seat of each game, and `opponents` the others, within the
    /// step: it is always the caller's turn, and rows show what its seat sees.
    ///
    /// # Errors
    /// If the number of lanes or threads is out of range, or the games are over before the caller
    /// has a turn.
    pub fn against(
        rules: G,
        config: BatchConfig,
        opponents: Box<dyn Opponents<G>>,
    ) -> Result<Self, BatchError> {
        Self::with_course(Course { rules, config, opponents: Some(opponents) })
    }

    fn with_course(course: Course<G>) -> Result<Self, BatchError> {
        let BatchConfig { lanes, first_lane, threads, .. } = course.config;
        let end = first_lane.saturating_add(lanes);
        if lanes == 0 || end as u64 > 1 << 32 {
            return Err(BatchError::Lanes(if lanes == 0 { 0 } else { end }));
        }
        let team = match threads {
            None => Team::Shared,
            Some(1) => Team::Caller,
            Some(threads) if threads == 0 || threads > MAX_THREADS => {
                return Err(BatchError::ThreadCount(threads, MAX_THREADS));
            }
            Some(threads) => {
                let failed =
                    |error: std::io::Error| BatchError::Threads(threads, error.to_string());
                Team::Own(Crew::start(threads).map_err(failed)?)
            }
        };
        if !course.gives_turns() {
            return Err(BatchError::NoTurn);
        }
        let actions = course.rules.table().len();
        let (mut choices, mut dealt, mut plans) = (room(lanes)?, room(lanes)?, room(lanes)?);
        choices.extend((0..lanes).map(|_| Choice::new(actions)));
        plans.resize(lanes, Plan::Reset(Reset::Keep));
        // A deal takes no longer than a few plies; what opponents do before the caller's first turn
        // may take long.
        dealt.extend((first_lane..end).map(|number| Lane::dealt(&course, number)));
        let pairs = Pairs(&mut dealt, &mut choices);
        team.share(pairs, course.piece(lanes, team.threads()), |Pairs(lanes, choices)| {
            lanes.iter_mut().zip(choices).for_each(|(lane, choice)| lane.open(&course, choice));
        });
        Ok(Self { course, lanes: dealt, choices, plans, team, touched: false })
    }

    /// Does in every lane what is planned and writes all rows, in parallel.
    fn run(&mut self, rows: Rows<'_>) {
        self.touched = true;
        let lengths = &self.lengths();
        let Self { course, lanes, choices, plans, team, .. } = self;
        let piece = course.piece(lanes.len(), team.threads());
        let streamed = Task::streams(course, lengths, lanes.len());
        let task = Task { course, lengths, lanes, choices, plans, rows, streamed };
        team.share(task, piece, Task::run);
    }

    fn lengths(&self) -> RowLengths {
        let Course { rules, config, .. } = &self.course;
        RowLengths {
            observation: config.format.len(&G::LAYOUT),
            mask: config.mask.len(rules.table().len()),
            players: rules.players(),
        }
    }
}

/// A [`Batch`] of a game whose name is known only at run time.
pub trait AnyBatch: Send + Sync {
    /// The game with its options.
    fn spec(&self) -> Spec;
    /// How the batch was set up.
    fn config(&self) -> &BatchConfig;
    /// Bytes and elements of each row.
    fn lengths(&self) -> RowLengths;
    /// Deals a new game in every lane and writes all rows. With a seed the games are those of a
    /// new batch; without one, the first call hands out the games dealt already and later ones go
    /// on to each lane's next.
    ///
    /// # Errors
    /// If a buffer has the wrong length; nothing is changed then.
    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError>;
    /// Resets some lanes, as told for each. Rewards and ends of lanes that are kept stay in their
    /// rows.
    ///
    /// # Errors
    /// If `resets` or a buffer has the wrong length; nothing is changed then.
    fn reset_lanes(&mut self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError>;
    /// Plays one action in every lane and writes all rows. A lane whose game ends reports so and
    /// deals its next game when [`BatchConfig::autoreset`] says.
    ///
    /// # Errors
    /// If an action is not legal in its lane, unless [`BatchConfig::illegal`] lets it pass, if a
    /// lane waits for its reset, or if a buffer has the wrong length; nothing is changed then.
    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError>;
    /// Whether [`step`](Self::step) would play these actions. Nothing is changed.
    ///
    /// # Errors
    /// As those of [`step`](Self::step).
    fn check_actions(&mut self, actions: &[i64]) -> Result<(), BatchError>;
    /// Writes what a viewer sees of every lane.
    ///
    /// # Errors
    /// If there is no such seat or the buffer has the wrong length.
    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError>;
    /// Samples a uniformly random legal action for every lane from the random stream of its game; 0
    /// where the game is over. Each call takes the next number of each stream.
    ///
    /// # Errors
    /// If the buffer has the wrong length.
    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError>;
    /// A copy of one lane's game, unless there is no such lane.
    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>>;
    /// The seed of each lane's current game: a single game dealt with it is the same.
    fn seeds(&self) -> Vec<u64>;
}

impl<G: Registered> AnyBatch for Batch<G> {
    fn spec(&self) -> Spec {
        Spec::of(&self.course.rules)
    }

    fn config(&self) -> &BatchConfig {
        &self.course.config
    }

    fn lengths(&self) -> RowLengths {
        self.lengths()
    }

    fn reset(&mut self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.lengths())?;
        if let Some(seed) = seed {
            self.course.config.seed = seed;
        }
        // Games that are kept would leave their results as they are.
        rows.reward.fill(0.0);
        rows.terminated.fill(false);
        rows.truncated.fill(false);
        let first_lane = self.course.config.first_lane;
        for (number, plan) in self.plans.iter_mut().enumerate() {
            *plan = Plan::Reset(match seed {
                Some(seed) => Reset::Seed(game_seed(seed, (first_lane + number) as u64)),
                None if self.touched => Reset::Next,
                None => Reset::Keep,
            });
        }
        self.run(rows);
        Ok(())
    }

    fn reset_lanes(&mut self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.lengths())?;
        rows::check_length("lanes", self.lanes.len(), resets.len())?;
        self.plans.iter_mut().zip(resets).for_each(|(plan, &reset)| *plan = Plan::Reset(reset));
        self.run(rows);
        Ok(())
    }

    fn step(&mut self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError> {
        rows.check(self.lanes.len(), &self.lengths())?;
        // All actions are checked before any is played, and each is read once: what is played is
        // what was checked, even if the caller's buffer changes meanwhile.
        self.check_actions(actions)?;
        self.run(rows);
        Ok(())
    }

    fn check_actions(&mut self, actions: &[i64]) -> Result<(), BatchError> {
        rows::check_length("actions", self.lanes.len(), actions.len())?;
        for (number, &action) in actions.iter().enumerate() {
            self.plans[number] = match self.choices[number].action(action) {
                Some(action) => Plan::Play(action),
                None => self.instead_of(number, action)?,
            };
        }
        Ok(())
    }

    fn observe(&self, viewer: Viewer, out: &mut [u8]) -> Result<(), BatchError> {
        if let Viewer::Player(player) = viewer
            && player >= self.course.rules.players()
        {
            return Err(BatchError::Viewer {
                viewer: player,
                players: self.course.rules.players(),
            });
        }
        let Course { rules, config: BatchConfig { format, .. }, .. } = &self.course;
        let length = format.len(&G::LAYOUT);
        rows::check_length("observation", self.lanes.len() * length, out.len())?;
        let views = Views { rows: out, length, lanes: &self.lanes };
        self.team.share(views, PIECE, |Views { rows, lanes, .. }| {
            for (row, lane) in rows.chunks_exact_mut(length).zip(lanes) {
                format.write(rules, &rules.view(&lane.state, viewer), row);
            }
        });
        Ok(())
    }

    fn sample_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError> {
        rows::check_length("actions", self.lanes.len(), out.len())?;
        let pairs = Pairs(out, &mut self.choices);
        self.team.share(pairs, SAMPLES, |Pairs(actions, choices)| {
            for (action, choice) in actions.iter_mut().zip(choices) {
                *action = choice.sample().map_or(0, |sampled| sampled.0.into());
            }
        });
        Ok(())
    }

    fn state(&self, lane: usize) -> Option<Box<dyn AnyState>> {
        let lane = self.lanes.get(lane)?;
        Some(Box::new(Session::new(self.course.rules.clone(), lane.state.clone())))
    }

    fn seeds(&self) -> Vec<u64> {
        self.lanes.iter().map(Lane::game_seed).collect()
    }
}

impl<G: Registered> Batch<G> {
    /// What is done in a lane instead of playing an action that is not legal.
    ///
    /// # Errors
    /// If nothing is.
    #[cold]
    fn instead_of(&self, number: usize, action: i64) -> Result<Plan, BatchError> {
        let BatchConfig { first_lane, autoreset, illegal, .. } = self.course.config;
        let lane = first_lane + number;
        if self.choices[number].is_over() {
            return match autoreset {
                Autoreset::NextStep => Ok(Plan::Reset(Reset::Next)),
                Autoreset::SameStep | Autoreset::Disabled => Err(BatchError::Over { lane }),
            };
        }
        match illegal {
            Illegal::Forfeit => Ok(Plan::Forfeit),
            Illegal::Refuse => {
                let source = self.objection(number, action);
                Err(BatchError::Action { lane, source })
            }
        }
    }

    /// Why an action cannot be played in a lane.
    fn objection(&self, number: usize, action: i64) -> ActionError {
        let Self { course, lanes, .. } = self;
        let mut session = Session::new(course.rules.clone(), lanes[number].state.clone());
        let played = session.action(action).and_then(|action| session.apply(action));
        played.expect_err("the lane's mask refused the action")
    }
}

/// A batch by the game's name.
///
/// # Errors
/// If there is no such game or option, or the configuration is out of range.
pub fn make(
    game: &str,
    options: &Options,
    config: BatchConfig,
) -> Result<Box<dyn AnyBatch>, SetupError> {
    struct Make(BatchConfig);
    impl Visitor for Make {
        type Output = Result<Box<dyn AnyBatch>, BatchError>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            Ok(Box::new(Batch::new(rules, self.0)?))
        }
    }
    Ok(games::with(game, options, Make(config))??)
}
