//! Multisets of unseen pieces: probabilities of reveals, and sampling without replacement.

use crate::rng::{Rng, mix};

/// A multiset of unseen pieces: the number of each of `N` piece ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnseenPieces<const N: usize> {
    counts: [u8; N],
}

impl<const N: usize> UnseenPieces<N> {
    /// The empty multiset.
    pub const EMPTY: Self = Self { counts: [0; N] };

    /// The multiset with these numbers of each piece id.
    pub const fn new(counts: [u8; N]) -> Self {
        Self { counts }
    }

    /// Number of pieces of one piece id.
    #[inline]
    pub const fn count(&self, piece_id: usize) -> u8 {
        self.counts[piece_id]
    }

    /// Number of pieces of each piece id.
    #[inline]
    pub const fn counts(&self) -> &[u8; N] {
        &self.counts
    }

    /// Number of pieces.
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

    /// Adds a piece.
    #[inline]
    pub fn add(&mut self, piece_id: usize) {
        self.counts[piece_id] += 1;
    }

    /// Removes a piece.
    ///
    /// # Panics
    /// If there is none of this piece id.
    #[inline]
    pub fn remove(&mut self, piece_id: usize) {
        assert!(
            self.counts[piece_id] > 0,
            "piece id {piece_id} was revealed but is not among the unseen pieces"
        );
        self.counts[piece_id] -= 1;
    }

    /// The piece ids in the multiset, each with the probability that a given unseen piece has it.
    pub fn probabilities(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<N> {
        let total = f64::from(self.total());
        self.counts
            .into_iter()
            .enumerate()
            .filter(|&(_, count)| count > 0)
            .map(move |(piece_id, count)| (piece_id, f64::from(count) / total))
    }

    /// Samples all pieces in uniformly random order, one after another.
    pub fn without_replacement<'a>(&self, rng: &'a mut Rng) -> WithoutReplacement<'a, N> {
        WithoutReplacement { left: *self, total: self.total(), rng }
    }
}

/// Sampling without replacement, made by [`UnseenPieces::without_replacement`].
#[derive(Debug)]
pub struct WithoutReplacement<'a, const N: usize> {
    left: UnseenPieces<N>,
    total: u32,
    rng: &'a mut Rng,
}

impl<const N: usize> WithoutReplacement<'_, N> {
    /// Samples the piece id of the next piece.
    ///
    /// # Panics
    /// If no piece is left.
    pub fn sample(&mut self) -> usize {
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
        unreachable!("the sampled number is below the total")
    }

    /// The pieces that are left.
    pub fn left(self) -> UnseenPieces<N> {
        self.left
    }

    /// Ends the sampling.
    ///
    /// # Panics
    /// If pieces are left: every unseen piece must have its covered square.
    pub fn finish(self) {
        assert_eq!(self.total, 0, "more unseen pieces than covered squares");
    }
}

#[cfg(test)]
mod tests {
    use super::UnseenPieces;
    use crate::rng::{Rng, Stream};

    #[test]
    fn every_piece_is_sampled_once() {
        let unseen = UnseenPieces::new([2, 0, 3]);
        let mut rng = Rng::new(1, Stream::Deal);
        let mut sampler = unseen.without_replacement(&mut rng);
        let mut sampled = [0; 3];
        for _ in 0..5 {
            sampled[sampler.sample()] += 1;
        }
        sampler.finish();
        assert_eq!(sampled, [2, 0, 3]);
    }

    #[test]
    fn first_samples_follow_the_probabilities() {
        let unseen = UnseenPieces::new([1, 3]);
        let mut rng = Rng::new(5, Stream::Deal);
        let ones =
            (0..40_000).filter(|_| unseen.without_replacement(&mut rng).sample() == 1).count();
        // Binomial with mean 30,000 and standard deviation 87.
        assert!(ones.abs_diff(30_000) < 435, "{ones}");
        assert_eq!(unseen.probabilities().collect::<Vec<_>>(), [(0, 0.25), (1, 0.75)]);
    }

    #[test]
    #[should_panic(expected = "more unseen pieces")]
    fn leftovers_are_an_error() {
        let mut rng = Rng::new(1, Stream::Deal);
        UnseenPieces::new([1]).without_replacement(&mut rng).finish();
    }
}
