//! Which clusters take part: all of them, or those of a validation.

use std::io;

use serde::{Deserialize, Serialize};

use super::passes::{Row, RowSource};

/// One in this many clusters is held out for validation.
const HELD_OUT: u64 = 5;

/// Some of the clusters of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Clusters {
    All,
    /// The clusters held out for validation.
    HeldOut,
    /// The others.
    Kept,
}

impl Clusters {
    fn has(self, cluster: u64) -> bool {
        match self {
            Self::All => true,
            Self::HeldOut => is_held_out(cluster),
            Self::Kept => !is_held_out(cluster),
        }
    }

    /// Visits the rows of these clusters in a block.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(super) fn visit(
        self,
        rows: &dyn RowSource,
        block: usize,
        each: &mut dyn FnMut(Row<'_>),
    ) -> io::Result<()> {
        rows.visit(block, &mut |row| {
            if self.has(row.cluster) {
                each(row);
            }
        })
    }
}

/// By Fibonacci hashing of the cluster's number.
fn is_held_out(cluster: u64) -> bool {
    cluster.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / HELD_OUT
}
