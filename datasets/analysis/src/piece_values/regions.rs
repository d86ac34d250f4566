//! Piece values by the regions of the board, and whether they differ.

use std::io;
use std::sync::atomic::AtomicBool;

use darkqi_env::board::Regions;
use serde::Serialize;

use super::fit::Judged;
use super::positions::PositionSampler;
use super::results::Basis;
use super::sample::{SampledRows, sample_dataset};
use super::unit::Unit;
use crate::games::only_agent;
use crate::statistics::holm_known;
use crate::statistics::regression::{Fit, OwnBlocks, Row, RowSource};
use crate::{Error, Estimate, Judgement, Measurement, Result};
use darkqi_format::{Dataset, Metadata};

/// The least number of deals in which the two sides have different numbers of a kind in a region,
/// so that the region has a value of its own. With fewer, errors that are clustered by deal are too
/// small.
pub const DEALS_PER_REGION: u64 = 100;

/// The value of each face-up piece in each region of the board.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegionalValues {
    /// The positions that they were fitted to, and the unit.
    #[serde(flatten)]
    pub basis: Basis,
    /// The names of the regions, as the owner of a piece sees the board.
    pub regions: Vec<&'static str>,
    /// The kinds, in the game's order.
    pub kinds: Vec<RegionalKind>,
    /// The other columns, which no region divides.
    pub others: Vec<UndividedTerm>,
    /// As [`PieceValues::judgement`](super::PieceValues::judgement).
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// A kind of pieces, face up.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegionalKind {
    /// Its letter.
    pub kind: char,
    /// The figures of each region, in the order of [`RegionalValues::regions`].
    pub regions: Vec<RegionFigures>,
    /// The differences between every two regions that have figures.
    pub differences: Vec<RegionDifference>,
    /// The p-value of no difference between any of these regions (Wald's test); null with fewer
    /// than two.
    pub p_value: Option<f64>,
    /// The p-value by Holm's method for the number of kinds.
    pub p_holm: Option<f64>,
}

/// A kind in one region.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegionFigures {
    /// The region.
    pub region: &'static str,
    /// The number of deals in which the two sides have different numbers of the kind there.
    pub deals: u64,
    /// The increase of the log odds of winning by one more; null if not identified, or if there are
    /// fewer than [`DEALS_PER_REGION`] deals: these pieces then count in the kind's most frequent
    /// region.
    pub log_odds: Option<Estimate>,
    /// The value in units, with Fieller's interval; null for all if the unit's log odds are not
    /// significantly above 0.
    pub value: Option<Estimate>,
}

/// The difference of a kind between two regions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RegionDifference {
    /// The region of which the figures are taken off.
    pub first: &'static str,
    /// The other region.
    pub second: &'static str,
    /// By how much the log odds are higher in the second.
    pub log_odds: Estimate,
    /// By how many units the value is; null as [`RegionFigures::value`].
    pub value: Option<Estimate>,
}

/// A column that no region divides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct UndividedTerm {
    /// The name, as in [`PieceValues::terms`](super::PieceValues::terms).
    pub name: String,
    /// Whether it counts pieces, so that it has a value.
    pub is_piece: bool,
    /// The increase of the log odds of winning by one more; null if not identified.
    pub log_odds: Option<Estimate>,
    /// The value in units; null as [`RegionFigures::value`].
    pub value: Option<Estimate>,
}

/// Fits the values of the face-up pieces in all regions of the board in one regression, in which
/// each kind has a column for each region and everything else, covered pieces included, has the
/// column of [`piece_values`](super::piece_values()). The errors of differences therefore take into
/// account that all regions have the same games.
///
/// The unit is the mean of its kinds, each over the regions by how much the numbers of the two sides
/// differ there.
///
/// # Errors
/// As [`piece_values_in`](super::piece_values_in), and if the board of the game has no regions.
pub fn piece_values_by_region(
    dataset: &Dataset,
    per_game: usize,
    unit: Option<&Unit>,
    stop: &AtomicBool,
) -> Result<RegionalValues> {
    let metadata = dataset.metadata();
    let sampler = PositionSampler::open(metadata, per_game)?.in_unit(unit)?;
    let regions = sampler.spec.regions.ok_or(Error::NoRegions { game: sampler.spec.name })?;
    let sampler = sampler.by_region(regions);
    let sampled = sample_dataset(dataset, &sampler, only_agent(metadata)?, stop)?;
    values_of(sampler, metadata, regions, &sampled)
}

/// The results of the rows of all games.
fn values_of<R: RowSource>(
    sampler: PositionSampler,
    metadata: &Metadata,
    regions: Regions,
    sampled: &SampledRows<R>,
) -> Result<RegionalValues> {
    sampled.check()?;
    let (columns, letters) = (sampler.columns(), sampler.spec.kinds);
    let names = regions.names();
    let places = Places { kinds: letters.len(), regions: names.len() };
    let rows = Pooled::new(&sampled.rows, places)?;
    let name = |column| {
        let (feature, region) = places.of(column);
        let region = region.map_or_else(String::new, |region| format!(" {}", names[region]));
        format!("{}{region}", columns[feature])
    };
    let judged = Judged::of(&OwnBlocks(&rows), sampled, name)?;
    let fit = judged.shown();
    let is_known = |whole: &Vec<_>| {
        fit.and_then(|fit| fit.contrast(whole)).is_some_and(|one| one.estimate().low > 0.0)
    };
    let whole = rows.whole(letters, &sampler.unit).filter(is_known);
    let found = Found { fit, whole, rows: &rows };
    let kind = |(place, &kind): (usize, &char)| RegionalKind {
        kind,
        regions: (0..places.regions).map(|region| found.figures(&names, place, region)).collect(),
        differences: found.differences(&names, place),
        p_value: found.p_value(place),
        p_holm: None,
    };
    let mut kinds: Vec<RegionalKind> = letters.iter().enumerate().map(kind).collect();
    holm_known(&mut kinds, |kind| kind.p_value, |kind, p_holm| kind.p_holm = Some(p_holm))?;
    let others = columns.iter().enumerate().skip(places.kinds).map(|(at, feature)| {
        let factors = [(places.undivided(at), 1.0)];
        UndividedTerm {
            name: feature.to_string(),
            is_piece: feature.is_piece(),
            log_odds: found.log_odds(&factors),
            value: feature.is_piece().then(|| found.value(&factors)).flatten(),
        }
    });
    Ok(RegionalValues {
        basis: Basis::new(metadata, sampled, &judged.fit, &sampler.unit)?,
        others: others.collect(),
        regions: names,
        kinds,
        judgement: judged.judgement.clone(),
    })
}

/// A fit, and the rows that it is of.
struct Found<'a, R> {
    /// None if it is withheld.
    fit: Option<&'a Fit>,
    /// The unit as a combination of columns; None unless it is significantly above 0.
    whole: Option<Vec<(usize, f64)>>,
    rows: &'a Pooled<'a, R>,
}

impl<R: RowSource> Found<'_, R> {
    fn log_odds(&self, factors: &[(usize, f64)]) -> Option<Estimate> {
        self.fit?.contrast(factors).map(Measurement::estimate)
    }

    /// In units.
    fn value(&self, factors: &[(usize, f64)]) -> Option<Estimate> {
        self.fit?.ratio(factors, self.whole.as_ref()?)
    }

    fn figures(&self, names: &[&'static str], kind: usize, region: usize) -> RegionFigures {
        let column = self.rows.places.column(kind, region);
        let factors = [(column, 1.0)];
        let own = self.rows.is_own(column).then_some(&factors);
        RegionFigures {
            region: names[region],
            deals: self.rows.deals[column],
            log_odds: own.and_then(|factors| self.log_odds(factors)),
            value: own.and_then(|factors| self.value(factors)),
        }
    }

    /// The regions of a kind that have figures, with their columns.
    fn own_regions(&self, kind: usize) -> Vec<(usize, usize)> {
        let places = self.rows.places;
        let regions = (0..places.regions).map(|region| (region, places.column(kind, region)));
        let has_figures = |&(_, column): &(usize, usize)| {
            self.rows.is_own(column) && self.log_odds(&[(column, 1.0)]).is_some()
        };
        regions.filter(has_figures).collect()
    }

    /// The differences of a kind between every two regions that have figures.
    fn differences(&self, names: &[&'static str], kind: usize) -> Vec<RegionDifference> {
        let own = self.own_regions(kind);
        let mut found = Vec::new();
        for (place, &(to, plus)) in own.iter().enumerate() {
            for &(from, minus) in &own[..place] {
                let factors = [(plus, 1.0), (minus, -1.0)];
                let Some(log_odds) = self.log_odds(&factors) else { continue };
                let value = self.value(&factors);
                found.push(RegionDifference {
                    first: names[from],
                    second: names[to],
                    log_odds,
                    value,
                });
            }
        }
        found
    }

    /// Of no difference between any of a kind's regions that have figures.
    fn p_value(&self, kind: usize) -> Option<f64> {
        let own = self.own_regions(kind);
        let (&(_, first), others) = own.split_first()?;
        let differences: Vec<_> =
            others.iter().map(|&(_, column)| vec![(column, 1.0), (first, -1.0)]).collect();
        (!differences.is_empty()).then(|| self.fit?.joint_p_value(&differences)).flatten()
    }
}

/// Where columns are: kinds, region after region, and then the others.
#[derive(Clone, Copy, Debug)]
struct Places {
    kinds: usize,
    regions: usize,
}

impl Places {
    fn column(self, kind: usize, region: usize) -> usize {
        region * self.kinds + kind
    }

    /// The column of a feature that no region divides, given its place without regions.
    fn undivided(self, feature: usize) -> usize {
        feature + (self.regions - 1) * self.kinds
    }

    /// The place without regions, and the region, of a column.
    fn of(self, column: usize) -> (usize, Option<usize>) {
        match column.checked_sub(self.regions * self.kinds) {
            None => (column % self.kinds, Some(column / self.kinds)),
            Some(more) => (self.kinds + more, None),
        }
    }
}

/// Rows in which pieces that are rare in a region count in the most frequent region of their kind.
struct Pooled<'a, R> {
    rows: &'a R,
    places: Places,
    /// By column, the number of deals in which it is not 0.
    deals: Vec<u64>,
    /// By column, the sum of its absolute values by weight.
    sizes: Vec<f64>,
    /// By column, that in which it counts.
    into: Vec<usize>,
}

impl<'a, R: RowSource> Pooled<'a, R> {
    /// # Errors
    /// If the rows cannot be read.
    fn new(rows: &'a R, places: Places) -> Result<Self> {
        let width = rows.width();
        let mut deals = vec![0; width];
        let mut sizes = vec![0.0; width];
        let mut last = vec![None; width];
        for block in 0..rows.blocks() {
            rows.visit(block, &mut |row| {
                for (column, &x) in row.x.iter().enumerate().filter(|&(_, &x)| x != 0.0) {
                    sizes[column] += row.weight * x.abs();
                    deals[column] +=
                        u64::from(last[column].replace(row.cluster) != Some(row.cluster));
                }
            })?;
        }
        let mut into: Vec<usize> = (0..width).collect();
        for kind in 0..places.kinds {
            let own = (0..places.regions).map(|region| places.column(kind, region));
            let most = own.clone().rev().max_by_key(|&column| deals[column]);
            let rare = own.filter(|&column| deals[column] < DEALS_PER_REGION);
            rare.for_each(|column| into[column] = most.unwrap_or(column));
        }
        Ok(Self { rows, places, deals, sizes, into })
    }

    /// Whether a column has figures of its own.
    fn is_own(&self, column: usize) -> bool {
        self.deals[column] >= DEALS_PER_REGION
    }

    /// The unit as a combination of columns; None if one of its kinds is never there.
    fn whole(&self, kinds: &[char], unit: &Unit) -> Option<Vec<(usize, f64)>> {
        let mut whole = Vec::new();
        for letter in &unit.kinds {
            let kind = kinds.iter().position(|kind| kind == letter)?;
            let columns = (0..self.places.regions).map(|region| self.places.column(kind, region));
            let all: f64 = columns.clone().map(|column| self.sizes[column]).sum();
            if all == 0.0 {
                return None;
            }
            let share = 1.0 / (unit.value * unit.kinds.len() as f64 * all);
            let some = columns.filter(|&column| self.sizes[column] > 0.0);
            whole.extend(some.map(|column| (self.into[column], share * self.sizes[column])));
        }
        Some(whole)
    }
}

impl<R: RowSource> RowSource for Pooled<'_, R> {
    fn width(&self) -> usize {
        self.rows.width()
    }

    fn blocks(&self) -> usize {
        self.rows.blocks()
    }

    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
        let mut x = vec![0.0; self.width()];
        self.rows.visit(block, &mut |row| {
            x.fill(0.0);
            for (&into, &value) in self.into.iter().zip(row.x) {
                x[into] += value;
            }
            each(Row { x: &x, ..row });
        })
    }
}

#[cfg(test)]
mod tests;
