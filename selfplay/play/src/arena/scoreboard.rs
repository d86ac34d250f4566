//! Counts finished blocks, and decides the test.

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Spec;
use darkqi_format::Openings;

use super::luck::Luck;
use super::sprt::{Decision, Sprt, Verdict};
use super::tally::PairTally;
use crate::error::Error;
use crate::generation::{Ended, PairSeats, Schedule, Tally, pairs};

/// The results so far.
pub(super) struct Scoreboard {
    pub(super) seats: PairSeats,
    /// The agents' texts.
    pub(super) names: Vec<String>,
    /// The agents of each pair, the lower number first.
    pub(super) pairs: Vec<[usize; 2]>,
    /// Games per pair that are asked for.
    pub(super) games_per_pair: u64,
    /// By pair.
    pub(super) tallies: Vec<PairTally>,
    /// Blocks of a stopped match that ended before earlier ones.
    pub(super) early: u64,
    /// None where nothing is covered.
    pub(super) luck: Option<Luck>,
    pub(super) spec: Spec,
    /// How games begin.
    pub(super) openings: Openings,
    /// The test, and its state. It takes blocks in the order of their numbers, so that its decision does
    /// not depend on which thread finishes first.
    test: Option<(Sprt, Verdict)>,
}

impl Scoreboard {
    pub(super) fn new(spec: &Spec, schedule: &Schedule, sprt: Option<Sprt>) -> Self {
        let pairs = pairs(schedule.agents.len());
        Self {
            seats: PairSeats::of(spec),
            names: schedule.agents.iter().map(AgentSpec::to_string).collect(),
            games_per_pair: schedule.games / pairs.len() as u64,
            tallies: vec![PairTally::default(); pairs.len()],
            pairs,
            early: 0,
            luck: Luck::new(spec),
            spec: spec.clone(),
            openings: schedule.openings.clone(),
            test: sprt.map(|test| (test, test.evaluate(&[], 1.0))),
        }
    }

    /// The state of the test, if there is one.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.test.as_ref().map(|&(_, verdict)| verdict)
    }
}

impl Tally for Scoreboard {
    fn add(&mut self, schedule: &Schedule, block: &[Ended], in_order: bool) -> Result<(), Error> {
        if self.test.is_some() && !in_order {
            return Ok(());
        }
        self.early += u64::from(!in_order);
        let first = block[0].record.game_id;
        let tally = &mut self.tallies[schedule.block(first)];
        // The plies of an opening are not in the record.
        let opening = self.spec.parse_fen(&block[0].record.deal).map_or(0, |start| start.ply());
        tally.add(self.seats, schedule.deal(first), opening, block, self.luck.as_ref())?;
        if let Some((test, verdict)) = &mut self.test {
            let repetition = tally.beginnings.repetition();
            *verdict = test.evaluate(&tally.all_cells(self.seats), repetition);
        }
        Ok(())
    }

    fn is_decided(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict.decision != Decision::Undecided)
    }

    fn decision(&self) -> (String, &'static str) {
        let what = "sprt: the test is decided".to_owned();
        (what, "the test that it was played for, or one that needs more games")
    }

    fn standing(&self) -> Option<String> {
        let Verdict { lower, upper, llr, .. } = self.verdict()?;
        Some(format!("LLR {llr:.2} of {lower:.2} to {upper:.2}"))
    }
}
