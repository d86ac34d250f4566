//! The likelihood of the rows of a block.

use serde::{Deserialize, Serialize};

use super::clusters::Clusters;
use super::model::{Derivatives, Model};
use super::passes::{Row, RowSource};
use crate::error::Result;
use crate::statistics::matrix::Matrix;

/// The log-likelihood at some parameters, with the sums for its maximum and covariance. Parameters
/// are the coefficients of the identified columns, followed by the cut points.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LikelihoodSums {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// Minus the Hessian: the observed information, the bread of the sandwich. Only the upper triangle.
    pub(super) information: Matrix,
    /// The sum over clusters of the outer products of their gradients: the meat of the sandwich.
    pub(super) meat: Matrix,
}

impl LikelihoodSums {
    pub(super) fn new(parameters: usize) -> Self {
        let square = Matrix::zeros(parameters);
        let gradient = vec![0.0; parameters];
        Self { value: 0.0, gradient, information: square.clone(), meat: square }
    }

    /// The sums of the rows of a block. `at`: the parameters of these columns and of the model's cut
    /// points. `robust`: computes the meat.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub(super) fn of_block(
        rows: &dyn RowSource,
        block: usize,
        clusters: Clusters,
        model: Model,
        columns: &[usize],
        at: &[f64],
        robust: bool,
    ) -> Result<Self> {
        let mut pass = BlockPass::new(model, columns, at, robust);
        clusters.visit(rows, block, &mut |row| pass.add(row))?;
        pass.finish_cluster();
        Ok(pass.sums)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.value += other.value;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(own, more)| *own += more);
        self.information += &other.information;
        self.meat += &other.meat;
    }
}

/// A pass over one block of rows.
struct BlockPass<'a> {
    model: Model,
    columns: &'a [usize],
    at: &'a [f64],
    robust: bool,
    sums: LikelihoodSums,
    /// The identified columns of a row.
    x: Vec<f64>,
    cluster: Option<u64>,
    /// The gradient of the current cluster.
    gradient: Vec<f64>,
}

impl<'a> BlockPass<'a> {
    fn new(model: Model, columns: &'a [usize], at: &'a [f64], robust: bool) -> Self {
        Self {
            model,
            columns,
            at,
            robust,
            sums: LikelihoodSums::new(at.len()),
            x: Vec::with_capacity(columns.len()),
            cluster: None,
            gradient: vec![0.0; at.len()],
        }
    }

    fn add(&mut self, row: Row<'_>) {
        if self.robust && self.cluster != Some(row.cluster) {
            self.finish_cluster();
            self.cluster = Some(row.cluster);
        }
        self.x.clear();
        self.x.extend(self.columns.iter().map(|&column| row.x[column]));
        let (coefficients, cuts) = self.at.split_at(self.x.len());
        let eta = self.x.iter().zip(coefficients).map(|(x, coefficient)| x * coefficient).sum();
        let Derivatives { value, first, second } = self.model.derivatives(eta, cuts, row.y);

        // Chain rule: the derivative by a parameter is that by its argument times its factor there.
        let columns = self.x.len();
        let argument = |parameter: usize| parameter.saturating_sub(columns - 1);
        let factor = |parameter: usize| self.x.get(parameter).copied().unwrap_or(1.0);
        self.sums.value += row.weight * value;
        for one in 0..self.at.len() {
            let weight = row.weight * factor(one);
            let slope = weight * first[argument(one)];
            self.sums.gradient[one] += slope;
            self.gradient[one] += slope;
            let curvature = second[argument(one)];
            for other in one..self.at.len() {
                self.sums.information[(one, other)] -=
                    weight * factor(other) * curvature[argument(other)];
            }
        }
    }

    /// Adds the outer product of the gradient of the cluster that ends here.
    fn finish_cluster(&mut self) {
        if self.robust {
            self.sums.meat.add_outer(&self.gradient);
        }
        self.gradient.fill(0.0);
    }
}
