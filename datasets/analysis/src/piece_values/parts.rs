//! Piece values from rows that other processes have sampled, and keep.
//!
//! Each process samples the rows of its shards and computes sums over them, as often as the fit needs
//! sums at other coefficients. Only counts and sums travel.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::fit::value_of;
use super::positions::{PositionSampler, check_positions};
use super::results::PieceValues;
use super::row_file::RowBlocks;
use super::sample::{SampledRows, sample_shard};
use crate::games::only_agent;
use crate::parts::{self, Parts};
use crate::statistics::regression::{Blocks, Pass, RowSource, Sums};
use crate::{Error, Result};
use darkqi_format::{Dataset, in_parallel};

/// The rows that a process has sampled of some shards.
#[derive(Clone, Debug)]
pub struct SampledPart {
    /// The counts, for [`PieceValueParts::add`].
    pub counts: Vec<u8>,
    /// The rows, for [`answer_about_rows`].
    pub rows: Vec<u8>,
}

/// Samples the positions of some shards, given by their indices in [`Dataset::shards`]. It uses all
/// threads of the caller's rayon pool.
///
/// # Errors
/// As [`piece_values`](super::piece_values()) where a shard is concerned, and if the dataset has no
/// such shards.
pub fn piece_values_part(
    dataset: &Dataset,
    shards: Range<usize>,
    per_game: usize,
    stop: &AtomicBool,
) -> Result<SampledPart> {
    parts::check_shards(dataset, &shards)?;
    let sampler = PositionSampler::open(dataset.metadata(), per_game)?;
    let agent = only_agent(dataset.metadata())?;
    let sample = |shard| -> Result<_> {
        let sampled = sample_shard(dataset, shard, &sampler, agent, stop)?;
        Ok(sampled.split())
    };
    let sampled = in_parallel(shards.clone(), &sample)?;
    let (counts, blocks): (Vec<SampledRows<()>>, _) = sampled.into_iter().unzip();
    let rows = RowBlocks { width: sampler.columns().len(), blocks };
    Ok(SampledPart {
        counts: parts::to_bytes(dataset, &question(per_game), shards, &counts)?,
        rows: postcard::to_allocvec(&rows).map_err(unreadable)?,
    })
}

/// The answer to a question of [`PieceValueParts::finish`] about the rows of a part. It uses all
/// threads of the caller's rayon pool.
///
/// # Errors
/// If these are no rows or no question, or they do not fit.
pub fn answer_about_rows(rows: &[u8], question: &[u8]) -> Result<Vec<u8>> {
    let rows: RowBlocks = postcard::from_bytes(rows).map_err(unreadable)?;
    let pass: Pass = postcard::from_bytes(question).map_err(unreadable)?;
    let answers: Vec<Sums> = in_parallel(0..rows.blocks(), &|block| pass.answer(&rows, block))?;
    postcard::to_allocvec(&answers).map_err(unreadable)
}

fn unreadable(cause: postcard::Error) -> Error {
    Error::Part { fault: format!("damaged bytes: {cause}") }
}

/// Gives a question to all parts, and their answers in the order of shards.
type Ask<'a> = &'a mut dyn FnMut(&[u8]) -> Result<Answers>;

/// The answers to a question, those of a part each.
type Answers = Vec<Vec<u8>>;

/// The rows of all parts.
struct OthersBlocks<'a> {
    width: usize,
    shards: usize,
    ask: RefCell<Ask<'a>>,
}

impl Blocks for OthersBlocks<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn ask(&self, pass: &Pass, take: &mut dyn FnMut(Sums) -> Result<()>) -> Result<()> {
        let question = postcard::to_allocvec(pass).map_err(unreadable)?;
        let mut shards = 0;
        for answer in (self.ask.borrow_mut())(&question)? {
            let answers: Vec<Sums> = postcard::from_bytes(&answer).map_err(unreadable)?;
            shards += answers.len();
            answers.into_iter().try_for_each(&mut *take)?;
        }
        Error::check_equal("shards with an answer", self.shards, shards)
    }
}

fn question(per_game: usize) -> String {
    format!("piece values by {per_game} positions of a game")
}

/// Fits what [`piece_values_part`] has sampled of all shards of a dataset, in constant memory. The
/// figures are bit for bit those of [`piece_values`](super::piece_values()).
#[derive(Debug)]
pub struct PieceValueParts {
    dataset: Dataset,
    per_game: usize,
    parts: Parts,
    sampled: SampledRows<()>,
}

impl PieceValueParts {
    /// Waits for the first shard.
    ///
    /// # Errors
    /// If `per_game` is 0, or the dataset has several agents.
    pub fn new(dataset: &Dataset, per_game: usize) -> Result<Self> {
        only_agent(dataset.metadata())?;
        check_positions(per_game)?;
        Ok(Self {
            dataset: dataset.clone(),
            per_game,
            parts: Parts::new(question(per_game)),
            sampled: SampledRows::new(()),
        })
    }

    /// Adds the counts of the next shards.
    ///
    /// # Errors
    /// If they are not of the next shards of this dataset, or a deal is in several shards.
    pub fn add(&mut self, counts: &[u8]) -> Result<()> {
        let shards: Vec<SampledRows<()>> = self.parts.take(&self.dataset, counts)?;
        shards.iter().try_for_each(|shard| self.sampled.count(shard))
    }

    /// Fits the rows, once the counts of all shards are there. `ask` sends a question to the
    /// holders of the rows, and returns their answers ([`answer_about_rows`]) in the order of
    /// shards. It is called about thirty times.
    ///
    /// # Errors
    /// If shards are missing, those of `ask`, and as [`piece_values`](super::piece_values()) where
    /// rows are concerned.
    pub fn finish(self, ask: &mut dyn FnMut(&[u8]) -> Result<Answers>) -> Result<PieceValues> {
        let Self { dataset, per_game, parts, sampled } = self;
        parts.finish(&dataset)?;
        let sampler = PositionSampler::open(dataset.metadata(), per_game)?;
        let (width, shards) = (sampler.columns().len(), dataset.shards().len());
        let blocks = OthersBlocks { width, shards, ask: RefCell::new(ask) };
        value_of(&sampler, dataset.metadata(), &sampled, &blocks)
    }
}
