//! Simulated observations with known parameters.

use std::io;

use darkqi_analysis::statistics::regression::{Row, RowSource};
use darkqi_env::{Rng, Stream};
use rand::RngExt as _;
use rand::distr::Open01;

/// A generator of simulated observations.
pub(super) struct Source(Rng);

impl Source {
    pub(super) fn new(seed: u64) -> Self {
        Self(Rng::new(seed, Stream::Sample))
    }

    /// Uniform, above 0 and below 1.
    pub(super) fn uniform(&mut self) -> f64 {
        self.0.sample(Open01)
    }

    pub(super) fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    /// Standard normal (Box and Muller, 1958).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// The score of two coin tosses: 0, 1/2 or 1 with mean `p`.
    pub(super) fn score(&mut self, p: f64) -> f64 {
        score(self.uniform(), p)
    }
}

fn score(uniform: f64, p: f64) -> f64 {
    if uniform < p * p {
        1.0
    } else if uniform < p * p + 2.0 * p * (1.0 - p) {
        0.5
    } else {
        0.0
    }
}

/// The true parameters of [`games`].
pub(super) const TRUTH: [f64; 3] = [0.2, 0.8, -0.4];
pub(super) const CUTS: [f64; 2] = [-0.5, 0.7];

/// Rows of clusters whose games depend on one another: half of the games of a cluster share one
/// random number. Each single game still follows the model exactly. The columns are a constant, one
/// shared by the cluster and one that is not. The ordered model omits the constant.
pub(super) fn games(source: &mut Source, clusters: u64, ordered: bool) -> InMemoryRows {
    let mut table = InMemoryRows::default();
    for cluster in 0..clusters {
        let (shared, common) = (source.uniform(), source.normal());
        for _ in 0..2 + source.below(4) {
            let x = [1.0, common, source.normal()];
            let own = source.uniform();
            let chance = if source.below(2) == 0 { shared } else { own };
            let eta: f64 = x.iter().zip(TRUTH).map(|(x, coefficient)| x * coefficient).sum();
            let weight = 0.5 + f64::from(source.below(2));
            if ordered {
                let latent = eta - TRUTH[0] + (chance / (1.0 - chance)).ln();
                let passed = CUTS.iter().filter(|&&cut| latent > cut).count();
                table.push(&x[1..], passed as f64 / 2.0, weight, cluster);
            } else {
                table.push(&x, score(chance, 1.0 / (1.0 + (-eta).exp())), weight, cluster);
            }
        }
    }
    assert!(table.blocks() == 1);
    table
}

/// Rows of a regression. Blocks end where a cluster ends.
#[derive(Clone, Default)]
pub(super) struct InMemoryRows {
    rows: Vec<Owned>,
    /// The number of clusters per block; None for a single block.
    block: Option<usize>,
}

#[derive(Clone)]
struct Owned {
    x: Vec<f64>,
    y: f64,
    weight: f64,
    cluster: u64,
}

impl InMemoryRows {
    pub(super) fn push(&mut self, x: &[f64], y: f64, weight: f64, cluster: u64) {
        self.rows.push(Owned { x: x.to_vec(), y, weight, cluster });
    }

    fn clusters(&self) -> Vec<&[Owned]> {
        self.rows.chunk_by(|one, other| one.cluster == other.cluster).collect()
    }

    /// Sets the number of clusters per block.
    pub(super) fn in_blocks(self, clusters: usize) -> Self {
        Self { block: Some(clusters), ..self }
    }

    fn block_size(&self) -> usize {
        self.block.unwrap_or(self.rows.len().max(1))
    }
}

impl RowSource for InMemoryRows {
    fn width(&self) -> usize {
        self.rows.first().map_or(0, |row| row.x.len())
    }

    fn blocks(&self) -> usize {
        self.clusters().len().div_ceil(self.block_size())
    }

    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
        let clusters = self.clusters();
        let rows = clusters.chunks(self.block_size()).nth(block).expect("there is such a block");
        for Owned { x, y, weight, cluster } in rows.iter().copied().flatten() {
            each(Row { x, y: *y, weight: *weight, cluster: *cluster });
        }
        Ok(())
    }
}
