//! The value of a position and of each of its actions.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_env::game::GameExt;
use darkqi_env::{FenError, Options, Registered, Spec, Square, Value, board::BoardSize};
use darkqi_format::options_to_json;
use serde::Serialize;
use serde_json::Value as Json;

use super::board::{Board, MAX_SQUARES};
use super::chase::Chase;
use super::error::SmallBoardError;
use super::phase::side;
use super::position::{Position, letter};
use super::rules::Rules;
use super::solve::{Exit, Exits, Game, Quiet, Values};
use super::solver::solve;

/// The rules of banqi or gaiqi on a small board.
#[derive(Clone, Debug)]
pub struct SmallBoard {
    /// The name in the registry.
    pub(super) name: &'static str,
    pub(super) game: Game,
    /// All options in force but `max_plies`.
    pub(super) options: Options,
    pub(super) quiet_limit: u16,
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
    /// What it does.
    pub kind: ActionKind,
    /// The value.
    pub value: f64,
    /// The outcomes of a flip or of the capture of a covered piece, by the order of pieces. Of the first flip
    /// of a game, either colour has the same value: its kinds are red.
    pub reveals: Vec<SolvedReveal>,
}

/// What kind of an action it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A flip.
    Flip,
    /// A step to an empty square.
    Step,
    /// The capture of a piece face up.
    Capture,
    /// The capture of a covered piece.
    BlindCapture,
}

/// The piece that an action turns over or captures unseen.
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
    /// If the game is neither; if the board has no two squares or more than 32; if `repetition` is
    /// on, `quiet_limit` off, or `max_plies`, which does not count, not the default.
    pub fn new<G: Registered>(rules: &G, size: BoardSize) -> Result<Self, SmallBoardError> {
        let BoardSize { files, ranks } = size;
        if !files.checked_mul(ranks).is_some_and(|squares| (2..=MAX_SQUARES).contains(&squares)) {
            return Err(SmallBoardError::Size { files, ranks });
        }
        if let Some(option) = rules.designed_by() {
            return Err(SmallBoardError::Rules { option, expected: "its default" });
        }
        let found = Rules::of(rules).ok_or(SmallBoardError::Game { game: G::NAME })?;
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
        let usual = Spec::of(&G::default()).options_in_force();
        if options.remove("max_plies").as_ref() != usual.get("max_plies") {
            return Err(SmallBoardError::Rules { option: "max_plies", expected: "its default" });
        }
        let game = Game { board: Board::new(size), rules: found };
        Ok(Self { name: G::NAME, game, options, quiet_limit })
    }

    /// Solves the start of the game: this army of both colours, `KRCP` for instance, shuffled and
    /// covered, one piece on each square.
    ///
    /// # Errors
    /// If the army is none or does not fit; [`SmallBoardError::TooLarge`] if the game has too many
    /// positions to solve; [`SmallBoardError::Stopped`] when `stop` becomes true.
    pub fn solve_start(&self, army: &str, stop: &AtomicBool) -> Result<Solution, SmallBoardError> {
        self.solve(&Position::start(&self.game, army)?, stop)
    }

    /// Solves a position, written as a FEN or as its fields `board mover colours`, then without a quiet ply.
    /// Covered pieces are written with their identities, which are taken as shuffled.
    ///
    /// # Errors
    /// If the position is malformed, or has all quiet plies; [`SmallBoardError::TooLarge`] if too many
    /// can follow it;
    /// [`SmallBoardError::Stopped`] when `stop` becomes true.
    pub fn solve_position(
        &self,
        position: &str,
        stop: &AtomicBool,
    ) -> Result<Solution, SmallBoardError> {
        self.solve(&Position::parse(&self.game, position)?, stop)
    }

    fn solve(&self, position: &Position, stop: &AtomicBool) -> Result<Solution, SmallBoardError> {
        let values = solve(&self.game, &position.phase, self.quiet_limit, stop)?;
        let (own, _) = position.phase.canonical(&self.game.board);
        let quiet = Exits::new(&self.game, &own, &values).quiet();
        let left = self.left_after_quiet(position)?;
        let later = quiet.layers(left).last().expect("the first is that of the limit");
        Ok(self.solution(position, &values, &quiet, &later))
    }

    /// How many quiet plies are left after a quiet ply.
    pub(super) fn left_after_quiet(&self, position: &Position) -> Result<u16, FenError> {
        let limit = self.quiet_limit;
        let left = limit.checked_sub(position.quiet).and_then(|left| left.checked_sub(1));
        left.ok_or_else(|| FenError::new("quiet", format!("expected less than {limit}")))
    }

    /// The values of a position and its actions. `later` has those of its phase after a quiet ply.
    pub(super) fn solution(
        &self,
        position: &Position,
        values: &Values,
        quiet: &Quiet,
        later: &[f64],
    ) -> Solution {
        let Self { game: game @ Game { board, .. }, options, .. } = self;
        let Position { phase, squares, mover, chase, .. } = position;
        let positions = values.values().map(|values| values.arrangements() as u64).sum();
        let (own, transform) = phase.canonical(board);
        let after_quiet = |mover: usize, squares: &[u8], chase: Chase| {
            let next = (1 - mover) ^ usize::from(transform.swaps);
            let squares = transform.squares(board, squares);
            // Not the negative zero that a negation of 0 is.
            0.0 - later[quiet.place(game, &own, next, &squares, chase.transformed(&transform))]
        };
        let name = |square: u8| board.moves.size.name(Square::new(square.into()));
        let mut actions = Vec::new();
        let exits = Exits::new(game, phase, values);
        let mut add = |action, kind, value, reveals| {
            actions.push(SolvedAction { action, kind, value, reveals });
        };
        // The first flip decides the colours: its player has the one that it shows, as if it were red.
        let (mover, is_first) = (mover.unwrap_or(0), mover.is_none());
        exits.each(mover, squares, *chase, |exit| match exit {
            Exit::Reveal(from, square, reveals) => {
                let reveals: Vec<SolvedReveal> = reveals
                    .into_iter()
                    .filter(|&(piece, ..)| !is_first || side(piece) == mover)
                    .map(|(piece, odds, value)| {
                        let probability = if is_first { 2.0 * odds } else { odds };
                        SolvedReveal { piece: letter(piece), probability, value }
                    })
                    .collect();
                let value = reveals.iter().map(|one| one.probability * one.value).sum();
                match from {
                    None => add(name(square), ActionKind::Flip, value, reveals),
                    Some(from) => {
                        add(name(from) + &name(square), ActionKind::BlindCapture, value, reveals);
                    }
                }
            }
            Exit::Capture(from, to, value) => {
                add(name(from) + &name(to), ActionKind::Capture, value, Vec::new());
            }
            Exit::Quiet(from, to, after, chase) => {
                let value = after_quiet(mover, &after, chase);
                add(name(from) + &name(to), ActionKind::Step, value, Vec::new());
            }
        });
        actions.sort_by(|a, b| b.value.total_cmp(&a.value));
        Solution {
            size: [board.moves.size.files, board.moves.size.ranks],
            options: options_to_json(options),
            board: position.board(board),
            covered: phase.hidden.iter().map(|&piece| letter(piece)).collect(),
            // A mover without an action loses.
            value: actions.first().map_or(-1.0, |best| best.value),
            actions,
            positions,
        }
    }
}
