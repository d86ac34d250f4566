//! The value of the first reveal, from sums that other processes have computed.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::measure::value_of;
use super::results::FirstRevealValue;
use super::rules::RuleFacts;
use super::running_score::{DealScores, RunningScore};
use super::tally::{Reading, Tally};
use crate::Result;
use crate::games::{Clusters, only_agent};
use crate::parts::{self, Parts};
use darkqi_format::{Dataset, Openings, in_parallel};

/// The sums of a shard.
#[derive(Serialize, Deserialize)]
struct ShardSums {
    tally: Tally,
    /// For a running score.
    deals: Option<DealScores>,
}

/// The share of some shards in [`FirstRevealParts`], given by their indices in [`Dataset::shards`], as
/// bytes. `with_deals`: the scores of their deals, too, for [`settled_scores`](super::settled_scores).
/// It uses all threads of the caller's rayon pool.
///
/// # Errors
/// As [`first_reveal`](super::first_reveal()), and if the dataset has no such shards.
pub fn first_reveal_part(
    dataset: &Dataset,
    shards: Range<usize>,
    with_deals: bool,
    stop: &AtomicBool,
) -> Result<Vec<u8>> {
    parts::check_shards(dataset, &shards)?;
    let agent = only_agent(dataset.metadata())?;
    let facts = &RuleFacts::of(dataset.metadata())?;
    let clusters = &Clusters::of(dataset)?;
    let reading = Reading { dataset, facts, agent, clusters, judge: None, stop };
    let sums = |shard| -> Result<_> {
        let tally = Tally::of_shard(&reading, shard)?;
        let deals = || DealScores::of_shard(dataset, facts, shard, stop);
        Ok(ShardSums { tally, deals: with_deals.then(deals).transpose()? })
    };
    let all = in_parallel(shards.clone(), &sums)?;
    parts::to_bytes(dataset, question(with_deals), shards, &all)
}

fn question(with_deals: bool) -> &'static str {
    if with_deals { "the first reveal with its deals" } else { "the first reveal" }
}

fn openings(dataset: &Dataset) -> Openings {
    dataset.run().map(|run| run.openings.clone()).unwrap_or_default()
}

/// Adds up what [`first_reveal_part`] gives for all shards of a dataset, in constant memory. The
/// figures are bit for bit those of [`first_reveal`](super::first_reveal()) and
/// [`settled_scores`](super::settled_scores).
#[derive(Debug)]
pub struct FirstRevealParts {
    dataset: Dataset,
    facts: RuleFacts,
    parts: Parts,
    tally: Tally,
    running: Option<RunningScore>,
}

impl FirstRevealParts {
    /// Waits for the first shard. `half_width`: the target of a running score, if there is to be one.
    ///
    /// # Errors
    /// If the dataset has several agents, its game does not exist, or the half-width is out of range.
    pub fn new(dataset: &Dataset, half_width: Option<f64>) -> Result<Self> {
        only_agent(dataset.metadata())?;
        let facts = RuleFacts::of(dataset.metadata())?;
        Ok(Self {
            tally: Tally::new(&facts),
            facts,
            parts: Parts::new(question(half_width.is_some()).to_owned()),
            running: half_width
                .map(|width| RunningScore::of(RuleFacts::of(dataset.metadata())?, width))
                .transpose()?,
            dataset: dataset.clone(),
        })
    }

    /// Adds the part of the next shards.
    ///
    /// # Errors
    /// If it is not of the next shards of this dataset, or a deal is in several shards.
    pub fn add(&mut self, part: &[u8]) -> Result<()> {
        for ShardSums { tally, deals } in self.parts.take(&self.dataset, part)? {
            self.tally.merge(&tally)?;
            if let (Some(running), Some(deals)) = (&mut self.running, &deals) {
                running.extend(deals)?;
            }
        }
        Ok(())
    }

    /// The estimates, once all shards are there.
    ///
    /// # Errors
    /// If shards are missing, or the dataset has no games.
    pub fn finish(mut self) -> Result<FirstRevealValue> {
        self.parts.finish(&self.dataset)?;
        self.tally.close_openings()?;
        let openings = openings(&self.dataset);
        let value = value_of(self.dataset.metadata(), &openings, &self.facts, &self.tally)?;
        Ok(value.with_settled(self.running.as_ref().map(RunningScore::scores)))
    }
}
