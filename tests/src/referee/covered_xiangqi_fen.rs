//! FENs of jieqi and mystery: `board mover captured quiet ply` (DESIGN.md section 4).

use super::board::{Board, Color, Kind, Piece};
use super::covered_movement::{home_kind, in_check, in_palace, pieces_of};
use super::covered_xiangqi::{Position, player_of};
use super::drawing_rules::Quiet;
use super::options::{Captured, Options};
use super::{Viewer, fen};

/// Reads a FEN. The variant of `quiet` is the game whose quiet field is expected.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.6 or 9.9; the message begins with the field at fault.
pub(super) fn read(quiet: Quiet, text: &str, options: Options) -> Result<Position, String> {
    let fields = fen::fields(text, &["board", "mover", "captured", "quiet", "ply"])?;
    let board = fen::read_board(fields[0], 9, 10)?;
    let mover = match fields[1] {
        "w" => Color::Red,
        "b" => Color::Black,
        other => return Err(format!("mover: {other:?} is neither w nor b")),
    };
    let captured = fen::read_captured(fields[2])?;
    if captured.iter().any(|piece| piece.kind == Kind::General) {
        return Err("captured: a general is never captured".to_string());
    }
    fen::check_counts(&board, &captured, |_, kind| kind.starting_count())?;
    check_generals(&board)?;
    check_covered(&board)?;
    if in_check(&board, mover.other()) {
        return Err("board: the side not to move is in check".to_string());
    }
    Ok(Position {
        options,
        board,
        mover,
        captured,
        quiet: quiet.read(fields[3])?,
        ply: fen::read_number("ply", fields[4])?,
    })
}

/// Exactly one general a side, revealed, in its palace.
fn check_generals(board: &Board) -> Result<(), String> {
    for color in [Color::Red, Color::Black] {
        let mut generals = pieces_of(board, color);
        generals.retain(|(_, piece)| piece.kind == Kind::General);
        let in_order = match generals[..] {
            [(square, general)] => !general.covered && in_palace(color, square),
            _ => false,
        };
        if !in_order {
            return Err(format!(
                "board: {color:?} needs exactly one general, revealed, in its palace"
            ));
        }
    }
    Ok(())
}

/// Covered pieces only on home squares of their side.
fn check_covered(board: &Board) -> Result<(), String> {
    for (square, piece) in board.pieces() {
        if piece.covered && home_kind(piece.color, square).is_none() {
            return Err(format!(
                "board: covered piece on {}, which is no home square of its side",
                square.name()
            ));
        }
    }
    Ok(())
}

/// Writes the full FEN.
pub(super) fn write(position: &Position) -> String {
    with(
        position,
        &fen::write_board(&position.board, Piece::name),
        &fen::write_captured(&position.captured, Piece::name),
    )
}

/// Writes the FEN that a viewer gets (RULES.md 9.7).
///
/// # Panics
/// If the viewer is a player other than 0 or 1.
pub(super) fn write_for(position: &Position, viewer: Viewer) -> String {
    if let Viewer::Player(player) = viewer {
        assert!(player < 2, "there is no player {player}");
    }
    let captured = fen::write_captured(&position.captured, |piece| {
        // A piece is captured by the other colour. A covered one is shown to the captor only
        // (RULES.md section 3).
        let captor = player_of(piece.color.other());
        let known = !piece.covered
            || position.options.captured == Captured::Public
            || viewer == Viewer::Player(captor);
        if known { piece.name() } else { hidden(piece) }
    });
    with(position, &public_board(&position.board), &captured)
}

/// The board as everybody sees it: of a covered piece only the colour, its owner included.
pub(super) fn public_board(board: &Board) -> String {
    fen::write_board(board, |piece| if piece.covered { hidden(piece) } else { piece.name() })
}

fn hidden(piece: Piece) -> String {
    match piece.color {
        Color::Red => "X".to_string(),
        Color::Black => "x".to_string(),
    }
}

fn with(position: &Position, board: &str, captured: &str) -> String {
    let mover = match position.mover {
        Color::Red => "w",
        Color::Black => "b",
    };
    format!("{board} {mover} {captured} {} {}", position.quiet.field(), position.ply)
}
