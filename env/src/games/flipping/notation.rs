//! FEN of flipping xiangqi: `board mover quiet ply`.

use super::board::{Board, MOVER_KEY, king_safety, palace, step};
use super::geometry::{LETTERS, SIZE, flipped};
use super::{Flipping, State, View};
use crate::board::{Bitboard, Colour, Kind, Piece};
use crate::error::FenError;
use crate::game::fen::{counter, fields, read_board, red_or_black, write_board};
use crate::game::{Notation, QuietPly, RecordedHistory};

/// The letter of a piece, upper case for red.
const fn letter(piece: Piece) -> char {
    let letter = LETTERS[piece.kind.index()];
    match piece.colour {
        Colour::Red => letter,
        Colour::Black => letter.to_ascii_lowercase(),
    }
}

fn from_letter(letter: char) -> Option<Piece> {
    let colour = if letter.is_ascii_uppercase() { Colour::Red } else { Colour::Black };
    let upper = letter.to_ascii_uppercase();
    let index = LETTERS.iter().position(|&known| known == upper)?;
    Some(Piece { colour, kind: Kind::ALL[index] })
}

/// Number of pieces of one colour at the start that have this kind as one of their forms.
fn starting_count(kind: Kind) -> u8 {
    match kind {
        Kind::General => 1,
        Kind::Soldier | Kind::Horse => 3,
        Kind::Advisor | Kind::Cannon | Kind::Elephant | Kind::Chariot => 2,
    }
}

/// Takes a reversible ply back: a step there and back leaves the other form, as a step does. The key of the
/// position before; `None` where no piece can have moved so.
fn take_back(board: &mut Board, ply: QuietPly) -> Option<u64> {
    let [from, to] = [ply.from(), ply.to()];
    let is_possible = [from, to].iter().all(|square| square.index() < SIZE.squares())
        && board.at(to).is_some()
        && board.at(from).is_none();
    is_possible.then(|| {
        step(board, to, from);
        board.toggle_key(MOVER_KEY);
        board.key()
    })
}

impl Notation for Flipping {
    fn fen(&self, state: &State) -> String {
        let board = write_board(SIZE, |square| state.board.at(square).map(|p| letter(p).into()));
        let mover = match state.mover {
            Colour::Red => 'w',
            Colour::Black => 'b',
        };
        format!("{board} {mover} {} {}", state.quiet, state.ply)
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        self.fen(view.state)
    }

    fn history(&self, state: &State) -> Option<RecordedHistory> {
        self.repetition.then(|| state.history.record())
    }

    fn restore_history(&self, state: &mut State, recorded: &RecordedHistory) -> bool {
        let mut board = state.board.clone();
        self.repetition
            && recorded.backwards().all(|(ply, key)| take_back(&mut board, ply) == Some(key))
            && state.history.restore(recorded, 2)
    }

    fn unwound(&self, state: &State) -> (State, Vec<QuietPly>) {
        let (mut board, mut mover) = (state.board.clone(), state.mover);
        let plies = state.history.unwind(|ply| {
            take_back(&mut board, ply);
            mover = mover.other();
        });
        if mover == Colour::Black {
            board.toggle_key(MOVER_KEY);
        }
        let count = plies.len() as u16;
        let [quiet, ply] = [state.quiet, state.ply].map(|now| now.saturating_sub(count));
        (State::new(board, mover, quiet, ply), plies)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        let [board_field, mover, quiet, ply] = fields(fen, ["board", "mover", "quiet", "ply"])?;
        let mut board = Board::empty();
        let mut seen = [[0_u8; 7]; 2];
        read_board(SIZE, board_field, |square, symbol| {
            let letter = symbol.letter;
            let piece =
                from_letter(letter).ok_or_else(|| format!("`{letter}` is no piece letter"))?;
            let Piece { colour, kind } = piece;
            if symbol.covered {
                return Err(format!("`~{letter}`: nothing is covered here"));
            }
            if kind == Kind::General && !palace(colour).contains(square) {
                return Err(format!("king `{letter}` outside its palace"));
            }
            let counts = &mut seen[colour.index()];
            counts[kind.index()] += 1;
            // Both forms of a piece count together. The king has one form.
            let other = if kind == Kind::General { 0 } else { counts[flipped(kind).index()] };
            if counts[kind.index()] + other > starting_count(kind) {
                return Err(format!("more `{letter}` and its other form than a side has"));
            }
            board.put(square, Some(piece));
            Ok(())
        })?;
        if seen.iter().any(|counts| counts[Kind::General.index()] != 1) {
            return Err(FenError::new("board", "each side has exactly one king, `K` and `k`"));
        }
        let mover = red_or_black("mover", mover)?;
        if king_safety(&board, mover.other()).check_info().check {
            return Err(FenError::new("board", "the side that is not to move is in check"));
        }
        Ok(State::new(board, mover, counter("quiet", quiet)?, counter("ply", ply)?))
    }
}
