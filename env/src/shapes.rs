//! How pieces move, looked up by sort and square: no branch tells sorts apart, as no processor would
//! foresee it.

use std::ops::{Shl, Shr};

use crate::bitboard::Bitboard;
use crate::lines::{Lines, Way};
use crate::movement::{Leaps, Moves};
use crate::piece::Kind;
use crate::square::Square;

/// How so many sorts of piece move on a board of this many files and ranks, in one word.
#[derive(Debug)]
pub(crate) struct Shapes<B, const SORTS: usize, const FILES: usize, const RANKS: usize> {
    /// How a sort goes along lines.
    ways: [Way; SORTS],
    lines: Lines<B, FILES, RANKS>,
    /// By square and sort, how those go that do not slide.
    leaps: Vec<[Leaps<B>; SORTS]>,
}

impl<B, const SORTS: usize, const FILES: usize, const RANKS: usize> Shapes<B, SORTS, FILES, RANKS>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    /// Sorts of these kinds: chariots and cannons go along lines, all others as `leaps` tells for a
    /// sort on a square.
    pub(crate) fn new(
        moves: &Moves<B>,
        kinds: [Kind; SORTS],
        leaps: impl Fn(usize, Square) -> Leaps<B>,
    ) -> Self {
        let leaps = |from| {
            std::array::from_fn(|sort| match Way::of(kinds[sort]) {
                Way::Other => leaps(sort, from),
                Way::Slide | Way::Hop => Leaps::unhindered(B::EMPTY),
            })
        };
        Self {
            ways: kinds.map(Way::of),
            lines: Lines::new(moves),
            leaps: moves.size.all().map(leaps).collect(),
        }
    }

    /// Where a piece of this sort gets to from a square, whoever stands there.
    #[inline]
    pub(crate) fn reach(&self, sort: usize, from: Square, occupied: B) -> B {
        self.leaps[from.index()][sort].open(occupied)
            | self.lines.reach(self.ways[sort], from, occupied)
    }

    /// The lines of the board.
    pub(crate) fn lines(&self) -> &Lines<B, FILES, RANKS> {
        &self.lines
    }
}
