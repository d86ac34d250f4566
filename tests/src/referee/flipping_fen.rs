//! FENs of flipping xiangqi: `board mover quiet ply` (DESIGN.md section 4).

use super::board::{Board, Color};
use super::fen;
use super::flipping::Position;
use super::flipping_movement::{Form, Piece, in_check, in_palace, pieces_of};
use super::options::Options;

/// The start (RULES.md section 5).
pub(super) const START: &str = "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0";

/// Reads a FEN.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.6 or 9.9; the message begins with the field at fault.
pub(super) fn read(text: &str, options: Options) -> Result<Position, String> {
    let fields = fen::fields(text, &["board", "mover", "quiet", "ply"])?;
    let board = fen::read_board_of(fields[0], 7, 7, read_piece)?;
    let mover = fen::read_mover(fields[1])?;
    for color in [Color::Red, Color::Black] {
        check_king(&board, color)?;
        check_counts(&board, color)?;
    }
    if in_check(&board, mover.other()) {
        return Err("board: the side not to move is in check".to_string());
    }
    let quiet = fen::read_number("quiet", fields[2])?;
    let ply = fen::read_number("ply", fields[3])?;
    Ok(Position { options, board, mover, quiet, ply })
}

/// Reads one piece; the text is not empty. Returns it with the text after it.
fn read_piece(text: &str) -> Result<(Piece, &str), String> {
    let letter = text.chars().next().expect("the text is not empty");
    let form = Form::ALL.into_iter().find(|form| form.letter() == letter.to_ascii_uppercase());
    let Some(form) = form else {
        return Err(format!("{letter:?} is not a piece"));
    };
    let color = if letter.is_ascii_uppercase() { Color::Red } else { Color::Black };
    Ok((Piece { color, form }, &text[letter.len_utf8()..]))
}

/// Exactly one king, in its palace.
fn check_king(board: &Board<Piece>, color: Color) -> Result<(), String> {
    let mut kings = pieces_of(board, color);
    kings.retain(|(_, piece)| piece.form == Form::King);
    let in_order = match kings[..] {
        [(square, _)] => in_palace(color, square),
        _ => false,
    };
    if in_order {
        return Ok(());
    }
    Err(format!("board: {color:?} needs exactly one king, in its palace"))
}

/// No kind exceeds its starting count, counted by pair of forms (RULES.md 9.9).
fn check_counts(board: &Board<Piece>, color: Color) -> Result<(), String> {
    for form in Form::ALL {
        let mut alike = pieces_of(board, color);
        alike.retain(|(_, piece)| piece.form == form || piece.form == form.flipped());
        let most = form.starting_count();
        if alike.len() > most {
            return Err(format!(
                "board: {} {color:?} {form:?}s or {:?}s, a side starts with {most}",
                alike.len(),
                form.flipped()
            ));
        }
    }
    Ok(())
}

/// Writes the FEN.
pub(super) fn write(position: &Position) -> String {
    format!(
        "{} {} {}",
        board_and_mover(&position.board, position.mover),
        position.quiet,
        position.ply
    )
}

/// The first two fields, which identify repeated positions (RULES.md 9.8).
pub(super) fn board_and_mover(board: &Board<Piece>, mover: Color) -> String {
    let mover = fen::mover_field(mover);
    format!("{} {mover}", fen::write_board(board, Piece::name))
}
