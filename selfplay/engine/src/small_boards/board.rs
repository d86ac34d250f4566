//! A board of any size.

use darkqi_env::{
    Square,
    board::{BoardSize, Reflection},
};

/// The most squares of a board: sets of squares are 32 bits wide.
pub(super) const MAX_SQUARES: usize = 32;

/// The most positions that are solved, each for both movers, and half the most values that are kept.
pub(super) const MAX_POSITIONS: usize = 50_000_000;

/// The squares of a board, by their indices in [`BoardSize`].
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) size: BoardSize,
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
        Self { size, reflections: all.map(reflected).collect() }
    }

    /// The square that is a step of files and ranks away.
    pub(super) fn offset(&self, from: u8, step: (i32, i32)) -> Option<u8> {
        let to = self.size.offset(Square::new(from.into()), step);
        to.map(|square| square.index() as u8)
    }

    /// The squares in a direction, the nearest first.
    pub(super) fn ray(&self, from: u8, step: (i32, i32)) -> impl Iterator<Item = u8> {
        let next = move |&square: &u8| self.offset(square, step);
        std::iter::successors(self.offset(from, step), next)
    }

    /// The ways to reflect the board, that of leaving it included.
    pub(super) fn reflections(&self) -> &[Vec<u8>] {
        &self.reflections
    }
}

/// The squares of a set, ascending.
pub(super) fn squares(set: u32) -> impl Iterator<Item = u8> {
    (0..MAX_SQUARES as u8).filter(move |square| set >> square & 1 != 0)
}
