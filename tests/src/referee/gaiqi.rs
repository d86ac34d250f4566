//! How pieces move in gaiqi (RULES.md section 1).

use super::board::{Board, Kind, Square};
use super::shapes::{self, DIAGONAL, ORTHOGONAL};

/// The squares that a piece of the kind reaches: empty ones, and those of pieces that it captures if
/// it may.
pub(super) fn reach(board: &Board, from: Square, kind: Kind) -> Vec<Square> {
    match kind {
        Kind::General => {
            let mut around = shapes::step(board, from, &ORTHOGONAL);
            around.extend(shapes::step(board, from, &DIAGONAL));
            around
        }
        Kind::Advisor => shapes::step(board, from, &DIAGONAL),
        Kind::Elephant => shapes::elephant(board, from),
        Kind::Horse => shapes::horse(board, from, 1),
        Kind::Chariot => shapes::chariot(board, from),
        Kind::Cannon => shapes::cannon(board, from),
        Kind::Soldier => shapes::step(board, from, &ORTHOGONAL),
    }
}
