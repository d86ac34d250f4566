//! Rows in memory, in a chosen number of blocks.

use std::io;

use darkqi_analysis::regression::{Row, RowSource};

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
