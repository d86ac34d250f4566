//! Piece values from rows that other processes have sampled.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::fit::{check_positions, value_of};
use super::positions::PositionSampler;
use super::results::PieceValues;
use super::row_file::{Block, RowFile};
use super::sample::{SampledRows, sample_shard};
use crate::Dataset;
use crate::analysis::Result;
use crate::analysis::games::only_agent;
use crate::analysis::parts::{self, Parts};
use crate::format::options_from_json;

/// What [`PieceValueParts`] needs of some shards, given by their indices in [`Dataset::shards`], as
/// bytes: the sampled rows. It uses all threads of the caller's rayon pool.
///
/// # Errors
///
/// As [`piece_values`](super::piece_values()) where a shard is concerned, and if the dataset has no
/// such shards.
pub fn piece_values_part(
    dataset: &Dataset,
    shards: Range<usize>,
    per_game: usize,
    stop: &AtomicBool,
) -> Result<Vec<u8>> {
    struct Sample<'a>(&'a Dataset, Range<usize>, usize, &'a AtomicBool);
    impl Visitor for Sample<'_> {
        type Output = Result<Vec<u8>>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(dataset, shards, per_game, stop) = self;
            let agent = only_agent(dataset.metadata())?;
            let sampler = PositionSampler::new(rules, per_game);
            let sample = |shard| sample_shard(dataset, shard, &sampler, agent, stop);
            let all = shards.clone().into_par_iter().map(sample).collect::<Result<Vec<_>>>()?;
            parts::to_bytes(dataset, &question(per_game), shards, &all)
        }
    }
    parts::check_shards(dataset, &shards)?;
    check_positions(per_game)?;
    let game = &dataset.metadata().game;
    games::with(game, &options(dataset)?, Sample(dataset, shards, per_game, stop))?
}

fn question(per_game: usize) -> String {
    format!("piece values by {per_game} positions of a game")
}

fn options(dataset: &Dataset) -> Result<Options> {
    Ok(options_from_json(&dataset.metadata().options)?)
}

/// Collects what [`piece_values_part`] gives for all shards of a dataset in a temporary file, and fits
/// it. The figures are bit for bit those of [`piece_values`](super::piece_values()).
pub struct PieceValueParts {
    dataset: Dataset,
    per_game: usize,
    parts: Parts,
    sampled: SampledRows<RowFile>,
}

impl PieceValueParts {
    /// Waits for the first shard.
    ///
    /// # Errors
    ///
    /// If `per_game` is 0, the dataset has several agents, its game does not exist, or there can be no
    /// temporary file.
    pub fn new(dataset: &Dataset, per_game: usize) -> Result<Self> {
        struct Width(usize);
        impl Visitor for Width {
            type Output = usize;
            fn visit<G: Registered>(self, rules: G) -> usize {
                PositionSampler::new(rules, self.0).columns().len()
            }
        }
        only_agent(dataset.metadata())?;
        check_positions(per_game)?;
        let width = games::with(&dataset.metadata().game, &options(dataset)?, Width(per_game))?;
        Ok(Self {
            dataset: dataset.clone(),
            per_game,
            parts: Parts::new(question(per_game)),
            sampled: SampledRows::new(RowFile::new(width)?),
        })
    }

    /// Adds the part of the next shards.
    ///
    /// # Errors
    ///
    /// If it is not of the next shards of this dataset, a deal is in several shards, or the temporary
    /// file cannot be written.
    pub fn add(&mut self, part: &[u8]) -> Result<()> {
        let shards: Vec<SampledRows<Block>> = self.parts.take(&self.dataset, part)?;
        shards.iter().try_for_each(|rows| self.sampled.add(rows))
    }

    /// Fits the rows, once all shards are there, on all threads of the caller's rayon pool.
    ///
    /// # Errors
    ///
    /// If shards are missing, and as [`piece_values`](super::piece_values()) where rows are concerned.
    pub fn finish(self) -> Result<PieceValues> {
        struct Fit(PieceValueParts);
        impl Visitor for Fit {
            type Output = Result<PieceValues>;
            fn visit<G: Registered>(self, rules: G) -> Self::Output {
                let PieceValueParts { dataset, per_game, sampled, .. } = self.0;
                let sampler = PositionSampler::new(rules, per_game);
                value_of::<G>(dataset.metadata(), sampler.columns(), &sampled)
            }
        }
        self.parts.finish(&self.dataset)?;
        let (game, options) = (self.dataset.metadata().game.clone(), options(&self.dataset)?);
        games::with(&game, &options, Fit(self))?
    }
}
