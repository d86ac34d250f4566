//! Self-play in shards.
//!
//! A shard is a function of the configuration and its range of game ids. Its games are played in
//! parallel, while the shard before it is written.

use std::collections::{BTreeMap, HashSet};
use std::mem;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use darkqi_datasets::analysis::{Estimate, RunningScore};
use darkqi_datasets::training::{has_observations, write_observations};
use darkqi_datasets::{self as datasets, Dataset, GameRecord, Journals, MANIFEST_FILE, is_remote};
use darkqi_engine::agent::NEVER;
use darkqi_env::{Registered, Visitor, games};

use super::config::Config;
use super::finish::finish;
use super::pipeline::while_writing;
use super::resume::{self, FinishedShards, OpenRun};
use super::shard::Generator;
use super::shards;
use super::summary::{Summary, SummaryTally};
use crate::driver::Interrupt;
use crate::error::Error;
use crate::reporting::Progress;

/// Plays the games of a configuration and writes them as a dataset.
///
/// When `stop` becomes true, the games that have not ended are dropped. Finished shards stay, a
/// readable dataset that is marked as incomplete, and the other games stay in journals, which a
/// resumed run reads. After a failure it is the same.
///
/// With [`Config::shards`] only these are played, whatever else is in the folder;
/// [`finish`](super::finish()) then makes one dataset of all. Shards whose files are there and sound
/// are not played again.
///
/// In object storage ([`Config::dir`] is a URL) all shards are played in that way, and then listed:
/// there are no journals, and the games of a shard that was not written are played again.
///
/// A resumed run ([`Config::resume`]) ends with the same files, byte for byte, as one that was never
/// interrupted. Shards whose files are missing or damaged are played again.
///
/// # Errors
/// If the configuration is faulty or differs from that of the dataset to be resumed (nothing is
/// written then), another process writes to the folder, an agent breaks the rules, a file cannot be
/// written, or `stop` becomes true before a resumed run has read its finished shards. Finished
/// shards stay readable.
pub fn selfplay(
    config: &Config,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Summary, Error> {
    struct Selfplay<'a> {
        config: &'a Config,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Selfplay<'_> {
        type Output = Result<Summary, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let generator = Generator::new(rules, self.config, self.progress, self.stop)?;
            match &self.config.shards {
                Some(range) => shards::run(&generator, self.config, range.clone()),
                None if is_remote(&self.config.dir) => run_remotely(&generator, self.config),
                None => run(&generator, self.config),
            }
        }
    }
    let config = &config.afresh();
    games::with(&config.game, &config.options, Selfplay { config, progress, stop })?
}

/// Makes the folder of a run ready for processes that play some of its shards each
/// ([`Config::shards`], which is not looked at here), and gives the number of all its shards. It checks
/// what such a process checks.
///
/// # Errors
/// As [`selfplay`] before it plays.
pub fn prepare(config: &Config) -> Result<u64, Error> {
    struct Prepare<'a>(&'a Config);
    impl Visitor for Prepare<'_> {
        type Output = Result<u64, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            shards::prepare(&Generator::new(rules, self.0, &(), &NEVER)?, self.0)
        }
    }
    games::with(&config.game, &config.options, Prepare(&config.afresh()))?
}

/// Plays a run into object storage, which has neither locks nor journals: all shards as if others
/// played some of them, and then their list.
fn run_remotely<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
) -> Result<Summary, Error> {
    let dir = &config.dir;
    match Dataset::open_unchecked(dir) {
        Ok(_) if !config.resume => {
            let found = MANIFEST_FILE.to_owned();
            return Err(datasets::Error::AlreadyADataset { dir: dir.clone(), found }.into());
        }
        Ok(_) | Err(datasets::Error::NotADataset { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let summary = shards::run(generator, config, 0..generator.plan.shards())?;
    if summary.complete {
        finish(dir, config.threads, &(), generator.stop)?;
    }
    Ok(summary)
}

fn run<G: Registered>(generator: &Generator<'_, G>, config: &Config) -> Result<Summary, Error> {
    let plan = &generator.plan;
    // A faulty half-width is refused before anything is written.
    let Generator { starts, rules, .. } = generator;
    let score = config
        .until
        .map(|half_width| RunningScore::new(rules, half_width, config.luck_adjusted))
        .transpose()?;
    let run =
        generator.pool.install(|| resume::open(config, plan, starts, rules, generator.stop))?;
    generator.progress.begin(plan.games, run.kept_games());
    let OpenRun { mut writer, finished, journals, unfinished } = run;
    let mut kept = KeptGames { finished: finished.as_ref(), journals: &journals, unfinished };
    let mut results = RunResults { score, tally: SummaryTally::new(plan) };
    let started = Instant::now();
    let (played, written) = while_writing(
        &generator.unwritable,
        |order| match order {
            Order::Begin => writer.mark_incomplete(),
            // The shard may be listed already, with fewer games or damaged.
            Order::Write(shard, games) => writer.replace_shard(shard, &games),
        },
        |order| play(generator, config, &mut kept, &mut results, order),
    )?;
    written?;
    let complete = match played {
        Ok(()) => {
            writer.finish()?;
            true
        }
        Err(Interrupt::Stopped) => false,
        Err(Interrupt::Failed(error)) => return Err(error),
    };
    // They hold the folder's lock.
    drop(journals);
    // Of an interrupted repair, shards are listed that are missing.
    let dataset = Dataset::open_unchecked(&config.dir)?;
    // A run that is repaired or extended keeps the rows that it has whole.
    let has_rows = config.observations || has_observations(&config.dir)?;
    if has_rows && complete {
        generator.pool.install(|| write_observations(&dataset, generator.stop))?;
    }
    let summary = results.tally.finish(config, complete, started, size(&dataset));
    Ok(Summary {
        restarts: generator.restarts(),
        damages: finished.map(|finished| finished.damages).unwrap_or_default(),
        settled: results.score.as_ref().map(RunningScore::settled),
        ..summary
    })
}

/// What the thread that writes is to do.
enum Order {
    /// Games are being played that the dataset lacks.
    Begin,
    /// The games of a shard are there.
    Write(u32, Vec<GameRecord>),
}

/// Games that need not be played, and where others are kept.
struct KeptGames<'a> {
    finished: Option<&'a FinishedShards>,
    journals: &'a Journals,
    /// The games of other shards.
    unfinished: BTreeMap<u32, Vec<GameRecord>>,
}

/// The results of all games, including those of a resumed run.
struct RunResults {
    /// The score that `until` asks for. It counts finished shards only: a run stops after one.
    score: Option<RunningScore>,
    tally: SummaryTally,
}

/// Plays all games that are not kept, until there are enough games or `order` is refused.
fn play<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
    kept: &mut KeptGames<'_>,
    results: &mut RunResults,
    order: &dyn Fn(Order) -> bool,
) -> Result<(), Interrupt<Error>> {
    let plan = &generator.plan;
    let mut has_begun = false;
    for shard in 0.. {
        let ids = plan.shard(shard.into());
        if ids.is_empty() {
            break;
        }
        let mut games = match kept.finished {
            Some(finished) => finished.shard(shard, ids.clone(), plan)?,
            None => Vec::new(),
        };
        let listed = games.len();
        games.append(&mut kept.unfinished.remove(&shard).unwrap_or_default());
        let before: HashSet<u64> = games.iter().map(|game| game.game_id).collect();
        let missing: Vec<u64> = ids.clone().filter(|id| !before.contains(id)).collect();
        let played = if !missing.is_empty() {
            if !mem::replace(&mut has_begun, true) {
                // If this is refused, the shard is, too.
                order(Order::Begin);
            }
            let (mut new, played) = generator.play(&missing, Some(kept.journals), shard);
            games.append(&mut new);
            games.sort_unstable_by_key(|game| game.game_id);
            played
        } else if generator.is_stopped() {
            return Err(Error::Stopped.into());
        } else {
            Ok(())
        };
        results.tally.add(plan, &games, &before);
        played?;
        if let Some(score) = &mut results.score {
            observe(score, &games)?;
            generator.progress.standing(&standing(score));
        }
        if listed < games.len() && !order(Order::Write(shard, games)) {
            // The writer gives the reason.
            break;
        }
        if results.score.as_ref().is_some_and(RunningScore::is_settled) {
            if kept.finished.and_then(FinishedShards::last_shard).is_some_and(|last| last > shard) {
                let (dir, last) = (config.dir.clone(), ids.end - 1);
                let half_width = config.until.unwrap_or_default();
                return Err(Error::Beyond { dir, half_width, last }.into());
            }
            break;
        }
    }
    Ok(())
}

/// Adds the games of whole deals to a score.
fn observe(score: &mut RunningScore, games: &[GameRecord]) -> Result<(), Error> {
    games.iter().try_for_each(|game| score.add(game))?;
    Ok(score.close()?)
}

/// A score in words.
fn standing(score: &RunningScore) -> String {
    let Estimate { value, low, high } = score.estimate();
    format!("score {value:.4} ± {:.4}", (high - low) / 2.0)
}

/// Bytes of a dataset's tables.
fn size(dataset: &Dataset) -> u64 {
    dataset.shards().iter().map(|shard| dataset.shard_bytes(shard.shard)).sum()
}
