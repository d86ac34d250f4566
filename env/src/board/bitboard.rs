//! Bitboards: sets of squares as machine words, one interface for every board size.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::square::Square;

/// A set of squares: bit `i` is set if the square with index `i` is in the set.
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

    /// Words of 64 squares each.
    type Words: AsRef<[u64]>;

    /// The words of the set, lowest squares first.
    fn words(self) -> Self::Words;

    /// The set of `square` alone.
    fn single(square: Square) -> Self;

    /// Number of squares in the set.
    fn count(self) -> u32;

    /// The lowest square. The set must not be empty.
    fn first(self) -> Square;

    /// The highest square. The set must not be empty.
    fn last(self) -> Square;

    /// The squares from the highest of `below` to the lowest of `above`, both included. An empty
    /// `below` starts the span at the first bit; an empty `above` ends it at the last bit.
    fn span(below: Self, above: Self) -> Self;

    /// Whether the set has no square.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether the two sets have a square in common.
    #[inline]
    fn intersects(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Whether `square` is in the set.
    #[inline]
    fn contains(self, square: Square) -> bool {
        self.intersects(Self::single(square))
    }

    /// The set of the given squares.
    fn collect(squares: impl IntoIterator<Item = Square>) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::single(square))
    }

    /// The set without its lowest square, or the empty set.
    fn without_first(self) -> Self;

    /// Removes the lowest square and returns it; `None` if the set is empty.
    #[inline]
    fn take_first(&mut self) -> Option<Square> {
        if self.is_empty() {
            return None;
        }
        let square = self.first();
        *self = self.without_first();
        Some(square)
    }

    /// The squares from the lowest to the highest.
    #[inline]
    fn ascending(self) -> Ascending<Self> {
        Ascending(self)
    }
}

/// Iterator made by [`Bitboard::ascending`].
#[derive(Clone, Debug)]
pub struct Ascending<B>(B);

impl<B: Bitboard> Iterator for Ascending<B> {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        self.0.take_first()
    }
}

macro_rules! word_bitboards {
    ($($word:ty: $words:literal),*) => {$(
        impl Bitboard for $word {
            const EMPTY: Self = 0;

            type Words = [u64; $words];

            #[inline]
            fn words(self) -> Self::Words {
                std::array::from_fn(|number| (u128::from(self) >> (64 * number)) as u64)
            }

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
            fn span(below: Self, above: Self) -> Self {
                // `below | 1` starts at the first bit if `below` is empty. `x ^ (x - 1)` sets all
                // bits up to the lowest set bit of `above`, or all bits if there is none.
                let from = <$word>::MAX << (<$word>::BITS - 1 - (below | 1).leading_zeros());
                from & (above ^ above.wrapping_sub(1))
            }

            #[inline]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline]
            fn last(self) -> Square {
                debug_assert!(self != 0);
                Square::new((<$word>::BITS - 1 - self.leading_zeros()) as usize)
            }
        }
    )*};
}

word_bitboards!(u32: 1, u64: 1, u128: 2);

/// A bitboard of `WORDS` times 64 squares, for boards that do not fit the largest machine word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WideBitboard<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> WideBitboard<WORDS> {
    #[inline]
    fn zip(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}

macro_rules! wide_operators {
    ($($operator:ident::$method:ident, $assign:ident::$assign_method:ident;)*) => {$(
        impl<const WORDS: usize> $operator for WideBitboard<WORDS> {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                self.zip(other, u64::$method)
            }
        }

        impl<const WORDS: usize> $assign for WideBitboard<WORDS> {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    )*};
}

wide_operators! {
    BitAnd::bitand, BitAndAssign::bitand_assign;
    BitOr::bitor, BitOrAssign::bitor_assign;
    BitXor::bitxor, BitXorAssign::bitxor_assign;
}

impl<const WORDS: usize> Not for WideBitboard<WORDS> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(u64::not))
    }
}

impl<const WORDS: usize> Bitboard for WideBitboard<WORDS> {
    const EMPTY: Self = Self([0; WORDS]);

    type Words = [u64; WORDS];

    #[inline]
    fn words(self) -> Self::Words {
        self.0
    }

    #[inline]
    fn single(square: Square) -> Self {
        let mut words = [0; WORDS];
        words[square.index() / 64] = 1 << (square.index() % 64);
        Self(words)
    }

    #[inline]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    fn first(self) -> Square {
        let number = self.0.iter().position(|&word| word != 0).expect("the set is not empty");
        Square::new(number * 64 + self.0[number].trailing_zeros() as usize)
    }

    #[inline]
    fn last(self) -> Square {
        let number = self.0.iter().rposition(|&word| word != 0).expect("the set is not empty");
        Square::new(number * 64 + 63 - self.0[number].leading_zeros() as usize)
    }

    #[inline]
    fn span(below: Self, above: Self) -> Self {
        let mut span = [0; WORDS];
        // First every bit up to the lowest square of `above`,
        let mut open = u64::MAX;
        for (word, above) in span.iter_mut().zip(above.0) {
            *word = open & (above ^ above.wrapping_sub(1));
            open &= if above == 0 { u64::MAX } else { 0 };
        }
        // then of those, every bit from the highest square of `below` on.
        let mut open = u64::MAX;
        for (word, below) in span.iter_mut().zip(below.0).rev() {
            *word &= open & below.checked_ilog2().map_or(u64::MAX, |last| u64::MAX << last);
            open &= if below == 0 { u64::MAX } else { 0 };
        }
        Self(span)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    fn contains(self, square: Square) -> bool {
        self.0[square.index() / 64] >> (square.index() % 64) & 1 == 1
    }

    #[inline]
    fn without_first(mut self) -> Self {
        self.take_first();
        self
    }

    #[inline]
    fn take_first(&mut self) -> Option<Square> {
        let (number, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(Square::new(number * 64 + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bitboard, WideBitboard};
    use crate::board::Square;

    fn check_order<B: Bitboard>(squares: &[usize]) {
        let squares: Vec<Square> = squares.iter().copied().map(Square::new).collect();
        let set = B::collect(squares.iter().copied());
        assert_eq!(set.count() as usize, squares.len());
        assert_eq!(set.ascending().collect::<Vec<_>>(), squares);
        if let (Some(&first), Some(&last)) = (squares.first(), squares.last()) {
            assert_eq!((set.first(), set.last()), (first, last));
        }
    }

    #[test]
    fn every_square_is_visited_once() {
        check_order::<u128>(&[0, 5, 63, 64, 89]);
        check_order::<WideBitboard<6>>(&[0, 5, 63, 64, 89, 127, 128, 360]);
        check_order::<WideBitboard<6>>(&[]);
    }

    #[test]
    fn wide_sets_are_sets_of_words() {
        let squares = |set: [usize; 3]| set.map(Square::new);
        let narrow = |set| u128::collect(squares(set));
        let wide = |set| WideBitboard::<2>::collect(squares(set));
        let (a, b) = ([3, 64, 100], [3, 63, 127]);
        let pairs = [
            (narrow(a) & narrow(b), wide(a) & wide(b)),
            (narrow(a) | narrow(b), wide(a) | wide(b)),
            (narrow(a) ^ narrow(b), wide(a) ^ wide(b)),
            (!narrow(a), !wide(a)),
        ];
        for (narrow, wide) in pairs {
            assert!(narrow.ascending().eq(wide.ascending()));
            assert_eq!(narrow.is_empty(), wide.is_empty());
            assert!((0..128).map(Square::new).all(|s| narrow.contains(s) == wide.contains(s)));
        }
        let nothing = WideBitboard::<2>::EMPTY;
        for (below, above) in [([3, 64, 70], [71, 80, 127]), ([0, 1, 2], [66, 90, 91])] {
            let whole = u128::span(0, 0);
            assert_eq!(whole, u128::MAX);
            let span = u128::span(narrow(below), narrow(above));
            assert_eq!(span.first(), Square::new(below[2]));
            assert_eq!(span.last(), Square::new(above[0]));
            assert_eq!(span.count() as usize, above[0] - below[2] + 1);
            assert!(span.ascending().eq(WideBitboard::span(wide(below), wide(above)).ascending()));
            let open = u128::span(narrow(below), 0) & u128::span(0, narrow(above));
            assert_eq!(open, span);
            let open =
                WideBitboard::span(wide(below), nothing) & WideBitboard::span(nothing, wide(above));
            assert_eq!(open, WideBitboard::span(wide(below), wide(above)));
        }
        assert!(wide(a).intersects(wide(b)) && !wide(a).intersects(wide([0, 1, 2])));
    }
}
