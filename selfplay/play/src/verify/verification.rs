//! Looks for faults in a dataset.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::RunningScore;
use darkqi_env::Spec;
use darkqi_format::training::{ObservationFault, check_observations};
use darkqi_format::{self as datasets, Dataset};
use serde::Serialize;

use super::manifest;
use crate::error::Error;
use crate::generation::{Fault, Faults, Inspector, Job, MAX_NAMED, Schedule, ShardFindings};
use crate::openings::Starts;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// The findings of a verification in a dataset.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verification {
    /// Games that `dataset.json` lists.
    pub listed_games: u64,
    /// Games that were read and played again.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Shards that `dataset.json` lists.
    pub shards: usize,
    /// Whether the writer has finished. If not, it is at work or was interrupted. This is no fault, and
    /// neither are files that it has not listed yet.
    pub complete: bool,
    /// Files that such a writer has not listed yet.
    pub unlisted_files: Vec<String>,
    /// Files of observations that are not there, if there is a folder of them and the dataset is
    /// complete. This is no fault: they follow from the games, and a resumed run writes them.
    pub missing_observations: Vec<String>,
    /// Shards that a writer replaced during the verification. Their games were not checked.
    pub replaced_shards: Vec<u32>,
    /// The number of faults.
    pub fault_count: u64,
    /// The faults: those of `dataset.json`, then those of the shards in turn. Of each shard the first
    /// [`Verification::MAX_PER_SHARD`].
    pub faults: Vec<Fault>,
}

impl Verification {
    /// How many faults of one shard are named. The others are counted.
    pub const MAX_PER_SHARD: usize = MAX_NAMED;
}

/// Looks for faults in a dataset: whether `dataset.json` lists shards and games without gaps and
/// duplicates, whether each file is as it was written, and whether each game follows the rules and
/// the run's settings. A fault does not end the search. Games that cannot be read are not checked.
/// A writer may be at work: the dataset is the one that `dataset.json` described at the start.
///
/// # Errors
/// If `dataset.json` cannot be parsed, or its game or options do not exist; if the system does not let a
/// file be read, which is no fault of the file, or there are too many threads; [`Error::Stopped`] when
/// `stop` becomes true.
pub fn verify(
    dir: &Path,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Verification, Error> {
    let pool = thread_pool(threads)?;
    let dataset = Dataset::open_unchecked(dir)?;
    let spec = dataset.metadata().spec()?;
    pool.install(|| {
        progress.begin(dataset.num_games(), 0);
        let shards = 0..dataset.shards().len();
        let found = inspect(&spec, &dataset, shards, progress, stop)?;
        conclude(&spec, &dataset, found, stop)
    })
}

/// Looks for faults in some shards, given by their places.
pub(super) fn inspect(
    spec: &Spec,
    dataset: &Dataset,
    shards: Range<usize>,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Vec<ShardFindings>, Error> {
    // What is wrong with the settings is a fault of `dataset.json`.
    let run = run_of(dataset, spec).unwrap_or_default();
    let run = run.as_ref().map(|(schedule, starts)| (schedule, starts));
    let inspector = Inspector::new(spec, dataset, run, progress, stop);
    datasets::in_parallel(shards, &|place| inspector.verify(place))
}

/// Looks for faults in what belongs to no shard, and puts all of them together. `found` has the faults
/// of each shard.
pub(super) fn conclude(
    spec: &Spec,
    dataset: &Dataset,
    found: Vec<ShardFindings>,
    stop: &AtomicBool,
) -> Result<Verification, Error> {
    let mut faults = Faults::default();
    let run = run_of(dataset, spec).unwrap_or_else(|error| {
        faults.add(Fault::of_manifest(error.to_string()));
        None
    });
    let schedule = run.as_ref().map(|(schedule, _)| schedule);
    let unlisted_files = manifest::check(dataset, schedule, &mut faults)?;
    manifest::check_agent_files(dataset, &mut faults)?;
    // Observations of games that are faulty would be those of other games.
    let is_sound = |place: &usize| found[*place].faults.count == 0;
    let sound: Vec<usize> = (0..found.len()).filter(is_sound).collect();
    let observations = check_observations(dataset, &sound, stop)?;
    // What is no longer listed may have changed on disk while it was read.
    let still_listed = if sound.len() < found.len() || !observations.is_empty() {
        Dataset::open_unchecked(dataset.dir())?.shards().to_vec()
    } else {
        Vec::new()
    };
    let mut missing_observations = Vec::new();
    for ObservationFault { place, file, fault } in observations {
        if !still_listed.contains(&dataset.shards()[place]) {
            continue;
        }
        match fault {
            Some(fault) => faults.add(Fault::of_file(&file, fault)),
            // They are written last.
            None if dataset.is_complete() => missing_observations.push(file),
            None => {}
        }
    }
    let mut verification = Verification {
        listed_games: dataset.num_games(),
        games: 0,
        plies: 0,
        shards: dataset.shards().len(),
        complete: dataset.is_complete(),
        unlisted_files,
        missing_observations,
        replaced_shards: Vec::new(),
        fault_count: faults.count,
        faults: faults.named,
    };
    for (listed, mut shard) in dataset.shards().iter().zip(found) {
        if shard.faults.count > 0 && !still_listed.contains(listed) {
            verification.replaced_shards.push(listed.shard);
            continue;
        }
        verification.games += shard.games;
        verification.plies += shard.plies;
        verification.fault_count += shard.faults.count;
        verification.faults.append(&mut shard.faults.named);
    }
    Ok(verification)
}

/// The schedule of the run and where its games begin, if `dataset.json` has its settings.
///
/// # Errors
/// If these settings are faulty.
fn run_of(dataset: &Dataset, spec: &Spec) -> Result<Option<(Schedule, Starts)>, Error> {
    if dataset.run().is_none() {
        return Ok(None);
    }
    let (job, seating) = Job::of_dataset(dataset)?;
    let schedule = Schedule::new(&job, seating, spec)?;
    if let Some(half_width) = job.until {
        RunningScore::new(spec, half_width, job.luck_adjusted)?;
    }
    let starts = Starts::new(spec, &schedule.openings)?;
    Ok(Some((schedule, starts)))
}
