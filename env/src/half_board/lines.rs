//! Lines of the half board, looked up: what stands on a rank is one byte, on a file half of one.

use super::{MOVES, SIZE};
use crate::bitboard::Bitboard;
use crate::square::Square;

/// Along the lines through a square, with some pieces on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<T> {
    /// Where a chariot gets to: empty squares and the first piece in each direction.
    pub(crate) slide: T,
    /// What a cannon can take: the pieces behind exactly one other.
    pub(crate) hop: T,
}

/// The lines through every square.
#[derive(Debug)]
pub(crate) struct Lines {
    /// By the square's file and the pieces on its rank, as on the first rank.
    ranks: [[Reach<u8>; 1 << SIZE.files]; SIZE.files],
    /// By the square's rank and the pieces on its file, as on the first file.
    files: [[Reach<u32>; 1 << SIZE.ranks]; SIZE.ranks],
}

const FIRST_RANK: u32 = 0xFF;
const FIRST_FILE: u32 = 0x0101_0101;

impl Lines {
    /// Builds the tables.
    pub(crate) fn new() -> Self {
        let reach = |from, line: u32, pieces: u32| Reach {
            slide: MOVES.slide(from, pieces) & line,
            hop: MOVES.hop(from, pieces) & line,
        };
        let ranks = std::array::from_fn(|file| {
            std::array::from_fn(|pieces| {
                let Reach { slide, hop } = reach(SIZE.at(file, 0), FIRST_RANK, pieces as u32);
                Reach { slide: slide as u8, hop: hop as u8 }
            })
        });
        let files = std::array::from_fn(|rank| {
            std::array::from_fn(|pieces| {
                let at = |rank| SIZE.at(0, rank);
                let ranks = (0..SIZE.ranks).filter(|rank| pieces >> rank & 1 == 1);
                reach(at(rank), FIRST_FILE, u32::collect(ranks.map(at)))
            })
        });
        Self { ranks, files }
    }

    /// What [`crate::movement::Moves::slide`] and [`crate::movement::Moves::hop`] tell.
    #[inline]
    pub(crate) fn reach(&self, from: Square, occupied: u32) -> Reach<u32> {
        let (file, rank) = (SIZE.file(from), SIZE.rank(from));
        let start = rank * SIZE.files;
        let on_rank = self.ranks[file][(occupied >> start & FIRST_RANK) as usize];
        // The product brings the four squares of the file together in the highest bits.
        let on_file = (occupied >> file & FIRST_FILE).wrapping_mul(0x1020_4080) >> 28;
        let on_file = self.files[rank][on_file as usize];
        Reach {
            slide: u32::from(on_rank.slide) << start | on_file.slide << file,
            hop: u32::from(on_rank.hop) << start | on_file.hop << file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, MOVES, Reach, SIZE};
    use crate::rng::{Rng, Stream};

    #[test]
    fn lines_are_what_movement_tells() {
        let lines = Lines::new();
        let mut rng = Rng::new(1, Stream::Deal);
        for _ in 0..1000 {
            let occupied = rng.next_u64() as u32 & rng.next_u64() as u32;
            for from in SIZE.all() {
                let Reach { slide, hop } = lines.reach(from, occupied);
                assert_eq!(slide, MOVES.slide(from, occupied));
                assert_eq!(hop, MOVES.hop(from, occupied));
            }
        }
    }
}
