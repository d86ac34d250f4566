//! The values of a phase's positions, by those of the phases that flips and captures lead to.
//!
//! A value is the mover's expected result, from -1 to 1. With as many quiet plies as the limit allows
//! a position is drawn, unless its mover has no action and loses. With one less, its value is the best
//! of its actions, and so on down to no quiet ply, the value that earlier phases need.

use std::collections::HashMap;

use super::board::{Board, squares};
use super::phase::{Phase, Pieces, Transform, kind, side};
use crate::tables::Captures;

/// The key of a solved phase: the values of its positions without a quiet ply, those of red as
/// the mover before those of black.
pub(super) type Values = HashMap<Phase, Vec<f64>>;

/// The phases that flips and captures lead to.
struct Next<'a> {
    phase: Phase,
    transform: Transform,
    values: &'a [f64],
}

impl Next<'_> {
    /// The value for a mover of a position with the pieces face up on these squares.
    fn value(&self, board: &Board, mover: usize, squares: &[u8]) -> f64 {
        let squares = self.transform.squares(board, squares);
        let mover = mover ^ usize::from(self.transform.swaps);
        let half = self.values.len() / 2;
        self.values[mover * half + self.phase.index(board, &squares)]
    }
}

/// The phase that a flip or a capture leads to.
fn next<'a>(board: &Board, phase: &Phase, values: &'a Values) -> Next<'a> {
    let (phase, transform) = phase.canonical(board);
    let values = &values[&phase];
    Next { phase, transform, values }
}

/// A covered square with what may be there: each piece with its probability.
struct Flip<'a> {
    square: u8,
    reveals: Vec<(u8, f64, Next<'a>)>,
}

/// The phases that the actions of a phase lead to.
pub(super) struct Exits<'a> {
    board: &'a Board,
    captures: &'a Captures,
    phase: &'a Phase,
    flips: Vec<Flip<'a>>,
    /// By the captured piece; `None` where its side has no other.
    captured: Vec<Option<Next<'a>>>,
}

/// An action of a position.
pub(super) enum Exit {
    /// A flip of this square, with the pieces that may show, their probabilities and the mover's
    /// values.
    Flip(u8, Vec<(u8, f64, f64)>),
    /// A capture from a square to another, with the mover's value.
    Capture(u8, u8, f64),
    /// A quiet step from a square to another, with the squares of the pieces after it.
    Quiet(u8, u8, Pieces),
}

impl<'a> Exits<'a> {
    /// The phases that the actions of a phase lead to. `values` has all of them.
    pub(super) fn new(
        board: &'a Board,
        captures: &'a Captures,
        phase: &'a Phase,
        values: &'a Values,
    ) -> Self {
        let mut kinds = phase.hidden.to_vec();
        kinds.dedup();
        let flip = |square| {
            let reveal = |&piece: &u8| {
                let count = phase.hidden.iter().filter(|&&hidden| hidden == piece).count();
                let odds = count as f64 / phase.hidden.len() as f64;
                (piece, odds, next(board, &phase.after_flip(square, piece), values))
            };
            Flip { square, reveals: kinds.iter().map(reveal).collect() }
        };
        let flips = squares(phase.covered).map(flip).collect();
        let captured = (0..phase.shown.len())
            .map(|prey| Some(next(board, &phase.after_capture(prey)?, values)))
            .collect();
        Self { board, captures, phase, flips, captured }
    }

    /// Visits the mover's actions with the pieces face up on these squares.
    pub(super) fn each(&self, mover: usize, places: &[u8], mut visit: impl FnMut(Exit)) {
        let Self { board, phase, .. } = self;
        let mut after: Pieces = places.iter().copied().collect();
        for Flip { square, reveals } in &self.flips {
            after.push(*square);
            let value = |(piece, odds, next): &(u8, f64, Next<'_>)| {
                (*piece, *odds, -next.value(board, 1 - mover, &after))
            };
            visit(Exit::Flip(*square, reveals.iter().map(value).collect()));
            after.pop();
        }
        let occupied = places.iter().fold(phase.covered, |set, square| set | 1 << square);
        let own = (0..places.len()).filter(|&piece| side(phase.shown[piece]) == mover);
        for piece in own {
            let from = places[piece];
            for (direction, to) in board.neighbours(from).into_iter().enumerate() {
                if let Some(to) = to
                    && occupied >> to & 1 == 0
                {
                    let mut after: Pieces = places.iter().copied().collect();
                    after[piece] = to;
                    visit(Exit::Quiet(from, to, after));
                }
                let behind = board.behind_screen(from, direction, occupied);
                for (to, by) in [(to, Captures::STEP), (behind, Captures::JUMP)] {
                    let prey = places.iter().position(|&square| Some(square) == to);
                    if let (Some(to), Some(prey)) = (to, prey)
                        && self.takes(piece, prey, by)
                    {
                        visit(Exit::Capture(from, to, self.capture(mover, places, piece, prey)));
                    }
                }
            }
        }
    }

    /// Whether a piece captures another in one of the ways of [`Captures`].
    fn takes(&self, captor: usize, prey: usize, by: u16) -> bool {
        let [captor, prey] = [captor, prey].map(|piece| self.phase.shown[piece]);
        side(captor) != side(prey) && self.captures.between(kind(captor), kind(prey)) & by != 0
    }

    /// The mover's value after a capture.
    fn capture(&self, mover: usize, places: &[u8], captor: usize, prey: usize) -> f64 {
        // A side without pieces has lost.
        let Some(next) = &self.captured[prey] else { return 1.0 };
        let mut after: Pieces = places.iter().copied().collect();
        after[captor] = places[prey];
        after.remove(prey);
        -next.value(self.board, 1 - mover, &after)
    }

    /// The values of all positions without a quiet ply.
    pub(super) fn solve(&self, quiet_limit: u16) -> Vec<f64> {
        let Self { board, phase, .. } = self;
        let half = phase.arrangements(board);
        // By position: the best of flips and captures; the positions that quiet steps lead to.
        let mut exits = vec![f64::NEG_INFINITY; 2 * half];
        let mut steps: Vec<u32> = Vec::new();
        let mut ends = Vec::with_capacity(2 * half);
        for (position, best) in exits.iter_mut().enumerate() {
            let (mover, places) = (position / half, phase.squares(board, position % half));
            self.each(mover, &places, |exit| match exit {
                Exit::Flip(_, reveals) => {
                    let value = reveals.iter().map(|(_, odds, value)| odds * value).sum();
                    *best = best.max(value);
                }
                Exit::Capture(_, _, value) => *best = best.max(value),
                Exit::Quiet(_, _, after) => {
                    steps.push(((1 - mover) * half + phase.index(board, &after)) as u32);
                }
            });
            ends.push(steps.len());
        }
        let is_stuck = |position: usize| {
            let first = if position == 0 { 0 } else { ends[position - 1] };
            exits[position] == f64::NEG_INFINITY && first == ends[position]
        };
        let mut later: Vec<f64> =
            (0..2 * half).map(|position| if is_stuck(position) { -1.0 } else { 0.0 }).collect();
        for _ in 0..quiet_limit {
            let mut first = 0;
            let mut value = |position: usize| {
                let to = &steps[first..ends[position]];
                first = ends[position];
                let best = to.iter().map(|&to| -later[to as usize]);
                match best.fold(exits[position], f64::max) {
                    f64::NEG_INFINITY => -1.0,
                    value => value,
                }
            };
            let sooner: Vec<f64> = (0..2 * half).map(&mut value).collect();
            if sooner == later {
                break;
            }
            later = sooner;
        }
        later
    }
}
