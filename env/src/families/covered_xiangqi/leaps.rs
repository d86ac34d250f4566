//! Leaps of horses and elephants by occupancy lookup tables.
//!
//! The squares that can block a leap (its legs) are neighbours of the start. A multiplication
//! gathers their four bits into an index, as magic bitboards do for sliding pieces (chess
//! programming, 2006).

use super::board::SQUARES;
use super::geometry::{MOVES, SIZE};
use crate::board::Square;

/// Index distance from a square to its lowest neighbour: one rank and one file.
const LEG_OFFSET: usize = SIZE.files + 1;

/// Index distance from a square to its lowest target: two ranks and two files.
const TARGET_OFFSET: usize = 2 * LEG_OFFSET;

/// The neighbours that can block a leap.
#[derive(Clone, Copy, Debug)]
struct Legs {
    /// Their bits, where bit 0 is the square [`LEG_OFFSET`] below the start.
    mask: u64,
    /// The multiplier that gathers the four bits into the highest four bits of the product, in some
    /// order. Found by trial.
    magic: u64,
}

impl Legs {
    const NONE: Self = Self { mask: 0, magic: 0 };

    const ORTHOGONAL: Self = Self {
        mask: 1 << 1 | 1 << (LEG_OFFSET - 1) | 1 << (LEG_OFFSET + 1) | 1 << (TARGET_OFFSET - 1),
        magic: 0x0810_0800_0000_0000,
    };

    const DIAGONAL: Self = Self {
        mask: 1 | 1 << 2 | 1 << (TARGET_OFFSET - 2) | 1 << TARGET_OFFSET,
        magic: 0x1000_0800_0000_0000,
    };

    /// The index of an occupancy, below 16.
    #[inline]
    fn table_index(self, around: u64) -> usize {
        ((around & self.mask).wrapping_mul(self.magic) >> (u64::BITS - 4)) as usize
    }

    /// All subsets of the legs.
    fn subsets(self) -> impl Iterator<Item = u64> {
        let next = move |around: &u64| {
            let next = (around | !self.mask).wrapping_add(1) & self.mask;
            (next > 0).then_some(next)
        };
        std::iter::successors(Some(0), next)
    }
}

/// The targets of a leap from any square.
#[derive(Debug)]
pub(super) struct LeapTable {
    legs: Legs,
    /// By [`Legs::table_index`], the targets, where bit 0 is the square [`TARGET_OFFSET`] below the
    /// start. Near an edge some of them are off the board.
    targets: [u64; 16],
    /// By square, the targets on the board.
    on_board: [u128; SQUARES],
}

impl LeapTable {
    /// Steps, which nothing blocks: all squares around.
    pub(super) const STEP: Self =
        Self { legs: Legs::NONE, targets: [!0; 16], on_board: [!0; SQUARES] };

    /// A horse's leaps, over its orthogonal neighbours.
    pub(super) fn horse() -> Self {
        Self::new(Legs::ORTHOGONAL, |from, occupied| MOVES.horse(from, occupied))
    }

    /// The reverse leaps of a horse, from the target over its diagonal neighbours.
    pub(super) fn horse_origins() -> Self {
        Self::new(Legs::DIAGONAL, |target, occupied| MOVES.horse_origins(target, occupied))
    }

    /// An elephant's leaps, over its diagonal neighbours. The relation is symmetric.
    pub(super) fn elephant() -> Self {
        Self::new(Legs::DIAGONAL, |from, occupied| MOVES.elephant(from, occupied))
    }

    fn new(legs: Legs, reach: impl Fn(Square, u128) -> u128) -> Self {
        let centre = SIZE.at(SIZE.files / 2, SIZE.ranks / 2);
        let mut targets = [0; 16];
        for around in legs.subsets() {
            let occupied = u128::from(around) << (centre.index() - LEG_OFFSET);
            targets[legs.table_index(around)] =
                (reach(centre, occupied) >> (centre.index() - TARGET_OFFSET)) as u64;
        }
        let on_board = std::array::from_fn(|from| reach(Square::new(from), 0));
        Self { legs, targets, on_board }
    }

    /// The targets from a square.
    #[inline]
    pub(super) fn targets(&self, from: Square, occupied: u128) -> u128 {
        self.unbounded_targets(from, occupied) & self.on_board[from.index()]
    }

    /// The targets from a square, with further squares where a target would be off the board.
    #[inline]
    pub(super) fn unbounded_targets(&self, from: Square, occupied: u128) -> u128 {
        let around = (occupied << LEG_OFFSET >> from.index()) as u64;
        u128::from(self.targets[self.legs.table_index(around)]) << from.index() >> TARGET_OFFSET
    }
}
