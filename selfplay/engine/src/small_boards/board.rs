//! A board of any size.

use darkqi_env::{
    Square,
    board::{BoardSize, Reflection},
};

/// The most squares of a board: sets of squares are 32 bits wide.
pub(super) const MAX_SQUARES: usize = 32;

/// The most positions that are solved, each for both movers: their values take 16 bytes.
pub(super) const MAX_POSITIONS: usize = 50_000_000;

/// The squares of a board, by their indices in [`BoardSize`].
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) size: BoardSize,
    /// By square and direction.
    neighbours: Vec<[Option<u8>; 4]>,
    /// By reflection, the first of which changes nothing: where each square goes.
    reflections: Vec<Vec<u8>>,
}

impl Board {
    pub(super) fn new(size: BoardSize) -> Self {
        let to_byte = |square: Square| square.index() as u8;
        let neighbours = |square| {
            [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|step| size.offset(square, step).map(to_byte))
        };
        let reflected = |reflection: Option<Reflection>| {
            let to = |square| match reflection {
                Some(reflection) => size.reflected(square, reflection),
                None => square,
            };
            size.all().map(to).map(to_byte).collect()
        };
        let all = [None].into_iter().chain(Reflection::ALL.map(Some));
        Self {
            size,
            neighbours: size.all().map(neighbours).collect(),
            reflections: all.map(reflected).collect(),
        }
    }

    /// The squares next to one, by direction.
    pub(super) fn neighbours(&self, square: u8) -> [Option<u8>; 4] {
        self.neighbours[usize::from(square)]
    }

    /// The second occupied square in a direction: what a jump captures.
    pub(super) fn behind_screen(&self, from: u8, direction: usize, occupied: u32) -> Option<u8> {
        let next = |&square: &u8| self.neighbours(square)[direction];
        std::iter::successors(self.neighbours(from)[direction], next)
            .filter(|square| occupied >> square & 1 != 0)
            .nth(1)
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
