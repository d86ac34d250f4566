//! FEN of covered xiangqi: `board mover captured quiet ply`.

use super::board::{Board, SQUARES, SquareContents, home_piece};
use super::geometry::SIZE;
use super::moves::{king_safety, palace};
use super::state::{Captured, PublicState, State, View};
use super::variant::{CaptureVisibility, CoveredXiangqi, Variant};
use crate::board::{Bitboard, Colour, Kind, Piece, Square, UnplacedPieces};
use crate::error::FenError;
use crate::game::fen::{
    counter, deal_unknown, fields, read_board, read_symbols, red_or_black, write_board,
};
use crate::game::{Notation, RecordedHistory};
use crate::rng::Rng;

/// The letter of a piece whose identity is not known.
fn unknown(colour: Colour) -> char {
    match colour {
        Colour::Red => 'X',
        Colour::Black => 'x',
    }
}

impl<V: Variant> Notation for CoveredXiangqi<V> {
    fn fen(&self, state: &State) -> String {
        let covered = |square, _| format!("~{}", state.identity(square).letter());
        write::<V>(&state.public, covered, state.captured())
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        let covered = |_, colour| unknown(colour).to_string();
        write::<V>(view.public, covered, view.knowledge.captured.iter().copied())
    }

    fn history(&self, state: &State) -> Option<RecordedHistory> {
        self.repetition.then(|| state.public.history.record())
    }

    fn restore_history(&self, state: &mut State, recorded: &RecordedHistory) -> bool {
        self.repetition && state.public.history.restore(recorded, 2)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        parse::<V>(fen, self.captured)
    }

    fn parse_view_fen(&self, fen: &str, rng: &mut Rng) -> Result<State, FenError> {
        self.parse_fen(&deal_unknown(fen, 2, UnplacedPieces::full_set(), false, rng)?)
    }
}

fn write<V: Variant>(
    public: &PublicState,
    covered: impl Fn(Square, Colour) -> String,
    captured: impl Iterator<Item = Captured>,
) -> String {
    let board = write_board(SIZE, |square| match public.board.at(square) {
        SquareContents::Empty => None,
        SquareContents::Covered(colour) => Some(covered(square, colour)),
        SquareContents::Revealed(piece) => Some(piece.letter().to_string()),
    });
    let mover = match public.mover {
        Colour::Red => 'w',
        Colour::Black => 'b',
    };
    let mut list = String::new();
    for piece in captured {
        let colour = piece.colour();
        match piece.kind() {
            Some(kind) => {
                if piece.is_covered() {
                    list.push('~');
                }
                list.push(Piece { colour, kind }.letter());
            }
            None => list.push(unknown(colour)),
        }
    }
    if list.is_empty() {
        list.push('-');
    }
    let (quiet, ply) = (V::write_counters(&public.counters), public.ply);
    format!("{board} {mover} {list} {quiet} {ply}")
}

fn parse<V: Variant>(fen: &str, visibility: CaptureVisibility) -> Result<State, FenError> {
    let [board_field, mover, captured_field, quiet, ply] =
        fields(fen, ["board", "mover", "captured", "quiet", "ply"])?;
    // Board and captured pieces together do not exceed the starting count of any kind.
    let mut unplaced = UnplacedPieces::full_set();
    let mut board = Board::empty();
    let mut identities = [None; SQUARES];
    read_board(SIZE, board_field, |square, symbol| {
        let piece = unplaced.take(symbol.letter)?;
        let is_general = piece.kind == Kind::General;
        if symbol.covered {
            let home = home_piece(square);
            if is_general
                || !home
                    .is_some_and(|home| home.colour == piece.colour && home.kind != Kind::General)
            {
                return Err(format!("`~{}` cannot be covered", symbol.letter));
            }
            identities[square.index()] = Some(piece.kind);
            board.put(square, SquareContents::Covered(piece.colour));
        } else {
            if is_general && !palace(piece.colour).contains(square) {
                return Err(format!("general `{}` outside its palace", symbol.letter));
            }
            board.put(square, SquareContents::Revealed(piece));
        }
        Ok(())
    })?;
    let mut captured = Vec::new();
    for symbol in read_symbols("captured", captured_field)? {
        let Piece { colour, kind } =
            unplaced.take(symbol.letter).map_err(|fault| FenError::new("captured", fault))?;
        if kind == Kind::General {
            return Err(FenError::new("captured", "a general is never captured here"));
        }
        captured.push(Captured::new(colour, Some(kind), symbol.covered));
    }
    let kind = Kind::General;
    if Colour::ALL.iter().any(|&colour| unplaced.left(Piece { colour, kind }) != 0) {
        return Err(FenError::new("board", "each side has exactly one general, `K` and `k`"));
    }
    let mover = red_or_black("mover", mover)?;
    if king_safety(&board, mover.other()).check_info().check {
        return Err(FenError::new("board", "the side that is not to move is in check"));
    }
    let public =
        PublicState::new::<V>(board, mover, V::read_counters(quiet)?, counter("ply", ply)?);
    Ok(State::assemble(public, identities, &captured, visibility))
}
