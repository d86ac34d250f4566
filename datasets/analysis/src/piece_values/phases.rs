//! Piece values early and late in games, and whether they change.

use std::sync::atomic::AtomicBool;

use darkqi_env::game::Hides;
use darkqi_format::Dataset;
use serde::Serialize;

use super::fit::Judged;
use super::positions::PositionSampler;
use super::results::Basis;
use super::sample::sample_dataset;
use super::unit::Unit;
use crate::games::only_agent;
use crate::statistics::holm_known;
use crate::statistics::regression::{Fit, OwnBlocks};
use crate::{Error, Estimate, Judgement, Measurement, Result};

/// The value of each piece early and late in the games of a dataset.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PhasedValues {
    /// The positions that they were fitted to, and the unit.
    #[serde(flatten)]
    pub basis: Basis,
    /// The division of a game.
    pub by: PhaseBy,
    /// The columns, as in [`PieceValues::terms`](super::PieceValues::terms).
    pub terms: Vec<PhasedTerm>,
    /// As [`PieceValues::judgement`](super::PieceValues::judgement).
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// One column of the regression in both phases.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PhasedTerm {
    /// The name.
    pub name: String,
    /// Whether it counts pieces, so that it has a value.
    pub is_piece: bool,
    /// The figures while at least half is left.
    pub early: PhaseFigures,
    /// The figures after.
    pub late: PhaseFigures,
    /// How much the log odds increase from early to late; null if one is not identified.
    pub change: Option<Estimate>,
    /// The p-value of no change (Wald's test).
    pub p_value: Option<f64>,
    /// The p-value by Holm's method for the number of terms.
    pub p_holm: Option<f64>,
}

/// A column in one phase.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PhaseFigures {
    /// The increase of the log odds of winning by one more; null if not identified.
    pub log_odds: Option<Estimate>,
    /// The value in units, with Fieller's interval; null for all if the unit's log odds are not
    /// significantly above 0 in this phase.
    pub value: Option<Estimate>,
}

/// Fits the piece values of both phases in one regression, whose columns are those of
/// [`piece_values`](super::piece_values()) by phase, so that the errors of changes take into
/// account that both phases have the same games.
///
/// # Errors
/// As [`piece_values_in`](super::piece_values_in), and if phases are by covered pieces and the game has
/// none.
pub fn piece_values_by_phase(
    dataset: &Dataset,
    per_game: usize,
    by: PhaseBy,
    unit: Option<&Unit>,
    stop: &AtomicBool,
) -> Result<PhasedValues> {
    let metadata = dataset.metadata();
    let sampler = PositionSampler::open(metadata, per_game)?.in_unit(unit)?.by_phase(by);
    if by == PhaseBy::Covered && sampler.spec.hides == Hides::Nothing {
        return Err(Error::NothingCovered { game: sampler.spec.name });
    }
    let sampled = sample_dataset(dataset, &sampler, only_agent(metadata)?, stop)?;
    sampled.check()?;
    let columns = sampler.columns();
    let width = columns.len();
    let name = |column| {
        let phase = if column < width { "early" } else { "late" };
        format!("{} {phase}", columns[column % width])
    };
    let judged = Judged::of(&OwnBlocks(&sampled.rows), &sampled, name)?;
    let shown = judged.shown();
    let mut terms: Vec<PhasedTerm> = Vec::with_capacity(width);
    for (column, feature) in columns.iter().enumerate() {
        let figures = |phase: usize| {
            let factors = [(column + phase * width, 1.0)];
            let value = |fit: &Fit| {
                let unit = sampler.unit.measured(columns, phase * width, fit)?;
                feature.is_piece().then(|| fit.ratio(&factors, &unit)).flatten()
            };
            PhaseFigures {
                log_odds: shown.and_then(|fit| fit.contrast(&factors)).map(Measurement::estimate),
                value: shown.and_then(value),
            }
        };
        let change = shown.and_then(|fit| fit.contrast(&[(column + width, 1.0), (column, -1.0)]));
        terms.push(PhasedTerm {
            name: feature.to_string(),
            is_piece: feature.is_piece(),
            early: figures(0),
            late: figures(1),
            change: change.map(Measurement::estimate),
            p_value: change.map(Measurement::p_value),
            p_holm: None,
        });
    }
    holm_known(&mut terms, |term| term.p_value, |term, p_holm| term.p_holm = Some(p_holm))?;
    Ok(PhasedValues {
        basis: Basis::new(metadata, &sampled, &judged.fit, &sampler.unit)?,
        by,
        terms,
        judgement: judged.judgement,
    })
}

/// The division of a game into phases. A position is *early* while at least half of these are left of
/// those that there were at the deal, and *late* after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseBy {
    /// The covered pieces on the board.
    Covered,
    /// All pieces on the board.
    Pieces,
}

impl PhaseBy {
    /// All of them, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Covered, Self::Pieces];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Pieces => "pieces",
        }
    }
}
