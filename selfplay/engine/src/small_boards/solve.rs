//! The values of a phase's positions, by those of the phases that flips and captures lead to.
//!
//! A value is the mover's expected result, from -1 to 1. With as many quiet plies as the limit allows
//! a position is drawn, unless its mover has no action and loses. With one less, its value is the best
//! of its actions, and so on down to no quiet ply, the value that earlier phases need.

use std::collections::HashMap;

use super::board::{Board, squares};
use super::chase::{Chase, Chases, Streak};
use super::phase::{Phase, Pieces, Transform, side};
use super::rules::Rules;

/// The values of a phase's positions with the same number of quiet plies.
#[derive(Debug)]
pub(super) struct PhaseValues {
    /// By position, those of red as the mover before those of black: where its chases begin in
    /// `values`, and last the number of these.
    firsts: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl PhaseValues {
    /// Number of positions for one mover.
    pub(super) fn arrangements(&self) -> usize {
        self.firsts.len() / 2
    }
}

/// The key of a solved phase: the values of its positions without a quiet ply.
pub(super) type Values = HashMap<Phase, PhaseValues>;

/// Board and rules.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) board: Board,
    pub(super) rules: Rules,
}

impl Game {
    /// The place in a phase's values of a position of it.
    fn place(
        &self,
        phase: &Phase,
        firsts: &[u32],
        mover: usize,
        squares: &[u8],
        chase: Chase,
    ) -> usize {
        let position = mover * (firsts.len() / 2) + phase.index(&self.board, squares);
        let first = firsts[position] as usize;
        // Most have none, and are first.
        if chase == Chase::default() {
            return first;
        }
        first + self.chases(phase, mover, squares).index(chase)
    }

    /// The chases that a position may have.
    pub(super) fn chases(&self, phase: &Phase, mover: usize, squares: &[u8]) -> Chases {
        Chases::new(&self.board, &self.rules, phase, mover, squares)
    }
}

/// What a flip or a capture leads to.
enum Next<'a> {
    /// A colour has lost.
    Over {
        loser: usize,
    },
    Phase {
        phase: Phase,
        transform: Transform,
        values: &'a PhaseValues,
    },
}

impl<'a> Next<'a> {
    fn new(game: &Game, phase: &Phase, values: &'a Values) -> Self {
        if let Some(loser) = (0..2).find(|&colour| !phase.is_alive(&game.rules, colour)) {
            return Self::Over { loser };
        }
        let (phase, transform) = phase.canonical(&game.board);
        let values = &values[&phase];
        Self::Phase { phase, transform, values }
    }

    /// The value for a mover of a position with the pieces face up on these squares.
    fn value(&self, game: &Game, mover: usize, squares: &[u8], chase: Chase) -> f64 {
        match self {
            Self::Over { loser } => {
                if *loser == mover {
                    -1.0
                } else {
                    1.0
                }
            }
            Self::Phase { phase, transform, values } => {
                let squares = transform.squares(&game.board, squares);
                let mover = mover ^ usize::from(transform.swaps);
                let chase = chase.transformed(transform);
                values.values[game.place(phase, &values.firsts, mover, &squares, chase)]
            }
        }
    }
}

/// A covered square: each piece that may be there with its probability, and what its flip and its capture
/// lead to.
struct Covered<'a> {
    square: u8,
    flips: Vec<(u8, f64, Next<'a>)>,
    /// Empty in banqi.
    captures: Vec<(u8, f64, Next<'a>)>,
}

/// The phases that the actions of a phase lead to.
pub(super) struct Exits<'a> {
    game: &'a Game,
    phase: &'a Phase,
    covered: Vec<Covered<'a>>,
    /// By the captured piece.
    captured: Vec<Next<'a>>,
}

/// An action of a position.
pub(super) enum Exit {
    /// A flip of this square or, from another one, the capture of the covered piece on it, with the pieces
    /// that may be there, their probabilities and the mover's values.
    Reveal(Option<u8>, u8, Vec<(u8, f64, f64)>),
    /// A capture from a square to another, with the mover's value.
    Capture(u8, u8, f64),
    /// A quiet step from a square to another, with the squares of the pieces and the chase after it.
    Quiet(u8, u8, Pieces, Chase),
}

/// What is on the target of a step.
#[derive(Clone, Copy)]
enum Target {
    Empty,
    /// A covered piece, by its place in [`Exits::covered`].
    Covered(usize),
    /// A piece face up, by its number.
    Shown(usize),
}

/// A step of a piece, by its number.
struct Step {
    piece: usize,
    to: u8,
    target: Target,
    /// Whether it gives check.
    checks: bool,
}

impl<'a> Exits<'a> {
    /// The phases that the actions of a phase lead to. `values` has all of them.
    pub(super) fn new(game: &'a Game, phase: &'a Phase, values: &'a Values) -> Self {
        let covered = |square| {
            let reveals = |after: fn(&Phase, u8, u8) -> Phase| {
                let reveal = |(piece, odds)| {
                    (piece, odds, Next::new(game, &after(phase, square, piece), values))
                };
                phase.odds().map(reveal).collect()
            };
            let captures = if game.rules.is_gaiqi() {
                reveals(Phase::after_blind_capture)
            } else {
                Vec::new()
            };
            Covered { square, flips: reveals(Phase::after_flip), captures }
        };
        let captured = (0..phase.shown.len())
            .map(|prey| Next::new(game, &phase.after_capture(prey), values))
            .collect();
        Self { game, phase, covered: squares(phase.covered).map(covered).collect(), captured }
    }

    /// Visits the mover's actions with the pieces face up on these squares.
    pub(super) fn each(
        &self,
        mover: usize,
        places: &[u8],
        chase: Chase,
        mut visit: impl FnMut(Exit),
    ) {
        let weigh = |outcomes: &[(u8, f64, Next<'_>)], after: &[u8], chase: Chase| {
            let value = |(piece, odds, next): &(u8, f64, Next<'_>)| {
                // Not negated: a draw is 0, not -0.
                (*piece, *odds, 0.0 - next.value(self.game, 1 - mover, after, chase))
            };
            outcomes.iter().map(value).collect()
        };
        let mut after: Pieces = places.iter().copied().collect();
        for Covered { square, flips, .. } in &self.covered {
            after.push(*square);
            let chase = Chase { mover: chase.other, other: None };
            visit(Exit::Reveal(None, *square, weigh(flips, &after, chase)));
            after.pop();
        }
        let steps = self.steps(mover, places);
        // Who has checked three times must vary, if it can.
        let tired = chase.mover.filter(|streak| streak.checks == Streak::LIMIT);
        let is_barred = |step: &Step| {
            step.checks && tired.is_some_and(|streak| usize::from(streak.piece) == step.piece)
        };
        let may_vary = !self.covered.is_empty() || !steps.iter().all(is_barred);
        for step in steps.iter().filter(|step| !(may_vary && is_barred(step))) {
            let &Step { piece, to, target, checks } = step;
            let from = places[piece];
            let mut after: Pieces = places.iter().copied().collect();
            after[piece] = to;
            let chase = chase.after(piece as u8, checks);
            visit(match target {
                Target::Empty => Exit::Quiet(from, to, after, chase),
                Target::Covered(place) => {
                    let captures = &self.covered[place].captures;
                    Exit::Reveal(Some(from), to, weigh(captures, &after, chase))
                }
                Target::Shown(prey) => {
                    after.remove(prey);
                    let chase = chase.renumbered(|piece| match usize::from(piece).cmp(&prey) {
                        std::cmp::Ordering::Less => Some(piece),
                        std::cmp::Ordering::Equal => None,
                        std::cmp::Ordering::Greater => Some(piece - 1),
                    });
                    let value =
                        0.0 - self.captured[prey].value(self.game, 1 - mover, &after, chase);
                    Exit::Capture(from, to, value)
                }
            });
        }
    }

    /// The steps of the mover's pieces, as if no check had been given.
    fn steps(&self, mover: usize, places: &[u8]) -> Vec<Step> {
        let Self { game: Game { board, rules }, phase, .. } = self;
        let occupied = phase.occupied(places);
        let general = if rules.is_gaiqi() { phase.general(1 - mover) } else { None };
        let mut steps = Vec::new();
        for piece in phase.pieces(mover) {
            let (captor, from) = (phase.shown[piece], places[piece]);
            rules.each_target(board, captor, from, occupied, |to, by| {
                let target = if occupied >> to & 1 == 0 {
                    Target::Empty
                } else if let Some(prey) = places.iter().position(|&square| square == to) {
                    let prey_is = phase.shown[prey];
                    if side(prey_is) == mover || !rules.takes(captor, prey_is, by) {
                        return;
                    }
                    Target::Shown(prey)
                } else if rules.is_gaiqi() {
                    let covered = self.covered.iter().position(|covered| covered.square == to);
                    Target::Covered(covered.expect("a piece is face up or covered"))
                } else {
                    return;
                };
                let checks = general.is_some_and(|general| {
                    let after = occupied & !(1 << from) | 1 << to;
                    let square = places[general];
                    to != square && rules.attacks(board, captor, to, after, square)
                });
                steps.push(Step { piece, to, target, checks });
            });
        }
        steps
    }

    /// The values of all positions without a quiet ply.
    pub(super) fn solve(&self, quiet_limit: u16) -> PhaseValues {
        let quiet = self.quiet();
        let values = quiet.layers(quiet_limit).last().expect("the first is that of the limit");
        PhaseValues { firsts: quiet.firsts, values }
    }

    /// What the positions of the phase, which stands for others, have to choose from.
    pub(super) fn quiet(&self) -> Quiet {
        let Self { game, phase, .. } = self;
        let half = phase.arrangements(&game.board);
        let arrangement = |position| (position / half, phase.squares(&game.board, position % half));
        let chases: Vec<Chases> = (0..2 * half)
            .map(arrangement)
            .map(|(mover, places)| game.chases(phase, mover, &places))
            .collect();
        let mut firsts = vec![0];
        for (position, chases) in chases.iter().enumerate() {
            firsts.push(firsts[position] + chases.count() as u32);
        }
        let (mut exits, mut steps, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for (position, chases) in chases.iter().enumerate() {
            let (mover, places) = arrangement(position);
            for number in 0..chases.count() {
                let mut best = if chases.wins { 1.0 } else { f64::NEG_INFINITY };
                let visit = |exit| match exit {
                    Exit::Reveal(_, _, outcomes) => {
                        best = best.max(outcomes.iter().map(|(_, odds, value)| odds * value).sum());
                    }
                    Exit::Capture(_, _, value) => best = best.max(value),
                    Exit::Quiet(_, _, after, chase) => {
                        let place = game.place(phase, &firsts, 1 - mover, &after, chase);
                        steps.push(place as u32);
                    }
                };
                if !chases.wins {
                    self.each(mover, &places, chases.get(number), visit);
                }
                exits.push(best);
                ends.push(steps.len());
            }
        }
        Quiet { firsts, exits, steps, ends }
    }
}

/// The choices of a phase's positions.
pub(super) struct Quiet {
    /// As [`PhaseValues::firsts`].
    firsts: Vec<u32>,
    /// By chase of a position, as all below: the best of flips and captures.
    exits: Vec<f64>,
    /// What quiet steps lead to.
    steps: Vec<u32>,
    /// The ends of their lists.
    ends: Vec<usize>,
}

impl Quiet {
    /// The values with no quiet ply left, with one and so on up to the limit. They end where they no
    /// longer change.
    pub(super) fn layers(&self, quiet_limit: u16) -> impl Iterator<Item = Vec<f64>> {
        let next = |later: &Vec<f64>| Some(self.layer(Some(later))).filter(|it| it != later);
        std::iter::successors(Some(self.layer(None)), next).take(1 + usize::from(quiet_limit))
    }

    /// The values with one more quiet ply left than in `later`; those at the limit without it.
    fn layer(&self, later: Option<&Vec<f64>>) -> Vec<f64> {
        let mut first = 0;
        let value = |(&exit, &end): (&f64, &usize)| {
            let to = &self.steps[first..end];
            first = end;
            match later {
                _ if exit == f64::NEG_INFINITY && to.is_empty() => -1.0,
                None => 0.0,
                Some(later) => to.iter().map(|&to| -later[to as usize]).fold(exit, f64::max),
            }
        };
        self.exits.iter().zip(&self.ends).map(value).collect()
    }

    /// The place in a layer of a position of its phase.
    pub(super) fn place(
        &self,
        game: &Game,
        phase: &Phase,
        mover: usize,
        squares: &[u8],
        chase: Chase,
    ) -> usize {
        game.place(phase, &self.firsts, mover, squares, chase)
    }
}
