//! How pieces move in flipping xiangqi, and which plies are legal (RULES.md section 5).

use super::board::{Action, Board, Color, Square};
use super::shapes::{self, DIAGONAL, ORTHOGONAL};

/// The form that a piece has at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    King,
    Soldier,
    Horse,
    Advisor,
    Cannon,
    Elephant,
    Chariot,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub color: Color,
    pub form: Form,
}

impl Form {
    /// Every form.
    pub(super) const ALL: [Self; 7] = [
        Self::King,
        Self::Soldier,
        Self::Horse,
        Self::Advisor,
        Self::Cannon,
        Self::Elephant,
        Self::Chariot,
    ];

    /// The upper case letter (DESIGN.md section 4).
    pub(super) fn letter(self) -> char {
        char::from(b"KSHFCER"[self as usize])
    }

    /// The form that it turns into each time it moves; the king has only one.
    pub(super) fn flipped(self) -> Self {
        match self {
            Self::King => Self::King,
            Self::Soldier => Self::Horse,
            Self::Horse => Self::Soldier,
            Self::Advisor => Self::Cannon,
            Self::Cannon => Self::Advisor,
            Self::Elephant => Self::Chariot,
            Self::Chariot => Self::Elephant,
        }
    }

    /// How many pieces of this form or the other one a side starts with.
    pub(super) fn starting_count(self) -> usize {
        match self {
            Self::King => 1,
            Self::Soldier | Self::Horse => 3,
            Self::Advisor | Self::Cannon | Self::Elephant | Self::Chariot => 2,
        }
    }
}

impl Piece {
    /// The piece as a FEN writes it (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        match self.color {
            Color::Red => self.form.letter().to_string(),
            Color::Black => self.form.letter().to_ascii_lowercase().to_string(),
        }
    }
}

/// Whether the square is in the side's palace: files c to e, ranks 1 to 3 for red, 5 to 7 for
/// black.
pub(super) fn in_palace(color: Color, square: Square) -> bool {
    let ranks = match color {
        Color::Red => 1..=3,
        Color::Black => 5..=7,
    };
    (3..=5).contains(&square.file) && ranks.contains(&square.rank)
}

/// The side's pieces with their squares.
pub(super) fn pieces_of(board: &Board<Piece>, color: Color) -> Vec<(Square, Piece)> {
    let mut pieces = board.pieces();
    pieces.retain(|(_, piece)| piece.color == color);
    pieces
}

/// Where the piece on the square may go, ignoring its own king's safety: to empty squares and to
/// enemies.
///
/// # Panics
/// If no piece stands there.
fn targets(board: &Board<Piece>, from: Square) -> Vec<Square> {
    let piece = board.get(from).expect("only a piece moves");
    let mut reached = match piece.form {
        Form::King => {
            let mut around = shapes::step(board, from, &ORTHOGONAL);
            around.retain(|&to| in_palace(piece.color, to));
            around
        }
        Form::Soldier => {
            let forward = match piece.color {
                Color::Red => (0, 1),
                Color::Black => (0, -1),
            };
            shapes::step(board, from, &[forward, (-1, 0), (1, 0)])
        }
        Form::Horse => shapes::horse(board, from, 1),
        Form::Advisor => shapes::step(board, from, &DIAGONAL),
        Form::Cannon => shapes::cannon(board, from),
        Form::Elephant => shapes::elephant(board, from),
        Form::Chariot => shapes::chariot(board, from),
    };
    reached.retain(|&to| board.get(to).is_none_or(|victim| victim.color != piece.color));
    reached
}

/// The square of the side's king.
///
/// # Panics
/// If it has none.
fn king_of(board: &Board<Piece>, color: Color) -> Square {
    let king = pieces_of(board, color).into_iter().find(|(_, piece)| piece.form == Form::King);
    king.expect("each side has its king").0
}

/// Whether the side's king is attacked, by a piece or by the enemy king on an open file.
pub(super) fn in_check(board: &Board<Piece>, color: Color) -> bool {
    let king = king_of(board, color);
    let enemy = color.other();
    let attacked = pieces_of(board, enemy)
        .into_iter()
        .any(|(square, _)| targets(board, square).contains(&king));
    attacked || shapes::facing(board, king, king_of(board, enemy))
}

/// The board after a step. The piece that moves turns into its other form.
///
/// # Panics
/// If no piece stands on the first square.
pub(super) fn after(board: &Board<Piece>, from: Square, to: Square) -> Board<Piece> {
    let mut after = board.clone();
    let piece = after.take(from).expect("only a piece moves");
    after.put(to, Piece { color: piece.color, form: piece.form.flipped() });
    after
}

/// Every legal step of a side: its king is not attacked as the pieces stand after the flip.
pub(super) fn legal_steps(board: &Board<Piece>, color: Color) -> Vec<Action> {
    let mut steps = Vec::new();
    for (from, _) in pieces_of(board, color) {
        for to in targets(board, from) {
            if !in_check(&after(board, from, to), color) {
                steps.push(Action::Step(from, to));
            }
        }
    }
    steps
}
