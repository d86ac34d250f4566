//! Geometry of moves: the squares that a piece could go to, whether occupied or not.
//!
//! Every function returns squares of the board that are empty or hold a piece of any colour. The
//! games decide whether that piece may be captured.

use super::board::{Board, Square};

/// One square along a file or a rank.
pub(super) const ORTHOGONAL: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// One square diagonally.
pub(super) const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// One step in each of the directions.
pub(super) fn step<P: Copy>(
    board: &Board<P>,
    from: Square,
    directions: &[(i8, i8)],
) -> Vec<Square> {
    lines(board, from, directions, 1)
}

/// Elephant: exactly two squares diagonally, blocked by any piece between (RULES.md section 1).
pub(super) fn elephant<P: Copy>(board: &Board<P>, from: Square) -> Vec<Square> {
    let mut reached = Vec::new();
    for direction in DIAGONAL {
        let middle = from.plus(direction);
        let to = middle.plus(direction);
        if board.contains(to) && board.get(middle).is_none() {
            reached.push(to);
        }
    }
    reached
}

/// Horse: one orthogonal onto an empty square, then up to `most` squares diagonally outward, up to and
/// including the first piece (RULES.md section 1; of more than one square section 6).
pub(super) fn horse<P: Copy>(board: &Board<P>, from: Square, most: i8) -> Vec<Square> {
    let mut reached = Vec::new();
    for (files, ranks) in ORTHOGONAL {
        let leg = from.plus((files, ranks));
        if !board.contains(leg) || board.get(leg).is_some() {
            continue;
        }
        // Outward: further in the same direction, and to either side of it.
        let outward = |side| if files == 0 { (side, ranks) } else { (files, side) };
        reached.extend(lines(board, leg, &[-1, 1].map(outward), most));
    }
    reached
}

/// Up to `most` squares in each of the directions, up to and including the first piece.
pub(super) fn lines<P: Copy>(
    board: &Board<P>,
    from: Square,
    directions: &[(i8, i8)],
    most: i8,
) -> Vec<Square> {
    let mut reached = Vec::new();
    for &direction in directions {
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
    }
    reached
}

/// Chariot: any distance orthogonally (RULES.md section 1).
pub(super) fn chariot<P: Copy>(board: &Board<P>, from: Square) -> Vec<Square> {
    lines(board, from, &ORTHOGONAL, board.files().max(board.ranks()))
}

/// Cannon: moves like a chariot to empty squares, and captures by a hop (RULES.md section 1).
pub(super) fn cannon<P: Copy>(board: &Board<P>, from: Square) -> Vec<Square> {
    let mut reached = chariot(board, from);
    reached.retain(|&to| board.get(to).is_none());
    reached.extend(cannon_hops(board, from));
    reached
}

/// The squares of the first piece beyond exactly one jumped piece, in each of the four directions.
pub(super) fn cannon_hops<P: Copy>(board: &Board<P>, from: Square) -> Vec<Square> {
    let mut reached = Vec::new();
    for direction in ORTHOGONAL {
        let mut pieces = 0;
        let mut to = from.plus(direction);
        while board.contains(to) {
            if board.get(to).is_some() {
                pieces += 1;
            }
            if pieces == 2 {
                reached.push(to);
                break;
            }
            to = to.plus(direction);
        }
    }
    reached
}

/// Whether two squares share a file with nothing between them: generals there face each other
/// (RULES.md section 3).
pub(super) fn facing<P: Copy>(board: &Board<P>, one: Square, other: Square) -> bool {
    let low = one.rank.min(other.rank);
    let high = one.rank.max(other.rank);
    one.file == other.file
        && (low + 1..high).all(|rank| {
            let between = Square { file: one.file, rank };
            board.get(between).is_none()
        })
}
