//! Rows of a regression in a temporary file, so that memory does not grow with their number.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::statistics::regression::{Row, RowSource};

/// Rows in a temporary file, which is deleted when this is dropped.
#[derive(Debug)]
pub(super) struct RowFile {
    file: NamedTempFile,
    width: usize,
    /// The range of each block in the file.
    blocks: Vec<Range<u64>>,
}

/// Encoded rows that are not yet written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Block(Vec<u8>);

/// Bytes of a row before its columns: cluster, outcome, weight.
const HEAD: usize = 16;

impl RowFile {
    pub(super) fn new(width: usize) -> io::Result<Self> {
        Ok(Self { file: NamedTempFile::new()?, width, blocks: Vec::new() })
    }

    /// Appends a block.
    pub(super) fn add(&mut self, block: &Block) -> io::Result<()> {
        let start = self.blocks.last().map_or(0, |last| last.end);
        self.file.as_file().write_all(&block.0)?;
        self.blocks.push(start..start + block.0.len() as u64);
        Ok(())
    }
}

impl Block {
    /// Adds a row. `x` has as many columns as the file.
    pub(super) fn push(&mut self, cluster: u64, y: f32, weight: f32, x: &[f32]) {
        self.0.extend(cluster.to_le_bytes());
        self.0.extend([y, weight].iter().chain(x).flat_map(|value| value.to_le_bytes()));
    }
}

impl RowSource for RowFile {
    fn width(&self) -> usize {
        self.width
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
        let Range { start, end } = self.blocks[block];
        // A handle of its own, because blocks are read in parallel.
        let mut file = File::open(self.file.path())?;
        file.seek(SeekFrom::Start(start))?;
        let bytes = BufReader::with_capacity(1 << 16, file.take(end - start));
        visit(bytes, end - start, self.width, each)
    }
}

/// Blocks in memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RowBlocks {
    pub(super) width: usize,
    pub(super) blocks: Vec<Block>,
}

impl RowSource for RowBlocks {
    fn width(&self) -> usize {
        self.width
    }

    fn blocks(&self) -> usize {
        self.blocks.len()
    }

    fn visit(&self, block: usize, each: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
        let Block(bytes) = &self.blocks[block];
        visit(bytes.as_slice(), bytes.len() as u64, self.width, each)
    }
}

/// Reads this many bytes of rows.
fn visit(
    mut bytes: impl Read,
    length: u64,
    width: usize,
    each: &mut dyn FnMut(Row<'_>),
) -> io::Result<()> {
    let mut row = vec![0; HEAD + 4 * width];
    let mut x = vec![0.0; width];
    for _ in 0..length / row.len() as u64 {
        bytes.read_exact(&mut row)?;
        let (cluster, numbers) = row.split_at(8);
        let cluster = u64::from_le_bytes(cluster.try_into().expect("it has 8 bytes"));
        let number = |at: usize| {
            let bytes = numbers[4 * at..][..4].try_into().expect("it has 4 bytes");
            f64::from(f32::from_le_bytes(bytes))
        };
        x.iter_mut().enumerate().for_each(|(column, x)| *x = number(column + 2));
        each(Row { x: &x, y: number(0), weight: number(1), cluster });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Block, RowBlocks, RowFile, RowSource};

    #[test]
    fn rows_round_trip() {
        let mut file = RowFile::new(2).expect("temporary files can be made");
        let mut blocks = [Block::default(), Block::default(), Block::default()];
        blocks[0].push(7, 0.5, 0.25, &[1.0, -2.5]);
        blocks[0].push(7, 1.0, 0.25, &[0.0, 3.0]);
        blocks[2].push(u64::MAX, 0.0, 1.0, &[1e-3, f32::MIN]);
        blocks.iter().for_each(|block| file.add(block).expect("it can be written"));
        let all = |rows: &dyn RowSource| {
            let mut all = Vec::new();
            for block in 0..rows.blocks() {
                rows.visit(block, &mut |row| {
                    all.push((block, row.cluster, row.y, row.weight, row.x.to_vec()));
                })
                .expect("it can be read");
            }
            all
        };
        let found = all(&file);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], (0, 7, 0.5, 0.25, vec![1.0, -2.5]));
        assert_eq!(found[2], (2, u64::MAX, 0.0, 1.0, vec![f64::from(1e-3_f32), f32::MIN.into()]));
        assert_eq!(all(&RowBlocks { width: 2, blocks: blocks.to_vec() }), found);
    }
}
