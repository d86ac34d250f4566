//! Sets of squares as machine words, under one vocabulary for every board size.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::action::Side;
use crate::square::Square;

/// A set of squares, bit `i` standing for the square with index `i`.
pub trait Bitboard:
    Copy
    + Eq
    + Debug
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// The set without squares.
    const EMPTY: Self;

    /// The set that holds `square` alone.
    fn single(square: Square) -> Self;

    /// Number of squares in the set.
    fn count(self) -> u32;

    /// The lowest square. The set must not be empty.
    fn first(self) -> Square;

    /// The highest square. The set must not be empty.
    fn last(self) -> Square;

    /// Whether the set has no square.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the two sets share a square.
    #[inline]
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Whether `square` is in the set.
    #[inline]
    fn contains(self, square: Square) -> bool {
        self.meets(Self::single(square))
    }

    /// The set of the given squares.
    fn collect(squares: impl IntoIterator<Item = Square>) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::single(square))
    }

    /// The squares from the lowest to the highest.
    #[inline]
    fn ascending(self) -> Ascending<Self> {
        Ascending(self)
    }

    /// The squares in the order in which they are numbered from a side.
    #[inline]
    fn seen_from(self, side: Side) -> SeenFrom<Self> {
        SeenFrom { set: self, side }
    }
}

/// Iterator made by [`Bitboard::ascending`].
#[derive(Clone, Debug)]
pub struct Ascending<B>(B);

impl<B: Bitboard> Iterator for Ascending<B> {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0.is_empty() {
            return None;
        }
        let square = self.0.first();
        self.0 ^= B::single(square);
        Some(square)
    }
}

/// Iterator made by [`Bitboard::seen_from`].
#[derive(Clone, Debug)]
pub struct SeenFrom<B> {
    set: B,
    side: Side,
}

impl<B: Bitboard> Iterator for SeenFrom<B> {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.set.is_empty() {
            return None;
        }
        let square = match self.side {
            Side::Near => self.set.first(),
            Side::Far => self.set.last(),
        };
        self.set ^= B::single(square);
        Some(square)
    }
}

macro_rules! word_bitboards {
    ($($word:ty),*) => {$(
        impl Bitboard for $word {
            const EMPTY: Self = 0;

            #[inline]
            fn single(square: Square) -> Self {
                1 << square.index()
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn first(self) -> Square {
                debug_assert!(self != 0);
                Square::new(self.trailing_zeros() as usize)
            }

            #[inline]
            fn last(self) -> Square {
                debug_assert!(self != 0);
                Square::new((<$word>::BITS - 1 - self.leading_zeros()) as usize)
            }
        }
    )*};
}

word_bitboards!(u32, u64, u128);

#[cfg(test)]
mod tests {
    use super::Bitboard;
    use crate::action::Side;
    use crate::square::Square;

    #[test]
    fn both_orders_visit_every_square_once() {
        let squares: Vec<Square> = [0, 5, 63, 64, 89].map(Square::new).to_vec();
        let set = u128::collect(squares.iter().copied());
        assert_eq!(set.count(), 5);
        assert_eq!(set.ascending().collect::<Vec<_>>(), squares);
        let mut reversed = squares;
        reversed.reverse();
        assert_eq!(set.seen_from(Side::Far).collect::<Vec<_>>(), reversed);
    }
}
