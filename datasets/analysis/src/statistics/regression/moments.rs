//! The first pass: checks the rows, and finds the identified columns.

use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use super::model::Model;
use super::passes::{Row, RowSource};
use crate::error::{Error, Result};
use crate::statistics::independent_columns::{DroppedColumn, IndependentColumns, independent};
use crate::statistics::matrix::Matrix;

/// Counts and second moments of the rows.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub(super) rows: u64,
    pub(super) clusters: u64,
    pub(super) weight: f64,
    /// The sum of the outcomes by weight.
    pub(super) score: f64,
    /// The weights of losses, draws and wins. Other outcomes are not counted.
    pub(super) outcomes: [f64; 3],
    /// The Gram matrix of the columns, preceded by a constant 1.
    products: Matrix,
    #[serde(skip)]
    last: Option<u64>,
    #[serde(skip)]
    fault: Option<Error>,
}

impl Moments {
    /// The moments of a block's rows.
    ///
    /// # Errors
    /// If they cannot be read or used.
    pub(super) fn of_block(
        rows: &dyn RowSource,
        block: usize,
        clusters: Clusters,
        model: Model,
    ) -> Result<Self> {
        let mut moments = Self::new(rows.width());
        clusters.visit(rows, block, &mut |row| moments.add(row, model))?;
        moments.fault.take().map_or(Ok(moments), Err)
    }

    pub(super) fn new(width: usize) -> Self {
        Self {
            rows: 0,
            clusters: 0,
            weight: 0.0,
            score: 0.0,
            outcomes: [0.0; 3],
            products: Matrix::zeros(width + 1),
            last: None,
            fault: None,
        }
    }

    fn add(&mut self, row: Row<'_>, model: Model) {
        if self.fault.is_some() {
            return;
        }
        if let Err(fault) = check(row, self.products.size() - 1, model) {
            self.fault = Some(fault);
            return;
        }
        let Row { x, y, weight, cluster } = row;
        self.rows += 1;
        self.clusters += u64::from(self.last != Some(cluster));
        self.last = Some(cluster);
        self.weight += weight;
        self.score += weight * y;
        for (place, outcome) in self.outcomes.iter_mut().zip([0.0, 0.5, 1.0]) {
            *place += if y == outcome { weight } else { 0.0 };
        }
        self.products[(0, 0)] += weight;
        for (one, &value) in (1..).zip(x) {
            self.products[(one, 0)] += weight * value;
            for (other, &earlier) in (1..=one).zip(x) {
                self.products[(one, other)] += weight * value * earlier;
            }
        }
    }

    /// The weights of losses, draws, wins and other outcomes.
    pub(super) fn all_outcomes(&self) -> [f64; 4] {
        let [losses, draws, wins] = self.outcomes;
        // Only rounding is below 0.
        [losses, draws, wins, (self.weight - losses - draws - wins).max(0.0)]
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.clusters += other.clusters;
        self.weight += other.weight;
        self.score += other.score;
        self.outcomes.iter_mut().zip(other.outcomes).for_each(|(own, more)| *own += more);
        self.products += &other.products;
    }

    /// The identified columns, and the others. `constant`: the model has a constant.
    ///
    /// # Errors
    /// If no column is identified.
    pub(super) fn identified(&self, constant: bool) -> Result<(Vec<usize>, Vec<DroppedColumn>)> {
        let width = self.products.size() - 1;
        let shift = usize::from(constant);
        let used: Vec<usize> = (1 - shift..=width).collect();
        let IndependentColumns { kept, dropped } = independent(&self.products.part(&used));
        let columns = |all: &[usize]| -> Vec<usize> {
            all.iter().filter(|&&column| column >= shift).map(|column| column - shift).collect()
        };
        let kept = columns(&kept);
        if kept.is_empty() {
            return Err(Error::NotIdentified { width });
        }
        let dropped = dropped.into_iter().map(|DroppedColumn { column, with }| DroppedColumn {
            column: column - shift,
            with: columns(&with),
        });
        Ok((kept, dropped.collect()))
    }
}

fn check(row: Row<'_>, width: usize, model: Model) -> Result<()> {
    let refuse = |what, expected, found| Err(Error::Value { what, expected, found });
    Error::check_equal("columns of a row", width, row.x.len())?;
    row.x.iter().try_for_each(|&value| Error::check_finite("a column", value))?;
    if !model.accepts(row.y) {
        return refuse("outcome", "0, 1/2 or 1, or for a logit any number between", row.y);
    }
    if !(row.weight > 0.0 && row.weight.is_finite()) {
        return refuse("weight", "a finite number above 0", row.weight);
    }
    Ok(())
}
