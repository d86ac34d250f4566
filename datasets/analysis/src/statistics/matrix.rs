//! Small square matrices, and the Cholesky decomposition.

use std::ops::{AddAssign, Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A square matrix. Its elements are found by row and column.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "(usize, Vec<f64>)", try_from = "(usize, Vec<f64>)")]
pub struct Matrix {
    size: usize,
    /// Row by row.
    values: Vec<f64>,
}

impl Matrix {
    /// The matrix of zeros.
    pub fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// The matrix of the values that `value` gives for each row and column.
    pub fn from_fn(size: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let places = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        Self { size, values: places.map(|(row, column)| value(row, column)).collect() }
    }

    /// The number of rows, which is that of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rows and columns of these numbers, in their order.
    pub(crate) fn part(&self, kept: &[usize]) -> Self {
        Self::from_fn(kept.len(), |row, column| self[(kept[row], kept[column])])
    }

    /// The product of two matrices.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.size, other.size, "matrices of other sizes have no product");
        let along =
            |row, column| (0..self.size).map(move |at| self[(row, at)] * other[(at, column)]);
        Self::from_fn(self.size, |row, column| along(row, column).sum())
    }

    /// The bilinear form `left' M right`: the covariance of two linear combinations, where this is the
    /// matrix of covariances.
    pub(crate) fn form(&self, left: &[f64], right: &[f64]) -> f64 {
        left.iter().enumerate().map(|(row, value)| value * dot(self.row(row), right)).sum()
    }

    /// Adds the outer product of a vector with itself.
    pub fn add_outer(&mut self, vector: &[f64]) {
        for (row, &one) in vector.iter().enumerate() {
            self.row_mut(row)
                .iter_mut()
                .zip(vector)
                .for_each(|(value, other)| *value += one * other);
        }
    }

    /// The decomposition of a symmetric matrix, of which the upper triangle is read. None unless it is
    /// positive definite.
    pub fn cholesky(&self) -> Option<Cholesky> {
        let mut lower = Self::zeros(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let known = dot(&lower.row(row)[..column], &lower.row(column)[..column]);
                let left = self[(column, row)] - known;
                lower[(row, column)] = if column < row {
                    left / lower[(column, column)]
                } else if left > 0.0 {
                    left.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Cholesky { lower })
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..][..self.size]
    }

    fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.size..][..self.size]
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.row(row)[column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.row_mut(row)[column]
    }
}

impl AddAssign<&Self> for Matrix {
    fn add_assign(&mut self, other: &Self) {
        assert_eq!(self.size, other.size, "matrices of other sizes have no sum");
        self.values.iter_mut().zip(&other.values).for_each(|(own, more)| *own += more);
    }
}

impl From<Matrix> for (usize, Vec<f64>) {
    fn from(matrix: Matrix) -> Self {
        (matrix.size, matrix.values)
    }
}

impl TryFrom<(usize, Vec<f64>)> for Matrix {
    type Error = &'static str;

    fn try_from((size, values): (usize, Vec<f64>)) -> Result<Self, Self::Error> {
        let is_square = size.checked_mul(size) == Some(values.len());
        is_square.then_some(Self { size, values }).ok_or("expected the values of a square matrix")
    }
}

/// A symmetric positive definite matrix as the product of a lower triangle and its transpose.
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: Matrix,
}

impl Cholesky {
    /// The vector that the matrix turns into this one.
    pub fn solve(&self, of: &[f64]) -> Vec<f64> {
        let lower = &self.lower;
        let mut solved: Vec<f64> = Vec::with_capacity(of.len());
        for (row, value) in of.iter().enumerate() {
            solved.push((value - dot(&lower.row(row)[..row], &solved)) / lower[(row, row)]);
        }
        for row in (0..solved.len()).rev() {
            let below = row + 1..solved.len();
            let known: f64 = below.map(|later| lower[(later, row)] * solved[later]).sum();
            solved[row] = (solved[row] - known) / lower[(row, row)];
        }
        solved
    }

    /// The inverse of the matrix.
    pub fn inverse(&self) -> Matrix {
        let size = self.lower.size;
        let mut unit = vec![0.0; size];
        let mut values = Vec::with_capacity(size * size);
        for row in 0..size {
            unit[row] = 1.0;
            // The inverse of a symmetric matrix is symmetric: its columns are its rows.
            values.extend(self.solve(&unit));
            unit[row] = 0.0;
        }
        Matrix { size, values }
    }
}

/// The inner product.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::Matrix;

    /// A matrix, its Cholesky factor and its inverse, all of whole numbers and quarters.
    const MATRIX: [[f64; 3]; 3] = [[4.0, 2.0, -2.0], [2.0, 5.0, 3.0], [-2.0, 3.0, 14.0]];
    const LOWER: [[f64; 3]; 3] = [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 2.0, 3.0]];

    fn matrix(rows: [[f64; 3]; 3]) -> Matrix {
        Matrix::from_fn(3, |row, column| rows[row][column])
    }

    #[test]
    fn a_symmetric_matrix_is_decomposed_and_inverted() {
        let given = matrix(MATRIX);
        let decomposed = given.cholesky().expect("it is positive definite");
        assert_eq!(decomposed.lower, matrix(LOWER));
        // The upper triangle is enough.
        let upper = Matrix::from_fn(
            3,
            |row, column| if row <= column { given[(row, column)] } else { 9.0 },
        );
        assert_eq!(upper.cholesky().expect("it is positive definite").lower, matrix(LOWER));
        let solved = decomposed.solve(&[-2.0, 19.0, 48.0]);
        for (found, expected) in solved.iter().zip([0.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12, "{solved:?}");
        }
        let unit = given.times(&decomposed.inverse());
        for row in 0..3 {
            for column in 0..3 {
                let expected = f64::from(u8::from(row == column));
                assert!((unit[(row, column)] - expected).abs() < 1e-12, "{unit:?}");
            }
        }
    }

    #[test]
    fn only_positive_definite_matrices_are_decomposed() {
        let with =
            |corner| Matrix::from_fn(2, |row, column| if row + column < 2 { 1.0 } else { corner });
        assert!(with(1.5).cholesky().is_some());
        for corner in [1.0, 0.5, -1.0, f64::NAN] {
            assert!(with(corner).cholesky().is_none(), "{corner}");
        }
    }

    #[test]
    fn products_forms_and_parts_are_those_of_the_elements() {
        let (given, lower) = (matrix(MATRIX), matrix(LOWER));
        let transposed = Matrix::from_fn(3, |row, column| lower[(column, row)]);
        assert_eq!(lower.times(&transposed), given);
        // (1, 0, 2) times the matrix is (0, 8, 26).
        assert_eq!(given.form(&[1.0, 0.0, 2.0], &[3.0, -1.0, 1.0]), 18.0);
        assert_eq!(
            given.part(&[2, 0]),
            Matrix::from_fn(2, |row, column| [[14.0, -2.0], [-2.0, 4.0]][row][column])
        );
        let mut sum = Matrix::zeros(3);
        (0..3).for_each(|column| sum.add_outer(&[0, 1, 2].map(|row| LOWER[row][column])));
        assert_eq!(sum, given);
        sum += &lower;
        assert_eq!((sum[(1, 0)], sum[(0, 1)]), (3.0, 2.0));
    }

    #[test]
    fn only_square_matrices_are_read() {
        let written = serde_json::to_string(&matrix(MATRIX)).expect("it has JSON");
        assert_eq!(serde_json::from_str::<Matrix>(&written).expect("it is square"), matrix(MATRIX));
        for text in ["[2, [1.0, 2.0, 3.0]]", "[18446744073709551615, [1.0]]"] {
            let error = serde_json::from_str::<Matrix>(text).expect_err("it is not square");
            assert!(error.to_string().contains("a square matrix"), "{error}");
        }
    }
}
