//! Movement along files and ranks, looked up: what stands on a line is a number of a few bits.

use std::ops::{Shl, Shr};

use super::tables::MoveTables;
use crate::board::{Bitboard, BoardSize, Kind, Square};

/// How a piece goes along files and ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Not at all, or not far.
    Other,
    /// As a chariot: to empty squares and the first piece in each direction.
    Slide,
    /// As a cannon: to the same empty squares, and to the pieces behind exactly one other.
    Hop,
}

impl Way {
    const ALL: [Self; 3] = [Self::Other, Self::Slide, Self::Hop];

    /// How pieces of this kind go.
    pub(crate) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Chariot => Self::Slide,
            Kind::Cannon => Self::Hop,
            _ => Self::Other,
        }
    }
}

/// The lines through every square of a board of this many files and ranks, in one or two words.
#[derive(Debug)]
pub(crate) struct Lines<B, const FILES: usize, const RANKS: usize> {
    ways: [Reach; Way::ALL.len()],
    /// By the bits of a file, the squares of the first file that they stand for.
    spread: Vec<B>,
}

/// The squares of a line that pieces reach who go one way, as the lowest bits.
#[derive(Debug)]
struct Reach {
    /// By a square's file and what stands on its rank.
    ranks: Vec<u16>,
    /// By a square's rank and what stands on its file.
    files: Vec<u16>,
}

/// Brings the squares of the first file in a word together: a product has them in its highest bits.
#[derive(Clone, Copy, Debug)]
struct Gather {
    squares: u64,
    factor: u64,
    /// How far its bits are then from where they belong.
    down: u32,
    up: u32,
}

impl<B, const FILES: usize, const RANKS: usize> Lines<B, FILES, RANKS>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    const SIZE: BoardSize = BoardSize { files: FILES, ranks: RANKS };

    /// The lowest bits, as many as a rank has squares.
    const RANK: u64 = (1 << FILES) - 1;

    /// One for each word; the second stays unused where there is one.
    const GATHERS: [Gather; 2] = gathers(FILES, RANKS);

    /// Builds the tables.
    pub(crate) fn new(moves: &MoveTables<B>) -> Self {
        assert_eq!(moves.size, Self::SIZE);
        let on_file = |squares: u16| {
            let ranks = (0..RANKS).filter(|rank| squares >> rank & 1 == 1);
            B::collect(ranks.map(|rank| Self::SIZE.at(0, rank)))
        };
        Self {
            ways: Way::ALL.map(|way| Reach::new(moves, way)),
            spread: (0..1 << RANKS).map(on_file).collect(),
        }
    }

    /// Where a piece gets to along the lines through its square, whoever stands there.
    #[inline]
    pub(crate) fn reach(&self, way: Way, from: Square, occupied: B) -> B {
        let (file, rank) = (Self::SIZE.file(from), Self::SIZE.rank(from));
        let start = rank * FILES;
        let reach = &self.ways[way as usize];
        let on_rank = (occupied >> start).words().as_ref()[0] & Self::RANK;
        let on_file = Self::gather(occupied >> file);
        let along_rank = B::from(reach.ranks[file << FILES | on_rank as usize]);
        let along_file = self.spread[usize::from(reach.files[rank << RANKS | on_file])];
        along_rank << start | along_file << file
    }

    /// What stands on the first file, as the lowest bits.
    #[inline]
    fn gather(pieces: B) -> usize {
        let words = pieces.words();
        let parts = words.as_ref().iter().zip(&Self::GATHERS);
        let gathered = parts.fold(0, |all, (word, gather)| {
            all | (word & gather.squares).wrapping_mul(gather.factor) >> gather.down << gather.up
        });
        gathered as usize
    }
}

impl Reach {
    fn new<B: Bitboard>(moves: &MoveTables<B>, way: Way) -> Self {
        let size = moves.size;
        let table = |line: &[Square]| {
            let reached = |from: Square, pieces: usize| {
                let stands = |&(place, _): &(usize, &Square)| pieces >> place & 1 == 1;
                let occupied = B::collect(line.iter().enumerate().filter(stands).map(|(_, &s)| s));
                let slide = moves.slide(from, occupied);
                let reached = match way {
                    Way::Other => B::EMPTY,
                    Way::Slide => slide,
                    Way::Hop => slide & !occupied | moves.hop(from, occupied),
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

/// How the squares of the first file come together, by words.
const fn gathers(files: usize, ranks: usize) -> [Gather; 2] {
    let mut gathers = [Gather { squares: 0, factor: 0, down: u64::BITS - 1, up: 0 }; 2];
    let mut rank = 0;
    while rank < ranks {
        let square = rank * files;
        gathers[square / 64].squares |= 1 << (square % 64);
        rank += 1;
    }
    let counts = [gathers[0].squares.count_ones(), gathers[1].squares.count_ones()];
    gathers[1].up = counts[0];
    rank = 0;
    while rank < ranks {
        let square = rank * files;
        let gather = &mut gathers[square / 64];
        // Each bit is brought to its place among the highest; what else comes about is shifted out,
        // which takes files enough to keep it apart.
        assert!(files >= counts[square / 64] as usize, "too few files to tell ranks apart");
        gather.down = u64::BITS - counts[square / 64];
        let place = gather.down + rank as u32 - gather.up;
        gather.factor |= 1 << (place - square as u32 % 64);
        rank += 1;
    }
    gathers
}

#[cfg(test)]
mod tests {
    use std::ops::{Shl, Shr};

    use super::{Lines, Way};
    use crate::board::{Bitboard, BoardSize, Square};
    use crate::movement::MoveTables;
    use crate::rng::{Rng, Stream};

    fn check<B, const FILES: usize, const RANKS: usize>()
    where
        B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
    {
        let moves = MoveTables::<B>::new(BoardSize { files: FILES, ranks: RANKS });
        let lines = Lines::<B, FILES, RANKS>::new(&moves);
        let mut rng = Rng::new(1, Stream::Deal);
        for _ in 0..300 {
            let bits = [rng.next_u64() & rng.next_u64(), rng.next_u64() & rng.next_u64()];
            let stands =
                |square: &Square| bits[square.index() / 64] >> (square.index() % 64) & 1 == 1;
            let occupied = B::collect(moves.size.all().filter(stands));
            for from in moves.size.all() {
                let slide = moves.slide(from, occupied);
                let hop = slide & !occupied | moves.hop(from, occupied);
                for (way, expected) in
                    [(Way::Other, B::EMPTY), (Way::Slide, slide), (Way::Hop, hop)]
                {
                    assert_eq!(lines.reach(way, from, occupied), expected);
                }
            }
        }
    }

    #[test]
    fn lines_are_what_movement_tells() {
        check::<u32, 8, 4>();
        check::<u64, 7, 7>();
        check::<u128, 9, 10>();
    }
}
