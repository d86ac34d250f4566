//! How pieces move (RULES.md section 6).

use super::super::board::{Action, Board, Square};
use super::super::shapes::{self, DIAGONAL, ORTHOGONAL};
use super::pieces::{Kind, Kingdom, Piece};
use super::rules::Rules;

/// Every move of a kingdom.
pub(super) fn steps_of(board: &Board<Piece>, kingdom: Kingdom, rules: &Rules) -> Vec<Action> {
    let mut steps = Vec::new();
    for (from, piece) in board.pieces() {
        if let Piece::Of(owner, kind) = piece
            && owner == kingdom
        {
            for to in targets(board, from, kingdom, kind, rules) {
                steps.push(Action::Step(from, to));
            }
        }
    }
    steps
}

/// Where a piece may go: to empty points and to pieces it may capture.
fn targets(
    board: &Board<Piece>,
    from: Square,
    kingdom: Kingdom,
    kind: Kind,
    rules: &Rules,
) -> Vec<Square> {
    let far = board.files();
    let mut reached = match kind {
        Kind::General | Kind::Marshal | Kind::GoBetween => in_eight_directions(board, from, far),
        Kind::Chancellor => shapes::lines(board, from, &ORTHOGONAL, far),
        Kind::Diplomat => shapes::lines(board, from, &DIAGONAL, far),
        Kind::Cannon => shapes::cannon(board, from),
        Kind::Archer => in_eight_directions(board, from, 4),
        Kind::Crossbowman => in_eight_directions(board, from, 5),
        Kind::DaggerSoldier => shapes::step(board, from, &DIAGONAL),
        Kind::Swordsman => shapes::step(board, from, &ORTHOGONAL),
        Kind::Knight => shapes::horse(board, from, 3),
    };
    reached.retain(|&to| match board.get(to) {
        None => true,
        Some(victim) => kind != Kind::GoBetween && may_be_captured(victim, kingdom, rules),
    });
    reached
}

/// Whether a kingdom may capture the piece.
fn may_be_captured(victim: Piece, captor: Kingdom, rules: &Rules) -> bool {
    match victim {
        Piece::Emperor | Piece::Of(_, Kind::GoBetween) => false,
        Piece::Of(owner, _) => !rules.are_allied(owner, captor),
    }
}

fn in_eight_directions(board: &Board<Piece>, from: Square, most: i8) -> Vec<Square> {
    let mut reached = shapes::lines(board, from, &ORTHOGONAL, most);
    reached.extend(shapes::lines(board, from, &DIAGONAL, most));
    reached
}
