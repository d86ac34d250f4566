//! Self-play: games by the million, in shards.
//!
//! A shard is a function of the configuration and its range of game ids. Within a shard the games
//! are played in parallel; while one is played, the one before is written.

use std::fs;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use darkqi_datasets::analysis::{Estimate, RunningScore, Settled};
use darkqi_datasets::{Dataset, GameRecord};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Outcome, Registered, Rng, Stream};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::agents::Agent;
use crate::config::{Config, Plan};
use crate::driver::{
    Driver, GameLabel, IllegalAction, Interrupt, MoveNames, Observer, Ply, Seat, Setup, Transcript,
    Workload,
};
use crate::error::Error;
use crate::progress::Progress;
use crate::resume::{self, Kept};
use crate::summary::{Summary, Tally};

/// Plays the games of a configuration and writes them as a dataset.
///
/// When `stop` becomes true, the shard under way is dropped, and what was written before stays: a
/// readable dataset that is marked as incomplete.
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
            let generator = Generator::new(rules, self.config, self.progress, self.stop)?;
            run(&generator, self.config)
        }
    }
    games::with(&config.game, &config.options, Selfplay { config, progress, stop })?
}

/// Plays the games of a run.
struct Generator<'a, G: Registered> {
    rules: G,
    plan: Plan,
    names: MoveNames,
    /// By entrant; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn Agent<G>>>>,
    pool: ThreadPool,
    progress: &'a dyn Progress,
    /// The caller wants no more games.
    stop: &'a AtomicBool,
    /// No more games can be written.
    unwritable: AtomicBool,
}

impl<'a, G: Registered> Generator<'a, G> {
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
        Ok(Self {
            names: MoveNames::new(rules.table()),
            rules,
            plan,
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

    fn agents(&self) -> Vec<Box<dyn Agent<G>>> {
        let agents = self.agents.lock().expect("copying an agent does not panic");
        agents.iter().map(|agent| agent.boxed_clone()).collect()
    }

    /// Plays the games of a shard, in the order of their ids.
    fn shard(&self, ids: Range<u64>) -> Result<Vec<GameRecord>, Interrupt<Error>> {
        let games = ids.end - ids.start;
        let per_thread = games.div_ceil(self.pool.current_num_threads() as u64) as usize;
        let next = AtomicU64::new(ids.start);
        let played = self.pool.broadcast(|_| {
            let mut games =
                ShardGames { generator: self, next: &next, end: ids.end, played: vec![] };
            let result = Driver::new(&self.rules, self.agents(), per_thread).run(&mut games);
            if result.is_err() {
                // The shard is lost: the other threads need not begin more of its games.
                next.fetch_max(ids.end, Ordering::Relaxed);
            }
            result.map(|()| games.played)
        });
        let played: Vec<_> = played.into_iter().collect::<Result<_, _>>()?;
        let mut played: Vec<GameRecord> = played.into_iter().flatten().collect();
        played.sort_unstable_by_key(|game| game.game_id);
        Ok(played)
    }
}

/// The games of a shard that one thread plays.
struct ShardGames<'a, G: Registered> {
    generator: &'a Generator<'a, G>,
    /// The next game that no thread has begun.
    next: &'a AtomicU64,
    end: u64,
    played: Vec<GameRecord>,
}

/// A game that is being played.
struct LoggedGame<'a> {
    id: u64,
    transcript: Transcript<'a>,
}

impl<G: Registered> Observer<G> for LoggedGame<'_> {
    fn before(&mut self, rules: &G, ply: &Ply<'_, G>) {
        self.transcript.before(rules, ply);
    }
}

impl<'a, G: Registered> Workload<G> for ShardGames<'a, G> {
    type Observer = LoggedGame<'a>;
    type Error = Error;

    fn begin(&mut self, state: &mut G::State) -> Result<Option<Setup<LoggedGame<'a>>>, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        if id >= self.end {
            return Ok(None);
        }
        let Generator { rules, plan, names, .. } = self.generator;
        let seed = plan.seed(id);
        rules.redeal(state, &mut Rng::new(seed, Stream::Deal));
        let seat = |seat| Seat {
            agent: plan.entrant(id, seat),
            rng: Rng::new(seed, Stream::Agent(plan.stream(id, seat))),
        };
        let seats = (0..plan.entrants.len()).map(seat).collect();
        let transcript = Transcript::new(names, rules, state);
        Ok(Some(Setup { seats, observer: LoggedGame { id, transcript } }))
    }

    fn end(&mut self, game: LoggedGame<'a>, _: &G::State, outcome: &Outcome) {
        let plan = &self.generator.plan;
        let LoggedGame { id, transcript } = game;
        let agent = |seat| plan.entrants[plan.entrant(id, seat)].to_string();
        let label = GameLabel {
            game_id: id,
            seed: plan.seed(id),
            pair_id: plan.deal(id),
            agents: (0..plan.entrants.len()).map(agent).collect(),
        };
        let game = transcript.finish(label, outcome);
        self.generator.progress.played(game.plies);
        self.played.push(game);
    }

    fn is_stopped(&self) -> bool {
        self.generator.is_stopped()
    }

    fn illegal(&self, game: &LoggedGame<'a>, illegal: IllegalAction) -> Error {
        let plan = &self.generator.plan;
        Error::IllegalAction {
            game_id: game.id,
            ply: illegal.ply,
            agent: plan.entrants[plan.entrant(game.id, illegal.seat)].to_string(),
            action: illegal.action.0,
        }
    }
}

fn run<G: Registered>(generator: &Generator<'_, G>, config: &Config) -> Result<Summary, Error> {
    let plan = &generator.plan;
    let metadata = config.metadata(&generator.rules, plan);
    // Refused before anything is written.
    let score = config.until.map(RunningScore::new).transpose()?;
    let (mut writer, kept) = generator.pool.install(|| resume::open(config, plan, metadata))?;
    generator.progress.begin(plan.games, kept.as_ref().map_or(0, Kept::games));
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
            generator.unwritable.store(written.is_err(), Ordering::Relaxed);
            written.map(|()| writer)
        });
        let halted = play(generator, config, kept.as_ref(), &mut found, |shard, games| {
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
        Err(Interrupt::Stopped) => false,
        Err(Interrupt::Failed(error)) => return Err(error),
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
    generator: &Generator<'_, G>,
    config: &Config,
    kept: Option<&Kept>,
    found: &mut Found,
    write: impl Fn(u32, Vec<GameRecord>) -> bool,
) -> Result<(), Interrupt<Error>> {
    let plan = &generator.plan;
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
            games.append(&mut generator.shard(first..ids.end)?);
        } else if generator.is_stopped() {
            return Err(Error::Stopped.into());
        }
        found.tally.add(plan, &games);
        if let Some(score) = &mut found.score {
            observe(score, &games)?;
            generator.progress.standing(&standing(score));
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use darkqi_datasets::GameRecord;
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Registered};

    use super::{Config, Error, Generator, Interrupt};
    use crate::agents::{Agent, Decision, Request};

    /// Plays a random action, and from some decision on one that is not legal.
    #[derive(Clone)]
    struct Cheat {
        honest: u32,
        batch_size: usize,
    }

    impl<G: Registered> Agent<G> for Cheat {
        fn decide(&mut self, _: &G, request: &mut Request<'_, G>) -> Decision {
            let Request { legal, rng, .. } = request;
            match self.honest.checked_sub(1) {
                Some(honest) => {
                    self.honest = honest;
                    legal[rng.below(legal.len() as u32) as usize].into()
                }
                None => Action(u16::MAX).into(),
            }
        }

        fn batch_size(&self) -> usize {
            self.batch_size
        }

        fn boxed_clone(&self) -> Box<dyn Agent<G>> {
            Box::new(self.clone())
        }
    }

    fn play(
        agents: [Cheat; 2],
        threads: usize,
        ids: std::ops::Range<u64>,
    ) -> Result<Vec<GameRecord>, Interrupt<Error>> {
        let threads = NonZeroUsize::new(threads).expect("there are threads");
        let config = Config { threads, ..Config::new("jieqi", "") };
        let stop = AtomicBool::new(false);
        let generator = Generator::new(Jieqi::default(), &config, &(), &stop);
        let mut generator = generator.expect("the configuration is sound");
        let agents = agents.map(|agent| -> Box<dyn Agent<Jieqi>> { Box::new(agent) });
        generator.agents = Vec::from(agents).into();
        generator.shard(ids)
    }

    #[test]
    fn an_illegal_action_is_an_error() {
        let agents = [3, 1].map(|honest| Cheat { honest, batch_size: 1 });
        let Err(Interrupt::Failed(error)) = play(agents, 1, 5..6) else { panic!("it is illegal") };
        let expected = "game 5, ply 3: agent random chose action 65535, which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn games_are_the_same_whatever_is_in_flight() {
        let games = |threads, batch_size| {
            let honest = Cheat { honest: u32::MAX, batch_size };
            play([honest.clone(), honest], threads, 0..40).expect("all is legal")
        };
        let alone = games(1, 1);
        assert!((0..40).eq(alone.iter().map(|game| game.game_id)));
        assert_eq!(games(1, 7), alone);
        assert_eq!(games(2, 64), alone);
    }
}
