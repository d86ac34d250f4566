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
use darkqi_datasets::{Dataset, GameRecord};
use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::agent::Agent;
use crate::config::{Config, Plan};
use crate::error::Error;
use crate::play::{Course, Table};
use crate::progress::Progress;
use crate::resume::{self, Kept};
use crate::summary::{Summary, Tally};

/// Plays the games of a configuration and writes them as a dataset.
///
/// When `stop` becomes true, games under way are played to their end, their unfinished shard is
/// dropped, and what was written before stays: a readable dataset that is marked as incomplete.
///
/// A run that is to go on ([`Config::resume`]) ends with the very files that it would have given
/// without an interruption. Shards whose files are missing or damaged are played again.
///
/// # Errors
/// If the configuration is faulty or not that of the dataset there (nothing is written then),
/// another process writes to the folder, an agent breaks the rules, a file cannot be written, or
/// `stop` becomes true before a run that goes on has read what is there. Shards that are finished
/// stay readable.
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

/// Why a run did not come to its end.
enum Halt {
    Stopped,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Those who play, and where.
struct Players<'a, G: Registered> {
    course: Course<G>,
    /// By entrant; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn Agent<G>>>>,
    pool: ThreadPool,
    progress: &'a dyn Progress,
    /// Nothing more is wanted.
    stop: &'a AtomicBool,
    /// Nothing more can be written.
    unwritable: AtomicBool,
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
        Ok(Self {
            course,
            agents: Mutex::new(agents),
            pool,
            progress,
            stop,
            unwritable: false.into(),
        })
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.unwritable.load(Ordering::Relaxed)
    }

    fn table(&self) -> Table<'_, G> {
        let agents = self.agents.lock().expect("copying an agent does not panic");
        Table::new(&self.course, agents.iter().map(|agent| agent.boxed_clone()).collect())
    }

    /// Plays the games of a shard, in the order of their ids.
    fn shard(&self, ids: Range<u64>) -> Result<Vec<GameRecord>, Halt> {
        let play = |table: &mut Table<'_, G>, id| {
            if self.is_stopped() {
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
    let score = config.until.map(RunningScore::new).transpose()?;
    let (mut writer, kept) = players.pool.install(|| resume::open(config, plan, metadata))?;
    players.progress.begin(plan.games, kept.as_ref().map_or(0, Kept::games));
    let mut found = Found { score, tally: Tally::new(plan), kept: [0; 2] };
    let started = Instant::now();
    let (halted, written) = thread::scope(|scope| {
        // One shard is played, one waits, one is written: memory does not grow with the games.
        let (sender, receiver) = sync_channel::<(u32, Vec<GameRecord>)>(1);
        let writing = scope.spawn(move || {
            let written = receiver.iter().try_for_each(|(shard, games)| {
                // It may be listed: with fewer games, or damaged.
                writer.replace_shard(shard, &games)
            });
            // What is being played will not be written.
            players.unwritable.store(written.is_err(), Ordering::Relaxed);
            written.map(|()| writer)
        });
        let halted = play(players, config, kept.as_ref(), &mut found, |shard, games| {
            sender.send((shard, games)).is_ok()
        });
        drop(sender);
        (halted, writing.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let writer = written?;
    let complete = match halted {
        Ok(()) => {
            writer.finish()?;
            true
        }
        Err(Halt::Stopped) => false,
        Err(Halt::Failed(error)) => return Err(error),
    };
    let elapsed = started.elapsed();
    let summary = found.tally.finish(complete, elapsed, size(&Dataset::open(&config.dir)?));
    let [kept_games, kept_plies] = found.kept;
    Ok(Summary {
        kept_games,
        kept_plies,
        damages: kept.map(|kept| kept.damages).unwrap_or_default(),
        settled: found.score.as_ref().map(Settled::from),
        ..summary
    })
}

/// What the games tell, those that were there included.
struct Found {
    /// Where one is to be settled.
    score: Option<RunningScore>,
    tally: Tally,
    /// Games that were there, and their plies.
    kept: [u64; 2],
}

/// Plays shard after shard, apart from what is kept, until there are enough games or `write` refuses
/// a shard, which it takes with its number.
fn play<G: Registered>(
    players: &Players<'_, G>,
    config: &Config,
    kept: Option<&Kept>,
    found: &mut Found,
    write: impl Fn(u32, Vec<GameRecord>) -> bool,
) -> Result<(), Halt> {
    let plan = &players.course.plan;
    for shard in 0.. {
        let ids = plan.shard(shard.into());
        if ids.is_empty() {
            break;
        }
        let mut games = match kept {
            Some(kept) => kept.shard(shard, ids.clone(), plan, found.score.is_some())?,
            None => Vec::new(),
        };
        let there = games.len();
        found.kept[0] += there as u64;
        found.kept[1] += games.iter().map(|game| u64::from(game.plies)).sum::<u64>();
        let first = ids.start + there as u64;
        if first < ids.end {
            games.append(&mut players.shard(first..ids.end)?);
        } else if players.is_stopped() {
            return Err(Error::Stopped.into());
        }
        found.tally.add(plan, &games);
        if let Some(score) = &mut found.score {
            observe(score, &games)?;
            players.progress.standing(&standing(score));
        }
        if there < games.len() && !write(shard, games) {
            // The writer says why.
            break;
        }
        if found.score.as_ref().is_some_and(RunningScore::is_settled) {
            if kept.and_then(Kept::last_shard).is_some_and(|last| last > shard) {
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
