//! FENs of gaiqi and banqi: `board mover colours captured quiet ply`, gaiqi's `chase`, and `turn`
//! where turns can be long (DESIGN.md section 4, RULES.md 10.6).

use super::board::{Board, Color, Piece};
use super::design::Design;
use super::fen;
use super::half_board::{Game, Position, Turn};
use super::options::Options;
use super::three_checks::ThreeChecks;

/// Reads a FEN.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.6, 9.9, 9.10 or 10.6; the message begins with the field
/// at fault.
pub(super) fn read(
    game: Game,
    text: &str,
    (options, design): (Options, Design),
) -> Result<Position, String> {
    let mut names = vec!["board", "mover", "colours", "captured", "quiet", "ply"];
    if game == Game::Gaiqi {
        names.push("chase");
    }
    if design.has_long_turns() {
        names.push("turn");
    }
    let fields = fen::fields(text, &names)?;
    let board = fen::read_board(fields[0], design.files, design.ranks)?;
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
    fen::check_counts(&board, &captured, |color, kind| {
        let (red, black) = design.armies[kind.place()];
        let pieces = if color == Color::Red { red } else { black };
        pieces as usize
    })?;
    let known = !captured.is_empty() || board.pieces().iter().any(|(_, piece)| !piece.covered);
    if known != first_color.is_some() {
        return Err("colours: - exactly while nothing is revealed or captured".to_string());
    }
    let quiet = fen::read_number("quiet", fields[4])?;
    let ply = fen::read_number("ply", fields[5])?;
    let three_checks = match game {
        Game::Gaiqi if !design.royal && fields[6] != "-" => {
            return Err("chase: without royal generals it is -".to_string());
        }
        Game::Gaiqi => ThreeChecks::read(fields[6], &board, |player, square| {
            let color = match player {
                0 => first_color,
                _ => first_color.map(Color::other),
            };
            board.get(square).is_some_and(|piece| !piece.covered && Some(piece.color) == color)
        })?,
        Game::Banqi => ThreeChecks::default(),
    };
    let long_turns = design.has_long_turns();
    let mut position = Position {
        game,
        options,
        design,
        board,
        mover,
        first_color,
        captured,
        quiet,
        ply,
        three_checks,
        turn: Turn::Begins,
    };
    if long_turns {
        position.turn = read_turn(fields[fields.len() - 1], &position)?;
    }
    Ok(position)
}

/// Reads the field `turn`: `-`, the square of the mover's piece that may capture on, or the number of
/// flips left.
fn read_turn(text: &str, position: &Position) -> Result<Turn, String> {
    if text == "-" {
        return Ok(Turn::Begins);
    }
    if position.ending_by_captures().is_some() {
        return Err("turn: - where captures have ended the game".to_string());
    }
    let any_covered = position.board.pieces().iter().any(|(_, piece)| piece.covered);
    for left in 1..position.design.flips {
        if text == left.to_string() && any_covered && position.first_color.is_some() {
            return Ok(Turn::Flips(left));
        }
    }
    for (square, piece) in position.board.pieces() {
        let is_movers = !piece.covered && Some(piece.color) == position.color_of(position.mover);
        let may_capture = position.design.chain && is_movers && position.could_capture(square);
        if text == square.name() && may_capture {
            return Ok(Turn::Captures(square));
        }
    }
    Err(format!("turn: {text:?} is neither -, nor a piece that may capture on, nor flips left"))
}

fn turn_field(turn: Turn) -> String {
    match turn {
        Turn::Begins => "-".to_string(),
        Turn::Captures(square) => square.name(),
        Turn::Flips(left) => left.to_string(),
    }
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
    if state.design.has_long_turns() {
        text += " ";
        text += &turn_field(state.turn);
    }
    text
}
