//! Datasets looked through for faults: files, numbering, and every game played again.

mod fault;
mod listing;
mod shard;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_datasets::Dataset;
use darkqi_datasets::options_from_json;
use darkqi_env::MAX_THREADS;
use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};
use rayon::ThreadPoolBuilder;
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

pub use self::fault::Fault;
use self::fault::Faults;
use self::shard::Inspector;
use crate::config::{Config, Plan};
use crate::error::Error;
use crate::progress::Progress;

/// What was found in a dataset.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verification {
    /// Games that `dataset.json` lists.
    pub listed_games: u64,
    /// Games that could be read and were played again.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Shards that `dataset.json` lists.
    pub shards: usize,
    /// Whether the writer has finished. One that has not is at work or was interrupted, which is no
    /// fault; neither are then files that it has not come to list.
    pub complete: bool,
    /// Files that a writer at work or interrupted has not come to list.
    pub unlisted_files: Vec<String>,
    /// The number of faults.
    pub fault_count: u64,
    /// The faults, those of `dataset.json` first and then by shard; of each shard the first
    /// [`Verification::MOST_PER_SHARD`].
    pub faults: Vec<Fault>,
}

impl Verification {
    /// How many faults of one shard are named. The others are counted.
    pub const MOST_PER_SHARD: usize = 20;
}

/// Looks for faults in a dataset: whether `dataset.json` lists shards and games without gaps and
/// doubles, whether each file is what was written, and whether each game goes as the rules and the
/// run's settings say. A fault does not end the search; what could not be read is not looked at.
///
/// # Errors
/// If `dataset.json` cannot be understood, or its game or options do not exist, so that nothing can
/// be checked; if there are too many threads; [`Error::Stopped`] when `stop` becomes true.
pub fn verify(
    dir: &Path,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Verification, Error> {
    struct Verify<'a> {
        dataset: Dataset,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Verify<'_> {
        type Output = Result<Verification, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            run(rules, &self.dataset, self.progress, self.stop)
        }
    }
    let threads = threads.get();
    if threads > MAX_THREADS {
        let expected = format!("at most {MAX_THREADS}");
        return Err(Error::Config { field: "threads", found: threads as u64, expected });
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| Error::Threads { threads, cause: cause.to_string() })?;
    let dataset = Dataset::open_unchecked(dir)?;
    let game = dataset.metadata().game.clone();
    let options = options_from_json(&dataset.metadata().options)?;
    pool.install(|| games::with(&game, &options, Verify { dataset, progress, stop }))?
}

fn run<G: Registered>(
    rules: G,
    dataset: &Dataset,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Verification, Error> {
    progress.begin(dataset.num_games(), 0);
    let mut faults = Faults::default();
    let plan = plan(dataset, G::NAME, rules.players(), &mut faults);
    let unlisted_files = listing::check(dataset, plan.as_ref(), &mut faults)?;
    let inspector = Inspector::new(rules, dataset, plan, progress, stop);
    let found: Vec<_> = (0..dataset.shards().len())
        .into_par_iter()
        .map(|place| inspector.shard(place))
        .collect::<Result<_, _>>()?;
    let mut verification = Verification {
        listed_games: dataset.num_games(),
        games: 0,
        plies: 0,
        shards: dataset.shards().len(),
        complete: dataset.is_complete(),
        unlisted_files,
        fault_count: faults.count,
        faults: faults.named,
    };
    for mut shard in found {
        verification.games += shard.games;
        verification.plies += shard.plies;
        verification.fault_count += shard.faults.count;
        verification.faults.append(&mut shard.faults.named);
    }
    Ok(verification)
}

/// Who plays what in which game, where `dataset.json` says.
fn plan(dataset: &Dataset, game: &'static str, seats: usize, faults: &mut Faults) -> Option<Plan> {
    dataset.run()?;
    match Config::of_dataset(dataset.dir()).and_then(|config| Plan::new(&config, game, seats)) {
        Ok(plan) => Some(plan),
        Err(error) => {
            faults.add(Fault::of_listing(error.to_string()));
            None
        }
    }
}
