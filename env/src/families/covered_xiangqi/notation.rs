//! FEN of covered xiangqi: `board mover captured quiet ply`, and `unused` where the deal leaves pieces over.

use super::board::{Board, MOVER_KEY, SQUARES, SquareContents, home_piece};
use super::geometry::SIZE;
use super::moves::{MAX_PIECES, palace};
use super::state::{Captured, PublicState, State, View, check_info};
use super::variant::{Counters, CoveredXiangqi, Variant};
use crate::board::{Bitboard, Colour, Kind, Piece, Square, UnseenPieces};
use crate::error::FenError;
use crate::game::fen::{
    counter, deal_unknown, fields, read_board, read_symbols, red_or_black, write_board,
};
use crate::game::{Notation, QuietPly, RecordedHistory};
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
        let unused = |colour: Colour| {
            let left_over = state.left_over()[colour.index()];
            let letters = |kind: Kind| {
                let letter = Piece { colour, kind }.letter();
                format!("~{letter}").repeat(left_over.count(kind.index()).into())
            };
            Kind::ALL.map(letters).concat()
        };
        write(self, &state.public, covered, state.captured(), unused)
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        let covered = |_, colour| unknown(colour).to_string();
        let captured = view.knowledge.captured.iter().copied();
        let unused = |colour: Colour| {
            let board = &view.public.board;
            let covered = (board.covered() & board.colour(colour)).count();
            let is_unknown = |it: &Captured| it.colour() == colour && it.kind().is_none();
            let unknown = captured.clone().filter(is_unknown).count();
            let left_over = view.knowledge.unseen[colour.index()].total() - covered;
            unknown_letters(colour, left_over as usize - unknown)
        };
        write(self, view.public, covered, captured.clone(), unused)
    }

    fn history(&self, state: &State) -> Option<RecordedHistory> {
        self.repetition.then(|| state.public.history.record())
    }

    fn restore_history(&self, state: &mut State, recorded: &RecordedHistory) -> bool {
        let mut board = state.public.board.clone();
        self.repetition
            && recorded.backwards().all(|(ply, key)| take_back(&mut board, ply) == Some(key))
            && state.public.history.restore(recorded, 2)
    }

    fn unwound(&self, state: &State) -> (State, Vec<QuietPly>) {
        let PublicState { board, mover, counters, ply, history, .. } = &state.public;
        let (mut board, mut mover) = (board.clone(), *mover);
        let plies = history.unwind(|ply| {
            take_back(&mut board, ply);
            mover = mover.other();
        });
        if mover == Colour::Black {
            board.toggle_key(MOVER_KEY);
        }
        let count = plies.len() as u16;
        let before = |counters| {
            let mut before = state.clone();
            let ply = ply.saturating_sub(count);
            before.public = PublicState::new(board.clone(), mover, counters, ply, self);
            before
        };
        // What the plies add to the counters.
        let mut replayed = before(Counters::default());
        for ply in &plies {
            replayed.step(ply.from(), ply.to(), self);
        }
        let added = replayed.public.counters;
        let effective =
            [0, 1].map(|side| counters.effective[side].saturating_sub(added.effective[side]));
        // Before progress it does not matter how long there had been none.
        let quiet = if added.quiet == count { counters.quiet.saturating_sub(count) } else { 0 };
        (before(Counters { quiet, effective }), plies)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        parse(self, fen)
    }

    fn parse_view_fen(&self, fen: &str, rng: &mut Rng) -> Result<State, FenError> {
        self.parse_fen(&deal_unknown(fen, &[2, 5], self.pieces(), self.coverable(), rng)?)
    }
}

/// Takes a reversible ply back. The key of the position before; `None` where no piece can have moved so: a
/// cycle of a history is replayed to find a perpetual chase.
fn take_back(board: &mut Board, ply: QuietPly) -> Option<u64> {
    let [from, to] = [ply.from(), ply.to()];
    let is_possible = [from, to].iter().all(|square| square.index() < SQUARES)
        && matches!(board.at(to), SquareContents::Revealed(_))
        && board.at(from) == SquareContents::Empty;
    is_possible.then(|| {
        let piece = board.lift(to);
        board.put(from, piece);
        board.toggle_key(MOVER_KEY);
        board.key()
    })
}

fn unknown_letters(colour: Colour, count: usize) -> String {
    unknown(colour).to_string().repeat(count)
}

fn write<V: Variant>(
    rules: &CoveredXiangqi<V>,
    public: &PublicState,
    covered: impl Fn(Square, Colour) -> String,
    captured: impl Iterator<Item = Captured>,
    unused: impl Fn(Colour) -> String,
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
    let mut fen = format!("{board} {mover} {list} {quiet} {ply}");
    if rules.leaves_over() {
        let unused = Colour::ALL.map(unused).concat();
        fen.push(' ');
        fen += if unused.is_empty() { "-" } else { &unused };
    }
    fen
}

fn parse<V: Variant>(rules: &CoveredXiangqi<V>, fen: &str) -> Result<State, FenError> {
    let names @ [a, b, c, d, e, _] = ["board", "mover", "captured", "quiet", "ply", "unused"];
    let ([board_field, mover, captured_field, quiet, ply], unused) = if rules.leaves_over() {
        let [fields @ .., unused] = fields(fen, names)?;
        (fields, unused)
    } else {
        (fields(fen, [a, b, c, d, e])?, "-")
    };
    // Board, captured and unused pieces together do not exceed the starting count of any kind, nor
    // those that are covered their number in the pool.
    let (mut unplaced, mut coverable) = (rules.pieces(), rules.coverable());
    let mut pool = |letter| {
        let taken = coverable.take(letter);
        taken.map(drop).map_err(|_| format!("more `~{letter}` than a pool has"))
    };
    let mut sizes = [0; 2];
    let mut board = Board::empty();
    let mut identities = [None; SQUARES];
    read_board(SIZE, board_field, |square, symbol| {
        let piece = unplaced.take(symbol.letter)?;
        sizes[piece.colour.index()] += 1;
        let is_general = piece.kind == Kind::General;
        if symbol.covered {
            let home = home_piece(square);
            let begins_covered =
                |home: Piece| home.colour == piece.colour && rules.begins_covered(home.kind);
            if is_general || !home.is_some_and(begins_covered) {
                return Err(format!("`~{}` cannot be covered", symbol.letter));
            }
            pool(symbol.letter)?;
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
        if symbol.covered {
            pool(symbol.letter).map_err(|fault| FenError::new("captured", fault))?;
        }
        sizes[colour.index()] += 1;
        captured.push(Captured::new(colour, Some(kind), symbol.covered));
    }
    if sizes.iter().any(|&size| size > MAX_PIECES) {
        let fault = format!("a side has more than {MAX_PIECES} pieces on the board and captured");
        return Err(FenError::new("board", fault));
    }
    let mut left_over = [UnseenPieces::EMPTY; 2];
    for symbol in read_symbols("unused", unused)? {
        let fault = |fault| FenError::new("unused", fault);
        let Piece { colour, kind } = unplaced.take(symbol.letter).map_err(fault)?;
        if !symbol.covered {
            return Err(fault(format!("`{}` is covered: expected `~` before it", symbol.letter)));
        }
        pool(symbol.letter).map_err(fault)?;
        left_over[colour.index()].add(kind.index());
        let most = rules.left_over()[colour.index()];
        if left_over[colour.index()].total() > most.into() {
            return Err(fault(format!("more than {most} pieces of a side are left over")));
        }
    }
    let kind = Kind::General;
    if Colour::ALL.iter().any(|&colour| unplaced.left(Piece { colour, kind }) != 0) {
        return Err(FenError::new("board", "each side has exactly one general, `K` and `k`"));
    }
    let mover = red_or_black("mover", mover)?;
    if check_info(&board, mover.other(), rules).check {
        return Err(FenError::new("board", "the side that is not to move is in check"));
    }
    let counters = V::read_counters(quiet)?;
    let public = PublicState::new(board, mover, counters, counter("ply", ply)?, rules);
    Ok(State::assemble(public, identities, &captured, left_over, rules.captured))
}
