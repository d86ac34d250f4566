//! Makes one dataset of the shards that several processes have played.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_env::Spec;
use darkqi_format::{Dataset, DatasetWriter, Shard};
use serde::{Deserialize, Serialize, Serializer};

use super::inspect::{Inspector, Survey, check_list};
use super::job::Job;
use super::schedule::Schedule;
use crate::error::Error;
use crate::openings::Starts;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// The contents of a folder as [`finish`] found them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finished {
    /// Games that `dataset.json` now lists.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Shards that it lists.
    pub shards: u64,
    /// Shards of the run.
    pub run_shards: u64,
    /// The shards that are still to be played, ascending, in ranges for [`Job::shards`](super::Job::shards): those that
    /// are not there, and those that are damaged. In JSON a range is a list of its two ends.
    #[serde(serialize_with = "pairs")]
    pub missing: Vec<Range<u64>>,
    /// The faults of the damaged ones. Their files stay, and are replaced when the shard is
    /// played.
    pub damages: Vec<String>,
    /// Whether all shards are there.
    pub complete: bool,
}

/// The state of some shards as [`survey`] found it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Surveyed {
    /// The sound ones, as `dataset.json` is to list them.
    shards: Vec<Shard>,
    /// The faults of damaged ones.
    damages: Vec<String>,
}

impl Surveyed {
    /// The number of sound shards.
    pub fn sound(&self) -> usize {
        self.shards.len()
    }
}

fn pairs<S: Serializer>(ranges: &[Range<u64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ranges.iter().map(|range| [range.start, range.end]))
}

/// Lists in `dataset.json` the shards of a run that are in its folder `dir`, by whichever process they
/// were played ([`Job::shards`](super::Job::shards)).
///
/// A shard that is not listed yet is checked game by game: each must be the one that the run has under
/// its number, as far as a replay can tell. If all shards are there, what processes have left behind is
/// removed, and the folder is that of a run of one process, byte for byte. Otherwise the dataset holds
/// those that are there and is marked as incomplete; processes may go on writing the others.
///
/// # Errors
/// If there is no dataset, it lacks the settings of its run, the number of its shards depends on
/// results ([`Job::until`](super::Job::until)), another process writes it or lists its shards, `dataset.json` lists
/// shards that its run does not have or contradicts files that are as it lists them, files cannot be
/// read or written, or there are too many threads. [`Error::Stopped`] when `stop` becomes true;
/// nothing is changed then.
pub fn finish(
    dir: &Path,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let pool = thread_pool(threads)?;
    let run = Run::of(dir)?;
    let writer = DatasetWriter::open_to_list(dir)?;
    let dataset = Dataset::open_unchecked(dir)?;
    check_list(&dataset, &run.schedule)?;
    let mut numbers = dataset.shards_in_folder()?;
    numbers.retain(|&number| u64::from(number) < run.schedule.shards());
    let surveyed = pool.install(|| run.look(&dataset, &numbers, progress, stop))?;
    conclude(writer, &run.schedule, surveyed)
}

/// The first half of [`finish`] for some of the shards, given by their numbers, so that several
/// processes share the work. Nothing is changed.
///
/// # Errors
/// As [`finish`], and if the run has no such shards.
pub fn survey(
    dir: &Path,
    shards: Range<u64>,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Surveyed, Error> {
    let pool = thread_pool(threads)?;
    let run = Run::of(dir)?;
    if shards.start > shards.end || shards.end > run.schedule.shards() {
        return Err(Error::ShardRange { found: shards, shards: run.schedule.shards() });
    }
    let numbers: Vec<u32> = shards.map(|number| number as u32).collect();
    let dataset = Dataset::open_unchecked(dir)?;
    check_list(&dataset, &run.schedule)?;
    pool.install(|| run.look(&dataset, &numbers, progress, stop))
}

/// The second half of [`finish`]: lists what [`survey`] has found, of all shards that are there, in
/// the order of shards. What lies in the files is not looked at again.
///
/// # Errors
/// As [`finish`], and if shards do not ascend.
pub fn list(dir: &Path, surveyed: Vec<Surveyed>) -> Result<Finished, Error> {
    let mut all = Surveyed::default();
    for Surveyed { shards, damages } in surveyed {
        all.shards.extend(shards);
        all.damages.extend(damages);
    }
    let run = Run::of(dir)?;
    let writer = DatasetWriter::open_to_list(dir)?;
    check_list(&Dataset::open_unchecked(dir)?, &run.schedule)?;
    conclude(writer, &run.schedule, all)
}

/// A run whose shards do not depend on results.
struct Run {
    spec: Spec,
    schedule: Schedule,
}

impl Run {
    /// The run in a folder.
    fn of(dir: &Path) -> Result<Self, Error> {
        let (job, seating) = Job::of_dataset(&Dataset::open_unchecked(dir)?)?;
        if let Some(rule) = job.stop_rule() {
            return Err(Error::Unshareable {
                what: format!("{rule} depends on the shards before"),
            });
        }
        let spec = Spec::new(&job.game, &job.options)?;
        let schedule = Schedule::new(&job, seating, &spec)?;
        Ok(Self { spec, schedule })
    }

    /// Looks for these shards in the folder.
    fn look(
        &self,
        dataset: &Dataset,
        numbers: &[u32],
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Surveyed, Error> {
        let Self { spec, schedule } = self;
        let starts = Starts::new(spec, &schedule.openings)?;
        let ids = numbers.iter().map(|&number| schedule.shard(number.into()));
        let games = ids.map(|ids| ids.end - ids.start).sum();
        progress.begin(games, dataset.num_games());
        let run = Some((schedule, &starts));
        let inspector = Inspector::new(spec, dataset, run, progress, stop);
        let Survey { sound, damages } = inspector.survey(numbers, true)?;
        let (shards, damages) = (sound.into_values(), damages.into_values());
        Ok(Surveyed { shards: shards.collect(), damages: damages.collect() })
    }
}

/// Lists the sound shards, and ends the run if these are all.
fn conclude(
    mut writer: DatasetWriter,
    schedule: &Schedule,
    surveyed: Surveyed,
) -> Result<Finished, Error> {
    let Surveyed { shards, damages } = surveyed;
    let missing = missing(&shards, schedule);
    let finished = Finished {
        games: shards.iter().map(|shard| shard.games).sum(),
        plies: shards.iter().map(|shard| shard.plies).sum(),
        shards: shards.len() as u64,
        run_shards: schedule.shards(),
        complete: missing.is_empty(),
        missing,
        damages,
    };
    if shards != writer.shards() {
        writer.relist(shards)?;
    }
    if finished.complete {
        let run = writer.run().cloned();
        writer.resume(run)?;
        writer.finish()?;
    } else {
        writer.mark_incomplete()?;
    }
    Ok(finished)
}

/// The shards of a run that are not among these, which ascend, or have fewer games there.
fn missing(found: &[Shard], schedule: &Schedule) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    let mut next = 0;
    let is_whole = |shard: &&Shard| {
        let ids = schedule.shard(shard.shard.into());
        shard.games == ids.end - ids.start
    };
    let whole = found.iter().filter(is_whole).map(|shard| u64::from(shard.shard));
    for number in whole.chain([schedule.shards()]) {
        if next < number {
            ranges.push(next..number);
        }
        next = number + 1;
    }
    ranges
}
