//! Positions as FEN. DESIGN.md section 4.

use super::hidden::Hidden;
use super::repetition::{QuietPly, RecordedHistory};
use crate::board::AnyPiece;
use crate::error::FenError;
use crate::rng::Rng;

/// A game whose positions are written as FEN.
pub trait Notation: Hidden {
    /// The full position. Reading it back gives the same state without the repetition history.
    fn fen(&self, state: &Self::State) -> String;

    /// The position as a viewer knows it. [`Notation::parse_view_fen`] reads it back.
    fn view_fen(&self, view: &Self::View<'_>) -> String;

    /// Reads a full position.
    ///
    /// # Errors
    /// If a field is malformed or the position cannot occur in the game; the error names the field.
    fn parse_fen(&self, fen: &str) -> Result<Self::State, FenError>;

    /// Reads the position of a viewer, or a full one. What the viewer does not know is dealt at random.
    ///
    /// # Errors
    /// As [`Notation::parse_fen`], or if more is unknown than there can be.
    fn parse_view_fen(&self, fen: &str, _: &mut Rng) -> Result<Self::State, FenError> {
        self.parse_fen(fen)
    }

    /// The repetition history, which the FEN leaves out. `None` where the rules keep none.
    fn history(&self, _: &Self::State) -> Option<RecordedHistory> {
        None
    }

    /// Gives a state that was read from a FEN the history that led to it. Returns whether it leads
    /// there; the state is unchanged otherwise, and where the rules keep none.
    #[must_use]
    fn restore_history(&self, _: &mut Self::State, _: &RecordedHistory) -> bool {
        false
    }

    /// The position before the reversible plies of the history, and these plies: what a program must be
    /// told to know which positions have occurred. The position itself and no plies where the history
    /// does not say which they were.
    fn unwound(&self, state: &Self::State) -> (Self::State, Vec<QuietPly>) {
        (state.clone(), Vec::new())
    }

    /// The name of a piece in notation: `R`, `r`, `gR`.
    fn piece_name(piece: AnyPiece) -> String {
        let kind = Self::KINDS[usize::from(piece.kind)];
        Self::ARMIES[usize::from(piece.army)].piece_name(kind)
    }
}
