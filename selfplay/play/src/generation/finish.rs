//! Makes one dataset of the shards that several processes have played.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_datasets::{Dataset, DatasetWriter, Shard, in_parallel};
use darkqi_env::{Registered, Visitor, games};
use serde::{Deserialize, Serialize, Serializer};

use super::config::Config;
use super::listing;
use super::plan::Plan;
use super::survey::{Found, Survey};
use crate::error::Error;
use crate::openings::Starts;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// What [`finish`] found in a folder.
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
    /// The shards that are still to be played, ascending, in ranges for [`Config::shards`]: those that
    /// are not there, and those that are damaged. In JSON a range is a list of its two ends.
    #[serde(serialize_with = "pairs")]
    pub missing: Vec<Range<u64>>,
    /// What is wrong with the damaged ones. Their files stay, and are replaced when the shard is
    /// played.
    pub damages: Vec<String>,
    /// Whether all shards are there.
    pub complete: bool,
}

/// What [`survey`] found of some shards.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Surveyed {
    /// The sound ones, as `dataset.json` is to list them.
    shards: Vec<Shard>,
    /// What is wrong with damaged ones.
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
/// were played ([`Config::shards`]).
///
/// A shard that is not listed yet is checked game by game: each must be the one that the run has under
/// its number, as far as a replay can tell. If all shards are there, what processes have left behind is
/// removed, and the folder is that of a run of one process, byte for byte. Otherwise the dataset holds
/// those that are there and is marked as incomplete; processes may go on writing the others.
///
/// # Errors
/// If there is no dataset, it lacks the settings of its run, the number of its shards depends on
/// results ([`Config::until`]), another process writes it or lists its shards, `dataset.json` lists
/// shards that its run does not have or contradicts files that are as it lists them, files cannot be
/// read or written, or there are too many threads. [`Error::Stopped`] when `stop` becomes true;
/// nothing is changed then.
pub fn finish(
    dir: &Path,
    threads: NonZeroUsize,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    struct Finish<'a> {
        config: &'a Config,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Finish<'_> {
        type Output = Result<Finished, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            run(&rules, self.config, self.progress, self.stop)
        }
    }
    let pool = thread_pool(threads)?;
    let config = &Config::of_dataset(&Dataset::open_unchecked(dir)?)?;
    let finish = Finish { config, progress, stop };
    pool.install(|| games::with(&config.game, &config.options, finish))?
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
    struct Look<'a> {
        config: &'a Config,
        shards: Range<u64>,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Look<'_> {
        type Output = Result<Surveyed, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self { config, shards, progress, stop } = self;
            let plan = plan(config, &rules)?;
            if shards.start > shards.end || shards.end > plan.shards() {
                return Err(Error::ShardRange { found: shards, shards: plan.shards() });
            }
            let numbers = shards.map(|number| number as u32).collect();
            let dataset = Dataset::open_unchecked(&config.dir)?;
            listing::check(&dataset, &plan)?;
            look(&rules, config, &plan, dataset, numbers, progress, stop)
        }
    }
    let pool = thread_pool(threads)?;
    let config = &Config::of_dataset(&Dataset::open_unchecked(dir)?)?;
    let look = Look { config, shards, progress, stop };
    pool.install(|| games::with(&config.game, &config.options, look))?
}

/// The second half of [`finish`]: lists what [`survey`] has found, of all shards that are there, in
/// the order of shards. What lies in the files is not looked at again.
///
/// # Errors
/// As [`finish`], and if shards do not ascend.
pub fn list(dir: &Path, surveyed: Vec<Surveyed>) -> Result<Finished, Error> {
    struct List<'a> {
        config: &'a Config,
        surveyed: Surveyed,
    }
    impl Visitor for List<'_> {
        type Output = Result<Finished, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self { config, surveyed } = self;
            let plan = plan(config, &rules)?;
            let writer = DatasetWriter::open_to_list(&config.dir)?;
            listing::check(&Dataset::open_unchecked(&config.dir)?, &plan)?;
            conclude(writer, &plan, surveyed)
        }
    }
    let mut all = Surveyed::default();
    for Surveyed { shards, damages } in surveyed {
        all.shards.extend(shards);
        all.damages.extend(damages);
    }
    let config = &Config::of_dataset(&Dataset::open_unchecked(dir)?)?;
    games::with(&config.game, &config.options, List { config, surveyed: all })?
}

fn run<G: Registered>(
    rules: &G,
    config: &Config,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let plan = plan(config, rules)?;
    let writer = DatasetWriter::open_to_list(&config.dir)?;
    let dataset = Dataset::open_unchecked(&config.dir)?;
    listing::check(&dataset, &plan)?;
    let mut numbers = dataset.shards_in_folder()?;
    numbers.retain(|&number| u64::from(number) < plan.shards());
    let surveyed = look(rules, config, &plan, dataset, numbers, progress, stop)?;
    conclude(writer, &plan, surveyed)
}

/// The plan of a run whose shards do not depend on results.
fn plan<G: Registered>(config: &Config, rules: &G) -> Result<Plan, Error> {
    if let Some(half_width) = config.until {
        let what = format!("until={half_width} depends on the shards before");
        return Err(Error::Unshareable { what });
    }
    Plan::new(config, G::NAME, rules.players())
}

/// Looks for these shards in the folder.
fn look<G: Registered>(
    rules: &G,
    config: &Config,
    plan: &Plan,
    dataset: Dataset,
    numbers: Vec<u32>,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Surveyed, Error> {
    let starts = Starts::new(rules, &config.openings)?;
    let count = |number: &u32| {
        let ids = plan.shard(u64::from(*number));
        ids.end - ids.start
    };
    progress.begin(numbers.iter().map(count).sum(), dataset.num_games());
    let survey = Survey::new(dataset, plan, &starts, rules.clone(), progress, stop);
    let found: Vec<Found> = in_parallel(0..numbers.len(), &|at| survey.shard(numbers[at]))?;
    let mut surveyed = Surveyed::default();
    for found in found {
        match found {
            Found::Sound(shard) => surveyed.shards.push(shard),
            Found::Damaged(damage) => surveyed.damages.push(damage),
            Found::Missing => {}
        }
    }
    Ok(surveyed)
}

/// Lists the sound shards, and ends the run if these are all.
fn conclude(mut writer: DatasetWriter, plan: &Plan, surveyed: Surveyed) -> Result<Finished, Error> {
    let Surveyed { shards, damages } = surveyed;
    let missing = missing(&shards, plan.shards());
    let finished = Finished {
        games: shards.iter().map(|shard| shard.games).sum(),
        plies: shards.iter().map(|shard| shard.plies).sum(),
        shards: shards.len() as u64,
        run_shards: plan.shards(),
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

/// The shards of a run that are not among these, which ascend.
fn missing(found: &[Shard], shards: u64) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    let mut next = 0;
    for number in found.iter().map(|shard| u64::from(shard.shard)).chain([shards]) {
        if next < number {
            ranges.push(next..number);
        }
        next = number + 1;
    }
    ranges
}
