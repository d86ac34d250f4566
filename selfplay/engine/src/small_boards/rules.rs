//! What pieces do on a small board, by the game: steps, captures, and what a lost piece costs.

use darkqi_env::games::{banqi::Banqi, gaiqi::Gaiqi};
use darkqi_env::{Game, Kind, Registered, Square, movement::MoveTables};

use super::board::{Board, squares};
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
        let (moves, from) = (&board.moves, Square::new(from.into()));
        let [steps, jumps] = match self {
            Self::Banqi(_) => [moves.orthogonal(from), moves.hop(from, occupied)],
            Self::Gaiqi => [xiangqi_targets(moves, kind(piece), from, occupied), 0],
        };
        for (targets, way) in [(steps, Captures::STEP), (jumps, Captures::JUMP)] {
            squares(targets).for_each(|to| visit(to, way));
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

/// The squares that a piece of gaiqi reaches.
fn xiangqi_targets(moves: &MoveTables<u32>, kind: u8, from: Square, occupied: u32) -> u32 {
    match Kind::ALL[usize::from(kind)] {
        Kind::General => moves.orthogonal(from) | moves.diagonal(from),
        Kind::Advisor => moves.diagonal(from),
        Kind::Soldier => moves.orthogonal(from),
        Kind::Elephant => moves.elephant(from, occupied),
        Kind::Horse => moves.horse(from, occupied),
        Kind::Chariot => moves.slide(from, occupied),
        Kind::Cannon => moves.slide(from, occupied) & !occupied | moves.hop(from, occupied),
    }
}
