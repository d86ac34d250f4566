//! FENs of jieqi and mystery: `board mover captured quiet ply`, and `unused` where pieces may be left
//! over (DESIGN.md section 4, RULES.md 11.6).

use super::board::{Board, Color, Kind, Piece, player_of};
use super::covered_design::CoveredDesign;
use super::covered_movement::{home_kind, in_check, in_palace, pieces_of};
use super::covered_xiangqi::Position;
use super::drawing_rules::Quiet;
use super::options::{Captured, Options};
use super::{Viewer, fen};

/// Reads a FEN. The variant of `quiet` is the game whose quiet field is expected.
///
/// # Errors
/// If it is malformed or breaks RULES.md 9.6, 9.9 or 11.6; the message begins with the field at fault.
pub(super) fn read(
    quiet: Quiet,
    text: &str,
    (options, design): (Options, CoveredDesign),
) -> Result<Position, String> {
    let mut names = vec!["board", "mover", "captured", "quiet", "ply"];
    if design.has_unused() {
        names.push("unused");
    }
    let fields = fen::fields(text, &names)?;
    let board = fen::read_board(fields[0], 9, 10)?;
    let mover = fen::read_mover(fields[1])?;
    let captured = fen::read_captured(fields[2])?;
    if captured.iter().any(|piece| piece.kind == Kind::General) {
        return Err("captured: a general is never captured".to_string());
    }
    let unused = match fields.get(5) {
        Some(field) => read_unused(field)?,
        None => Vec::new(),
    };
    check_generals(&board)?;
    check_covered(&design, &board)?;
    check_counts(&design, &board, &captured, &unused)?;
    if in_check(&design, &board, mover.other()) {
        return Err("board: the side not to move is in check".to_string());
    }
    Ok(Position {
        options,
        design,
        board,
        mover,
        captured,
        quiet: quiet.read(fields[3])?,
        ply: fen::read_number("ply", fields[4])?,
        unused,
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

/// Covered pieces only on home squares of their side whose kind begins covered.
fn check_covered(design: &CoveredDesign, board: &Board) -> Result<(), String> {
    for (square, piece) in board.pieces() {
        let home = home_kind(piece.color, square);
        if piece.covered && !home.is_some_and(|kind| design.covered.contains(&kind)) {
            return Err(format!(
                "board: covered piece on {}, where no piece of its side begins covered",
                square.name()
            ));
        }
    }
    Ok(())
}

/// Reads the pieces left over, in any order.
fn read_unused(text: &str) -> Result<Vec<Piece>, String> {
    let fault = |fault: String| fault.replacen("captured", "unused", 1);
    let unused = fen::read_captured(text).map_err(fault)?;
    match unused.iter().find(|piece| !piece.covered) {
        Some(piece) => Err(format!("unused: {} without ~ in {text:?}", piece.name())),
        None => Ok(unused),
    }
}

/// Checks that there are at most as many pieces as the options have (RULES.md 11.6).
///
/// # Errors
/// If there are more; the message names the first field with which there are.
fn check_counts(
    design: &CoveredDesign,
    board: &Board,
    captured: &[Piece],
    unused: &[Piece],
) -> Result<(), String> {
    let standing: Vec<Piece> = board.pieces().into_iter().map(|(_, piece)| piece).collect();
    let shown = [&standing, captured].concat();
    let all = [&shown, unused].concat();
    for (field, pieces) in [("board", &standing), ("captured", &shown), ("unused", &all)] {
        for color in [Color::Red, Color::Black] {
            for kind in Kind::ALL {
                let alike = pieces.iter().filter(|one| one.color == color && one.kind == kind);
                let covered = alike.clone().filter(|piece| piece.covered).count() as u64;
                let pool = design.pool(color, kind);
                if covered > pool {
                    return Err(format!(
                        "{field}: {covered} covered {color:?} {kind:?}s, the pool has {pool}"
                    ));
                }
                let most = pool + design.revealed_squares_of(kind);
                if alike.clone().count() as u64 > most {
                    return Err(format!(
                        "{field}: {} {color:?} {kind:?}s, a side has at most {most}",
                        alike.count()
                    ));
                }
            }
            let of_side = pieces.iter().filter(|piece| piece.color == color).count();
            if field != "unused" && of_side > 16 {
                return Err(format!("{field}: {of_side} {color:?} pieces, a side has at most 16"));
            }
        }
    }
    for color in [Color::Red, Color::Black] {
        let of_side = unused.iter().filter(|piece| piece.color == color).count() as u64;
        let left_over = design.left_over(color);
        if of_side > left_over {
            return Err(format!("unused: {of_side} {color:?} pieces, {left_over} are left over"));
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
        Piece::name,
    )
}

/// Writes the FEN that a viewer gets (RULES.md 9.7).
pub(super) fn write_for(position: &Position, viewer: Viewer) -> String {
    let captured = fen::write_captured(&position.captured, |piece| {
        // A piece is captured by the other colour. A covered one is shown to the captor only
        // (RULES.md section 3).
        let captor = player_of(piece.color.other());
        let known = !piece.covered
            || position.options.captured == Captured::Public
            || viewer == Viewer::Player(captor);
        if known { piece.name() } else { hidden(piece) }
    });
    with(position, &public_board(&position.board), &captured, hidden)
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

fn with(
    position: &Position,
    board: &str,
    captured: &str,
    name_unused: impl Fn(Piece) -> String,
) -> String {
    let mover = fen::mover_field(position.mover);
    let quiet = position.quiet.field();
    let mut text = format!("{board} {mover} {captured} {quiet} {}", position.ply);
    if position.design.has_unused() {
        let mut unused = position.unused.clone();
        unused.sort_by_key(|piece| (player_of(piece.color), piece.kind.place()));
        text += " ";
        text += &fen::write_captured(&unused, name_unused);
    }
    text
}
