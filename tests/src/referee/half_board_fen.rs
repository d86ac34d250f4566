//! FENs of gaiqi and banqi: `board mover colours captured quiet ply`, and gaiqi's `chase`
//! (DESIGN.md section 4).

use super::board::{Board, Color, Piece};
use super::fen;
use super::half_board::{Game, Position};
use super::options::Options;
use super::three_checks::ThreeChecks;

/// Reads a FEN.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.6, 9.9 or 9.10; the message begins with the field at
/// fault.
pub(super) fn read(game: Game, text: &str, options: Options) -> Result<Position, String> {
    let names: &[&str] = match game {
        Game::Gaiqi => &["board", "mover", "colours", "captured", "quiet", "ply", "chase"],
        Game::Banqi => &["board", "mover", "colours", "captured", "quiet", "ply"],
    };
    let fields = fen::fields(text, names)?;
    let board = fen::read_board(fields[0], 8, 4)?;
    let mover = match fields[1] {
        "1" => 0,
        "2" => 1,
        other => return Err(format!("mover: {other:?} is neither 1 nor 2")),
    };
    let first_color = match fields[2] {
        "r" => Some(Color::Red),
        "b" => Some(Color::Black),
        "-" => None,
        other => return Err(format!("colours: {other:?} is none of r, b, -")),
    };
    let captured = fen::read_captured(fields[3])?;
    if captured.iter().any(|piece| piece.covered) {
        return Err("captured: no piece is written with ~, captures are public".to_string());
    }
    fen::check_counts(&board, &captured)?;
    let known = !captured.is_empty() || board.pieces().iter().any(|(_, piece)| !piece.covered);
    if known != first_color.is_some() {
        return Err("colours: - exactly while nothing is revealed or captured".to_string());
    }
    let quiet = fen::read_number("quiet", fields[4])?;
    let ply = fen::read_number("ply", fields[5])?;
    let three_checks = match game {
        Game::Gaiqi => ThreeChecks::read(fields[6], &board, |player, square| {
            let color = match player {
                0 => first_color,
                _ => first_color.map(Color::other),
            };
            board.get(square).is_some_and(|piece| !piece.covered && Some(piece.color) == color)
        })?,
        Game::Banqi => ThreeChecks::default(),
    };
    Ok(Position { game, options, board, mover, first_color, captured, quiet, ply, three_checks })
}

/// Writes the full FEN.
pub(super) fn write(state: &Position) -> String {
    with_board(state, &fen::write_board(&state.board, Piece::name))
}

/// Writes the FEN that every viewer gets (RULES.md 9.7).
pub(super) fn write_public(state: &Position) -> String {
    with_board(state, &public_board(&state.board))
}

/// The board as everybody sees it: neither identity nor colour of a covered piece.
pub(super) fn public_board(board: &Board) -> String {
    fen::write_board(board, |piece| if piece.covered { "?".to_string() } else { piece.name() })
}

fn with_board(state: &Position, board: &str) -> String {
    let colours = match state.first_color {
        Some(Color::Red) => "r",
        Some(Color::Black) => "b",
        None => "-",
    };
    let mut text = format!(
        "{board} {} {colours} {} {} {}",
        state.mover + 1,
        fen::write_captured(&state.captured, Piece::name),
        state.quiet,
        state.ply
    );
    if state.game == Game::Gaiqi {
        text += " ";
        text += &state.three_checks.field();
    }
    text
}
