//! The value of a position and of each of its actions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_env::game::GameExt;
use darkqi_env::{Options, Registered, Spec, Square, Value, board::BoardSize};
use darkqi_format::options_to_json;
use serde::Serialize;
use serde_json::Value as Json;

use super::board::{Board, MAX_SQUARES};
use super::error::SmallBoardError;
use super::phase::side;
use super::position::{Position, letter};
use super::solve::{Exit, Exits};
use super::solver::solve;
use crate::tables::{Captures, GAME};

/// The rules of banqi on a small board.
#[derive(Clone, Debug)]
pub struct SmallBoard {
    board: Board,
    captures: Captures,
    options: Options,
    quiet_limit: u16,
}

/// Exact values. A value is the expected result of the mover of the position, from -1 to 1, if both
/// sides play for it as well as possible.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Solution {
    /// Files and ranks of the board.
    pub size: [usize; 2],
    /// The rule options in force that count.
    pub options: BTreeMap<String, Json>,
    /// The board as a FEN has it, with `?` for covered pieces.
    pub board: String,
    /// The covered pieces.
    pub covered: String,
    /// The value of the position.
    pub value: f64,
    /// Its actions, the best first.
    pub actions: Vec<SolvedAction>,
    /// Positions that were solved, each for both movers. Reflections, and colours exchanged, are one.
    pub positions: u64,
}

/// The value of an action.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SolvedAction {
    /// The name.
    pub action: String,
    /// The value.
    pub value: f64,
    /// The outcomes of a flip, by the order of pieces. Of the first flip of a game, either colour has the
    /// same value: its kinds are red.
    pub reveals: Vec<SolvedReveal>,
}

/// The outcomes of a flip.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SolvedReveal {
    /// The piece, in upper case for red.
    pub piece: char,
    /// Its probability.
    pub probability: f64,
    /// The value after it.
    pub value: f64,
}

impl SmallBoard {
    /// The rules of a game on a board of this size.
    ///
    /// # Errors
    /// If the game is not banqi; if the board has no two squares or more than 32; if `repetition` is
    /// on, or `quiet_limit` off. `max_plies` does not count.
    pub fn new<G: Registered>(rules: &G, size: BoardSize) -> Result<Self, SmallBoardError> {
        let BoardSize { files, ranks } = size;
        if G::NAME != GAME {
            return Err(SmallBoardError::Game { game: G::NAME });
        }
        if !files.checked_mul(ranks).is_some_and(|squares| (2..=MAX_SQUARES).contains(&squares)) {
            return Err(SmallBoardError::Size { files, ranks });
        }
        if let Some(option) = rules.designed_by() {
            return Err(SmallBoardError::Rules { option, expected: "its default" });
        }
        let mut options = Spec::of(rules).options_in_force();
        if options.get("repetition") != Some(&Value::Bool(false)) {
            return Err(SmallBoardError::Rules { option: "repetition", expected: "off" });
        }
        let quiet_limit = match options.get("quiet_limit") {
            Some(&Value::Int(limit @ 1..)) => limit as u16,
            _ => {
                let expected = "at least 1";
                return Err(SmallBoardError::Rules { option: "quiet_limit", expected });
            }
        };
        options.remove("max_plies");
        Ok(Self { board: Board::new(size), captures: Captures::of(rules), options, quiet_limit })
    }

    /// Solves the start of the game: this army of both colours, `KRCP` for instance, shuffled and
    /// covered, one piece on each square.
    ///
    /// # Errors
    /// If the army is none or does not fit; [`SmallBoardError::TooLarge`] if the game has too many
    /// positions to solve; [`SmallBoardError::Stopped`] when `stop` becomes true.
    pub fn solve_start(&self, army: &str, stop: &AtomicBool) -> Result<Solution, SmallBoardError> {
        self.solve(&Position::start(&self.board, army)?, stop)
    }

    /// Solves a position without a quiet ply, written as the fields `board mover colours` of a FEN.
    /// Covered pieces are written with their identities, which are taken as shuffled.
    ///
    /// # Errors
    /// If the position is malformed; [`SmallBoardError::TooLarge`] if too many can follow it;
    /// [`SmallBoardError::Stopped`] when `stop` becomes true.
    pub fn solve_position(
        &self,
        position: &str,
        stop: &AtomicBool,
    ) -> Result<Solution, SmallBoardError> {
        self.solve(&Position::parse(&self.board, position)?, stop)
    }

    fn solve(&self, position: &Position, stop: &AtomicBool) -> Result<Solution, SmallBoardError> {
        let Self { board, captures, options, quiet_limit } = self;
        let Position { phase, squares, mover } = position;
        let values = solve(board, captures, phase, *quiet_limit, stop)?;
        let positions = values.values().map(|values| values.len() as u64 / 2).sum();
        // A quiet step leads to a position with one quiet ply.
        let (own, transform) = phase.canonical(board);
        let later = Exits::new(board, captures, &own, &values).solve(quiet_limit - 1);
        let after_quiet = |mover: usize, squares: &[u8]| {
            let place = own.index(board, &transform.squares(board, squares));
            let next = (1 - mover) ^ usize::from(transform.swaps);
            -later[next * later.len() / 2 + place]
        };
        let name = |square: u8| board.size.name(Square::new(square.into()));
        let mut actions = Vec::new();
        let exits = Exits::new(board, captures, phase, &values);
        let mut add =
            |action, value, reveals| actions.push(SolvedAction { action, value, reveals });
        // The first flip decides the colours: its player has the one that it shows, as if it were red.
        let (mover, is_first) = (mover.unwrap_or(0), mover.is_none());
        exits.each(mover, squares, |exit| match exit {
            Exit::Flip(square, reveals) => {
                let reveals: Vec<SolvedReveal> = reveals
                    .into_iter()
                    .filter(|&(piece, ..)| !is_first || side(piece) == mover)
                    .map(|(piece, odds, value)| {
                        let probability = if is_first { 2.0 * odds } else { odds };
                        SolvedReveal { piece: letter(piece), probability, value }
                    })
                    .collect();
                let value = reveals.iter().map(|one| one.probability * one.value).sum();
                add(name(square), value, reveals);
            }
            Exit::Capture(from, to, value) => add(name(from) + &name(to), value, Vec::new()),
            Exit::Quiet(from, to, after) => {
                add(name(from) + &name(to), after_quiet(mover, &after), Vec::new());
            }
        });
        actions.sort_by(|a, b| b.value.total_cmp(&a.value));
        Ok(Solution {
            size: [board.size.files, board.size.ranks],
            options: options_to_json(options),
            board: position.board(board),
            covered: phase.hidden.iter().map(|&piece| letter(piece)).collect(),
            // A mover without an action loses.
            value: actions.first().map_or(-1.0, |best| best.value),
            actions,
            positions,
        })
    }
}
