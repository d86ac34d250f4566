//! How pieces move in jieqi and mystery, and which plies are legal (RULES.md sections 3 and 11).

use super::board::{Action, Board, Color, Kind, Piece, Square};
use super::covered_design::{CoveredDesign, Movement};
use super::shapes::{self, DIAGONAL, ORTHOGONAL};

/// The rank counted from the side's own edge: 1 is its back rank.
fn own_rank(color: Color, square: Square) -> i8 {
    match color {
        Color::Red => square.rank,
        Color::Black => 11 - square.rank,
    }
}

/// Whether the square is in the side's palace: files d to f, its first three ranks.
pub(super) fn in_palace(color: Color, square: Square) -> bool {
    (4..=6).contains(&square.file) && own_rank(color, square) <= 3
}

/// Whether the square lies across the river for the side: for red rank 6 and above.
pub(super) fn across_river(color: Color, square: Square) -> bool {
    own_rank(color, square) >= 6
}

/// The kind whose home the square is in the side's start array. The general's square is no home
/// here, because a general is never covered.
pub(super) fn home_kind(color: Color, square: Square) -> Option<Kind> {
    match (own_rank(color, square), square.file) {
        (1, 1 | 9) => Some(Kind::Chariot),
        (1, 2 | 8) => Some(Kind::Horse),
        (1, 3 | 7) => Some(Kind::Elephant),
        (1, 4 | 6) => Some(Kind::Advisor),
        (3, 2 | 8) => Some(Kind::Cannon),
        (4, 1 | 3 | 5 | 7 | 9) => Some(Kind::Soldier),
        _ => None,
    }
}

/// The kind a piece moves as: a covered one as the piece whose home it stands on.
///
/// # Panics
/// If a covered piece stands elsewhere.
pub(super) fn moves_as(piece: Piece, square: Square) -> Kind {
    if piece.covered {
        home_kind(piece.color, square).expect("a covered piece stands on a home square")
    } else {
        piece.kind
    }
}

/// Where the piece on the square may go, ignoring its own general's safety: to empty squares, and to
/// enemies that it captures.
///
/// # Panics
/// If no piece stands there.
fn targets(design: &CoveredDesign, board: &Board, from: Square) -> Vec<Square> {
    let piece = board.get(from).expect("only a piece moves");
    let kind = moves_as(piece, from);
    let [mut moves, mut captures] = match &design.moves[kind.place()] {
        Movement::Betza(betza) => betza.reach(board, from, piece.color),
        Movement::Usual => [(); 2].map(|()| usual_reach(board, from, kind, piece.covered)),
        // Revealed ones are bound like covered ones (RULES.md 11.2).
        Movement::Xiangqi => [(); 2].map(|()| usual_reach(board, from, kind, true)),
    };
    moves.retain(|&to| board.get(to).is_none());
    captures.retain(|&to| {
        board.get(to).is_some_and(|victim| {
            let is_taken = if victim.covered {
                design.covered_are_captured
            } else {
                design.takes(kind, victim.kind)
            };
            victim.color != piece.color && is_taken
        })
    });
    let mut reached = Vec::new();
    for to in moves.into_iter().chain(captures) {
        // A general never leaves its palace, however it moves (RULES.md 11.2).
        let is_free = kind != Kind::General || in_palace(piece.color, to);
        if is_free && !reached.contains(&to) {
            reached.push(to);
        }
    }
    reached
}

/// The squares, empty or not, that the piece on the square reaches as the kind does in section 3.
/// `is_bound` keeps an advisor in its palace, and an elephant on its side.
fn usual_reach(board: &Board, from: Square, kind: Kind, is_bound: bool) -> Vec<Square> {
    let color = board.get(from).expect("only a piece moves").color;
    match kind {
        // The palace binds it in any case.
        Kind::General => shapes::step(board, from, &ORTHOGONAL),
        Kind::Advisor => {
            let mut around = shapes::step(board, from, &DIAGONAL);
            around.retain(|&to| !is_bound || in_palace(color, to));
            around
        }
        Kind::Elephant => {
            let mut around = shapes::elephant(board, from);
            around.retain(|&to| !is_bound || !across_river(color, to));
            around
        }
        Kind::Horse => shapes::horse(board, from, 1),
        Kind::Chariot => shapes::chariot(board, from),
        Kind::Cannon => shapes::cannon(board, from),
        Kind::Soldier => soldier(board, from, color),
    }
}

/// One forward; once across the river also one sideways, never back.
fn soldier(board: &Board, from: Square, color: Color) -> Vec<Square> {
    let forward = match color {
        Color::Red => (0, 1),
        Color::Black => (0, -1),
    };
    if across_river(color, from) {
        shapes::step(board, from, &[forward, (-1, 0), (1, 0)])
    } else {
        shapes::step(board, from, &[forward])
    }
}

/// The side's pieces with their squares.
pub(super) fn pieces_of(board: &Board, color: Color) -> Vec<(Square, Piece)> {
    let mut pieces = board.pieces();
    pieces.retain(|(_, piece)| piece.color == color);
    pieces
}

/// The square of the side's general.
///
/// # Panics
/// If it has none.
fn general_of(board: &Board, color: Color) -> Square {
    let general =
        pieces_of(board, color).into_iter().find(|(_, piece)| piece.kind == Kind::General);
    general.expect("each side has its general").0
}

/// Whether the side's general is attacked, by a piece that could capture it or by the enemy general
/// on an open file (RULES.md 11.3).
pub(super) fn in_check(design: &CoveredDesign, board: &Board, color: Color) -> bool {
    let general = general_of(board, color);
    let enemy = color.other();
    let attacked =
        pieces_of(board, enemy).into_iter().any(|(square, _)| attacks(design, board, square));
    attacked || shapes::facing(board, general, general_of(board, enemy))
}

/// Whether the piece on the square could capture the enemy general.
///
/// # Panics
/// If no piece stands there.
pub(super) fn attacks(design: &CoveredDesign, board: &Board, from: Square) -> bool {
    let piece = board.get(from).expect("only a piece attacks");
    targets(design, board, from).contains(&general_of(board, piece.color.other()))
}

/// The board after a step. A covered piece that moves is turned over.
///
/// # Panics
/// If no piece stands on the first square.
pub(super) fn after(board: &Board, from: Square, to: Square) -> Board {
    let mut after = board.clone();
    let piece = after.take(from).expect("only a piece moves");
    after.put(to, piece.revealed());
    after
}

/// Whether a step that the piece could make leaves its own general safe.
fn is_safe(design: &CoveredDesign, board: &Board, from: Square, to: Square) -> bool {
    let piece = board.get(from).expect("only a piece moves");
    !in_check(design, &after(board, from, to), piece.color)
}

/// Whether the piece on the first square could legally capture the piece on the second, if its side
/// were to move.
pub(super) fn could_capture(
    design: &CoveredDesign,
    board: &Board,
    from: Square,
    to: Square,
) -> bool {
    targets(design, board, from).contains(&to)
        && board.get(to).is_some()
        && is_safe(design, board, from, to)
}

/// Every legal step of a side.
pub(super) fn legal_steps(design: &CoveredDesign, board: &Board, color: Color) -> Vec<Action> {
    let mut steps = Vec::new();
    for (from, _) in pieces_of(board, color) {
        for to in targets(design, board, from) {
            if is_safe(design, board, from, to) {
                steps.push(Action::Step(from, to));
            }
        }
    }
    steps
}
