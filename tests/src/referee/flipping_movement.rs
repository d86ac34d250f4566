//! How pieces move in flipping xiangqi, and which plies are legal (RULES.md section 5).

use super::board::{Board, Color, Square};
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
        match self {
            Self::King => 'K',
            Self::Soldier => 'S',
            Self::Horse => 'H',
            Self::Advisor => 'F',
            Self::Cannon => 'C',
            Self::Elephant => 'E',
            Self::Chariot => 'R',
        }
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
        Form::Horse => shapes::horse(board, from),
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
pub(super) fn legal_steps(board: &Board<Piece>, color: Color) -> Vec<(Square, Square)> {
    let mut steps = Vec::new();
    for (from, _) in pieces_of(board, color) {
        for to in targets(board, from) {
            if !in_check(&after(board, from, to), color) {
                steps.push((from, to));
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::testing::{moves, play};

    /// Where the piece on a square may go, red to move.
    fn from(square: &str, board: &str) -> Vec<String> {
        let mut found = moves("flipping", &format!("{board} w 0 0"), &[]);
        found.retain(|name| name.starts_with(square));
        found.into_iter().map(|name| name[2..].to_string()).collect()
    }

    #[test]
    fn forms_move_as_in_xiangqi_without_a_river() {
        // A soldier goes forward or sideways everywhere, never back.
        assert_eq!(from("b2", "4k2/7/7/7/7/1S5/2K4"), ["a2", "b3", "c2"]);
        assert_eq!(from("g7", "4k1S/7/7/7/7/7/2K4"), ["f7"]);
        let black = moves("flipping", "4k2/7/s6/7/7/7/2K4 b 0 0", &[]);
        assert_eq!(black, ["a5a4", "a5b5", "e7d7", "e7e6"]);
        // A horse is blocked at its leg.
        let horse = from("d3", "4k2/7/7/7/3H3/7/2K4");
        assert_eq!(horse, ["b2", "b4", "c5", "e1", "e5", "f2", "f4"]);
        let horse = from("d3", "4k2/7/7/3s3/3H3/7/2K4");
        assert_eq!(horse, ["b2", "b4", "e1", "f2", "f4"]);
        // An advisor and an elephant go anywhere; the elephant needs its middle empty.
        assert_eq!(from("d4", "4k2/7/7/3F3/7/7/2K4"), ["c3", "c5", "e3", "e5"]);
        assert_eq!(from("d4", "4k2/7/2s1s2/3E3/4s2/7/2K4"), ["b2"]);
        // A cannon captures over one piece, a chariot without.
        let cannon = from("d4", "4k2/7/7/Ss1C1ss/7/7/2K4");
        assert_eq!(cannon, ["c4", "d1", "d2", "d3", "d5", "d6", "d7", "e4", "g4"]);
        let chariot = from("d4", "4k2/7/7/Ss1R1ss/7/7/2K4");
        assert_eq!(chariot, ["b4", "c4", "d1", "d2", "d3", "d5", "d6", "d7", "e4", "f4"]);
    }

    #[test]
    fn every_piece_but_the_king_flips_each_time_it_moves() {
        for (form, ply, rest) in [
            ("S", "d4d5", "7/3H3/7/7/7/4K2"),
            ("H", "d4f5", "7/5S1/7/7/7/4K2"),
            ("F", "d4e5", "7/4C2/7/7/7/4K2"),
            ("C", "d4g4", "7/7/6F/7/7/4K2"),
            ("E", "d4f2", "7/7/7/7/5R1/4K2"),
            ("R", "d4g4", "7/7/6E/7/7/4K2"),
            ("S", "e1e2", "7/7/3S3/7/4K2/7"),
        ] {
            let game = play("flipping", &format!("2k4/7/7/3{form}3/7/7/4K2 w 0 0"), &[], ply);
            assert_eq!(game.fen(), format!("2k4/{rest} b 1 1"));
        }
        // Also when it captures, which sets the quiet counter to 0.
        let game = play("flipping", "2k4/7/7/3R2s/7/7/4K2 w 5 8", &[], "d4g4");
        assert_eq!(game.fen(), "2k4/7/7/6E/7/7/4K2 b 0 9");
    }

    #[test]
    fn kings_keep_to_their_palace_and_do_not_face_each_other() {
        assert_eq!(from("e3", "2k4/s6/7/7/4K2/7/7"), ["d3", "e2"]);
        assert_eq!(from("e3", "3k3/s6/7/7/4K2/7/7"), ["e2"]);
        assert_eq!(from("d2", "3k3/7/7/7/7/3S3/3K3"), ["d3"]);
        assert_eq!(from("d1", "3k3/7/7/7/7/3S3/3K3"), ["c1", "e1"]);
        let black = moves("flipping", "7/7/2k4/7/7/7/S2K3 b 0 0", &[]);
        assert_eq!(black, ["c5c6"]);
    }

    #[test]
    fn a_ply_may_not_leave_the_king_attacked() {
        let check = "2r1k2/7/7/7/7/1S5/2K4 w 0 0";
        assert_eq!(moves("flipping", check, &[]), ["b2c2", "c1d1"]);
    }
}
