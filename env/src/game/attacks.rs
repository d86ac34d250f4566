//! What pieces attack: a fact about a game for nets, which need not learn it then.

use std::fmt::Debug;

use crate::board::Square;

/// A game that says what its pieces attack.
pub trait Attacks: Debug + Send + Sync {
    /// Whether a piece on `from` attacks one on `target`, with nothing else on the board but a piece
    /// on `between`: whether it could take it by a move of its kind. Whose piece it is, ranks and
    /// checks do not count.
    ///
    /// `piece` is a place in [`Layout::pieces`], seen by a viewer whose board is upright.
    ///
    /// [`Layout::pieces`]: super::Layout::pieces
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool;

    /// What a piece is after it moved, also as a place in [`Layout::pieces`]. `None` if that is not
    /// known before, as of a piece that the move reveals.
    ///
    /// [`Layout::pieces`]: super::Layout::pieces
    fn after_move(&self, piece: usize) -> Option<usize> {
        Some(piece)
    }
}
