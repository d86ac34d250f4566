//! Fits the piece values of a dataset.

use std::sync::atomic::AtomicBool;

use darkqi_env::Kind;

use super::feature::Feature;
use super::positions::{PositionSampler, Quiet};
use super::results::{Basis, FormPair, HeldOut, OrderedCuts, PieceValues, Term, ValueByThreats};
use super::sample::{SampledRows, sample_dataset};
use super::unit::{Unit, mean_of};
use crate::games::only_agent;
use crate::statistics::regression::{
    Blocks, Clusters, Fit, OwnBlocks, logit_of, ordered_logit_of, predictions,
};
use crate::{Error, Evidence, FitEvidence, Judgement, Measurement, Result};
use darkqi_format::{Dataset, Metadata};

/// The default number of positions sampled from a game.
pub const POSITIONS_PER_GAME: usize = 8;

/// The largest number of threatening enemies reported: all soldiers of a side.
const MAX_THREATS: u8 = Kind::COUNTS[Kind::Soldier.index()];

/// Reads a dataset once, on all threads of the caller's rayon pool
/// ([`with_threads`](darkqi_format::with_threads)). The sampled rows are stored in a temporary file.
///
/// # Errors
/// If `per_game` is 0, the dataset cannot be read, has several agents, a game that contradicts the
/// rules or no quiet positions, the temporary file cannot be written, the results identify no
/// value, or `stop` becomes true.
pub fn piece_values(dataset: &Dataset, per_game: usize, stop: &AtomicBool) -> Result<PieceValues> {
    piece_values_in(dataset, per_game, None, Quiet::Both, stop)
}

/// As [`piece_values`], in another unit than that of the game's own values, or from other positions.
///
/// # Errors
/// As [`piece_values`], and if the game has no such kinds.
pub fn piece_values_in(
    dataset: &Dataset,
    per_game: usize,
    unit: Option<&Unit>,
    quiet: Quiet,
    stop: &AtomicBool,
) -> Result<PieceValues> {
    let metadata = dataset.metadata();
    let agent = only_agent(metadata)?;
    let sampler = PositionSampler::open(metadata, per_game)?.in_unit(unit)?.with_quiet(quiet);
    let sampled = sample_dataset(dataset, &sampler, agent, stop)?;
    value_of(&sampler, metadata, &sampled, &OwnBlocks(&sampled.rows))
}

/// The results of the rows of all games.
pub(super) fn value_of<R>(
    sampler: &PositionSampler,
    metadata: &Metadata,
    sampled: &SampledRows<R>,
    rows: &dyn Blocks,
) -> Result<PieceValues> {
    sampled.check()?;
    let PositionSampler { unit, counted, .. } = sampler;
    let columns = sampler.columns();
    let mean = |kinds: &[char]| mean_of(columns, 0, kinds, 1.0);
    let judged = Judged::of(rows, sampled, |column| columns[column].to_string())?;
    let shown = judged.shown();
    let in_units = |fit: &Fit, factors: &[(usize, f64)]| {
        unit.measured(columns, 0, fit).and_then(|unit| fit.ratio(factors, &unit))
    };
    // The ordered logit does not apply to results without draws or with shared wins.
    let ordered = shown.and_then(|_| ordered_logit_of(rows, Clusters::All).ok());
    let terms = columns.iter().enumerate().map(|(column, name)| {
        let value = |fit: &Fit| name.is_piece().then(|| in_units(fit, &[(column, 1.0)])).flatten();
        Term {
            name: name.to_string(),
            kind: match name {
                Feature::Kind(kind) => Some(*kind),
                _ => None,
            },
            is_piece: name.is_piece(),
            log_odds: shown
                .and_then(|fit| fit.contrast(&[(column, 1.0)]))
                .map(Measurement::estimate),
            value: shown.and_then(value),
            ordered_value: ordered.as_ref().and_then(value),
            left_out: judged.fit.why_dropped(column, &|other| columns[other].to_string()).map(
                |why| match name {
                    Feature::Kind(kind) if !counted.contains(kind) => {
                        "its loss ends the game, it is not counted".to_owned()
                    }
                    _ => why,
                },
            ),
        }
    });
    Ok(PieceValues {
        basis: Basis::new(metadata, sampled, &judged.fit, unit)?,
        seed: metadata.seed,
        software_version: metadata.software_version.clone(),
        distinct_games: sampled.distinct.count().min(sampled.games),
        effective_deals: judged.effective_deals,
        terms: terms.collect(),
        forms: sampler
            .forms
            .iter()
            .filter_map(|kinds| {
                Some(FormPair { kinds: *kinds, value: in_units(shown?, &mean(kinds))? })
            })
            .collect(),
        feared: sampler.rank_exception.and_then(|circle| {
            let [kind, feared] = circle;
            let place = |feature| columns.iter().position(|&column| column == feature);
            let (at, product) = (place(Feature::Kind(kind))?, place(Feature::Interaction(circle))?);
            let value = |enemies| in_units(shown?, &[(at, 1.0), (product, f64::from(enemies))]);
            let values = (0..=MAX_THREATS).map(value).collect::<Option<_>>()?;
            Some(ValueByThreats { kind, feared, values })
        }),
        ordered: ordered
            .as_ref()
            .and_then(Fit::cuts)
            .map(|cuts| OrderedCuts { cuts: cuts.map(Measurement::estimate) }),
        held_out: judged.held_out,
        judgement: judged.judgement,
    })
}

/// A fit, and what may be said of it.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) fit: Fit,
    pub(super) effective_deals: u64,
    pub(super) held_out: Option<HeldOut>,
    pub(super) judgement: Judgement,
}

impl Judged {
    /// Fits the rows that were sampled, and judges the fit. `name` says what a column is.
    ///
    /// # Errors
    /// If the rows identify no coefficient.
    pub(super) fn of<R>(
        rows: &dyn Blocks,
        sampled: &SampledRows<R>,
        name: impl Fn(usize) -> String,
    ) -> Result<Self> {
        let fit = logit_of(rows, Clusters::All).map_err(|error| match error {
            Error::Separated { column } => Error::SeparatedBy { name: name(column) },
            error => error,
        })?;
        let held_out = held_out(rows)?;
        let effective_deals = sampled.beginnings.effective();
        let [games, rarer] = fit.weights().map(|weight| weight.round() as u64);
        let losses = |found: &HeldOut| {
            [&found.quality, &found.without_values].map(|quality| quality.log_loss.value)
        };
        let evidence = FitEvidence {
            coefficients: fit.coefficients().iter().flatten().count() as u64,
            games,
            rarer,
            held_out: held_out.as_ref().map(losses),
        };
        let is_known = sampled.beginnings.deals() > 0;
        let effective = is_known.then_some(effective_deals);
        let deals = Evidence::of("deal", fit.clusters(), effective);
        let judgement = Evidence { fit: Some(evidence), ..deals }.judge();
        Ok(Self { fit, effective_deals, held_out, judgement })
    }

    /// The fit, unless it is withheld.
    pub(super) fn shown(&self) -> Option<&Fit> {
        self.judgement.withheld.is_none().then_some(&self.fit)
    }
}

/// Fits the other deals and predicts those held out. None if there are too few to fit or to
/// predict.
fn held_out(rows: &dyn Blocks) -> Result<Option<HeldOut>> {
    let Ok(fit) = logit_of(rows, Clusters::Kept) else {
        return Ok(None);
    };
    let found = predictions(rows, Clusters::HeldOut, fit)?;
    let (Some(quality), Some(without_values)) = (found.fit.finish(), found.mean.finish()) else {
        return Ok(None);
    };
    Ok(Some(HeldOut { deals: found.clusters, quality, without_values }))
}

#[cfg(test)]
mod tests;
