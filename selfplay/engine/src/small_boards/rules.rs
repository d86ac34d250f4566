//! What pieces do on a small board, by the game: steps, captures, and what a lost piece costs.

use darkqi_env::games::{banqi::Banqi, gaiqi::Gaiqi};
use darkqi_env::{Game, Kind, Registered};

use super::board::Board;
use super::phase::kind;
use crate::tables::Captures;

/// The rules of a game that is solved.
#[derive(Clone, Debug)]
pub(super) enum Rules {
    /// banqi: pieces step to a neighbour and capture by rank.
    Banqi(Captures),
    /// gaiqi: pieces move as in xiangqi and capture covered ones too; who loses the general loses.
    Gaiqi,
}

const ORTHOGONAL: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
const DIAGONAL: [(i32, i32); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

impl Rules {
    /// The rules of a game; `None` for games that are not solved.
    pub(super) fn of<G: Registered>(rules: &G) -> Option<Self> {
        match G::NAME {
            Banqi::NAME => Some(Self::Banqi(Captures::of(rules))),
            Gaiqi::NAME => Some(Self::Gaiqi),
            _ => None,
        }
    }

    /// Whether covered pieces are captured, and the loss of a general loses.
    pub(super) fn is_gaiqi(&self) -> bool {
        matches!(self, Self::Gaiqi)
    }

    /// Visits the squares that a piece reaches, empty ones and targets of captures, each with the way of
    /// [`Captures`].
    pub(super) fn each_target(
        &self,
        board: &Board,
        piece: u8,
        from: u8,
        occupied: u32,
        mut visit: impl FnMut(u8, u16),
    ) {
        if let Self::Gaiqi = self {
            return each_xiangqi_target(board, kind(piece), from, occupied, |to| {
                visit(to, Captures::STEP);
            });
        }
        for step in ORTHOGONAL {
            if let Some(to) = board.offset(from, step) {
                visit(to, Captures::STEP);
            }
            if let Some(to) = board.ray(from, step).filter(is_in(occupied)).nth(1) {
                visit(to, Captures::JUMP);
            }
        }
    }

    /// Whether a piece of gaiqi reaches a square.
    pub(super) fn attacks(
        &self,
        board: &Board,
        piece: u8,
        from: u8,
        occupied: u32,
        square: u8,
    ) -> bool {
        let mut is_reached = false;
        self.each_target(board, piece, from, occupied, |to, _| is_reached |= to == square);
        is_reached
    }

    /// Whether a piece captures another one, of the other colour, in this way.
    pub(super) fn takes(&self, captor: u8, prey: u8, by: u16) -> bool {
        match self {
            Self::Banqi(captures) => captures.between(kind(captor), kind(prey)) & by != 0,
            Self::Gaiqi => true,
        }
    }
}

/// Whether a piece is a general.
pub(super) fn is_general(piece: u8) -> bool {
    usize::from(kind(piece)) == Kind::General.index()
}

/// Whether squares are in a set.
fn is_in(set: u32) -> impl Fn(&u8) -> bool {
    move |square| set >> square & 1 != 0
}

/// The squares that a piece of gaiqi reaches.
fn each_xiangqi_target(
    board: &Board,
    kind: u8,
    from: u8,
    occupied: u32,
    mut visit: impl FnMut(u8),
) {
    let mut leap = |steps: &[(i32, i32)]| {
        for &step in steps {
            board.offset(from, step).into_iter().for_each(&mut visit);
        }
    };
    let is_free = |step| board.offset(from, step).is_some_and(|leg| !is_in(occupied)(&leg));
    match Kind::ALL[usize::from(kind)] {
        Kind::General => {
            leap(&ORTHOGONAL);
            leap(&DIAGONAL);
        }
        Kind::Advisor => leap(&DIAGONAL),
        Kind::Soldier => leap(&ORTHOGONAL),
        Kind::Elephant => {
            for (file, rank) in DIAGONAL.into_iter().filter(|&eye| is_free(eye)) {
                leap(&[(2 * file, 2 * rank)]);
            }
        }
        Kind::Horse => {
            for (file, rank) in ORTHOGONAL.into_iter().filter(|&leg| is_free(leg)) {
                // Straight on by two, and to either side by one.
                leap(&[(2 * file + rank, 2 * rank + file), (2 * file - rank, 2 * rank - file)]);
            }
        }
        line @ (Kind::Chariot | Kind::Cannon) => {
            for step in ORTHOGONAL {
                let is_empty = |square: &u8| !is_in(occupied)(square);
                board.ray(from, step).take_while(is_empty).for_each(&mut visit);
                let met = usize::from(line == Kind::Cannon);
                board
                    .ray(from, step)
                    .filter(is_in(occupied))
                    .nth(met)
                    .into_iter()
                    .for_each(&mut visit);
            }
        }
    }
}
