//! How densely tables are stored.

use parquet::basic::ZstdLevel;

/// How densely tables are stored: what files weigh against the time that writing and reading them takes, and how much of
/// a file an engine can skip. The default was chosen by measurement; docs/data.md has the figures.
#[derive(Clone, Copy, Debug)]
pub struct ParquetSettings {
    pub(crate) level: ZstdLevel,
    pub(crate) group_rows: usize,
}

impl ParquetSettings {
    /// With a zstd level and a greatest number of rows in a row group, the unit that engines skip and read in parallel,
    /// and what the encoder holds in memory. `None` if zstd has no such level or a group no row.
    #[must_use]
    pub fn new(level: i32, group_rows: usize) -> Option<Self> {
        let level = ZstdLevel::try_new(level).ok()?;
        (group_rows > 0).then_some(Self { level, group_rows })
    }
}

impl Default for ParquetSettings {
    fn default() -> Self {
        Self::new(3, 1 << 17).expect("the default is possible")
    }
}
