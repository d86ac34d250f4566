//! Horses and elephants, looked up: what stands in the way of a leap is a neighbour of its start.

use super::board::SQUARES;
use super::geometry::{MOVES, SIZE};
use crate::board::Square;

/// How far the neighbours of a square lie below it at the most: one rank and one file.
const RING: usize = SIZE.files + 1;

/// How far the targets of a leap do: two of each.
const SPAN: usize = 2 * RING;

/// The neighbours that may stand in the way of a leap.
#[derive(Clone, Copy, Debug)]
struct Legs {
    /// Counted from [`RING`] squares below.
    squares: u64,
    /// Brings them together: a product has them in its four highest bits, in whatever order. Found
    /// by trial.
    factor: u64,
}

impl Legs {
    const NONE: Self = Self { squares: 0, factor: 0 };

    const ORTHOGONAL: Self = Self {
        squares: 1 << 1 | 1 << (RING - 1) | 1 << (RING + 1) | 1 << (SPAN - 1),
        factor: 0x0810_0800_0000_0000,
    };

    const DIAGONAL: Self =
        Self { squares: 1 | 1 << 2 | 1 << (SPAN - 2) | 1 << SPAN, factor: 0x1000_0800_0000_0000 };

    /// Which of them stand there, as a number below 16.
    #[inline]
    fn pattern(self, around: u64) -> usize {
        ((around & self.squares).wrapping_mul(self.factor) >> (u64::BITS - 4)) as usize
    }

    /// All subsets of them.
    fn subsets(self) -> impl Iterator<Item = u64> {
        let next = move |around: &u64| {
            let next = (around | !self.squares).wrapping_add(1) & self.squares;
            (next > 0).then_some(next)
        };
        std::iter::successors(Some(0), next)
    }
}

/// Where a leap gets to from any square, by what stands in its way.
#[derive(Debug)]
pub(super) struct Leap {
    legs: Legs,
    /// By [`Legs::pattern`] the targets, counted from [`SPAN`] squares below. On a square near the
    /// edge some of them are not there.
    targets: [u64; 16],
    /// By square, all that are there.
    bounds: [u128; SQUARES],
}

impl Leap {
    /// Steps, which nothing hinders: all squares around.
    pub(super) const STEP: Self =
        Self { legs: Legs::NONE, targets: [!0; 16], bounds: [!0; SQUARES] };

    /// A horse's leaps, over its orthogonal neighbours.
    pub(super) fn horse() -> Self {
        Self::new(Legs::ORTHOGONAL, |from, occupied| MOVES.horse(from, occupied))
    }

    /// A horse's leaps seen from the target, over its diagonal neighbours.
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
            let occupied = u128::from(around) << (centre.index() - RING);
            targets[legs.pattern(around)] =
                (reach(centre, occupied) >> (centre.index() - SPAN)) as u64;
        }
        let bounds = std::array::from_fn(|from| reach(Square::new(from), 0));
        Self { legs, targets, bounds }
    }

    /// The targets from a square.
    #[inline]
    pub(super) fn targets(&self, from: Square, occupied: u128) -> u128 {
        self.open(from, occupied) & self.bounds[from.index()]
    }

    /// The targets from a square, and what else lies as far from it beyond an edge of the board.
    #[inline]
    pub(super) fn open(&self, from: Square, occupied: u128) -> u128 {
        let around = (occupied << RING >> from.index()) as u64;
        u128::from(self.targets[self.legs.pattern(around)]) << from.index() >> SPAN
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::geometry::{MOVES, SIZE};
    use super::{Leap, Legs};
    use crate::rng::{Rng, Stream};

    #[test]
    fn patterns_tell_all_subsets_apart() {
        for legs in [Legs::ORTHOGONAL, Legs::DIAGONAL] {
            let patterns: BTreeSet<_> = legs.subsets().map(|around| legs.pattern(around)).collect();
            assert_eq!(patterns, (0..16).collect());
        }
    }

    #[test]
    fn leaps_are_what_movement_tells() {
        let [horse, origins, elephant] = [Leap::horse(), Leap::horse_origins(), Leap::elephant()];
        let mut rng = Rng::new(1, Stream::Deal);
        for _ in 0..300 {
            let [low, high] = [rng.next_u64(), rng.next_u64()];
            let occupied = u128::from(low) | u128::from(high) << 64;
            let occupied = occupied & ((1 << SIZE.squares()) - 1);
            for from in SIZE.all() {
                assert_eq!(horse.targets(from, occupied), MOVES.horse(from, occupied));
                assert_eq!(origins.targets(from, occupied), MOVES.horse_origins(from, occupied));
                assert_eq!(elephant.targets(from, occupied), MOVES.elephant(from, occupied));
            }
        }
    }
}
