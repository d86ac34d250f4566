//! Horses and elephants, looked up: what stands in the way of a leap is a neighbour of its start.

use super::board::SQUARES;
use super::{MOVES, SIZE};
use crate::square::Square;

/// How far the neighbours of a square lie below it at the most: one rank and one file.
const RING: usize = SIZE.files + 1;

/// How far the targets of a leap do: two of each.
const SPAN: usize = 2 * RING;

/// Neighbours that may stand in the way, counted from [`RING`] squares below.
const ORTHOGONAL: u64 =
    1 << 1 | 1 << SIZE.files | 1 << (SIZE.files + 2) | 1 << (2 * SIZE.files + 1);
const DIAGONAL: u64 = 1 | 1 << 2 | 1 << (2 * SIZE.files) | 1 << (2 * SIZE.files + 2);

/// Where a leap gets to from any square, by what stands in its way.
#[derive(Debug)]
pub(super) struct Leap {
    /// The neighbours that may stand in the way.
    legs: u64,
    /// Brings them together: a product has them in its four highest bits, in whatever order.
    factor: u64,
    /// By those bits the targets, counted from [`SPAN`] squares below. On a square near the edge
    /// some of them are not there.
    targets: [u64; 16],
    /// By square, all that are there.
    bounds: [u128; SQUARES],
}

impl Leap {
    /// Steps, which nothing hinders: all squares around.
    pub(super) const STEP: Self =
        Self { legs: 0, factor: 0, targets: [!0; 16], bounds: [!0; SQUARES] };

    /// A horse's leaps, over its orthogonal neighbours.
    pub(super) fn horse() -> Self {
        Self::new(ORTHOGONAL, 0x0810_0800_0000_0000, |from, occupied| MOVES.horse(from, occupied))
    }

    /// A horse's leaps seen from the target, over its diagonal neighbours.
    pub(super) fn horse_origins() -> Self {
        let origins = |target, occupied| MOVES.horse_origins(target, occupied);
        Self::new(DIAGONAL, 0x1000_0800_0000_0000, origins)
    }

    /// An elephant's leaps, over its diagonal neighbours. The relation is symmetric.
    pub(super) fn elephant() -> Self {
        let targets = |from, occupied| MOVES.elephant(from, occupied);
        Self::new(DIAGONAL, 0x1000_0800_0000_0000, targets)
    }

    fn new(legs: u64, factor: u64, reach: impl Fn(Square, u128) -> u128) -> Self {
        let bounds = std::array::from_fn(|from| reach(Square::new(from), 0));
        let mut leap = Self { legs, factor, targets: [0; 16], bounds };
        let centre = SIZE.at(SIZE.files / 2, SIZE.ranks / 2);
        // All subsets of the legs, one after the other.
        let mut around = 0;
        loop {
            let occupied = u128::from(around) << (centre.index() - RING);
            leap.targets[leap.index(around)] =
                (reach(centre, occupied) >> (centre.index() - SPAN)) as u64;
            around = (around | !legs).wrapping_add(1) & legs;
            if around == 0 {
                return leap;
            }
        }
    }

    #[inline]
    fn index(&self, around: u64) -> usize {
        ((around & self.legs).wrapping_mul(self.factor) >> (u64::BITS - 4)) as usize
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
        u128::from(self.targets[self.index(around)]) << from.index() >> SPAN
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MOVES, SIZE};
    use super::Leap;
    use crate::rng::{Rng, Stream};

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
