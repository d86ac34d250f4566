//! How pieces move (RULES.md section 6).

use super::super::board::{Board, Square};
use super::super::shapes::{self, DIAGONAL, ORTHOGONAL};
use super::pieces::{Kind, Kingdom, Piece};
use super::rules::Rules;

/// Every move of a kingdom.
pub(super) fn steps_of(
    board: &Board<Piece>,
    kingdom: Kingdom,
    rules: &Rules,
) -> Vec<(Square, Square)> {
    let mut steps = Vec::new();
    for (from, piece) in board.pieces() {
        if let Piece::Of(owner, kind) = piece
            && owner == kingdom
        {
            for to in targets(board, from, kingdom, kind, rules) {
                steps.push((from, to));
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
        Kind::Chancellor => lines(board, from, &ORTHOGONAL, far),
        Kind::Diplomat => lines(board, from, &DIAGONAL, far),
        Kind::Cannon => shapes::cannon(board, from),
        Kind::Archer => in_eight_directions(board, from, 4),
        Kind::Crossbowman => in_eight_directions(board, from, 5),
        Kind::DaggerSoldier => shapes::step(board, from, &DIAGONAL),
        Kind::Swordsman => shapes::step(board, from, &ORTHOGONAL),
        Kind::Knight => knight(board, from),
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
    let mut reached = lines(board, from, &ORTHOGONAL, most);
    reached.extend(lines(board, from, &DIAGONAL, most));
    reached
}

/// Up to `most` points in each of the directions, up to and including the first piece.
fn lines(board: &Board<Piece>, from: Square, directions: &[(i8, i8)], most: i8) -> Vec<Square> {
    let mut reached = Vec::new();
    for &direction in directions {
        reached.extend(line(board, from, direction, most));
    }
    reached
}

/// Up to `most` points in one direction, up to and including the first piece.
fn line(board: &Board<Piece>, from: Square, direction: (i8, i8), most: i8) -> Vec<Square> {
    let mut reached = Vec::new();
    let mut to = from;
    for _ in 0..most {
        to = to.plus(direction);
        if !board.contains(to) {
            break;
        }
        reached.push(to);
        if board.get(to).is_some() {
            break;
        }
    }
    reached
}

/// One orthogonal step onto an empty point, then one, two or three diagonal steps outward from it.
fn knight(board: &Board<Piece>, from: Square) -> Vec<Square> {
    let mut reached = Vec::new();
    for (files, ranks) in ORTHOGONAL {
        let leg = from.plus((files, ranks));
        if !board.contains(leg) || board.get(leg).is_some() {
            continue;
        }
        // Outward: further in the same direction, and to either side of it.
        for side in [-1, 1] {
            let outward = if files == 0 { (side, ranks) } else { (files, side) };
            reached.extend(line(board, leg, outward, 3));
        }
    }
    reached
}
