//! Attacks of pieces, and what they become as they move: facts about a game for nets, which need not
//! learn them then.

use std::fmt::Debug;

use crate::board::Square;

/// A game that says what its pieces attack, and what they become.
pub trait Attacks: Debug + Send + Sync {
    /// Whether a piece on `from` attacks one on `target`, with nothing else on the board but a piece
    /// on `between`: whether it could take it by a move of its kind. Whose piece it is, ranks and
    /// checks do not count.
    ///
    /// `piece` is a place in [`Layout::pieces`], seen by a viewer whose board is upright.
    ///
    /// [`Layout::pieces`]: super::Layout::pieces
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool;

    /// The piece that a piece is after it moved, also as a place in [`Layout::pieces`]. `None` if that is not
    /// known before, as of a covered piece.
    ///
    /// [`Layout::pieces`]: super::Layout::pieces
    fn moved_piece(&self, piece: usize) -> Option<usize> {
        Some(piece)
    }
}
