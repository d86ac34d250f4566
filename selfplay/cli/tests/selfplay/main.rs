//! Tests of agents, self-play, replay and the command line.

mod agents;
mod analysis;
mod analysis_parts;
mod arena;
mod arena_cli;
mod arena_log;
mod arena_luck;
mod balance;
mod bench;
mod cli;
mod cli_json;
#[cfg(unix)]
mod crash;
mod decisions;
mod edited;
mod generate;
mod greedy;
mod learning;
mod observations;
mod openings;
mod opponents;
mod pages;
mod parts;
mod play;
mod replay;
mod report;
mod resume;
mod shards;
mod solve;
mod studies;
mod tables;
// The engines of the tests are shell scripts.
#[cfg(unix)]
mod uci_agent;
#[cfg(unix)]
mod uci_covered;
mod verify;
mod versions;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Options, Spec};
use darkqi_format::{Dataset, DatasetWriter, GameRecord, Metadata, RunSettings};
use darkqi_play::generation::{Job, Summary, selfplay};
use darkqi_play::reporting::Progress;
use darkqi_play::verify::{Verification, verify};
use tempfile::{TempDir, tempdir};

fn folder() -> TempDir {
    tempdir().expect("a folder can be made")
}

/// A folder, and a path in it.
fn folder_with(name: &str) -> (TempDir, PathBuf) {
    let folder = folder();
    let path = folder.path().join(name);
    (folder, path)
}

/// A folder, and its path as text.
fn plain_folder() -> (TempDir, String) {
    let folder = folder();
    let path = folder.path().to_str().expect("the path is plain").to_owned();
    (folder, path)
}

/// A small run on one thread.
fn config(game: &str, agents: &str, games: u64, dir: &Path) -> Job {
    let agents = AgentSpec::parse_list(agents).expect("the agents exist");
    let dir = Some(dir.to_owned());
    Job { games, dir, threads: NonZeroUsize::MIN, ..Job::new(game, agents) }
}

/// `greedy` and `random` in turn, one for each seat of a game.
fn greedy_and_random(game: &str) -> String {
    let spec = Spec::new(game, &Options::new()).expect("the game exists");
    let agents = ["greedy", "random"].into_iter().cycle().take(spec.num_players);
    agents.collect::<Vec<_>>().join(",")
}

fn play(config: &Job) -> Summary {
    selfplay(config, &(), &NEVER).expect("the run succeeds")
}

/// Plays until this number of games is over.
fn stop_after(config: &Job, games: u64) -> Summary {
    let watch = StopAfter::games(games);
    selfplay(config, &watch, &watch.stop).expect("stopping is no error")
}

/// Why a run is refused.
fn refusal(config: &Job) -> String {
    selfplay(config, &(), &NEVER).expect_err("it is refused").to_string()
}

fn replays(dir: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(dir).expect("the dataset can be opened");
    dataset.replays().collect::<Result<_, _>>().expect("the dataset can be read")
}

/// Writes games in shards of this size: of a run, where its settings are given.
fn write_dataset(
    dir: &Path,
    metadata: &Metadata,
    run: Option<&RunSettings>,
    games: &[GameRecord],
    shard_games: usize,
) {
    let metadata = metadata.clone();
    let writer = match run {
        Some(run) => DatasetWriter::create_run(dir, metadata, run.clone()),
        None => DatasetWriter::create(dir, metadata),
    };
    let mut writer = writer.expect("the folder is new");
    for (number, shard) in (0..).zip(games.chunks(shard_games)) {
        writer.write_shard(number, shard).expect("it can be written");
    }
    writer.finish().expect("it can be written");
}

/// Replaces the first occurrence of a text in `dataset.json`.
fn edit_manifest(dir: &Path, old: &str, new: &str) {
    let path = dir.join("dataset.json");
    let text = fs::read_to_string(&path).expect("it is text");
    assert!(text.contains(old), "{text}");
    fs::write(path, text.replacen(old, new, 1)).expect("it can be written");
}

/// What is found in a dataset, by one thread.
fn verified(dir: &Path) -> Verification {
    verify(dir, NonZeroUsize::MIN, &(), &NEVER).expect("it can be checked")
}

/// Every file below a folder, by its path.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path)
            } else {
                let name = path.strip_prefix(dir).expect("it is below").display().to_string();
                found.insert(name, fs::read(&path).expect("the file can be read"));
            }
        }
    }
    found
}

/// The files of a dataset but for parts, copies and rows, by their paths in the folder.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let folders = ["", "games", "plies"].map(|folder| dir.join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let files = paths.filter(|path| path.is_file()).map(|path| {
        let name = path.strip_prefix(dir).expect("it is below").to_str().expect("names are plain");
        (name.to_owned(), fs::read(&path).expect("the file can be read"))
    });
    files.collect()
}

/// Stops a run after some games.
struct StopAfter {
    games: AtomicU64,
    stop: AtomicBool,
}

impl StopAfter {
    fn games(games: u64) -> Self {
        Self { games: games.into(), stop: false.into() }
    }
}

impl Progress for StopAfter {
    fn played(&self, _: u16) {
        if self.games.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
