//! A board of any size.

use darkqi_env::board::{Bitboard, BoardSize, Reflection};
use darkqi_env::movement::MoveTables;

/// The most squares of a board: sets of squares are 32 bits wide.
pub(super) const MAX_SQUARES: usize = 32;

/// The most positions that are solved, each for both movers, and half the most values that are kept.
pub(super) const MAX_POSITIONS: usize = 50_000_000;

/// The squares of a board, by their indices in [`BoardSize`].
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) moves: MoveTables<u32>,
    /// By reflection, the first of which changes nothing: where each square goes.
    reflections: Vec<Vec<u8>>,
}

impl Board {
    pub(super) fn new(size: BoardSize) -> Self {
        let reflected = |reflection: Option<Reflection>| {
            let to = |square| match reflection {
                Some(reflection) => size.reflected(square, reflection),
                None => square,
            };
            size.all().map(to).map(|square| square.index() as u8).collect()
        };
        let all = [None].into_iter().chain(Reflection::ALL.map(Some));
        let moves = MoveTables::new(size);
        Self { moves, reflections: all.map(reflected).collect() }
    }

    /// The ways to reflect the board, that of leaving it included.
    pub(super) fn reflections(&self) -> &[Vec<u8>] {
        &self.reflections
    }
}

/// The squares of a set, ascending.
pub(super) fn squares(set: u32) -> impl Iterator<Item = u8> {
    set.ascending().map(|square| square.index() as u8)
}
