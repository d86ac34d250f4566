//! The dataset that is being written.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_engine::agent::NEVER;
use darkqi_env::{Spec, Trajectory, shown::name_fault};
use darkqi_format::{Dataset, DatasetWriter, GameRecord, Metadata, Parts, Table, options_to_json};

use super::recording::Recording;
use crate::error::Error;
use crate::reporting::Mismatch;
use crate::transcript::{GameLabel, Names, Transcript};

/// Writes the games of parts as shards.
pub(super) struct ShardWriter {
    names: Names,
    recording: Recording,
    writer: DatasetWriter,
    parts: Parts<Trajectory>,
    next_id: u64,
}

impl ShardWriter {
    /// Creates the dataset, or opens the one to which games are to be added. Games that a process
    /// before this one has left in parts become shards.
    ///
    /// # Errors
    /// If the dataset cannot be written, or is another one.
    pub(super) fn open(recording: Recording) -> Result<Self, Error> {
        let spec = Spec::new(&recording.game, &recording.options)?;
        if recording.shard_games == 0 {
            return Err(Error::config("shard_games", "at least 1", 0));
        }
        if let Some(fault) = name_fault(&recording.caller) {
            return Err(Error::Name { what: "log_agent", fault });
        }
        let mut agents = vec![recording.caller.clone(); spec.num_players];
        if let Some(opponent) = &recording.opponent {
            agents[1..].fill(opponent.clone());
        }
        let metadata = Metadata {
            game: spec.name.into(),
            options: options_to_json(&spec.options_in_force()),
            seed: recording.seed,
            agents,
            software_version: env!("CARGO_PKG_VERSION").into(),
        };
        let dir = &recording.dir;
        let run = format!("recorder of {:?}", metadata.agents);
        let writer = match DatasetWriter::open(dir) {
            Ok(writer) => reopened(dir, writer, &metadata)?,
            Err(error) if error.is_no_dataset() => DatasetWriter::create(dir, metadata)?,
            Err(error) => return Err(error.into()),
        };
        let last_id = writer.shards().iter().map(|shard| shard.last_game_id).max();
        let names = Names::new(&spec);
        let next_id = last_id.map_or(0, |last| last + 1);
        let parts = writer.parts(run);
        let mut log = Self { names, recording, writer, parts, next_id };
        for left in log.parts.shards()? {
            log.write(left, &NEVER)?;
        }
        Ok(log)
    }

    /// The number of the next shard.
    pub(super) fn next_shard(&self) -> u32 {
        self.writer.shards().last().map_or(0, |last| last.shard + 1)
    }

    /// The parts, for the thread that writes them.
    pub(super) fn parts(&self) -> Parts<Trajectory> {
        self.parts.clone()
    }

    /// Writes the games of the parts of a shard as the shard, unless `stop` becomes true before that:
    /// the parts are then as they were, and false is returned. If there is such a shard already, the parts
    /// have outlived it: the process ended, or the power failed, before they were removed.
    ///
    /// # Errors
    /// If the shard cannot be written. Its parts stay, and it can be written again.
    pub(super) fn write(&mut self, number: u32, stop: &AtomicBool) -> Result<bool, Error> {
        if self.writer.shards().iter().all(|listed| listed.shard != number) {
            let mut records = Vec::new();
            for (game_id, game) in (self.next_id..).zip(self.parts.read(number)?) {
                if stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                records.push(self.record(game_id, game)?);
            }
            if !records.is_empty() {
                self.writer.write_shard(number, &records)?;
                self.next_id += records.len() as u64;
            }
        }
        self.parts.remove(number)?;
        Ok(true)
    }

    /// Adds one game as a shard of its own and marks the dataset as complete. Returns its number.
    ///
    /// # Errors
    /// If it is no game by the rules, or the shard cannot be written.
    pub(super) fn add(mut self, game: Trajectory) -> Result<u64, Error> {
        let game_id = self.next_id;
        let record = self.record(game_id, game)?;
        self.writer.write_shard(self.next_shard(), &[record])?;
        self.complete()?;
        Ok(game_id)
    }

    /// Marks the dataset as complete.
    ///
    /// # Errors
    /// If it cannot be written. It can be tried again.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        Ok(self.writer.complete()?)
    }

    /// The record of a game.
    ///
    /// # Errors
    /// If it is no game by the rules.
    fn record(&self, game_id: u64, game: Trajectory) -> Result<GameRecord, Error> {
        let Self { names, recording, .. } = self;
        let agent = |seat| match (&recording.opponent, game.caller) {
            (Some(opponent), Some(caller)) if seat != caller => opponent.clone(),
            _ => recording.caller.clone(),
        };
        let agents = (0..names.spec().num_players).map(agent).collect();
        let label = GameLabel { game_id, seed: game.seed, deal_id: game_id, agents };
        Transcript::of(names, label, game)
    }
}

/// A dataset that more games are to be added to.
///
/// # Errors
/// If it is not a recorded one of this game, with these options and agents, or its files are not those
/// that were written.
fn reopened(
    dir: &Path,
    mut writer: DatasetWriter,
    metadata: &Metadata,
) -> Result<DatasetWriter, Error> {
    if writer.run().is_some() {
        return Err(Error::NotRecorded { dir: dir.into() });
    }
    // The seed of each game is in its row.
    let asked = Metadata { seed: writer.metadata().seed, ..metadata.clone() };
    let mismatches = Mismatch::all(writer.metadata(), &asked);
    if !mismatches.is_empty() {
        return Err(Error::OtherRun { dir: dir.into(), mismatches });
    }
    let dataset = Dataset::open(dir)?;
    for place in 0..dataset.shards().len() {
        dataset.check_file(Table::Games, place)?;
        dataset.check_file(Table::Plies, place)?;
    }
    writer.resume(None)?;
    writer.mark_incomplete()?;
    Ok(writer)
}
