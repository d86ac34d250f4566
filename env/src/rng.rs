//! Random streams of games: the same on every machine and for every batch size and thread count.

use std::convert::Infallible;

use rand::{Rng as _, TryRng};
use rand_pcg::Pcg64;

/// Weyl increment (the golden ratio in 64 bits), as in SplitMix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The seed of game `number` of a run seeded with `seed`.
///
/// Number 0 keeps the seed itself, so a single game and the first game of a batch are the same. The
/// others follow a Weyl sequence: distinct numbers give distinct seeds, and runs with different
/// small seeds share no game. A game's seed is not for a run: its games would be those of the first
/// run, a few numbers later. See [`run_seed`].
pub const fn game_seed(seed: u64, number: u64) -> u64 {
    seed.wrapping_add(number.wrapping_mul(GOLDEN))
}

/// The seed of run `number` of several that follow from one seed, such as games to fit to and games to
/// test the fit on. The runs share no game, as far as chance allows.
pub const fn run_seed(seed: u64, number: u64) -> u64 {
    random_key(seed, number)
}

/// The purposes of a game's random numbers. Each has its own stream, so that one purpose can take more
/// numbers without changing another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// The shuffle of the covered pieces.
    Deal,
    /// Uniformly random actions of a batch.
    Sample,
    /// Worlds sampled from a view.
    Resample,
    /// The seat of the caller in a batch with opponents.
    Seat,
    /// The order in which logged games are read.
    GameOrder,
    /// The order in which rows of logged games are returned.
    RowOrder,
    /// The choices of the agent in this seat.
    Agent(u8),
    /// The choice of the opponent at this ply.
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

/// A reproducible generator: PCG XSL RR 128/64 (O'Neill, 2014).
///
/// It implements the traits of the `rand` crate, so all of its distributions can be sampled:
///
/// ```
/// use darkqi_env::{Rng, Stream};
/// use rand::distr::{Distribution, weighted::WeightedIndex};
///
/// let policy = WeightedIndex::new([0.1, 0.0, 0.9])?;
/// let mut rng = Rng::new(7, Stream::Agent(0));
/// assert_ne!(policy.sample(&mut rng), 1);
/// # Ok::<(), rand::distr::weighted::Error>(())
/// ```
///
/// A seed must give the same game for ever, and `rand` may change the values of its distributions
/// between versions (value stability). Deals, sampled actions and whatever else a logged seed must
/// repeat therefore use [`below`](Self::below) and [`shuffle`](Self::shuffle), which do not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Pcg64);

impl Rng {
    /// The generator of one purpose in the game with this seed.
    ///
    /// Purposes differ in the state, not only in the increment: PCG streams that start in the same
    /// state are correlated.
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

    /// A uniform number in [0, 1), from 53 bits. `rand` gives the same one today, but may change its
    /// distributions between versions; a logged seed must give the same game for ever.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A uniform number below `bound`.
    ///
    /// Lemire, "Fast Random Integer Generation in an Interval" (2019): unbiased, with a division
    /// only when a number falls into the short remainder.
    ///
    /// # Panics
    /// If `bound` is 0.
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

    /// One of the items, each as likely as another.
    ///
    /// # Panics
    /// If there are none.
    #[inline]
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// Puts the items into uniformly random order (Fisher-Yates shuffle).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// A fixed random number for each `number`.
pub(crate) const fn random_key(seed: u64, number: u64) -> u64 {
    mix(game_seed(mix(seed), number))
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
            keys[row][column] = random_key(seed, number);
            column += 1;
        }
        row += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::distr::{Bernoulli, Distribution};

    use std::collections::HashSet;

    use super::{Rng, Stream, game_seed, run_seed};

    #[test]
    fn streams_are_value_stable() {
        // A change of these values would silently change the game of every logged seed.
        let mut rng = Rng::new(7, Stream::Deal);
        let sampled: Vec<u32> = (0..8).map(|_| rng.below(1000)).collect();
        assert_eq!(sampled, [111, 779, 248, 218, 119, 156, 230, 840]);
        let uniform: Vec<f64> = (0..4).map(|_| rng.uniform()).collect();
        let expected =
            [0.9867026018925461, 0.4207605425160016, 0.07325274502953716, 0.2213578601899875];
        assert_eq!(uniform, expected);
    }

    #[test]
    fn streams_and_games_differ() {
        let first = |seed, stream| Rng::new(seed, stream).next_u64();
        assert_ne!(first(1, Stream::Deal), first(1, Stream::Sample));
        assert_ne!(first(1, Stream::Agent(0)), first(1, Stream::Agent(1)));
        assert_ne!(first(game_seed(1, 0), Stream::Deal), first(game_seed(1, 1), Stream::Deal));
    }

    #[test]
    fn runs_of_one_seed_share_no_game() {
        const GAMES: u64 = 10_000;
        let runs = (0..4).flat_map(|run| (0..GAMES).map(move |game| (run_seed(1, run), game)));
        let seeds: HashSet<u64> = runs.map(|(run, game)| game_seed(run, game)).collect();
        assert_eq!(seeds.len() as u64, 4 * GAMES);
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
    fn distributions_of_rand_can_be_sampled() {
        let mut rng = Rng::new(5, Stream::Sample);
        let ones = Bernoulli::new(0.25).expect("a probability").sample_iter(&mut rng).take(10_000);
        let count = ones.filter(|&one| one).count();
        // The count has standard deviation 43; five of them are 217.
        assert!(count.abs_diff(2500) < 217, "{count}");
        assert!((0.0..1.0).contains(&rng.random::<f64>()));
        // The traits return the numbers of the generator itself.
        let own = rng.clone().next_u64();
        assert_eq!(rand::Rng::next_u64(&mut rng), own);
    }

    #[test]
    fn bounded_numbers_are_uniform() {
        let mut rng = Rng::new(3, Stream::Sample);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        // Each count has standard deviation 91; five of them are 456.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 456), "{counts:?}");
    }
}
