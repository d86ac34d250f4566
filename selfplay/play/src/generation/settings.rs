//! What `dataset.json` keeps of a run, and whether two runs are the same.

use std::collections::BTreeMap;
use std::path::Path;

use darkqi_datasets::{Metadata, Openings, RunSettings};
use darkqi_engine::agents::AgentFiles;
use darkqi_env::Registered;
use serde::Serialize;

use super::config::Config;
use super::plan::Plan;
use crate::error::Error;
use crate::reporting::Mismatch;

/// What a run writes about itself.
pub(super) struct Description {
    pub(super) metadata: Metadata,
    pub(super) run: RunSettings,
    /// What the files that agents' options name contain, by their XXH64.
    pub(super) agent_files: BTreeMap<String, Vec<u8>>,
}

impl Description {
    /// # Errors
    /// If a file of an agent cannot be read.
    pub(super) fn of<G: Registered>(
        config: &Config,
        plan: &Plan,
        rules: &G,
    ) -> Result<Self, Error> {
        let files = AgentFiles::read(&config.game, &config.agents)?;
        let run = RunSettings {
            games: config.games,
            shard_games: config.shard_games,
            duplicate: config.duplicate,
            until: config.until,
            luck_adjusted: config.luck_adjusted,
            agent_files: files.checksums,
            openings: config.openings.clone(),
        };
        Ok(Self { metadata: plan.metadata(rules), run, agent_files: files.contents })
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
pub(super) struct Settings<'a> {
    #[serde(flatten)]
    metadata: &'a Metadata,
    shard_games: u64,
    duplicate: bool,
    agent_files: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_plain")]
    openings: &'a Openings,
}

impl<'a> Settings<'a> {
    pub(super) fn new(metadata: &'a Metadata, run: &'a RunSettings) -> Self {
        let RunSettings { shard_games, duplicate, ref agent_files, ref openings, .. } = *run;
        Self { metadata, shard_games, duplicate, agent_files, openings }
    }

    /// What identifies the journals of a run with these settings.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("settings are plain data")
    }
}

/// A run of before there were openings keeps its journals.
fn is_plain(openings: &&Openings) -> bool {
    openings.is_plain()
}
