//! A job: what is played, and where it is written, of self-play and of matches; and whether two
//! jobs are the same.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use darkqi_engine::agents::{AgentError, AgentFiles, AgentSpec};
use darkqi_env::{Options, Spec};
use darkqi_format::{Dataset, Metadata, Openings, RunSettings, options_from_json, options_to_json};
use serde::Serialize;

use crate::error::Error;
use crate::reporting::Mismatch;
use crate::threads::all_threads;

/// Who sits where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seating {
    /// Each agent has its seat, or one has all.
    Fixed,
    /// As many agents as seats. Every deal is played once per rotation of the agents over the seats.
    Rotated,
    /// A match: every deal is played by all pairs of agents, in all their seatings.
    Pairs,
}

/// A run: what is played, and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) game: String,
    pub(crate) options: Options,
    pub(crate) agents: Vec<AgentSpec>,
    /// Number of games; of a match per pair. With a rule to stop, the greatest number.
    pub(crate) games: u64,
    pub(crate) seed: u64,
    pub(crate) seating: Seating,
    pub(crate) openings: Openings,
    pub(crate) threads: NonZeroUsize,
    pub(crate) shard_games: u64,
    /// The half-width at which self-play stops.
    pub(crate) until: Option<f64>,
    pub(crate) luck_adjusted: bool,
    /// The sequential test at whose decision a match stops, as [`RunSettings::sprt`] has it.
    pub(crate) sprt: Option<[f64; 4]>,
    /// Whether decisions are timed.
    pub(crate) is_timed: bool,
    pub(crate) resume: bool,
    /// These shards only, beside other processes.
    pub(crate) shards: Option<Range<u64>>,
    /// Where the games are written.
    pub(crate) dir: Option<PathBuf>,
}

impl Job {
    /// The job of the run in a dataset. Files of agents that are no longer where they were are read
    /// from the dataset's copies.
    ///
    /// # Errors
    /// If the dataset lacks the settings of its run, or one of its agents is unknown.
    pub(crate) fn of_dataset(dataset: &Dataset) -> Result<Self, Error> {
        let (dir, metadata) = (dataset.dir(), dataset.metadata());
        let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
        let agent = |text: &String| -> Result<AgentSpec, AgentError> {
            let agent: AgentSpec = text.parse()?;
            Ok(agent.with_copies(&dataset.agent_files(), &run.agent_files))
        };
        Ok(Self {
            game: metadata.game.clone(),
            options: options_from_json(&metadata.options)?,
            agents: metadata.agents.iter().map(agent).collect::<Result<_, _>>()?,
            games: run.games,
            seed: metadata.seed,
            seating: match (run.all_pairs, run.duplicate) {
                (true, _) => Seating::Pairs,
                (false, true) => Seating::Rotated,
                (false, false) => Seating::Fixed,
            },
            openings: run.openings.clone(),
            threads: all_threads(),
            shard_games: run.shard_games,
            until: run.until,
            luck_adjusted: run.luck_adjusted,
            sprt: run.sprt,
            is_timed: false,
            resume: true,
            shards: None,
            dir: Some(dir.to_owned()),
        })
    }

    /// The rule by which it stops before its number of games, if there is one.
    pub(super) fn stop_rule(&self) -> Option<String> {
        let until = self.until.map(|half_width| format!("until={half_width}"));
        until.or_else(|| self.sprt.map(|[elo0, elo1, ..]| format!("sprt={elo0},{elo1}")))
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
    /// The agents are those of the seats or, in a match, all of them.
    ///
    /// # Errors
    /// If a file of an agent cannot be read.
    pub(super) fn of(job: &Job, agents: &[AgentSpec], spec: &Spec) -> Result<Self, Error> {
        let files = AgentFiles::read(&job.game, &job.agents)?;
        let metadata = Metadata {
            game: spec.name.into(),
            options: options_to_json(&spec.options_in_force()),
            seed: job.seed,
            agents: agents.iter().map(AgentSpec::to_string).collect(),
            software_version: env!("CARGO_PKG_VERSION").into(),
        };
        let run = RunSettings {
            games: job.games,
            shard_games: job.shard_games,
            duplicate: job.seating == Seating::Rotated,
            all_pairs: job.seating == Seating::Pairs,
            sprt: job.sprt,
            until: job.until,
            luck_adjusted: job.luck_adjusted,
            agent_files: files.checksums,
            openings: job.openings.clone(),
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
