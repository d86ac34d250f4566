//! Which pieces are chased (RULES.md section 7, 9.16 and 11.4).

use super::board::{Board, Color, Kind, Piece, Square};
use super::covered_design::CoveredDesign;
use super::covered_movement::{across_river, after, could_capture, moves_as, pieces_of};

/// The ids of the enemy pieces that a side would chase if it were to move.
pub(super) fn chased_by(design: &CoveredDesign, board: &Board, chaser: Color) -> Vec<usize> {
    let mut chased = Vec::new();
    for (target, victim) in pieces_of(board, chaser.other()) {
        if !counts_as_victim(victim, target) {
            continue;
        }
        // Each pair of X and Y is judged alone (RULES.md 9.16).
        let is_chased = pieces_of(board, chaser)
            .into_iter()
            .any(|(from, piece)| chases(design, board, (from, piece), (target, victim)));
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
fn chases(
    design: &CoveredDesign,
    board: &Board,
    (from, x): (Square, Piece),
    (target, y): (Square, Piece),
) -> bool {
    let x_kind = moves_as(x, from);
    let y_kind = moves_as(y, target);
    if matches!(x_kind, Kind::General | Kind::Soldier) {
        return false;
    }
    if !could_capture(design, board, from, target) {
        return false;
    }
    // An offer to exchange is no chase.
    if could_capture(design, board, target, from) {
        return false;
    }
    let lesser_piece_on_chariot =
        y_kind == Kind::Chariot && matches!(x_kind, Kind::Horse | Kind::Cannon);
    lesser_piece_on_chariot || !is_protected(design, board, from, target, y.color)
}

/// Whether the side of the captured piece could legally recapture on its square.
fn is_protected(
    design: &CoveredDesign,
    board: &Board,
    from: Square,
    target: Square,
    side: Color,
) -> bool {
    let mut captured = after(board, from, target);
    // A covered X is judged as the kind that it moves as (RULES.md 11.4).
    let captor = board.get(from).expect("only a piece captures");
    let captor = Piece { kind: moves_as(captor, from), ..captor.revealed() };
    captured.put(target, captor);
    pieces_of(&captured, side)
        .into_iter()
        .any(|(square, _)| could_capture(design, &captured, square, target))
}
