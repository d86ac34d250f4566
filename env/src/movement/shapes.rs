//! How pieces move, looked up by piece id and square: no branch tells piece ids apart, as no processor would
//! foresee it.

use std::ops::{Shl, Shr};

use super::lines::{Lines, Way};
use super::tables::{Leaps, MoveTables};
use crate::board::{Bitboard, Kind, Square};

/// How so many piece ids move on a board of this many files and ranks, in one word.
#[derive(Debug)]
pub(crate) struct Shapes<B, const PIECE_IDS: usize, const FILES: usize, const RANKS: usize> {
    /// How a piece id goes along lines.
    ways: [Way; PIECE_IDS],
    lines: Lines<B, FILES, RANKS>,
    /// By square and piece id, how those go that do not slide.
    leaps: Vec<[Leaps<B>; PIECE_IDS]>,
}

impl<B, const PIECE_IDS: usize, const FILES: usize, const RANKS: usize>
    Shapes<B, PIECE_IDS, FILES, RANKS>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    /// Sorts of these kinds: chariots and cannons go along lines, all others as `leaps` tells for a
    /// piece id on a square.
    pub(crate) fn new(
        moves: &MoveTables<B>,
        kinds: [Kind; PIECE_IDS],
        leaps: impl Fn(usize, Square) -> Leaps<B>,
    ) -> Self {
        let leaps = |from| {
            std::array::from_fn(|piece_id| match Way::of(kinds[piece_id]) {
                Way::Other => leaps(piece_id, from),
                Way::Slide | Way::Hop => Leaps::unhindered(B::EMPTY),
            })
        };
        Self {
            ways: kinds.map(Way::of),
            lines: Lines::new(moves),
            leaps: moves.size.all().map(leaps).collect(),
        }
    }

    /// Where a piece of this piece id gets to from a square, whoever stands there.
    #[inline]
    pub(crate) fn reach(&self, piece_id: usize, from: Square, occupied: B) -> B {
        self.leaps[from.index()][piece_id].open(occupied)
            | self.lines.reach(self.ways[piece_id], from, occupied)
    }

    /// The lines of the board.
    pub(crate) fn lines(&self) -> &Lines<B, FILES, RANKS> {
        &self.lines
    }
}
