//! Positions of seven_kingdoms by the names of pieces and points, and short queries of a game.

use super::super::Referee;
use super::super::board::{Board, Square};
use super::super::fen::write_board;
use super::{open, play_all};

/// Options, by name and value.
pub(super) type Options<'a> = &'a [(&'a str, &'a str)];

/// The options of a game of two kingdoms, Qin and Chu, each with a seat, and others.
pub(super) fn two<'a>(options: Options<'a>) -> Vec<(&'a str, &'a str)> {
    with(("seats", "01-----"), options)
}

/// The options of a game of three kingdoms, Qin, Chu and Han, each with a seat, and others.
pub(super) fn three<'a>(options: Options<'a>) -> Vec<(&'a str, &'a str)> {
    with(("seats", "012----"), options)
}

fn with<'a>(seats: (&'a str, &'a str), options: Options<'a>) -> Vec<(&'a str, &'a str)> {
    let mut all = vec![seats];
    all.extend(options);
    all
}

/// A FEN with the emperor and the pieces named with their points (`wQa1 rQs19`), and the fields
/// after the board.
pub(super) fn fen(pieces: &str, fields: &str) -> String {
    with_pieces(Board::new(19, 19), pieces, fields)
}

/// A FEN like that of `fen`, with a piece `filler` on every point that is not named; `--` names an
/// empty point.
pub(super) fn filled_fen(filler: &str, pieces: &str, fields: &str) -> String {
    let mut board = Board::new(19, 19);
    for rank in 1..=19 {
        for file in 1..=19 {
            board.put(Square { file, rank }, filler);
        }
    }
    with_pieces(board, pieces, fields)
}

fn with_pieces<'a>(mut board: Board<&'a str>, pieces: &'a str, fields: &str) -> String {
    board.put(point("j10"), "*");
    for piece in pieces.split(' ') {
        let (piece, square) = piece.split_at(2);
        if piece == "--" {
            board.take(point(square));
        } else {
            board.put(point(square), piece);
        }
    }
    format!("{} {fields}", write_board(&board, str::to_string))
}

fn point(name: &str) -> Square {
    let file = i8::try_from(name.as_bytes()[0] - b'a').unwrap() + 1;
    Square { file, rank: name[1..].parse().unwrap() }
}

/// The points to which a piece may go; Qin to move, in a game of two kingdoms, each with a seat.
pub(super) fn reached_from(square: &str, pieces: &str) -> Vec<String> {
    let game = open("seven_kingdoms", &fen(pieces, "w - - 0 0"), &two(&[]));
    let mut reached = Vec::new();
    for name in game.legal_moves() {
        if let Some(to) = name.strip_prefix(square)
            && to.starts_with(|letter: char| letter.is_ascii_lowercase())
        {
            reached.push(to.to_string());
        }
    }
    reached
}

/// The game after several actions.
pub(super) fn after(fen: &str, options: Options, actions: &[&str]) -> Box<dyn Referee> {
    play_all("seven_kingdoms", fen, options, actions)
}

/// The fields after the board.
pub(super) fn fields(game: &dyn Referee) -> String {
    let fen = game.fen();
    fen.split_once(' ').unwrap().1.to_string()
}

/// Reason and rewards.
pub(super) fn ending(game: &dyn Referee) -> (&'static str, Vec<f64>) {
    let outcome = game.outcome().expect("the game is over");
    assert!(game.legal_moves().is_empty());
    assert_eq!(outcome.truncated, outcome.reason == "max_plies");
    (outcome.reason, outcome.rewards)
}
