//! Self-play into a dataset.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use darkqi_analysis::RunningScore;
use darkqi_env::Spec;
use darkqi_format::training::{has_observations, write_observations};
use darkqi_format::{Dataset, GameRecord, Parts, is_remote};

use super::job::{Job, Seating, run_bytes};
use super::run::{self, Tally};
use super::schedule::Schedule;
use super::summary::{Summary, SummaryTally};
use super::workers::Ended;
use crate::error::Error;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// Plays the games of a job and writes them as a dataset.
///
/// When `stop` becomes true, the games that have not ended are dropped. Finished shards stay, a
/// readable dataset that is marked as incomplete, and the other games that have ended stay in parts,
/// which a resumed run reads. After a failure it is the same. A process that is killed loses a minute
/// of play at most.
///
/// With [`Job::shards`] only these are played, whatever else is in the folder;
/// [`finish`](super::finish()) then makes one dataset of all. Shards whose files are there and sound
/// are not played again. In object storage ([`Job::dir`] is a URL) all shards are played in that way,
/// and then listed.
///
/// A resumed run ([`Job::resume`]) ends with the same files, byte for byte, as one that was never
/// interrupted. Shards whose files are missing or damaged are played again.
///
/// # Errors
/// If the job is faulty or differs from that of the dataset to be resumed (nothing is
/// written then), another process writes to the folder, an agent breaks the rules, a file cannot be
/// written, or `stop` becomes true while shards are checked. Finished shards stay readable.
pub fn selfplay(job: &Job, progress: &dyn Progress, stop: &AtomicBool) -> Result<Summary, Error> {
    let (job, dir) = (&job.afresh(), folder(job)?);
    if job.observations && (job.shards.is_some() || is_remote(dir)) {
        let what = "observations are written once all shards are there".to_owned();
        return Err(Error::Unshareable { what });
    }
    let tally = |spec: &Spec, schedule: &Schedule| SelfplayTally::new(spec, schedule, job);
    let (tally, ran) = run::run(job, Seating::Seats, tally, progress, stop)?;
    let is_complete = ran.end?;
    let started = Instant::now();
    // A run that is repaired or extended keeps the rows that it has whole.
    if is_complete && (job.observations || has_observations(dir)?) {
        let dataset = Dataset::open_unchecked(dir)?;
        thread_pool(job.threads)?.install(|| write_observations(&dataset, stop))?;
    }
    let elapsed = ran.elapsed + started.elapsed();
    let summary = tally.summary.finish(job, dir, is_complete, elapsed, ran.bytes);
    Ok(Summary {
        restarts: ran.restarts,
        damages: ran.damages,
        settled: tally.score.as_ref().map(RunningScore::settled),
        ..summary
    })
}

/// Makes the folder of a run ready for processes that play some of its shards each
/// ([`Job::shards`], which is not looked at here), and gives the number of all its shards. It checks
/// what such a process checks.
///
/// # Errors
/// As [`selfplay`] before it plays.
pub fn prepare(job: &Job) -> Result<u64, Error> {
    run::prepare(&job.afresh(), folder(job)?)
}

/// The folder of self-play.
fn folder(job: &Job) -> Result<&Path, Error> {
    job.dir.as_deref().ok_or_else(|| Error::config("out", "a folder for the games", "none"))
}

/// The number of games that the folder of a run holds: those of its dataset, and those in the parts of
/// shards that are not finished. A run that is resumed plays the others.
///
/// # Errors
/// If there is no dataset, it lacks the settings of its run, or files cannot be read.
pub fn kept_games(dir: &Path) -> Result<u64, Error> {
    let dataset = Dataset::open_unchecked(dir)?;
    let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
    let parts: Parts = Parts::new(dir, run_bytes(dataset.metadata(), run))?;
    let mut kept = dataset.num_games();
    for number in parts.shards()? {
        let listed = dataset.shards().iter().find(|listed| listed.shard == number);
        let is_listed =
            |game: &&GameRecord| listed.is_some_and(|listed| game.game_id <= listed.last_game_id);
        kept += parts.read(number)?.iter().filter(|game| !is_listed(game)).count() as u64;
    }
    Ok(kept)
}

/// The summary of self-play, and the score that decides when it stops. That score counts finished
/// shards only.
struct SelfplayTally {
    summary: SummaryTally,
    score: Option<RunningScore>,
    half_width: f64,
    standing: Option<String>,
}

impl SelfplayTally {
    fn new(spec: &Spec, schedule: &Schedule, job: &Job) -> Result<Self, Error> {
        let score = |half_width| RunningScore::new(spec, half_width, job.luck_adjusted);
        Ok(Self {
            summary: SummaryTally::new(schedule),
            score: job.until.map(score).transpose()?,
            half_width: job.until.unwrap_or_default(),
            standing: None,
        })
    }
}

impl Tally for SelfplayTally {
    fn add(&mut self, schedule: &Schedule, block: &[Ended], in_order: bool) -> Result<(), Error> {
        self.summary.add(schedule, block, in_order);
        Ok(())
    }

    fn end_shard(&mut self, games: &[GameRecord]) -> Result<(), Error> {
        if let Some(score) = &mut self.score {
            games.iter().try_for_each(|game| score.add(game))?;
            score.close()?;
            let score = score.estimate();
            self.standing = Some(format!("score {:.4} ± {:.4}", score.value, score.half_width()));
        }
        Ok(())
    }

    fn is_decided(&self) -> bool {
        self.score.as_ref().is_some_and(RunningScore::is_settled)
    }

    fn decision(&self) -> (String, &'static str) {
        let what = format!("until: {} is reached", self.half_width);
        (what, "the half-width that it was played for, or a narrower one")
    }

    fn standing(&self) -> Option<String> {
        self.standing.clone()
    }
}
