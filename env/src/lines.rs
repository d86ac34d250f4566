//! Movement along files and ranks, looked up: what stands on a line is a number of a few bits.

use std::ops::{Shl, Shr};

use crate::bitboard::Bitboard;
use crate::movement::Moves;
use crate::square::{BoardSize, Square};

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
}

/// The lines through every square of a board of one or two words.
#[derive(Debug)]
pub(crate) struct Lines<B> {
    places: Vec<Place>,
    ways: [Reach; Way::ALL.len()],
    /// The lowest bits, as many as a rank has squares.
    rank: u64,
    first_file: B,
    /// One for each word.
    gathers: [Gather; 2],
    /// What is told of a file, as on the first file.
    spread: Vec<B>,
}

/// Where a square lies.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: u8,
    /// The first square of its rank.
    start: u8,
    /// The place of its file in [`Reach::ranks`] and of its rank in [`Reach::files`].
    tables: [u16; 2],
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
    factor: u64,
    /// How far its bits are then from where they belong.
    down: u32,
    up: u32,
}

impl<B> Lines<B>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    /// Builds the tables.
    pub(crate) fn new(moves: &Moves<B>) -> Self {
        let size = moves.size;
        let place = |square| {
            let (file, rank) = (size.file(square), size.rank(square));
            Place {
                file: file as u8,
                start: (square.index() - file) as u8,
                tables: [(file << size.files) as u16, (rank << size.ranks) as u16],
            }
        };
        let on_file = |squares: u16| {
            let ranks = (0..size.ranks).filter(|rank| squares >> rank & 1 == 1);
            B::collect(ranks.map(|rank| size.at(0, rank)))
        };
        Self {
            places: size.all().map(place).collect(),
            ways: Way::ALL.map(|way| Reach::new(moves, way)),
            rank: (1 << size.files) - 1,
            first_file: on_file((1 << size.ranks) - 1),
            gathers: gathers(size),
            spread: (0..1 << size.ranks).map(on_file).collect(),
        }
    }

    /// Where a piece gets to along the lines through its square, own pieces and others.
    #[inline]
    pub(crate) fn reach(&self, way: Way, from: Square, occupied: B) -> B {
        let Place { file, start, tables } = self.places[from.index()];
        let (file, start) = (usize::from(file), usize::from(start));
        let [ranks, files] = tables.map(usize::from);
        let reach = &self.ways[way as usize];
        let on_rank = (occupied >> start).words().as_ref()[0] & self.rank;
        let on_file = self.gather((occupied >> file) & self.first_file);
        let along_rank = B::from(reach.ranks[ranks + on_rank as usize]);
        let along_file = self.spread[usize::from(reach.files[files + on_file])];
        along_rank << start | along_file << file
    }

    /// What stands on the first file, as the lowest bits.
    #[inline]
    fn gather(&self, pieces: B) -> usize {
        let words = pieces.words();
        let parts = words.as_ref().iter().zip(&self.gathers);
        let gathered = parts.fold(0, |all, (word, Gather { factor, down, up })| {
            all | word.wrapping_mul(*factor) >> down << up
        });
        gathered as usize
    }
}

impl Reach {
    fn new<B: Bitboard>(moves: &Moves<B>, way: Way) -> Self {
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
fn gathers(size: BoardSize) -> [Gather; 2] {
    let mut below = 0;
    [0, 1].map(|word| {
        let squares = (0..size.ranks).map(|rank| size.at(0, rank).index());
        let bits: Vec<usize> = squares.filter(|s| s / 64 == word).map(|s| s % 64).collect();
        // Each bit is brought to its place among the highest; what else comes about is shifted out.
        let first = 64 - bits.len();
        let factor = (first..).zip(&bits).fold(0, |sum, (place, bit)| sum | 1 << (place - bit));
        let up = below;
        below += bits.len() as u32;
        Gather { factor, down: first.min(63) as u32, up }
    })
}

#[cfg(test)]
mod tests {
    use std::ops::{Shl, Shr};

    use super::{Lines, Way};
    use crate::bitboard::Bitboard;
    use crate::movement::Moves;
    use crate::rng::{Rng, Stream};
    use crate::square::BoardSize;

    fn check<B>(files: usize, ranks: usize)
    where
        B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
    {
        let moves = Moves::<B>::new(BoardSize { files, ranks });
        let lines = Lines::new(&moves);
        let mut rng = Rng::new(1, Stream::Deal);
        for _ in 0..300 {
            let bits = [rng.next_u64() & rng.next_u64(), rng.next_u64() & rng.next_u64()];
            let stands = |square: &crate::square::Square| {
                bits[square.index() / 64] >> (square.index() % 64) & 1 == 1
            };
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
        check::<u32>(8, 4);
        check::<u64>(7, 7);
        check::<u128>(9, 10);
    }
}
