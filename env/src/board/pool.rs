//! Multisets of unseen pieces: odds and draws.

use crate::rng::{Rng, mix};

/// How many pieces of each of `N` piece ids are unseen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnseenPieces<const N: usize> {
    counts: [u8; N],
}

impl<const N: usize> UnseenPieces<N> {
    /// A pool without pieces.
    pub const EMPTY: Self = Self { counts: [0; N] };

    /// A pool that holds this many of each piece id.
    pub const fn new(counts: [u8; N]) -> Self {
        Self { counts }
    }

    /// How many of one piece id are left.
    #[inline]
    pub const fn count(&self, piece_id: usize) -> u8 {
        self.counts[piece_id]
    }

    /// How many of each piece id are left.
    #[inline]
    pub const fn counts(&self) -> &[u8; N] {
        &self.counts
    }

    /// How many pieces are left.
    #[inline]
    pub fn total(&self) -> u32 {
        self.counts.iter().map(|&count| u32::from(count)).sum()
    }

    /// A hash of the counts.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.counts.chunks(8).fold(0, |hash, counts| {
            let mut word = [0; 8];
            word[..counts.len()].copy_from_slice(counts);
            mix(hash ^ u64::from_le_bytes(word))
        })
    }

    /// Puts one piece in.
    #[inline]
    pub fn add(&mut self, piece_id: usize) {
        self.counts[piece_id] += 1;
    }

    /// Takes one piece of a known piece id out.
    ///
    /// # Panics
    /// If none is left: the pool and the board would disagree.
    #[inline]
    pub fn remove(&mut self, piece_id: usize) {
        assert!(
            self.counts[piece_id] > 0,
            "a piece of piece_id {piece_id} was turned over that is not unseen"
        );
        self.counts[piece_id] -= 1;
    }

    /// The piece ids that are left, each with the probability that one unseen piece is of it.
    pub fn odds(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<N> {
        let total = f64::from(self.total());
        self.counts
            .into_iter()
            .enumerate()
            .filter(|&(_, count)| count > 0)
            .map(move |(piece_id, count)| (piece_id, f64::from(count) / total))
    }

    /// All pieces in uniformly random order, one after another.
    ///
    /// # Panics
    /// If more are drawn than the pool holds; [`WithoutReplacement::finish`] if fewer were.
    pub fn without_replacement<'a>(&self, rng: &'a mut Rng) -> WithoutReplacement<'a, N> {
        WithoutReplacement { left: *self, total: self.total(), rng }
    }
}

/// WithoutReplacement without replacement, made by [`UnseenPieces::draws`].
#[derive(Debug)]
pub struct WithoutReplacement<'a, const N: usize> {
    left: UnseenPieces<N>,
    total: u32,
    rng: &'a mut Rng,
}

impl<const N: usize> WithoutReplacement<'_, N> {
    /// The piece id of the next piece.
    pub fn draw(&mut self) -> usize {
        assert!(self.total > 0, "more covered squares than unseen pieces");
        let mut rest = self.rng.below(self.total);
        self.total -= 1;
        for piece_id in 0..N {
            let count = u32::from(self.left.counts[piece_id]);
            if rest < count {
                self.left.counts[piece_id] -= 1;
                return piece_id;
            }
            rest -= count;
        }
        unreachable!("the draw lies below the total")
    }

    /// Ends the draws.
    ///
    /// # Panics
    /// If pieces are left over: every unseen piece lies on some covered square.
    pub fn finish(self) {
        assert_eq!(self.total, 0, "more unseen pieces than covered squares");
    }
}

#[cfg(test)]
mod tests {
    use super::UnseenPieces;
    use crate::rng::{Rng, Stream};

    #[test]
    fn draws_run_out_exactly() {
        let pool = UnseenPieces::new([2, 0, 3]);
        let mut rng = Rng::new(1, Stream::Deal);
        let mut draws = pool.without_replacement(&mut rng);
        let mut drawn = [0; 3];
        for _ in 0..5 {
            drawn[draws.draw()] += 1;
        }
        draws.finish();
        assert_eq!(drawn, [2, 0, 3]);
    }

    #[test]
    fn first_draws_follow_the_odds() {
        let pool = UnseenPieces::new([1, 3]);
        let mut rng = Rng::new(5, Stream::Deal);
        let ones = (0..40_000).filter(|_| pool.without_replacement(&mut rng).draw() == 1).count();
        // Binomial with mean 30,000 and standard deviation 87.
        assert!(ones.abs_diff(30_000) < 435, "{ones}");
        assert_eq!(pool.odds().collect::<Vec<_>>(), [(0, 0.25), (1, 0.75)]);
    }

    #[test]
    #[should_panic(expected = "more unseen pieces")]
    fn leftovers_are_a_fault() {
        let mut rng = Rng::new(1, Stream::Deal);
        UnseenPieces::new([1]).without_replacement(&mut rng).finish();
    }
}
