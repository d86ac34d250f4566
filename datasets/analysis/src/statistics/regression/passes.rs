//! Passes over rows: what is asked of each block, and what is answered. Blocks may lie in other
//! processes: questions and answers can be sent.

use std::io;

use darkqi_format::in_order;
use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use super::fit::Fit;
use super::likelihood::LikelihoodSums;
use super::model::Model;
use super::moments::Moments;
use crate::error::{Error, Result};
use crate::statistics::Calibration;

/// The question to the rows of some clusters in each block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pass {
    pub(super) clusters: Clusters,
    pub(super) question: Question,
}

/// The question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Question {
    /// Counts and second moments.
    Moments(Model),
    /// The likelihood at some parameters: those of `columns` and the cut points.
    Likelihood { model: Model, columns: Vec<usize>, at: Vec<f64>, robust: bool },
    /// How well a fit predicts, and how well the mean outcome of its rows does.
    Predictions(Fit),
}

/// The answer of a block.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Sums {
    Moments(Moments),
    Likelihood(LikelihoodSums),
    Predictions(Box<Predictions>),
}

/// The quality of predictions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Predictions {
    /// The number of clusters.
    pub(crate) clusters: u64,
    /// That of the fit.
    pub(crate) fit: Calibration,
    /// That of the mean.
    pub(crate) mean: Calibration,
}

/// Blocks of rows, here or elsewhere.
pub(crate) trait Blocks {
    /// The number of columns.
    fn width(&self) -> usize;

    /// Gives the answers of all blocks, in their order.
    ///
    /// # Errors
    /// If rows cannot be read or used, or `take` fails.
    fn ask(&self, pass: &Pass, take: &mut dyn FnMut(Sums) -> Result<()>) -> Result<()>;
}

/// Blocks of this process.
pub(crate) struct OwnBlocks<'a>(pub(crate) &'a dyn RowSource);

impl Blocks for OwnBlocks<'_> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn ask(&self, pass: &Pass, take: &mut dyn FnMut(Sums) -> Result<()>) -> Result<()> {
        in_order(0..self.0.blocks(), BLOCKS_AT_ONCE, &|block| pass.answer(self.0, block), take)
    }
}

impl Pass {
    /// The answer of a block.
    ///
    /// # Errors
    /// If its rows cannot be read or used.
    pub(crate) fn answer(&self, rows: &dyn RowSource, block: usize) -> Result<Sums> {
        let clusters = self.clusters;
        Ok(match &self.question {
            Question::Moments(model) => {
                Sums::Moments(Moments::of_block(rows, block, clusters, *model)?)
            }
            Question::Likelihood { model, columns, at, robust } => Sums::Likelihood(
                LikelihoodSums::of_block(rows, block, clusters, *model, columns, at, *robust)?,
            ),
            Question::Predictions(fit) => {
                Sums::Predictions(Box::new(Predictions::of_block(rows, block, clusters, fit)?))
            }
        })
    }
}

impl Predictions {
    fn of_block(rows: &dyn RowSource, block: usize, clusters: Clusters, fit: &Fit) -> Result<Self> {
        let mut all = Self::default();
        let (mut result, mut last) = (Ok(()), None);
        clusters.visit(rows, block, &mut |row| {
            if result.is_ok() {
                all.clusters += u64::from(last.replace(row.cluster) != Some(row.cluster));
                let predicted = fit.expected_score(row.x);
                result = all
                    .fit
                    .add(row.cluster, predicted, row.y, row.weight)
                    .and_then(|()| all.mean.add(row.cluster, fit.mean_outcome, row.y, row.weight));
            }
        })?;
        result.map(|()| all)
    }
}

/// Adds up the moments of all blocks.
pub(super) fn moments(blocks: &dyn Blocks, clusters: Clusters, model: Model) -> Result<Moments> {
    let mut all = Moments::new(blocks.width());
    let pass = Pass { clusters, question: Question::Moments(model) };
    blocks.ask(&pass, &mut |sums| {
        let Sums::Moments(more) = sums else { return Err(unexpected()) };
        all.merge(&more);
        Ok(())
    })?;
    Ok(all)
}

/// Adds up the likelihoods of all blocks at some parameters.
pub(super) fn likelihood(
    blocks: &dyn Blocks,
    clusters: Clusters,
    model: Model,
    columns: &[usize],
    at: &[f64],
    robust: bool,
) -> Result<LikelihoodSums> {
    let mut all = LikelihoodSums::new(at.len());
    let (columns, at) = (columns.to_vec(), at.to_vec());
    let pass = Pass { clusters, question: Question::Likelihood { model, columns, at, robust } };
    blocks.ask(&pass, &mut |sums| {
        let Sums::Likelihood(more) = sums else { return Err(unexpected()) };
        all.merge(&more);
        Ok(())
    })?;
    Ok(all)
}

/// How well a fit predicts the outcomes of all blocks, and how well the mean outcome of its rows does.
pub(crate) fn predictions(
    blocks: &dyn Blocks,
    clusters: Clusters,
    fit: Fit,
) -> Result<Predictions> {
    let mut all = Predictions::default();
    let question = Question::Predictions(fit);
    blocks.ask(&Pass { clusters, question }, &mut |sums| {
        let Sums::Predictions(more) = sums else { return Err(unexpected()) };
        all.clusters += more.clusters;
        all.fit.merge(more.fit);
        all.mean.merge(more.mean);
        Ok(())
    })?;
    Ok(all)
}

fn unexpected() -> Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is to another question").into()
}

/// The number of blocks whose results are held at once, which limits the memory.
pub(super) const BLOCKS_AT_ONCE: usize = 64;

/// One row of a regression.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The columns. A constant is a column of ones, except in models that have one.
    pub x: &'a [f64],
    /// The outcome: 0 for a loss, 1/2 for a draw, 1 for a win.
    pub y: f64,
    /// The weight, a number above 0.
    pub weight: f64,
    /// The cluster. Rows of a cluster may depend on one another and are adjacent; clusters are
    /// independent.
    pub cluster: u64,
}

/// Rows that can be visited repeatedly and from several threads, in blocks that never split a
/// cluster.
///
/// Blocks are the unit of parallel work. Results do not depend on the threads, and on the blocks by
/// rounding only.
pub trait RowSource: Sync {
    /// The number of columns.
    fn width(&self) -> usize;

    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// Visits the rows of a block, in the same order each time.
    ///
    /// # Errors
    /// If they cannot be read.
    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()>;
}
