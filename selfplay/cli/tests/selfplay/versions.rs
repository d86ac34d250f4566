//! Files that earlier versions wrote, and this one: `tests/versions/VERSION` in the repository. Each
//! later version reads them, plays with them, and resumes its own.
//!
//! `DARKQI_BLESS=1` writes the files of this version. Those of a released version never change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use darkqi_engine::agent::NEVER;
use darkqi_format::Dataset;
use darkqi_play::arena;
use darkqi_play::generation::{Job, kept_games};
use tempfile::TempDir;

use super::arena::matched;
use super::cli::{error, run};
use super::{config, files, folder, play, replays, stop_after};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The seats log values, the second one policies, too.
const AGENTS: &str = "expectimax:depth=1,net=none,ismcts:sims=8,net=none";

/// Games of the run, in shards of 5.
const GAMES: u64 = 12;

/// Games after which the interrupted run stopped. The third one of a shard is in a part.
const STOPPED: u64 = 8;

/// Games of the match.
const MATCH: u64 = 4;

fn versions() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../tests/versions"].iter().collect()
}

/// The versions that have files, each with its folder.
fn each_version(mut check: impl FnMut(&str, &Path)) {
    if std::env::var_os("DARKQI_BLESS").is_some() {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| bless(&versions().join(VERSION)));
    }
    let folders = fs::read_dir(versions()).expect("there are files of versions");
    let folders: BTreeMap<String, PathBuf> = folders
        .map(|entry| entry.expect("the folder can be read"))
        .map(|entry| (entry.file_name().into_string().expect("versions are text"), entry.path()))
        .collect();
    assert!(
        folders.contains_key(VERSION),
        "there are no files of version {VERSION}: DARKQI_BLESS=1 writes them"
    );
    folders.iter().for_each(|(version, folder)| check(version, folder));
}

fn the_run(dir: &Path) -> Job {
    let config = config("gaiqi", AGENTS, GAMES, dir);
    Job { shard_games: 5, seed: 7, resume: true, observations: true, ..config }
}

fn the_match(dir: &Path) -> Job {
    Job { dir: Some(dir.into()), seed: 3, ..matched("gaiqi", "greedy,random", MATCH) }
}

/// Writes the files of this version.
fn bless(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("it can be removed");
    }
    play(&the_run(&folder.join("dataset")));
    stop_after(&the_run(&folder.join("interrupted")), STOPPED);
    arena::play(&the_match(&folder.join("match")), &(), &NEVER).expect("the match succeeds");
    let data: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../engine/data"].iter().collect();
    for (from, to) in [
        ("values.toml", "values.toml"),
        ("weights.toml", "weights.toml"),
        ("nets/flipping.safetensors", "flipping.safetensors"),
    ] {
        fs::copy(data.join(from), folder.join(to)).expect("it can be copied");
    }
}

/// A copy of a folder, which may be changed.
fn copy(dir: &Path) -> TempDir {
    let copy = folder();
    for (name, bytes) in files(dir) {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, bytes).expect("it can be written");
    }
    copy
}

/// What a later version says to a run or a match of another one.
fn other_version(version: &str) -> String {
    format!("software_version: \"{version}\" there, \"{VERSION}\" asked for")
}

#[test]
fn datasets_are_read_and_every_game_is_played_again() {
    each_version(|version, folder| {
        let dir = folder.join("dataset");
        let dataset = Dataset::open(&dir).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!((dataset.num_games(), dataset.is_complete()), (GAMES, true), "{version}");
        let games = replays(&dir);
        assert_eq!(games.len() as u64, GAMES, "{version}");
        for game in &games {
            assert!(game.moves.iter().all(|ply| ply.value.is_some()), "{version}");
            let policies = game.moves.iter().filter(|ply| ply.policy.is_some());
            assert!(policies.count() > 0, "{version}");
        }
        run(&format!("verify {}", dir.display())).unwrap_or_else(|it| panic!("{version}: {it}"));
    });
}

/// The same games need the same rules and agents: a later version does not resume the run, and says
/// so.
#[test]
fn interrupted_runs_are_read_and_resumed_by_their_own_version() {
    each_version(|version, folder| {
        let copy = copy(&folder.join("interrupted"));
        let dir = copy.path();
        assert!(dir.join("parts").exists(), "{version}");
        let dataset = Dataset::open(dir).unwrap_or_else(|error| panic!("{version}: {error}"));
        assert_eq!((dataset.num_games(), dataset.is_complete()), (5, false), "{version}");
        run(&format!("verify {}", dir.display())).unwrap_or_else(|it| panic!("{version}: {it}"));
        if version == VERSION {
            assert_eq!(kept_games(dir).expect("they can be counted"), STOPPED);
            play(&the_run(dir));
            assert!(
                files(dir) == files(&folder.join("dataset")),
                "what this version writes has changed: if that is intended and {VERSION} is not \
                 released, DARKQI_BLESS=1 writes its files anew"
            );
        } else {
            let before = files(dir);
            let refused = error(&format!("selfplay --resume --out {}", dir.display()));
            assert!(refused.contains(&other_version(version)), "{version}: {refused}");
            assert!(files(dir) == before, "{version}");
        }
    });
}

#[test]
fn matches_are_resumed_by_their_own_version() {
    each_version(|version, folder| {
        let copy = copy(&folder.join("match"));
        let results = arena::play(&the_match(copy.path()), &(), &NEVER);
        if version == VERSION {
            let results = results.expect("it is resumed");
            assert_eq!((results.resumed_games, results.complete), (MATCH, true));
        } else {
            let refused = results.expect_err("its games may differ").to_string();
            assert!(refused.contains(&other_version(version)), "{version}: {refused}");
        }
    });
}

#[test]
fn agents_play_with_the_files_of_every_version() {
    each_version(|version, folder| {
        let file = |name: &str| folder.join(name).display().to_string();
        let (values, weights) = (file("values.toml"), file("weights.toml"));
        let net = file("flipping.safetensors");
        for (game, agents) in [
            ("banqi", format!("greedy:values={values},random")),
            (
                "banqi",
                format!("expectimax:depth=1,net=none,values={values},weights={weights},random"),
            ),
            ("flipping", format!("expectimax:depth=1,net={net},random")),
        ] {
            let results = arena::play(&matched(game, &agents, 2), &(), &NEVER);
            let results = results.unwrap_or_else(|error| panic!("{version}: {agents}: {error}"));
            assert_eq!((results.agents[0].games, results.complete), (2, true), "{version}");
        }
    });
}
