//! Self-play in shards.
//!
//! A shard is a function of the configuration and its range of game ids. Its games are played in
//! parallel, while the shard before it is written.

use std::fs;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use darkqi_datasets::analysis::{Estimate, RunningScore, Settled};
use darkqi_datasets::{Dataset, GameRecord};
use darkqi_env::{Registered, Visitor, games};

use super::config::Config;
use super::resume::{self, FinishedShards};
use super::shard::Generator;
use super::summary::{Summary, SummaryTally};
use crate::driver::Interrupt;
use crate::error::Error;
use crate::reporting::Progress;

/// Plays the games of a configuration and writes them as a dataset.
///
/// When `stop` becomes true, the shard under way is dropped, and what was written before stays: a
/// readable dataset that is marked as incomplete.
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
            run(&generator, self.config)
        }
    }
    games::with(&config.game, &config.options, Selfplay { config, progress, stop })?
}

fn run<G: Registered>(generator: &Generator<'_, G>, config: &Config) -> Result<Summary, Error> {
    let plan = &generator.plan;
    let metadata = plan.metadata(&generator.rules);
    // A faulty half-width is refused before anything is written.
    let score =
        config.until.map(|half_width| RunningScore::new(G::HIDES, half_width)).transpose()?;
    let (mut writer, finished) = generator.pool.install(|| resume::open(config, plan, metadata))?;
    generator.progress.begin(plan.games, finished.as_ref().map_or(0, FinishedShards::games));
    let mut results = RunResults { score, tally: SummaryTally::new(plan), kept: [0; 2] };
    let started = Instant::now();
    let (played, written) = thread::scope(|scope| {
        // One shard is played, one waits, one is written: memory does not grow with the games.
        let (sender, receiver) = sync_channel::<(u32, Vec<GameRecord>)>(1);
        let writing = scope.spawn(move || {
            let written = receiver.iter().try_for_each(|(shard, games)| {
                // The shard may be listed already, with fewer games or damaged.
                writer.replace_shard(shard, &games)
            });
            // After a failure no further shard can be written: playing ends.
            generator.unwritable.store(written.is_err(), Ordering::Relaxed);
            written.map(|()| writer)
        });
        let played = play(generator, config, finished.as_ref(), &mut results, |shard, games| {
            sender.send((shard, games)).is_ok()
        });
        drop(sender);
        (played, writing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let writer = written?;
    let complete = match played {
        Ok(()) => {
            writer.finish()?;
            true
        }
        Err(Interrupt::Stopped) => false,
        Err(Interrupt::Failed(error)) => return Err(error),
    };
    let elapsed = started.elapsed();
    let summary = results.tally.finish(complete, elapsed, size(&Dataset::open(&config.dir)?));
    let [kept_games, kept_plies] = results.kept;
    Ok(Summary {
        kept_games,
        kept_plies,
        damages: finished.map(|finished| finished.damages).unwrap_or_default(),
        settled: results.score.as_ref().map(Settled::from),
        ..summary
    })
}

/// The results of all games, including those of a resumed run.
struct RunResults {
    /// The score that `until` asks for.
    score: Option<RunningScore>,
    tally: SummaryTally,
    /// Games of finished shards, and their plies.
    kept: [u64; 2],
}

/// Plays all shards that are not finished, until there are enough games or `write`, which takes a
/// shard with its number, refuses one.
fn play<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
    finished: Option<&FinishedShards>,
    results: &mut RunResults,
    write: impl Fn(u32, Vec<GameRecord>) -> bool,
) -> Result<(), Interrupt<Error>> {
    let plan = &generator.plan;
    for shard in 0.. {
        let ids = plan.shard(shard.into());
        if ids.is_empty() {
            break;
        }
        let mut games = match finished {
            Some(finished) => finished.shard(shard, ids.clone(), plan, results.score.is_some())?,
            None => Vec::new(),
        };
        let kept = games.len();
        results.kept[0] += kept as u64;
        results.kept[1] += games.iter().map(|game| u64::from(game.plies)).sum::<u64>();
        let first = ids.start + kept as u64;
        if first < ids.end {
            games.append(&mut generator.play(first..ids.end)?);
        } else if generator.is_stopped() {
            return Err(Error::Stopped.into());
        }
        results.tally.add(plan, &games);
        if let Some(score) = &mut results.score {
            observe(score, &games)?;
            generator.progress.standing(&standing(score));
        }
        if kept < games.len() && !write(shard, games) {
            // The writer gives the reason.
            break;
        }
        if results.score.as_ref().is_some_and(RunningScore::is_settled) {
            if finished.and_then(FinishedShards::last_shard).is_some_and(|last| last > shard) {
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
    let files = dataset.shards().iter().flat_map(|shard| [&shard.games_file, &shard.plies_file]);
    files
        .filter_map(|file| fs::metadata(dataset.dir().join(file)).ok())
        .map(|data| data.len())
        .sum()
}
