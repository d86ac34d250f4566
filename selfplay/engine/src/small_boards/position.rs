//! A position on a small board as text: a FEN, or its fields `board mover colours`.

use darkqi_env::fen::{counter, fields, read_board, write_board};
use darkqi_env::{FenError, Piece, board::UnplacedPieces};

use super::board::Board;
use super::chase::{Chase, Streak};
use super::error::SmallBoardError;
use super::phase::{Phase, Pieces, kind, side};
use super::solve::Game;

/// A position.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) phase: Phase,
    /// The squares of the pieces face up.
    pub(super) squares: Pieces,
    /// The colour to move, 0 for red; `None` before the first flip.
    pub(super) mover: Option<usize>,
    /// Number of plies since the last capture or flip.
    pub(super) quiet: u16,
    pub(super) chase: Chase,
}

impl Position {
    /// The start: this army of both colours, covered. Only which pieces there are matters, not where.
    ///
    /// # Errors
    /// If the pieces are not one for each square, or more of a kind than there are.
    pub(super) fn start(game: &Game, army: &str) -> Result<Self, SmallBoardError> {
        let board = &game.board;
        let squares = board.moves.size.squares();
        let fault = |fault| SmallBoardError::Army { fault };
        if !squares.is_multiple_of(2) {
            return Err(fault(format!(
                "expected an even number of squares, a piece on each, got {squares}"
            )));
        }
        if 2 * army.chars().count() != squares {
            return Err(fault(format!(
                "expected {} pieces of each colour for {squares} squares, found {}",
                squares / 2,
                army.chars().count()
            )));
        }
        if let Some(found) = army.chars().find(|letter| !"KAERHCP".contains(*letter)) {
            return Err(fault(format!(
                "expected letters of K, A, E, R, H, C and P, found {found}"
            )));
        }
        let mut unplaced = UnplacedPieces::full_set();
        army.chars().try_for_each(|letter| unplaced.take(letter).map(drop)).map_err(fault)?;
        let pieces: Vec<char> = army.chars().chain(army.to_ascii_lowercase().chars()).collect();
        let text =
            write_board(board.moves.size, |square| Some(format!("~{}", pieces[square.index()])));
        Ok(Self::parse(game, &format!("{text} 1 -"))?)
    }

    /// # Errors
    /// If a field is malformed or contradicts another one.
    pub(super) fn parse(game: &Game, text: &str) -> Result<Self, FenError> {
        let Game { board, rules } = game;
        let names = ["board", "mover", "colours", "captured", "quiet", "ply", "chase"];
        let [a, b, c, d, e, f, _] = names;
        let is_whole = text.split(' ').count() > 3;
        let [pieces, mover, colours, captured, quiet, ply, chase] =
            match (is_whole, rules.is_gaiqi()) {
                (true, true) => fields(text, names)?,
                (true, false) => {
                    let [a, b, c, d, e, f] = fields(text, [a, b, c, d, e, f])?;
                    [a, b, c, d, e, f, "-"]
                }
                (false, _) => {
                    let [a, b, c] = fields(text, [a, b, c])?;
                    [a, b, c, "-", "0", "0", "-"]
                }
            };
        let mut phase = Phase { covered: 0, hidden: Pieces::new(), shown: Pieces::new() };
        let mut squares = Pieces::new();
        let mut unplaced = UnplacedPieces::full_set();
        read_board(board.moves.size, pieces, |square, symbol| {
            let piece = unplaced.take(symbol.letter)?.index() as u8;
            if symbol.covered {
                phase.covered |= 1 << square.index();
                phase.hidden.push(piece);
            } else {
                phase.shown.push(piece);
                squares.push(square.index() as u8);
            }
            Ok(())
        })?;
        phase.hidden.sort_unstable();
        // Neither changes a value.
        let mut taken = captured.chars().filter(|_| captured != "-");
        taken
            .try_for_each(|letter| unplaced.take(letter).map(drop))
            .map_err(|fault| FenError::new("captured", fault))?;
        counter("ply", ply)?;
        for colour in 0..2 {
            if !phase.is_alive(rules, colour) {
                let what = if rules.is_gaiqi() { "general" } else { "piece" };
                return Err(FenError::new("board", format!("expected a {what} of each colour")));
            }
        }
        let seat = match mover {
            "1" => 0,
            "2" => 1,
            _ => return Err(FenError::new("mover", format!("`{mover}` is not `1` or `2`"))),
        };
        let mover = match colours {
            "r" => Some(seat),
            "b" => Some(1 - seat),
            "-" => None,
            _ => {
                return Err(FenError::new(
                    "colours",
                    format!("`{colours}` is not `r`, `b` or `-`"),
                ));
            }
        };
        let is_start = || {
            let of = |colour| phase.hidden.iter().filter(move |&&piece| side(piece) == colour);
            phase.shown.is_empty()
                && of(0).map(|&piece| kind(piece)).eq(of(1).map(|&piece| kind(piece)))
        };
        if mover.is_none() && !is_start() {
            let fault =
                "`-` is for positions with nothing face up, and the same pieces of both colours";
            return Err(FenError::new("colours", fault));
        }
        let quiet = counter("quiet", quiet)?;
        let chase = read_chase(board, chase, seat, &squares);
        let possible = game.chases(&phase, mover.unwrap_or(0), &squares);
        let chase = chase.filter(|&chase| possible.contains(chase)).ok_or_else(|| {
            let fault = "expected `-`, or the streaks of both players, of pieces that gave check";
            FenError::new("chase", fault)
        })?;
        Ok(Self { phase, squares, mover, quiet, chase })
    }

    /// The board as a FEN has it, with `?` for covered pieces.
    pub(super) fn board(&self, board: &Board) -> String {
        write_board(board.moves.size, |square| {
            let place = |&at: &u8| usize::from(at) == square.index();
            match self.squares.iter().position(place) {
                Some(piece) => Some(letter(self.phase.shown[piece]).to_string()),
                None => (self.phase.covered >> square.index() & 1 != 0).then(|| "?".to_owned()),
            }
        })
    }
}

/// The field `chase` of a FEN, such as `b2x1,-`: the streaks of the first player and of the second.
fn read_chase(board: &Board, text: &str, mover: usize, squares: &[u8]) -> Option<Chase> {
    if text == "-" {
        return Some(Chase::default());
    }
    let read = |text: &str| -> Option<Option<Streak>> {
        if text == "-" {
            return Some(None);
        }
        let (square, checks) = text.split_once('x')?;
        let square = board.moves.size.parse(square)?.index() as u8;
        let piece = squares.iter().position(|&place| place == square)? as u8;
        let checks = checks.parse().ok().filter(|checks| (1..=Streak::LIMIT).contains(checks))?;
        Some(Some(Streak { piece, checks }))
    };
    let (first, second) = text.split_once(',')?;
    let mut streaks = [read(first)?, read(second)?];
    streaks.rotate_left(mover);
    let [mover, other] = streaks;
    Some(Chase { mover, other })
}

/// The letter of a piece, in upper case for red.
pub(super) fn letter(piece: u8) -> char {
    Piece::from_index(piece.into()).letter()
}
