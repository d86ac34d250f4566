//! Self-play: games by the million, in shards.
//!
//! A shard is a function of the configuration and its range of game ids. Within a shard the games
//! are played in parallel; while one is played, the one before is written.

use std::fs;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use darkqi_datasets::analysis::{Estimate, RunningScore, Settled};
use darkqi_datasets::{Dataset, DatasetWriter, GameRecord};
use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::agent::Agent;
use crate::config::{Config, Plan};
use crate::error::Error;
use crate::play::{Course, Table};
use crate::progress::Progress;
use crate::summary::{Summary, Tally};

/// Plays the games of a configuration and writes them as a dataset.
///
/// When `stop` becomes true, games under way are played to their end, their unfinished shard is
/// dropped, and what was written before stays: a readable dataset that is marked as incomplete.
///
/// # Errors
/// If the configuration is faulty (nothing is written then), an agent breaks the rules, or a file
/// cannot be written. Shards that are finished stay readable.
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
            let players = Players::new(rules, self.config, self.progress, self.stop)?;
            run(&players, self.config)
        }
    }
    games::with(&config.game, &config.options, Selfplay { config, progress, stop })?
}

/// Why a shard was not played to its end.
enum Halt {
    Stopped,
    Failed(Error),
}

/// Those who play, and where.
struct Players<'a, G: Registered> {
    course: Course<G>,
    /// By entrant; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn Agent<G>>>>,
    pool: ThreadPool,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<'a, G: Registered> Players<'a, G> {
    fn new(
        rules: G,
        config: &Config,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let plan = Plan::new(config, G::NAME, rules.players())?;
        let agents = plan.entrants.iter().map(|spec| spec.build()).collect::<Result<_, _>>()?;
        let threads = config.threads.get();
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|cause| Error::Threads { threads, cause: cause.to_string() })?;
        let course = Course::new(rules, plan);
        Ok(Self { course, agents: Mutex::new(agents), pool, progress, stop })
    }

    fn table(&self) -> Table<'_, G> {
        let agents = self.agents.lock().expect("copying an agent does not panic");
        Table::new(&self.course, agents.iter().map(|agent| agent.boxed_clone()).collect())
    }

    /// Plays the games of a shard, in the order of their ids.
    fn shard(&self, ids: Range<u64>) -> Result<Vec<GameRecord>, Halt> {
        let play = |table: &mut Table<'_, G>, id| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Halt::Stopped);
            }
            let game = table.play(id).map_err(Halt::Failed)?;
            self.progress.played(game.plies);
            Ok(game)
        };
        self.pool.install(|| ids.into_par_iter().map_init(|| self.table(), play).collect())
    }
}

fn run<G: Registered>(players: &Players<'_, G>, config: &Config) -> Result<Summary, Error> {
    let plan = &players.course.plan;
    let metadata = config.metadata(&players.course.rules, plan);
    // Refused before anything is written.
    let mut score = config.until.map(RunningScore::new).transpose()?;
    let mut writer = DatasetWriter::create(&config.dir, metadata)?;
    let mut tally = Tally::new(plan);
    let started = Instant::now();
    let (halted, written) = thread::scope(|scope| {
        // One shard is played, one waits, one is written: memory does not grow with the games.
        let (sender, receiver) = sync_channel::<(u32, Vec<GameRecord>)>(1);
        let writing = scope.spawn(move || {
            for (shard, games) in receiver {
                writer.write_shard(shard, &games)?;
            }
            Ok::<_, Error>(writer)
        });
        let mut halted = None;
        let mut first = 0;
        for shard in 0.. {
            if first == plan.games {
                break;
            }
            let end = first.saturating_add(plan.shard_games).min(plan.games);
            match players.shard(first..end) {
                Ok(games) => {
                    tally.add(plan, &games);
                    if let Some(score) = &mut score {
                        if let Err(error) = observe(score, &games) {
                            halted = Some(Halt::Failed(error));
                            break;
                        }
                        players.progress.standing(&standing(score));
                    }
                    if sender.send((shard, games)).is_err() {
                        // The writer has failed and says why below.
                        break;
                    }
                }
                Err(halt) => {
                    halted = Some(halt);
                    break;
                }
            }
            first = end;
            if score.as_ref().is_some_and(RunningScore::is_settled) {
                break;
            }
        }
        drop(sender);
        (halted, writing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let writer = written?;
    let complete = match halted {
        None => {
            writer.finish()?;
            true
        }
        Some(Halt::Stopped) => false,
        Some(Halt::Failed(error)) => return Err(error),
    };
    let elapsed = started.elapsed();
    let summary = tally.finish(complete, elapsed, size(&Dataset::open(&config.dir)?));
    Ok(Summary { settled: score.as_ref().map(Settled::from), ..summary })
}

/// Adds the games of whole deals to a score.
fn observe(score: &mut RunningScore, games: &[GameRecord]) -> Result<(), Error> {
    games.iter().try_for_each(|game| score.add(game))?;
    Ok(score.close()?)
}

/// How far a score is settled.
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
