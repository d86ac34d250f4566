//! Movement along files and ranks by occupancy lookup tables.
//!
//! The occupancy of a line is a number of a few bits, which indexes a table of targets. On a rank
//! the bits are neighbours. On a file a multiplication gathers them: this is the technique of
//! kindergarten bitboards (chess programming, 2006), the table-driven relative of magic bitboards.

use std::ops::{Shl, Shr};

use super::tables::MoveTables;
use crate::board::{Bitboard, BoardSize, Kind, Square};

/// How a piece moves along files and ranks; fairy chess calls the two riders and hoppers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineMovement {
    /// Not along lines: a leaper.
    None,
    /// As a chariot: to empty squares and the first piece in each direction.
    Slide,
    /// As a cannon: to the same empty squares, and to the pieces behind exactly one other.
    Hop,
}

impl LineMovement {
    const ALL: [Self; 3] = [Self::None, Self::Slide, Self::Hop];

    /// The line movement of pieces of this kind.
    pub(crate) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Chariot => Self::Slide,
            Kind::Cannon => Self::Hop,
            _ => Self::None,
        }
    }
}

/// Line movement on a board of `FILES` by `RANKS` squares, whose bitboard has one or two words.
#[derive(Debug)]
pub(crate) struct Lines<B, const FILES: usize, const RANKS: usize> {
    /// By [`LineMovement`].
    tables: [OccupancyTables; LineMovement::ALL.len()],
    /// By a set of ranks as a number, the squares of the first file on these ranks.
    first_file: Vec<B>,
}

/// The targets on a line, as the lowest bits, for one line movement.
#[derive(Debug)]
struct OccupancyTables {
    /// By the file of the square and the occupancy of its rank.
    ranks: Vec<u16>,
    /// By the rank of the square and the occupancy of its file.
    files: Vec<u16>,
}

/// Gathers the bits of the first file in a word: `(word & mask) * magic` has them side by side in
/// its highest bits, lowest rank first.
#[derive(Clone, Copy, Debug)]
struct FileMagic {
    mask: u64,
    magic: u64,
    /// Shifts that bring the gathered bits down, then up above those of the words before.
    shift_down: u32,
    shift_up: u32,
}

impl<B, const FILES: usize, const RANKS: usize> Lines<B, FILES, RANKS>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    const SIZE: BoardSize = BoardSize { files: FILES, ranks: RANKS };

    /// Mask of the first rank.
    const FIRST_RANK: u64 = (1 << FILES) - 1;

    /// By word of the bitboard; the second is unused where there is one word.
    const FILE_MAGICS: [FileMagic; 2] = file_magics(FILES, RANKS);

    /// Builds the tables.
    pub(crate) fn new(moves: &MoveTables<B>) -> Self {
        assert_eq!(moves.size, Self::SIZE);
        let on_file = |squares: u16| {
            let ranks = (0..RANKS).filter(|rank| squares >> rank & 1 == 1);
            B::collect(ranks.map(|rank| Self::SIZE.at(0, rank)))
        };
        Self {
            tables: LineMovement::ALL.map(|movement| OccupancyTables::new(moves, movement)),
            first_file: (0..1 << RANKS).map(on_file).collect(),
        }
    }

    /// The targets of a piece along the lines through its square. Occupied targets are included
    /// whatever stands on them.
    #[inline]
    pub(crate) fn reach(&self, movement: LineMovement, from: Square, occupied: B) -> B {
        let (file, rank) = (Self::SIZE.file(from), Self::SIZE.rank(from));
        let start = rank * FILES;
        let tables = &self.tables[movement as usize];
        let on_rank = (occupied >> start).words().as_ref()[0] & Self::FIRST_RANK;
        let on_file = Self::first_file_occupancy(occupied >> file);
        let along_rank = B::from(tables.ranks[file << FILES | on_rank as usize]);
        let along_file = self.first_file[usize::from(tables.files[rank << RANKS | on_file])];
        along_rank << start | along_file << file
    }

    /// The occupancy of the first file, as the lowest bits.
    #[inline]
    fn first_file_occupancy(occupied: B) -> usize {
        let words = occupied.words();
        let parts = words.as_ref().iter().zip(&Self::FILE_MAGICS);
        let occupancy = parts.fold(0, |all, (word, file)| {
            let gathered = (word & file.mask).wrapping_mul(file.magic) >> file.shift_down;
            all | gathered << file.shift_up
        });
        occupancy as usize
    }
}

impl OccupancyTables {
    fn new<B: Bitboard>(moves: &MoveTables<B>, movement: LineMovement) -> Self {
        let size = moves.size;
        let table = |line: &[Square]| {
            let reached = |from: Square, pieces: usize| {
                let stands = |&(place, _): &(usize, &Square)| pieces >> place & 1 == 1;
                let occupied = B::collect(line.iter().enumerate().filter(stands).map(|(_, &s)| s));
                let slide = moves.slide(from, occupied);
                let reached = match movement {
                    LineMovement::None => B::EMPTY,
                    LineMovement::Slide => slide,
                    LineMovement::Hop => slide & !occupied | moves.hop(from, occupied),
                };
                let bit = |(place, &square): (usize, &Square)| {
                    u16::from(reached.contains(square)) << place
                };
                line.iter().enumerate().map(bit).sum()
            };
            let patterns = 0..1 << line.len();
            line.iter()
                .flat_map(|&from| patterns.clone().map(move |pieces| reached(from, pieces)))
                .collect()
        };
        let first_rank: Vec<Square> = (0..size.files).map(|file| size.at(file, 0)).collect();
        let first_file: Vec<Square> = (0..size.ranks).map(|rank| size.at(0, rank)).collect();
        Self { ranks: table(&first_rank), files: table(&first_file) }
    }
}

/// The magic multipliers of the first file, by word.
const fn file_magics(files: usize, ranks: usize) -> [FileMagic; 2] {
    let none = FileMagic { mask: 0, magic: 0, shift_down: u64::BITS - 1, shift_up: 0 };
    let mut magics = [none; 2];
    let mut rank = 0;
    while rank < ranks {
        let square = rank * files;
        magics[square / 64].mask |= 1 << (square % 64);
        rank += 1;
    }
    let counts = [magics[0].mask.count_ones(), magics[1].mask.count_ones()];
    magics[1].shift_up = counts[0];
    rank = 0;
    while rank < ranks {
        let square = rank * files;
        let file = &mut magics[square / 64];
        // One bit of the multiplier moves the bit of one rank to its place among the highest. The
        // other partial products stay below, provided that ranks are long enough.
        assert!(files >= counts[square / 64] as usize, "too few files to tell ranks apart");
        file.shift_down = u64::BITS - counts[square / 64];
        let place = file.shift_down + rank as u32 - file.shift_up;
        file.magic |= 1 << (place - square as u32 % 64);
        rank += 1;
    }
    magics
}
