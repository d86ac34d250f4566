//! Samples rows from the games of a dataset, shard by shard.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::positions::{Position, PositionSampler, Scratch};
use super::row_file::{Block, RowFile};
use crate::games::{Beginnings, DealSet, DistinctGames, checked};
use crate::{Error, Result};
use darkqi_format::{Dataset, in_order};

/// The number of shards sampled before their rows are written, which limits the memory.
const SHARDS_AT_ONCE: usize = 16;

/// The rows sampled from a dataset or a part of it, with counts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SampledRows<R> {
    pub(super) rows: R,
    /// The number of games read.
    pub(super) games: u64,
    /// The number of games with quiet positions.
    pub(super) quiet_games: u64,
    pub(super) distinct: DistinctGames,
    pub(super) beginnings: Beginnings,
    pub(super) deals: DealSet,
}

impl<R> SampledRows<R> {
    pub(super) fn new(rows: R) -> Self {
        Self {
            rows,
            games: 0,
            quiet_games: 0,
            distinct: DistinctGames::default(),
            beginnings: Beginnings::default(),
            deals: DealSet::default(),
        }
    }
}

impl SampledRows<RowFile> {
    /// Adds the rows of the next shard.
    fn add(&mut self, shard: &SampledRows<Block>) -> Result<()> {
        self.rows.add(&shard.rows)?;
        self.count(shard)
    }
}

impl SampledRows<Block> {
    /// The counts, and the rows.
    pub(super) fn split(self) -> (SampledRows<()>, Block) {
        let Self { rows, games, quiet_games, distinct, beginnings, deals } = self;
        (SampledRows { rows: (), games, quiet_games, distinct, beginnings, deals }, rows)
    }
}

impl<R> SampledRows<R> {
    /// Checks that there is something to fit.
    pub(super) fn check(&self) -> Result<()> {
        match self.games {
            0 => Err(Error::NoGames),
            games if self.quiet_games == 0 => Err(Error::NoPositions { games }),
            _ => Ok(()),
        }
    }

    /// Adds the counts of the next shard.
    pub(super) fn count<S>(&mut self, shard: &SampledRows<S>) -> Result<()> {
        self.games += shard.games;
        self.quiet_games += shard.quiet_games;
        self.distinct.merge(&shard.distinct);
        self.beginnings.merge(&shard.beginnings);
        self.deals.merge(&shard.deals)
    }
}

/// Samples the rows of a dataset.
pub(super) fn sample_dataset(
    dataset: &Dataset,
    sampler: &PositionSampler,
    agent: &str,
    stop: &AtomicBool,
) -> Result<SampledRows<RowFile>> {
    let mut all = SampledRows::new(RowFile::new(sampler.width())?);
    let shards = 0..dataset.shards().len();
    let sample = |shard| sample_shard(dataset, shard, sampler, agent, stop);
    in_order(shards, SHARDS_AT_ONCE, &sample, |part| all.add(&part))?;
    Ok(all)
}

/// Samples the rows of one shard.
pub(super) fn sample_shard(
    dataset: &Dataset,
    shard: usize,
    sampler: &PositionSampler,
    agent: &str,
    stop: &AtomicBool,
) -> Result<SampledRows<Block>> {
    let mut sampled = SampledRows::new(Block::default());
    let mut scratch = Scratch::default();
    let mut x = Vec::new();
    let (mut deal, mut quiet_deal) = (None, None);
    for game in dataset.shard_replays(shard) {
        let game = checked(game, Some(sampler.spec.num_players), agent, stop)?;
        if deal.replace(game.deal_id) != Some(game.deal_id) {
            sampled.deals.begin(game.deal_id)?;
        }
        x.clear();
        let (mut positions, mut score) = (0_usize, 0.0);
        sampler
            .sample(&game, &mut scratch, &mut |position: Position<'_>| {
                x.extend_from_slice(position.x);
                score = position.score;
                positions += 1;
            })
            .map_err(|fault| Error::Game { game_id: game.game_id, fault })?;
        for x in x.chunks_exact(sampler.width()) {
            sampled.rows.push(game.deal_id, score, 1.0 / positions as f32, x);
        }
        sampled.games += 1;
        sampled.distinct.add(&game);
        if positions > 0 {
            sampled.quiet_games += 1;
            if quiet_deal.replace(game.deal_id) != Some(game.deal_id) {
                sampled.beginnings.add(&game);
            }
        }
    }
    Ok(sampled)
}
