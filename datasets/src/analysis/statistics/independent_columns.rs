//! The little linear algebra that the estimators share.

use nalgebra::DMatrix;
use serde::Serialize;

/// The least share of a column's square that must be left once earlier columns have explained theirs.
///
/// Rounding leaves shares about 1e-15 where nothing is; a column that deviates from its mean by 1e-5 of it leaves 1e-10.
const MIN_RESIDUAL_SHARE: f64 = 1e-11;

/// The least coefficient, in units in which all columns are of the same size, with which a column counts as one of
/// those that another one is a combination of.
const MIN_COEFFICIENT: f64 = 1e-4;

/// A column whose coefficient the rows do not tell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DroppedColumn {
    /// Its index.
    pub column: usize,
    /// The earlier columns of which it is a linear combination. Empty where it does not vary by itself: it is always 0
    /// or, in a model that has a constant, always the same.
    pub with: Vec<usize>,
}

/// Which columns are no linear combination of earlier ones.
#[derive(Debug)]
pub(super) struct IndependentColumns {
    /// Those columns, ascending.
    pub(super) kept: Vec<usize>,
    /// The others.
    pub(super) dropped: Vec<DroppedColumn>,
}

/// Finds the independent columns from the matrix of their scalar products, by Cholesky's decomposition without
/// exchanges: of columns that depend on each other the first ones are kept.
pub(super) fn independent(products: &DMatrix<f64>) -> IndependentColumns {
    let mut kept: Vec<usize> = Vec::new();
    let mut dropped = Vec::new();
    // The decomposition's rows of the kept columns, each filled up to its diagonal.
    let mut lower: Vec<Vec<f64>> = Vec::new();
    for column in 0..products.nrows() {
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
    use nalgebra::DMatrix;

    use super::independent;

    #[test]
    fn combinations_of_earlier_columns_are_named() {
        // Columns: constant, x, zero, 2 - 3x, y, x + y.
        let rows = [(1.0, 5.0), (2.0, -1.0), (4.0, 0.5), (-3.0, 2.0), (0.5, 7.0)];
        let table = DMatrix::from_fn(rows.len(), 6, |row, column| {
            let (x, y) = rows[row];
            [1.0, x, 0.0, 2.0 - 3.0 * x, y, x + y][column]
        });
        let found = independent(&table.tr_mul(&table));
        assert_eq!(found.kept, [0, 1, 4]);
        let named: Vec<_> =
            found.dropped.iter().map(|dropped| (dropped.column, &dropped.with[..])).collect();
        assert_eq!(named, [(2, &[][..]), (3, &[0, 1]), (5, &[1, 4])]);
    }
}
