//! Pieces that are taken off a position.

use darkqi_env::fen::{read_board_of, write_board};
use darkqi_env::{AnyState, FenError, Rng, Spec};

use super::error::OpeningError;

/// The names that the pieces of a game have in a FEN.
pub(super) fn piece_names(spec: &Spec) -> Vec<String> {
    spec.pieces().map(|piece| spec.piece_name(piece)).collect()
}

/// Takes one piece with each of these names off a position, drawn among those that have the name.
///
/// # Errors
/// If there is no such piece, or the position without it is none of the game.
pub(super) fn remove(
    spec: &Spec,
    state: &dyn AnyState,
    names: &[String],
    rng: &mut Rng,
) -> Result<Box<dyn AnyState>, OpeningError> {
    let all_names = piece_names(spec);
    let mut fen = state.fen();
    for name in names {
        let fault = |cause| OpeningError::Removal { name: name.clone(), fen: fen.clone(), cause };
        let (board, counters) = fen.split_once(' ').unwrap_or((&fen, ""));
        let cells = cells(spec, board, &all_names).map_err(|error| fault(error.to_string()))?;
        let holds = |cell: &Option<String>| {
            cell.as_ref().is_some_and(|text| text.strip_prefix('~').unwrap_or(text) == name)
        };
        let candidates: Vec<usize> = (0..cells.len()).filter(|&at| holds(&cells[at])).collect();
        if candidates.is_empty() {
            return Err(fault("there is none".to_owned()));
        }
        let taken = *rng.choose(&candidates);
        let board = write_board(spec.layout.size, |square| {
            cells[square.index()].clone().filter(|_| square.index() != taken)
        });
        let rest = format!("{board} {counters}");
        // The next piece is taken off a position of the game.
        spec.parse_fen(&rest).map_err(|error| fault(error.to_string()))?;
        fen = rest;
    }
    Ok(spec.parse_fen(&fen).expect("it was read before"))
}

/// The texts of a board's pieces by square.
pub(super) fn cells(
    spec: &Spec,
    board: &str,
    names: &[String],
) -> Result<Vec<Option<String>>, FenError> {
    let mut cells = vec![None; spec.layout.size.squares()];
    let read = |text| Ok(split_piece(text, names));
    read_board_of(spec.layout.size, board, read, |square, piece: &str| {
        cells[square.index()] = Some(piece.to_owned());
        Ok(())
    })?;
    Ok(cells)
}

/// The piece at the beginning of a text, with `~` if it is covered, and the rest of the text. What has
/// no name of a piece is one letter.
fn split_piece<'a>(text: &'a str, names: &[String]) -> (&'a str, &'a str) {
    let covered = usize::from(text.starts_with('~'));
    let name = names.iter().filter(|name| text[covered..].starts_with(*name)).map(String::len);
    let letter = text[covered..].chars().next().map_or(0, char::len_utf8);
    text.split_at(covered + name.max().unwrap_or(letter))
}
