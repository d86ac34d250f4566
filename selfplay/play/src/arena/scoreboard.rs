//! Counts finished blocks, and decides the test.

use std::collections::BTreeMap;

use super::journal::Block;
use super::schedule::Schedule;
use super::sprt::{Decision, Sprt, Verdict};
use super::tally::PairTally;

/// The results so far.
pub(super) struct Scoreboard<'a> {
    schedule: &'a Schedule,
    /// By pair.
    tallies: Vec<PairTally>,
    test: Option<SequentialTest>,
}

/// A test in progress. It takes blocks in the order of their numbers, so that its decision, and the
/// block after which it falls, do not depend on which thread finishes first.
struct SequentialTest {
    test: Sprt,
    verdict: Verdict,
    next: u64,
    waiting: BTreeMap<u64, Block>,
}

impl<'a> Scoreboard<'a> {
    pub(super) fn new(schedule: &'a Schedule, sprt: Option<Sprt>) -> Self {
        let test = sprt.map(|test| SequentialTest {
            test,
            verdict: test.evaluate(&[], 1.0),
            next: 0,
            waiting: BTreeMap::new(),
        });
        Self { schedule, tallies: vec![PairTally::default(); schedule.pairs.len()], test }
    }

    /// Counts a block, unless it is beyond those asked for.
    pub(super) fn add(&mut self, pair: usize, block: Block) {
        let seating = self.schedule.seating;
        let tally = &mut self.tallies[pair];
        if block.block >= self.schedule.blocks {
            return;
        }
        let Some(test) = &mut self.test else {
            tally.add(seating, &block);
            return;
        };
        test.waiting.insert(block.block, block);
        while test.verdict.decision == Decision::Undecided
            && let Some(block) = test.waiting.remove(&test.next)
        {
            tally.add(seating, &block);
            let repetition = tally.beginnings.repetition();
            test.verdict = test.test.evaluate(&tally.all_cells(seating), repetition);
            test.next += 1;
        }
    }

    /// The results by pair.
    pub(super) fn tallies(&self) -> &[PairTally] {
        &self.tallies
    }

    /// The state of the test, if there is one.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.test.as_ref().map(|test| test.verdict)
    }

    /// Whether the test is decided.
    pub(super) fn decided(&self) -> bool {
        self.verdict().is_some_and(|verdict| verdict.decision != Decision::Undecided)
    }
}
