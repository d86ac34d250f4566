//! The thread pool of batches beside rayon, at the same work in turns.
//!
//! `cargo run --release -p darkqi-env --example thread_pools [-- --pause MICROSECONDS] [GAME...]`
//!
//! The work is a step of random play, divided into chunks as a batch divides it; each chunk is a batch
//! of its own without threads, so that all pools step the very same games. Every column but the first
//! is the median of its times divided by the pool's time of the same round. With a pause the calling
//! thread computes something else between two steps, as a training loop does.

#[allow(dead_code, unreachable_pub, reason = "the batch uses all of the module")]
#[path = "../src/batch/thread_pool.rs"]
mod thread_pool;

use std::env;
use std::error::Error;
use std::hint;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use darkqi_env::{AnyBatch, BatchConfig, Options, batch::Buffers};
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use thread_pool::{Divisible, ThreadPool};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const GAMES: [&str; 2] = ["banqi", "jieqi"];
const LANES: [usize; 6] = [64, 256, 1024, 4096, 16_384, 65_536];
const THREADS: usize = 2;

/// The fewest lanes of a chunk, and chunks per thread in great batches: those of a batch.
const CHUNK: usize = 16;
const CHUNKS: usize = 16;

const ROUNDS: usize = 41;

/// How long a pool works in each round, at least.
const ROUND: Duration = Duration::from_millis(3);

/// Steps before the first measurement, so that lanes stand in all parts of their games.
const WARM_UP: usize = 300;

/// Some lanes, stepped by one thread at a time.
struct Chunk {
    batch: Box<dyn AnyBatch>,
    buffers: Buffers,
    actions: Vec<i64>,
}

impl Chunk {
    fn step(&mut self) {
        self.batch.sample_actions(&mut self.actions).expect("the buffer fits");
        self.batch.step(&self.actions, self.buffers.rows()).expect("sampled actions are legal");
    }
}

/// The unit of [`ThreadPool`] is a chunk here, not a lane.
struct Chunks<'a>(&'a mut [Chunk]);

impl Divisible for Chunks<'_> {
    fn lanes(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (first, others) = self.0.split_at_mut(lanes);
        (Self(first), Self(others))
    }
}

/// The ways of stepping all chunks.
struct Pools {
    own: ThreadPool,
    /// As many threads; the caller waits.
    rayon: rayon::ThreadPool,
    /// One thread fewer; the caller works.
    rayon_helpers: rayon::ThreadPool,
}

const NAMES: [&str; 4] = ["own pool", "one thread", "rayon par_iter", "rayon scope"];

impl Pools {
    fn new() -> Result<Self> {
        let rayon = |threads: usize| -> std::result::Result<_, ThreadPoolBuildError> {
            ThreadPoolBuilder::new().num_threads(threads).build()
        };
        Ok(Self {
            own: ThreadPool::new(THREADS)?,
            rayon: rayon(THREADS)?,
            rayon_helpers: rayon(THREADS - 1)?,
        })
    }

    /// Steps all chunks by the way with this number in [`NAMES`].
    fn step(&self, way: usize, chunks: &mut [Chunk]) {
        match way {
            0 => self.own.run(Chunks(chunks), 1, &|Chunks(some)| {
                some.iter_mut().for_each(Chunk::step);
            }),
            1 => chunks.iter_mut().for_each(Chunk::step),
            2 => self.rayon.install(|| chunks.par_iter_mut().for_each(Chunk::step)),
            _ => {
                let rest = Mutex::new(chunks.iter_mut());
                let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
                let work = || {
                    while let Some(chunk) = next() {
                        chunk.step();
                    }
                };
                self.rayon_helpers.in_place_scope(|scope| {
                    (1..THREADS).for_each(|_| scope.spawn(|_| work()));
                    work();
                });
            }
        }
    }

    /// Seconds of a step.
    fn time(&self, way: usize, chunks: &mut [Chunk], pause: Duration) -> f64 {
        let (begin, mut stepping, mut steps) = (Instant::now(), Duration::ZERO, 0);
        while steps == 0 || begin.elapsed() < ROUND {
            let step = Instant::now();
            self.step(way, chunks);
            stepping += step.elapsed();
            steps += 1;
            let pausing = Instant::now();
            while pausing.elapsed() < pause {
                hint::spin_loop();
            }
        }
        stepping.as_secs_f64() / f64::from(steps)
    }
}

fn chunks(game: &str, lanes: usize) -> Result<Vec<Chunk>> {
    let size = CHUNK.max(lanes / (CHUNKS * THREADS));
    let chunk = |first_lane: usize| -> Result<Chunk> {
        let threads = Some(1);
        let config =
            BatchConfig { lanes: size, first_lane, seed: 1, threads, ..BatchConfig::default() };
        let batch = darkqi_env::make(game, &Options::new(), config)?;
        let buffers = Buffers::new(&*batch);
        Ok(Chunk { batch, buffers, actions: vec![0; size] })
    };
    (0..lanes).step_by(size).map(chunk).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<()> {
    let mut games: Vec<String> = env::args().skip(1).collect();
    let mut pause = Duration::ZERO;
    if let Some(at) = games.iter().position(|arg| arg == "--pause") {
        let value = games.get(at + 1).ok_or("--pause: expected microseconds")?;
        pause = Duration::from_micros(value.parse()?);
        games.drain(at..at + 2);
    }
    if games.is_empty() {
        games = GAMES.map(str::to_owned).to_vec();
    }
    let pools = Pools::new()?;
    println!("{THREADS} threads, pause {pause:?}, {ROUNDS} rounds");
    print!("{:<10} {:>6} {:>14}", "game", "lanes", "own, us/step");
    NAMES[1..].iter().for_each(|name| print!(" {name:>14}"));
    println!();
    for game in &games {
        for lanes in LANES {
            let mut chunks = chunks(game, lanes)?;
            (0..WARM_UP).for_each(|_| pools.step(0, &mut chunks));
            let mut times = [const { Vec::new() }; NAMES.len()];
            for round in 0..ROUNDS {
                for turn in 0..NAMES.len() {
                    let way = (round + turn) % NAMES.len();
                    times[way].push(pools.time(way, &mut chunks, pause));
                }
            }
            let [own, others @ ..] = times;
            print!("{game:<10} {lanes:>6} {:>14.1}", 1e6 * median(own.clone()));
            for other in others {
                let ratios = other.iter().zip(&own).map(|(other, own)| other / own).collect();
                print!(" {:>14.2}", median(ratios));
            }
            println!();
        }
    }
    Ok(())
}
