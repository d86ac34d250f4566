//! How pieces move in gaiqi (RULES.md section 1).

use super::board::{Board, Kind, Square};
use super::shapes::{self, DIAGONAL, ORTHOGONAL};

/// Where the revealed piece on the square may go: to empty squares, covered pieces and revealed
/// enemies.
///
/// # Panics
/// If no revealed piece stands there.
pub(super) fn targets(board: &Board, from: Square) -> Vec<Square> {
    let piece =
        board.get(from).filter(|piece| !piece.covered).expect("only a revealed piece moves");
    let mut reached = match piece.kind {
        Kind::General => {
            let mut around = shapes::step(board, from, &ORTHOGONAL);
            around.extend(shapes::step(board, from, &DIAGONAL));
            around
        }
        Kind::Advisor => shapes::step(board, from, &DIAGONAL),
        Kind::Elephant => shapes::elephant(board, from),
        Kind::Horse => shapes::horse(board, from),
        Kind::Chariot => shapes::chariot(board, from),
        Kind::Cannon => shapes::cannon(board, from),
        Kind::Soldier => shapes::step(board, from, &ORTHOGONAL),
    };
    // Any covered piece may be captured, whatever it turns out to be; a revealed one only if it is
    // an enemy's.
    reached.retain(|&to| match board.get(to) {
        None => true,
        Some(victim) => victim.covered || victim.color != piece.color,
    });
    reached
}

/// Whether the revealed piece on the square attacks the enemy's revealed general: its movement
/// could capture it now (RULES.md 9.11).
pub(super) fn checks(board: &Board, square: Square) -> bool {
    targets(board, square).into_iter().any(|to| {
        // A revealed piece that can be captured is an enemy's.
        board.get(to).is_some_and(|victim| victim.kind == Kind::General && !victim.covered)
    })
}
