//! Positions written as FEN. DESIGN.md section 4.

use super::hidden::Hidden;
use crate::board::AnyPiece;
use crate::error::FenError;

/// A game whose positions can be written down.
pub trait Notation: Hidden {
    /// The full position. Read back it is the same, up to the history of repetitions.
    fn fen(&self, state: &Self::State) -> String;

    /// The position as a viewer may know it. It cannot be read back.
    fn view_fen(&self, view: &Self::View<'_>) -> String;

    /// Reads a full position.
    ///
    /// # Errors
    /// If a field is malformed or the position is none of the game; the error names the field.
    fn parse_fen(&self, fen: &str) -> Result<Self::State, FenError>;

    /// How notation writes a piece: `R`, `r`.
    fn piece_name(token: AnyPiece) -> String;
}
