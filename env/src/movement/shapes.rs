//! How pieces move, looked up by piece id and square.
//!
//! No branch depends on the piece id: the processor could not predict it.

use std::ops::{Shl, Shr};

use super::lines::{LineMovement, Lines};
use super::tables::{Leaps, MoveTables};
use crate::board::{Bitboard, Kind, Square};

/// The movement of `PIECE_IDS` piece ids on a board of `FILES` by `RANKS` squares.
#[derive(Debug)]
pub(crate) struct Shapes<B, const PIECE_IDS: usize, const FILES: usize, const RANKS: usize> {
    /// By piece id.
    line_movements: [LineMovement; PIECE_IDS],
    lines: Lines<B, FILES, RANKS>,
    /// By square and piece id; empty for pieces that move along lines.
    leaps: Vec<[Leaps<B>; PIECE_IDS]>,
}

impl<B, const PIECE_IDS: usize, const FILES: usize, const RANKS: usize>
    Shapes<B, PIECE_IDS, FILES, RANKS>
where
    B: Bitboard + From<u16> + Shl<usize, Output = B> + Shr<usize, Output = B>,
{
    /// Tables for piece ids of these kinds. Chariots and cannons move along lines; `leaps` gives
    /// the movement of every other piece id from a square.
    pub(crate) fn new(
        moves: &MoveTables<B>,
        kinds: [Kind; PIECE_IDS],
        leaps: impl Fn(usize, Square) -> Leaps<B>,
    ) -> Self {
        let line_movements = kinds.map(LineMovement::of);
        Self::of(moves, line_movements, |piece_id, from| match line_movements[piece_id] {
            LineMovement::None => leaps(piece_id, from),
            LineMovement::Slide | LineMovement::Hop => Leaps::unhindered(B::EMPTY),
        })
    }

    /// Tables for piece ids that move along lines in these ways, and by leaps.
    pub(crate) fn of(
        moves: &MoveTables<B>,
        line_movements: [LineMovement; PIECE_IDS],
        leaps: impl Fn(usize, Square) -> Leaps<B>,
    ) -> Self {
        let leaps = |from| std::array::from_fn(|piece_id| leaps(piece_id, from));
        let leaps = moves.size.all().map(leaps).collect();
        Self { line_movements, lines: Lines::new(moves), leaps }
    }

    /// The targets of a piece id from a square. Occupied targets are included whatever stands on
    /// them.
    #[inline]
    pub(crate) fn reach(&self, piece_id: usize, from: Square, occupied: B) -> B {
        self.leaps[from.index()][piece_id].open(occupied)
            | self.lines.reach(self.line_movements[piece_id], from, occupied)
    }

    /// Line movement on the board.
    pub(crate) fn lines(&self) -> &Lines<B, FILES, RANKS> {
        &self.lines
    }
}
