//! Fits the piece values of a dataset.

use std::sync::atomic::AtomicBool;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{Kind, Registered};

use super::feature::Feature;
use super::positions::PositionSampler;
use super::results::{FormPair, HeldOut, OrderedCuts, PieceValues, Term, ValueByThreats};
use super::row_file::{FilteredRows, RowFile};
use super::sample::{SampledRows, sample_dataset};
use crate::analysis::games::only_agent;
use crate::analysis::regression::{Fit, RowSource, logit, ordered_logit};
use crate::analysis::{Calibration, Error, Measurement, Result, WeightedSum};
use crate::format::options_from_json;
use crate::{Dataset, Metadata};

/// The default number of positions sampled from a game.
pub const POSITIONS_PER_GAME: usize = 8;

/// The largest number of threatening enemies reported: all soldiers of a side.
const MAX_THREATS: u8 = Kind::COUNTS[Kind::Soldier.index()];

/// One in this many deals is held out for validation.
const HELD_OUT: u64 = 5;

/// Reads a dataset once, on all threads of the caller's rayon pool ([`with_threads`](crate::with_threads)). The sampled rows are stored in a temporary
/// file.
///
/// # Errors
///
/// If `per_game` is 0, the dataset cannot be read, has several agents, a game that contradicts the
/// rules or no quiet positions, the temporary file cannot be written, the results identify no
/// value, or `stop` becomes true.
pub fn piece_values(dataset: &Dataset, per_game: usize, stop: &AtomicBool) -> Result<PieceValues> {
    struct Analysis<'a>(&'a Dataset, usize, &'a AtomicBool);
    impl Visitor for Analysis<'_> {
        type Output = Result<PieceValues>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(dataset, per_game, stop) = self;
            let sampler = PositionSampler::new(rules, per_game);
            let metadata = dataset.metadata();
            let sampled = sample_dataset(dataset, &sampler, only_agent(metadata)?, stop)?;
            value_of::<G>(metadata, sampler.columns(), &sampled)
        }
    }
    let metadata = dataset.metadata();
    only_agent(metadata)?;
    check_positions(per_game)?;
    let options = options_from_json(&metadata.options)?;
    games::with(&metadata.game, &options, Analysis(dataset, per_game, stop))?
}

/// Checks the number of positions sampled from a game.
pub(super) fn check_positions(per_game: usize) -> Result<()> {
    let (what, expected) = ("positions per game", "at least 1");
    let fault = || Error::Value { what, expected, found: 0.0 };
    (per_game > 0).then_some(()).ok_or_else(fault)
}

/// What the rows of all games say.
pub(super) fn value_of<G: Registered>(
    metadata: &Metadata,
    columns: &[Feature],
    sampled: &SampledRows<RowFile>,
) -> Result<PieceValues> {
    let rows = &sampled.rows;
    match sampled.games {
        0 => return Err(Error::NoGames),
        games if sampled.quiet_games == 0 => return Err(Error::NoPositions { games }),
        _ => {}
    }
    let place = |kind: char| columns.iter().position(|&column| column == Feature::Kind(kind));
    let mean = |kinds: &[char], factor: f64| -> Vec<(usize, f64)> {
        let factor = factor / kinds.len() as f64;
        kinds.iter().filter_map(|&kind| Some((place(kind)?, factor))).collect()
    };
    let (unit_kinds, unit_value) = G::UNIT;
    let unit = mean(unit_kinds, 1.0 / unit_value);
    let named = |error| match error {
        Error::Separated { column } => Error::SeparatedBy { name: columns[column].to_string() },
        error => error,
    };
    let fit = logit(rows).map_err(named)?;
    // A unit must be significantly above 0.
    let measures = |fit: &Fit| fit.contrast(&unit).is_some_and(|unit| unit.estimate().low > 0.0);
    let in_units = |fit: &Fit, factors: &[(usize, f64)]| {
        measures(fit).then(|| fit.ratio(factors, &unit)).flatten()
    };
    // The ordered logit does not apply to results without draws or with shared wins.
    let ordered = ordered_logit(rows).ok();
    let coefficients = fit.coefficients();
    let terms = columns.iter().enumerate().map(|(column, name)| {
        let is_piece = !matches!(
            name,
            Feature::Turn | Feature::FirstMove | Feature::Constant | Feature::Began
        );
        let value = |fit: &Fit| is_piece.then(|| in_units(fit, &[(column, 1.0)])).flatten();
        Term {
            name: name.to_string(),
            kind: match name {
                Feature::Kind(kind) => Some(*kind),
                _ => None,
            },
            is_piece,
            log_odds: coefficients[column].map(Measurement::estimate),
            value: value(&fit),
            ordered_value: ordered.as_ref().and_then(value),
            left_out: fit.why_dropped(column, &|other| columns[other].to_string()),
        }
    });
    Ok(PieceValues {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        agent: metadata.agents.first().cloned().unwrap_or_default(),
        seed: metadata.seed,
        software_version: metadata.software_version.clone(),
        games: sampled.quiet_games,
        deals: fit.clusters(),
        positions: fit.rows(),
        distinct_games: sampled.distinct.count().min(sampled.games),
        effective_deals: sampled.beginnings.effective(),
        unit: unit_kinds.to_vec(),
        unit_value,
        terms: terms.collect(),
        forms: G::FORMS
            .iter()
            .filter_map(|kinds| {
                Some(FormPair { kinds: *kinds, value: in_units(&fit, &mean(kinds, 1.0))? })
            })
            .collect(),
        feared: G::RANK_EXCEPTION.and_then(|circle| {
            let [kind, feared] = circle;
            let at = place(kind)?;
            let product =
                columns.iter().position(|&column| column == Feature::Interaction(circle))?;
            let value = |enemies| in_units(&fit, &[(at, 1.0), (product, f64::from(enemies))]);
            let values = (0..=MAX_THREATS).map(value).collect::<Option<_>>()?;
            Some(ValueByThreats { kind, feared, values })
        }),
        ordered: ordered
            .as_ref()
            .and_then(Fit::cuts)
            .map(|cuts| OrderedCuts { cuts: cuts.map(Measurement::estimate) }),
        held_out: held_out(rows)?,
    })
}

/// Whether a deal is held out, by Fibonacci hashing of its number.
fn is_held_out(deal: u64) -> bool {
    deal.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / HELD_OUT
}

/// Fits the other deals and predicts those held out. None if there are too few to fit or to
/// predict.
fn held_out(rows: &RowFile) -> Result<Option<HeldOut>> {
    let Ok(fit) = logit(&FilteredRows { rows, keep: |deal| !is_held_out(deal) }) else {
        return Ok(None);
    };
    let mut mean = WeightedSum::default();
    for block in 0..rows.blocks() {
        rows.visit(block, &mut |row| {
            if !is_held_out(row.cluster) {
                mean.add(row.y, row.weight);
            }
        })?;
    }
    let mean = mean.sum / mean.weight;
    let (mut quality, mut without_values) = (Calibration::default(), Calibration::default());
    let mut deals = 0;
    for block in 0..rows.blocks() {
        let mut result = Ok(());
        let mut last = None;
        rows.visit(block, &mut |row| {
            if result.is_ok() && is_held_out(row.cluster) {
                deals += u64::from(last.replace(row.cluster) != Some(row.cluster));
                let predicted = fit.expected_score(row.x);
                result = quality
                    .add(row.cluster, predicted, row.y, row.weight)
                    .and_then(|()| without_values.add(row.cluster, mean, row.y, row.weight));
            }
        })?;
        result?;
    }
    let (Some(quality), Some(without_values)) = (quality.finish(), without_values.finish()) else {
        return Ok(None);
    };
    Ok(Some(HeldOut { deals, quality, without_values }))
}

#[cfg(test)]
mod tests;
