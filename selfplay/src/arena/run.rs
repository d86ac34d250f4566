//! Plays a match: threads take blocks in turn, one place keeps what they finish.

use std::collections::{BTreeMap, HashSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};

use super::blocks::{BlockQueue, Blocks};
use super::config::{Match, Plan};
use super::error::Error;
use super::header::Header;
use super::journal::{Block, Journal};
use super::opening;
use super::results::{Pairing, Results, rankings};
use super::sprt::{Decision, Sprt, Verdict};
use super::tally::Tally;
use crate::agents::{Agent, AgentSpec};
use crate::driver::{Driver, Interrupt};
use crate::progress::Progress;

/// Plays a match, or what is left of it where it has a journal.
///
/// When `stop` becomes true, games under way are dropped; the results are those of the blocks that
/// are finished, marked as incomplete.
///
/// # Errors
/// If the configuration is faulty (nothing is written then), an agent breaks the rules, or the
/// journal cannot be used or written. What the journal holds stays good.
pub fn play(config: &Match, progress: &dyn Progress, stop: &AtomicBool) -> Result<Results, Error> {
    struct Play<'a> {
        config: &'a Match,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    }
    impl Visitor for Play<'_> {
        type Output = Result<Results, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            run(&rules, self.config, self.progress, self.stop)
        }
    }
    games::with(&config.game, &config.options, Play { config, progress, stop })?
}

fn run<G: Registered>(
    rules: &G,
    config: &Match,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Results, Error> {
    let started = Instant::now();
    let plan = Plan::new(config, rules)?;
    check_opening(rules, &plan)?;
    let names: Vec<String> = config.agents.iter().map(AgentSpec::to_string).collect();
    let agents: Vec<Box<dyn Agent<G>>> =
        config.agents.iter().map(AgentSpec::build).collect::<Result<_, _>>()?;
    let header = Header::new(config, rules, &plan)?;
    let mut board = Board::new(&plan, config.sprt);
    let mut done = HashSet::new();
    let mut resume = |block: Block| {
        let pair = block.check(&plan)?;
        if !done.insert((pair, block.block)) {
            return Err(format!("block {} of this pair stands on a line before", block.block));
        }
        board.add(pair, block);
        Ok(())
    };
    let mut journal = match &config.journal {
        Some(path) => Some(Journal::open(path, &header, &mut resume)?),
        None => None,
    };
    let left =
        plan.all_blocks() - done.iter().filter(|(_, block)| *block < plan.blocks).count() as u64;
    let games_per_block = plan.seating.games() as u64;
    progress.begin(plan.all_games(), plan.all_games() - left * games_per_block);

    let work = Work {
        plan: &plan,
        next: AtomicU64::new(0),
        done: &done,
        halt: AtomicBool::new(board.decided()),
        stop,
        progress,
    };
    let threads = (config.threads.get() as u64).min(left) as usize;
    let most = (plan.all_games() as usize).div_ceil(threads.max(1));
    let drivers = (0..threads).map(|_| {
        let agents = agents.iter().map(|agent| agent.boxed_clone()).collect();
        Driver::new(rules, agents, most)
    });
    work.share(rules, &names, drivers.collect(), |finished| {
        for (pair, block) in finished {
            if let Some(journal) = &mut journal {
                journal.add(&block)?;
            }
            board.add(pair, block);
            if let Some(Trial { verdict: Verdict { lower, upper, llr, .. }, .. }) = &board.trial {
                progress.standing(&format!("LLR {llr:.2} of {lower:.2} to {upper:.2}"));
            }
            if board.decided() {
                work.halt.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    })?;

    let tallies = &board.tallies;
    let played: u64 = tallies.iter().map(Tally::blocks).sum();
    let pairings = tallies.iter().enumerate();
    Ok(Results {
        software_version: header.software_version,
        game: G::NAME.to_owned(),
        options: header.options,
        seed: config.seed,
        random_plies: plan.random_plies,
        seats: plan.seating.seats(),
        games_per_block: plan.seating.games(),
        games_per_pair: plan.blocks * games_per_block,
        complete: board.decided() || played == plan.all_blocks(),
        agents: rankings(&plan, &names, tallies),
        pairs: pairings.map(|(pair, tally)| Pairing::new(&plan, &names, pair, tally)).collect(),
        sprt: board.trial.as_ref().map(|trial| trial.verdict),
        resumed_games: done.len() as u64 * games_per_block,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Finds out before anything is written that random plies leave no game to play.
fn check_opening(rules: &impl Registered, plan: &Plan) -> Result<(), Error> {
    let (plies, tries) = (plan.random_plies, opening::TRIES);
    match opening::position(rules, plan.block_seed(0), plies) {
        Some(_) => Ok(()),
        None => Err(Error::Opening { plies, block: 0, tries }),
    }
}

/// Blocks to be played, shared out among threads.
struct Work<'a> {
    plan: &'a Plan,
    /// The next block to be taken, in the order of [`Plan::nth`].
    next: AtomicU64,
    /// Pairs and numbers of blocks that need not be played.
    done: &'a HashSet<(usize, u64)>,
    /// Nothing more is needed.
    halt: AtomicBool,
    /// Nothing more is wanted.
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

/// Halts the other threads if its own panics: nobody will see what they play.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Work<'_> {
    /// Plays with these drivers, a thread each, while `keep` takes the blocks that they finish.
    fn share<G: Registered>(
        &self,
        rules: &G,
        names: &[String],
        drivers: Vec<Driver<'_, G>>,
        keep: impl FnOnce(Receiver<(usize, Block)>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let threads = drivers.len();
        // As few wait to be kept as makes nobody wait for the disk now and then.
        let (sender, receiver) = sync_channel(2 * threads);
        thread::scope(|scope| {
            let mut workers = Vec::with_capacity(threads);
            for mut driver in drivers {
                let sender = sender.clone();
                let work = move || {
                    let _alarm = Alarm(&self.halt);
                    let share = Share { work: self, sender };
                    match driver.run(&mut Blocks::new(rules, self.plan, names, share)) {
                        Ok(()) | Err(Interrupt::Stopped) => Ok(()),
                        Err(Interrupt::Failed(error)) => {
                            self.halt.store(true, Ordering::Relaxed);
                            Err(error)
                        }
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(worker) => workers.push(worker),
                    Err(cause) => {
                        self.halt.store(true, Ordering::Relaxed);
                        return Err(Error::Threads { threads, cause });
                    }
                }
            }
            drop(sender);
            let kept = keep(receiver);
            if kept.is_err() {
                self.halt.store(true, Ordering::Relaxed);
            }
            let mut result = kept;
            for worker in workers {
                let worked = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
                result = result.and(worked);
            }
            result
        })
    }
}

/// What one thread takes of the work and hands in.
struct Share<'a> {
    work: &'a Work<'a>,
    sender: SyncSender<(usize, Block)>,
}

impl BlockQueue for Share<'_> {
    fn next(&mut self) -> Option<(usize, u64)> {
        let Work { plan, next, done, .. } = self.work;
        while !self.is_stopped() {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= plan.all_blocks() {
                break;
            }
            let block = plan.nth(n);
            if !done.contains(&block) {
                return Some(block);
            }
        }
        None
    }

    fn played(&mut self, plies: u16) {
        self.work.progress.played(plies);
    }

    fn finish(&mut self, pair: usize, block: Block) {
        if self.sender.send((pair, block)).is_err() {
            // Nobody takes blocks any more: the journal cannot be written.
            self.work.halt.store(true, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        let Work { halt, stop, .. } = self.work;
        halt.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed)
    }
}

/// The blocks that count.
struct Board<'a> {
    plan: &'a Plan,
    /// By pair.
    tallies: Vec<Tally>,
    trial: Option<Trial>,
}

/// A test under way. It takes the blocks in the order of their numbers, so that what it decides, and
/// after which block, does not depend on who finishes first.
struct Trial {
    test: Sprt,
    verdict: Verdict,
    next: u64,
    waiting: BTreeMap<u64, Block>,
}

impl<'a> Board<'a> {
    fn new(plan: &'a Plan, sprt: Option<Sprt>) -> Self {
        let trial = sprt.map(|test| Trial {
            test,
            verdict: test.judge(&[]),
            next: 0,
            waiting: BTreeMap::new(),
        });
        Self { plan, tallies: vec![Tally::default(); plan.pairs.len()], trial }
    }

    /// Counts a block, unless it is beyond those asked for.
    fn add(&mut self, pair: usize, block: Block) {
        let seating = self.plan.seating;
        let tally = &mut self.tallies[pair];
        if block.block >= self.plan.blocks {
            return;
        }
        let Some(trial) = &mut self.trial else {
            tally.add(seating, &block);
            return;
        };
        trial.waiting.insert(block.block, block);
        while trial.verdict.decision == Decision::Undecided
            && let Some(block) = trial.waiting.remove(&trial.next)
        {
            tally.add(seating, &block);
            trial.verdict = trial.test.judge(&tally.all_cells(seating));
            trial.next += 1;
        }
    }

    fn decided(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.verdict.decision != Decision::Undecided)
    }
}
