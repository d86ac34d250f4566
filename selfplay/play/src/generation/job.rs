//! A job: what is played, and where it is written; the options by which people give it; and whether two
//! jobs are the same.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Arg, Args, ValueHint};
use darkqi_engine::agents::{AgentError, AgentFiles, AgentSpec};
use darkqi_env::{Options, Spec};
use darkqi_format::{Dataset, Metadata, Openings, RunSettings, options_from_json, options_to_json};
use serde::Serialize;

use super::schedule::Schedule;
use crate::error::Error;
use crate::openings::{default_plies, read_openings};
use crate::options::{
    Elos, OPENINGS, RUN, SELFPLAY, SHARDS, TEST, Taker, at_least_1, declared, defaults, elos,
    shard_range,
};
use crate::reporting::Mismatch;
use crate::seeds::parse_seed;
use crate::threads::all_threads;

/// Who sits where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seating {
    /// Each agent has its seat, or one has all. With [`Job::duplicate`] every deal is played once per
    /// rotation of the agents over the seats.
    Seats,
    /// A match: every deal is played by all pairs of agents, in all their seatings.
    Pairs,
}

/// A run of games: what is played, and where it is written.
///
/// It is self-play by [`selfplay`](super::selfplay()), a match by [`arena::play`](crate::arena::play), and the
/// common part of studies.
///
/// The fields with `arg` are the options that people give, with their names, defaults and help: of the
/// command line and of Python alike ([`options`](crate::options)). `heading` says who takes them.
#[derive(Clone, Debug, Args)]
pub struct Job {
    /// The game's name in the registry.
    #[arg(skip)]
    pub game: String,
    /// Its options, the rest at their defaults.
    #[arg(skip)]
    pub options: Options,
    /// In self-play one agent per seat, or one for all seats; in a match at least two, all different as
    /// text. Ratings are relative to the first.
    #[arg(skip)]
    pub agents: Vec<AgentSpec>,
    /// Number of games, at least 1; of a match per pair, rounded up to whole blocks. With a rule to stop,
    /// the greatest number.
    #[arg(skip = 1000u64)]
    pub games: u64,
    /// The dataset's folder, which is created, or its URL in object storage. Self-play must have one. A
    /// match without is not logged.
    #[arg(skip)]
    pub dir: Option<PathBuf>,
    /// The seed. A game depends on it, on the game's number and on what is played, not on threads or files
    #[arg(long, help_heading = RUN, default_value_t = 0, value_parser = parse_seed)]
    pub seed: u64,
    /// Number of threads that play, one per core unless given
    #[arg(long, short, help_heading = RUN, value_name = "N", default_value_t = all_threads(),
        hide_default_value = true)]
    pub threads: NonZeroUsize,
    /// Number of random plies before the agents take over, drawn per deal. Unless given, there are none or,
    /// in matches where neither deals nor openings differ, 2 per seat
    #[arg(long, help_heading = OPENINGS, value_name = "N")]
    pub random_plies: Option<u32>,
    /// Begin with a line of this file, drawn per deal: a full FEN or, where all deals are equal, moves
    /// from the start. Lines that begin with # are left out. What lies covered is dealt
    #[arg(long, help_heading = OPENINGS, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "fen",
        value_parser = PathBufValueParser::new().try_map(|path| read_openings(&path)))]
    pub openings: Option<Lines>,
    /// Begin with this position, a full FEN, instead of a line of --openings. What lies covered is dealt
    #[arg(long, help_heading = OPENINGS)]
    pub fen: Option<String>,
    /// Take pieces off: for each of these names of a FEN one of the pieces that have it, drawn per deal
    #[arg(long, help_heading = OPENINGS, value_name = "PIECES", value_delimiter = ',')]
    pub remove: Vec<String>,
    /// Number of games per file, at least 1; rounded up to whole deals
    #[arg(long, help_heading = SHARDS, value_name = "N", default_value_t = SHARD_GAMES,
        value_parser = at_least_1::<u64>)]
    pub shard_games: u64,
    /// Play only the shards (files) from A to B - 1, counted from 0, while other processes, on this machine or
    /// others, may play other ones in the same folder; `darkqi finish` then makes one dataset of them. Shards
    /// that are there are not played again. Not with agents that play by the clock or are programs, nor with
    /// --until, --observations and --sprt
    #[arg(long, help_heading = SHARDS, value_name = "A..B", value_parser = shard_range)]
    pub shards: Option<Range<u64>>,
    /// Play every deal once per rotation of the agents over the seats, so that the luck of the deal cancels
    /// out; the number of games counts all of them
    #[arg(long, help_heading = SELFPLAY)]
    pub duplicate: bool,
    /// Stop after the first file that brings the 95 % interval of the first revealer's score (where
    /// nothing is covered, the first mover's) down to this half-width, above 0 and at most 0.5. The
    /// interval is anytime-valid. The agent must play itself; the number of games is the greatest
    #[arg(long, help_heading = SELFPLAY, value_name = "HALF_WIDTH")]
    pub until: Option<f64>,
    /// Let --until count by the luck-adjusted score, which needs fewer games where the luck of reveals
    /// decides much. Some pieces of the game must be covered
    #[arg(long, help_heading = SELFPLAY)]
    pub luck_adjusted: bool,
    /// Write the observation and mask of every ply to observations/*.parquet, too, once all games are
    /// played: for readers without darkqi
    #[arg(long, help_heading = SELFPLAY)]
    pub observations: bool,
    /// Resume the run in the folder, if there is one. Its settings must be these, apart from --threads, and
    /// from the number of games, --until and --luck-adjusted, which may ask for more games
    #[arg(long, help_heading = SELFPLAY)]
    pub resume: bool,
    /// Test whether the first of two agents is ELO0 (H0) or ELO1 (H1) better, and stop at the decision, at
    /// the latest after all games
    #[arg(long, help_heading = TEST, value_name = "ELO0,ELO1", allow_hyphen_values = true,
        value_parser = elos)]
    pub sprt: Option<Elos>,
    /// Greatest probability of accepting H1 although H0 is true
    #[arg(long, help_heading = TEST, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub alpha: f64,
    /// Greatest probability of accepting H0 although H1 is true
    #[arg(long, help_heading = TEST, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub beta: f64,
}

/// The default number of games per shard: some tens of megabytes in memory.
pub const SHARD_GAMES: u64 = 5000;

/// The openings of a file, which is one value of an option.
pub type Lines = Vec<String>;

impl Default for Job {
    /// No game yet; all options at their defaults.
    fn default() -> Self {
        defaults()
    }
}

impl Job {
    /// A thousand games of these agents, with all options at their defaults.
    pub fn new(game: impl Into<String>, agents: Vec<AgentSpec>) -> Self {
        Self { game: game.into(), agents, ..Self::default() }
    }

    /// The options of a job that somebody takes.
    pub fn taken_by<T: Taker>() -> Vec<Arg> {
        let is_taken = |option: &Arg| {
            option.get_help_heading().is_some_and(|heading| T::HEADINGS.contains(&heading))
        };
        declared::<Self>().into_iter().filter(is_taken).collect()
    }

    /// The job that resumes the run of a dataset. Files of agents that are no longer where they were are
    /// read from the dataset's copies.
    ///
    /// # Errors
    /// If the dataset lacks the settings of its run, or one of its agents is unknown.
    pub(crate) fn of_dataset(dataset: &Dataset) -> Result<(Self, Seating), Error> {
        let (dir, metadata) = (dataset.dir(), dataset.metadata());
        let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
        let agent = |text: &String| -> Result<AgentSpec, AgentError> {
            let agent: AgentSpec = text.parse()?;
            Ok(agent.with_copies(&dataset.agent_files(), &run.agent_files))
        };
        let agents = metadata.agents.iter().map(agent).collect::<Result<_, _>>()?;
        let Openings { lines, remove, random_plies } = run.openings.clone();
        let mut job = Self {
            options: options_from_json(&metadata.options)?,
            games: run.games,
            dir: Some(dir.to_owned()),
            seed: metadata.seed,
            random_plies: Some(random_plies),
            openings: Some(lines).filter(|lines| !lines.is_empty()),
            remove,
            shard_games: run.shard_games,
            duplicate: run.duplicate,
            until: run.until,
            luck_adjusted: run.luck_adjusted,
            resume: true,
            ..Self::new(&metadata.game, agents)
        };
        if let Some([elo0, elo1, alpha, beta]) = run.sprt {
            (job.sprt, job.alpha, job.beta) = (Some([elo0, elo1]), alpha, beta);
        }
        Ok((job, if run.all_pairs { Seating::Pairs } else { Seating::Seats }))
    }

    /// The job that resumes the self-play of a dataset, as `Job::of_dataset` gives it.
    ///
    /// # Errors
    /// If the dataset lacks the settings of its run or holds a match, or one of its agents is unknown.
    pub fn of_selfplay(dataset: &Dataset) -> Result<Self, Error> {
        match Self::of_dataset(dataset)? {
            (job, Seating::Seats) => Ok(job),
            (_, Seating::Pairs) => Err(Error::IsMatch { dir: dataset.dir().into() }),
        }
    }

    /// The job, whose agents read their files again.
    pub(crate) fn afresh(&self) -> Self {
        let agents = self.agents.iter().map(AgentSpec::afresh).collect();
        Self { agents, ..self.clone() }
    }

    /// How its games begin, besides the deal.
    pub(crate) fn all_openings(&self, spec: &Spec, seating: Seating) -> Openings {
        let position = self.fen.as_ref().map(|fen| vec![fen.clone()]);
        let lines = position.or_else(|| self.openings.clone()).unwrap_or_default();
        let random_plies = self.random_plies.unwrap_or_else(|| match seating {
            Seating::Seats => 0,
            Seating::Pairs => default_plies(spec, &lines),
        });
        Openings { lines, remove: self.remove.clone(), random_plies }
    }

    /// The rule by which it stops before its number of games, if there is one.
    pub(super) fn stop_rule(&self) -> Option<String> {
        let until = self.until.map(|half_width| format!("until={half_width}"));
        until.or_else(|| self.sprt.map(|[elo0, elo1]| format!("sprt={elo0},{elo1}")))
    }
}

/// The description that a run writes of itself.
pub(super) struct Description {
    pub(super) metadata: Metadata,
    pub(super) run: RunSettings,
    /// The contents of the files that agents' options name, by their XXH64.
    pub(super) agent_files: BTreeMap<String, Vec<u8>>,
}

impl Description {
    /// # Errors
    /// If a file of an agent cannot be read.
    pub(super) fn of(job: &Job, schedule: &Schedule, spec: &Spec) -> Result<Self, Error> {
        let files = AgentFiles::read(&job.game, &job.agents)?;
        let metadata = Metadata {
            game: spec.name.into(),
            options: options_to_json(&spec.options_in_force()),
            seed: job.seed,
            agents: schedule.agents.iter().map(AgentSpec::to_string).collect(),
            software_version: env!("CARGO_PKG_VERSION").into(),
        };
        let run = RunSettings {
            games: job.games,
            shard_games: job.shard_games,
            duplicate: job.duplicate,
            all_pairs: schedule.seating == Seating::Pairs,
            sprt: job.sprt.map(|[elo0, elo1]| [elo0, elo1, job.alpha, job.beta]),
            until: job.until,
            luck_adjusted: job.luck_adjusted,
            agent_files: files.checksums,
            openings: schedule.openings.clone(),
        };
        Ok(Self { metadata, run, agent_files: files.contents })
    }

    /// The key of the run's parts.
    pub(super) fn bytes(&self) -> Vec<u8> {
        run_bytes(&self.metadata, &self.run)
    }

    /// Checks that a run in the folder `dir` plays the same games in the same shards. The numbers of
    /// games may differ, so that a run can be extended.
    ///
    /// # Errors
    /// If settings differ, or those of the run in the folder are not known.
    pub(super) fn check_extends(
        &self,
        dir: &Path,
        metadata: &Metadata,
        run: Option<&RunSettings>,
    ) -> Result<(), Error> {
        let kept = Settings::new(metadata, known(dir, run)?);
        refuse(dir, Mismatch::all(&kept, &Settings::new(&self.metadata, &self.run)))
    }

    /// Checks that the run in the folder `dir` is this one.
    ///
    /// # Errors
    /// As [`Description::check_extends`].
    pub(super) fn check_is(
        &self,
        dir: &Path,
        metadata: &Metadata,
        run: Option<&RunSettings>,
    ) -> Result<(), Error> {
        let kept = AllSettings { metadata, run: known(dir, run)? };
        let asked = AllSettings { metadata: &self.metadata, run: &self.run };
        refuse(dir, Mismatch::all(&kept, &asked))
    }
}

/// The key of a run's parts.
pub(super) fn run_bytes(metadata: &Metadata, run: &RunSettings) -> Vec<u8> {
    serde_json::to_vec(&Settings::new(metadata, run)).expect("settings are plain data")
}

fn known<'a>(dir: &Path, run: Option<&'a RunSettings>) -> Result<&'a RunSettings, Error> {
    run.ok_or_else(|| Error::NoRun { dir: dir.into() })
}

fn refuse(dir: &Path, mismatches: Vec<Mismatch>) -> Result<(), Error> {
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Error::OtherRun { dir: dir.into(), mismatches })
    }
}

/// The settings of a run.
#[derive(Serialize)]
struct AllSettings<'a> {
    #[serde(flatten)]
    metadata: &'a Metadata,
    #[serde(flatten)]
    run: &'a RunSettings,
}

/// The settings that determine each game and the shard it is in. The number of games is not part of
/// them.
#[derive(Serialize)]
struct Settings<'a> {
    #[serde(flatten)]
    metadata: &'a Metadata,
    shard_games: u64,
    duplicate: bool,
    all_pairs: bool,
    agent_files: &'a BTreeMap<String, String>,
    openings: &'a Openings,
}

impl<'a> Settings<'a> {
    fn new(metadata: &'a Metadata, run: &'a RunSettings) -> Self {
        let RunSettings {
            shard_games, duplicate, all_pairs, ref agent_files, ref openings, ..
        } = *run;
        Self { metadata, shard_games, duplicate, all_pairs, agent_files, openings }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::FromArgMatches as _;

    use super::Job;
    use crate::options::{Balance, Match, Selfplay, Study, declared, given};

    #[test]
    fn every_option_of_a_job_has_help_and_is_taken() {
        let takers = [
            Job::taken_by::<Selfplay>(),
            Job::taken_by::<Match>(),
            Job::taken_by::<Study>(),
            Job::taken_by::<Balance>(),
        ];
        let all = takers.concat();
        for option in declared::<Job>() {
            let name = option.get_id();
            assert!(all.iter().any(|other| other.get_id() == name), "{name}");
            assert!(option.get_help().is_some(), "{name}");
        }
    }

    #[test]
    fn what_is_not_given_stays() {
        let mut job = Job::default();
        let mut set = |some: &[&str]| {
            let given = given::<Job>(some.iter().map(OsString::from)).expect("they exist");
            job.update_from_arg_matches(&given).expect("they are read");
        };
        set(&["--duplicate", "--seed=-1", "--remove=R,c"]);
        set(&["--sprt=-5,0", "--shards=1..3"]);
        assert_eq!((job.duplicate, job.resume, job.seed), (true, false, u64::MAX));
        assert_eq!((job.sprt, job.alpha), (Some([-5.0, 0.0]), 0.05));
        assert_eq!((job.shards, job.remove.join(" ")), (Some(1..3), "R c".to_owned()));
        assert!(given::<Job>(["--sede=3".into()]).is_err());
    }
}
