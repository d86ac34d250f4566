//! Linearly independent columns.

use serde::{Deserialize, Serialize};

use super::matrix::Matrix;

/// The minimum fraction of a column's squared norm that earlier columns must leave unexplained.
/// Rounding leaves about 1e-15 where nothing is left; a column that deviates from its mean by 1e-5
/// of it leaves 1e-10.
const MIN_RESIDUAL_SHARE: f64 = 1e-11;

/// The minimum coefficient, with all columns scaled to the same norm, for a column to be listed as
/// part of a linear combination.
const MIN_COEFFICIENT: f64 = 1e-4;

/// A column whose coefficient is not identified.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DroppedColumn {
    /// Its index.
    pub column: usize,
    /// The earlier columns of which it is a linear combination. Empty if it does not vary: it is
    /// always 0 or, in a model with a constant, always the same.
    pub with: Vec<usize>,
}

/// A partition of columns into independent ones and linear combinations of these.
#[derive(Debug)]
pub(super) struct IndependentColumns {
    /// The independent columns, ascending.
    pub(super) kept: Vec<usize>,
    /// The others.
    pub(super) dropped: Vec<DroppedColumn>,
}

/// Finds the independent columns from their Gram matrix, by Cholesky decomposition without
/// pivoting: of dependent columns the first ones are kept.
pub(super) fn independent(products: &Matrix) -> IndependentColumns {
    let mut kept: Vec<usize> = Vec::new();
    let mut dropped = Vec::new();
    // The rows of the Cholesky factor for the kept columns, each up to its diagonal.
    let mut lower: Vec<Vec<f64>> = Vec::new();
    for column in 0..products.size() {
        let size = products[(column, column)];
        let mut row: Vec<f64> = Vec::with_capacity(kept.len() + 1);
        for (position, &earlier) in kept.iter().enumerate() {
            let known: f64 = row.iter().zip(&lower[position]).map(|(one, other)| one * other).sum();
            row.push((products[(column, earlier)] - known) / lower[position][position]);
        }
        let left = size - row.iter().map(|value| value * value).sum::<f64>();
        if left > MIN_RESIDUAL_SHARE * size {
            row.push(left.sqrt());
            lower.push(row);
            kept.push(column);
            continue;
        }
        // Back substitution turns the row into the coefficients of the combination.
        for position in (0..row.len()).rev() {
            let above: f64 =
                (position + 1..row.len()).map(|later| lower[later][position] * row[later]).sum();
            row[position] = (row[position] - above) / lower[position][position];
        }
        let is_part = |&(position, &earlier): &(usize, &usize)| {
            let share = row[position] * (products[(earlier, earlier)] / size).sqrt();
            share.abs() > MIN_COEFFICIENT
        };
        let with = kept.iter().enumerate().filter(is_part).map(|(_, &earlier)| earlier).collect();
        dropped.push(DroppedColumn { column, with });
    }
    IndependentColumns { kept, dropped }
}

#[cfg(test)]
mod tests {
    use super::{Matrix, independent};

    #[test]
    fn combinations_of_earlier_columns_are_named() {
        // Columns: constant, x, zero, 2 - 3x, y, x + y.
        let rows = [(1.0, 5.0), (2.0, -1.0), (4.0, 0.5), (-3.0, 2.0), (0.5, 7.0)];
        let mut products = Matrix::zeros(6);
        for (x, y) in rows {
            products.add_outer(&[1.0, x, 0.0, 2.0 - 3.0 * x, y, x + y]);
        }
        let found = independent(&products);
        assert_eq!(found.kept, [0, 1, 4]);
        let named: Vec<_> =
            found.dropped.iter().map(|dropped| (dropped.column, &dropped.with[..])).collect();
        assert_eq!(named, [(2, &[][..]), (3, &[0, 1]), (5, &[1, 4])]);
    }
}
