//! One random stream per game, the same on every machine, batch size and thread count.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;

/// Weyl increment (the golden ratio in 64 bits), as in SplitMix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The seed of game `number` of a run seeded with `seed`.
///
/// Number 0 keeps the seed itself, so a lone game and the first game of a batch are the same. The
/// others follow a Weyl sequence: distinct numbers give distinct seeds, and runs with different
/// small seeds share no game.
pub const fn game_seed(seed: u64, number: u64) -> u64 {
    seed.wrapping_add(number.wrapping_mul(GOLDEN))
}

/// What a game's randomness is drawn for. Each purpose has its own stream, so that drawing more
/// for one never changes another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// The shuffle of the covered pieces.
    Deal,
    /// Uniformly random actions.
    Sample,
    /// Worlds drawn from a view.
    Resample,
    /// The seat that an opponent leaves to the caller of a batch.
    Seat,
    /// The order in which logged games are read.
    GameOrder,
    /// The order in which rows of logged games are given.
    RowOrder,
    /// The choices of the agent in this seat.
    Agent(u8),
    /// The choice of the opponent who plays this ply.
    Ply(u16),
}

impl Stream {
    const fn number(self) -> u64 {
        match self {
            Self::Deal => 0,
            Self::Sample => 1,
            Self::Resample => 2,
            Self::Seat => 3,
            Self::GameOrder => 4,
            Self::RowOrder => 5,
            Self::Agent(seat) => 16 + seat as u64,
            Self::Ply(ply) => (1 << 16) + ply as u64,
        }
    }
}

/// A reproducible generator: PCG XSL RR 128/64.
///
/// Bounded draws are our own, so that values never change with a dependency's version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Pcg64);

impl Rng {
    /// The generator of one purpose within the game that has this seed.
    ///
    /// Purposes differ in the state, not in the increment alone: PCG's streams of one state are
    /// correlated.
    pub fn new(seed: u64, stream: Stream) -> Self {
        let key = mix(seed ^ mix(game_seed(GOLDEN, stream.number())));
        let state = (u128::from(key) << 64) | u128::from(mix(key.wrapping_add(GOLDEN)));
        Self(Pcg64::new(state, 0))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound`, which must not be 0.
    ///
    /// Lemire, "Fast Random Integer Generation in an Interval" (2019): unbiased, and a division
    /// only when the first draw falls into the short remainder.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "no number lies below 0");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            let low = product as u64;
            if low >= u64::from(bound) || low >= u64::from(bound).wrapping_neg() % u64::from(bound)
            {
                return (product >> 64) as u32;
            }
        }
    }

    /// Puts the items into uniformly random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// The finaliser of SplitMix64: a bijection that spreads every input bit.
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// Fixed random keys for hashing positions (Zobrist, 1970), `rows` of `columns` each.
pub(crate) const fn zobrist<const COLUMNS: usize, const ROWS: usize>(
    seed: u64,
) -> [[u64; COLUMNS]; ROWS] {
    let mut keys = [[0; COLUMNS]; ROWS];
    let mut row = 0;
    while row < ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let number = (row * COLUMNS + column + 1) as u64;
            keys[row][column] = mix(game_seed(mix(seed), number));
            column += 1;
        }
        row += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::{Rng, Stream, game_seed};

    #[test]
    fn streams_are_value_stable() {
        // Written down once: a changed value would silently change every logged seed.
        let mut rng = Rng::new(7, Stream::Deal);
        let drawn: Vec<u32> = (0..8).map(|_| rng.below(1000)).collect();
        assert_eq!(drawn, [111, 779, 248, 218, 119, 156, 230, 840]);
    }

    #[test]
    fn streams_and_games_differ() {
        let first = |seed, stream| Rng::new(seed, stream).next_u64();
        assert_ne!(first(1, Stream::Deal), first(1, Stream::Sample));
        assert_ne!(first(1, Stream::Agent(0)), first(1, Stream::Agent(1)));
        assert_ne!(first(game_seed(1, 0), Stream::Deal), first(game_seed(1, 1), Stream::Deal));
    }

    #[test]
    fn streams_of_one_seed_are_independent() {
        const SEEDS: u64 = 40_000;
        let pairs = [
            (Stream::Agent(0), Stream::Agent(1)),
            (Stream::Deal, Stream::Sample),
            (Stream::Sample, Stream::Resample),
        ];
        for (one, other) in pairs {
            let mut equal = [0_u32; 12];
            for seed in 0..SEEDS {
                let mut rngs = [one, other].map(|stream| Rng::new(seed, stream));
                for count in &mut equal {
                    let [a, b] = rngs.each_mut().map(|rng| rng.below(40));
                    *count += u32::from(a == b);
                }
            }
            // Binomial with mean 1000 and standard deviation 31; five of them are 156.
            assert!(equal.iter().all(|count| count.abs_diff(1000) < 156), "{equal:?}");
        }
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut rng = Rng::new(3, Stream::Sample);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        // Each count has standard deviation 91; five of them are 456.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 456), "{counts:?}");
    }
}
