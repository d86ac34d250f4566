//! Which pieces are chased (RULES.md section 7 and 9.16).

use super::board::{Board, Color, Kind, Piece, Square};
use super::covered_movement::{across_river, after, could_capture, moves_as, pieces_of};

/// The ids of the enemy pieces that a side would chase if it were to move.
pub(super) fn chased_by(board: &Board, chaser: Color) -> Vec<usize> {
    let mut chased = Vec::new();
    for (target, victim) in pieces_of(board, chaser.other()) {
        if !counts_as_victim(victim, target) {
            continue;
        }
        // Each pair of X and Y is judged alone (RULES.md 9.16).
        let is_chased = pieces_of(board, chaser)
            .into_iter()
            .any(|(from, piece)| chases(board, (from, piece), (target, victim)));
        if is_chased {
            chased.push(victim.id);
        }
    }
    chased
}

/// Not counted: the general, and a soldier, or a piece that moves as one, that has not crossed the
/// river.
fn counts_as_victim(victim: Piece, square: Square) -> bool {
    match moves_as(victim, square) {
        Kind::General => false,
        Kind::Soldier => across_river(victim.color, square),
        _ => true,
    }
}

/// Whether X chases Y.
fn chases(board: &Board, (from, x): (Square, Piece), (target, y): (Square, Piece)) -> bool {
    let x_kind = moves_as(x, from);
    let y_kind = moves_as(y, target);
    if matches!(x_kind, Kind::General | Kind::Soldier) {
        return false;
    }
    if !could_capture(board, from, target) {
        return false;
    }
    // An offer to exchange is no chase.
    if could_capture(board, target, from) {
        return false;
    }
    let lesser_piece_on_chariot =
        y_kind == Kind::Chariot && matches!(x_kind, Kind::Horse | Kind::Cannon);
    lesser_piece_on_chariot || !is_protected(board, from, target, y.color)
}

/// Whether the side of the captured piece could legally recapture on its square.
fn is_protected(board: &Board, from: Square, target: Square, side: Color) -> bool {
    let captured = after(board, from, target);
    pieces_of(&captured, side)
        .into_iter()
        .any(|(square, _)| could_capture(&captured, square, target))
}

#[cfg(test)]
mod tests {
    use super::super::board::Color;
    use super::super::fen::read_board;
    use super::chased_by;

    /// The squares of the black pieces that red chases.
    fn chased(board: &str) -> Vec<String> {
        let board = read_board(board, 9, 10).unwrap();
        let ids = chased_by(&board, Color::Red);
        let mut pieces = board.pieces();
        pieces.retain(|(_, piece)| ids.contains(&piece.id));
        pieces.into_iter().map(|(square, _)| square.name()).collect()
    }

    #[test]
    fn an_unprotected_piece_is_chased() {
        assert_eq!(chased("4k4/9/9/9/h8/9/9/9/9/R2K5"), ["a6"]);
        assert!(chased("r3k4/9/9/9/h8/9/9/9/9/R2K5").is_empty());
        // The general protects too, unless it would step into an attack.
        assert!(chased("4k4/R3h4/9/9/9/9/9/9/9/3K5").is_empty());
        assert_eq!(chased("4k4/R3h4/8C/9/9/9/4R4/9/9/3K5"), ["e9"]);
        assert_eq!(chased("4k4/9/4h4/9/9/9/4R4/9/9/3K5"), ["e8"]);
    }

    #[test]
    fn a_protected_chariot_is_chased_by_horse_and_cannon_only() {
        let by_cannon = "r3k4/9/9/9/r8/9/P8/9/9/C2K5";
        assert_eq!(chased(by_cannon), ["a6"]);
        assert!(chased("h3k4/9/1r7/9/9/9/1P7/9/9/1A1K5").is_empty());
        // A chariot is no lesser piece, and it offers an exchange.
        assert!(chased("4k4/9/9/9/r8/9/9/9/9/R2K5").is_empty());
    }

    #[test]
    fn generals_and_soldiers_neither_chase_nor_are_chased_at_home() {
        assert!(chased("4k4/9/9/p8/9/9/9/9/9/R2K5").is_empty());
        assert_eq!(chased("4k4/9/9/9/9/p8/9/9/9/R2K5"), ["a5"]);
        assert!(chased("4k4/9/h8/P8/9/9/9/9/9/3K5").is_empty());
        assert!(chased("4k4/9/9/9/9/9/9/9/3h5/3K5").is_empty());
    }

    #[test]
    fn covered_pieces_count_as_what_they_move_as() {
        // An unmoved chariot chases, whatever it is; an unmoved soldier is not chased, and does not
        // chase.
        assert_eq!(chased("4k4/9/9/9/h8/9/9/9/9/~P2K5"), ["a6"]);
        assert!(chased("4k4/9/9/~r8/9/9/9/9/9/R2K5").is_empty());
        assert!(chased("4k4/9/9/9/9/h8/~R8/9/9/3K5").is_empty());
        // An unmoved cannon is chased, though it is a soldier underneath.
        assert_eq!(chased("4k4/9/1~p7/9/9/9/9/9/9/1R1K5"), ["b8"]);
        // A protected unmoved chariot is chased by a cannon.
        assert_eq!(chased("~p1r1k4/9/9/9/9/9/P8/9/9/C2K5"), ["a10"]);
    }

    #[test]
    fn a_pinned_piece_does_not_chase() {
        assert_eq!(chased("3rk4/9/9/9/3R4h/9/9/9/9/5K3"), ["i6"]);
        assert!(chased("3rk4/9/9/9/3R4h/9/9/9/9/3K5").is_empty());
    }
}
