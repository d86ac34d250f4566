//! Files of observations: each is compared with the log, and a resumed run has all of them.

use std::fs;
use std::path::Path;

use darkqi_play::generation::Job;
use tempfile::TempDir;

use super::cli::run;
use super::{config, edit_manifest, folder, play, verified};

/// A run of four shards of five games with observations.
fn dataset() -> TempDir {
    let folder = folder();
    let run = config("gaiqi", "random", 20, folder.path());
    play(&Job { shard_games: 5, observations: true, ..run });
    folder
}

fn faults(dir: &Path) -> Vec<String> {
    verified(dir).faults.iter().map(ToString::to_string).collect()
}

fn file(dir: &Path, shard: u32) -> std::path::PathBuf {
    dir.join(format!("observations/{shard:05}.parquet"))
}

#[test]
fn every_file_is_looked_at_whatever_is_wrong_with_others() {
    let folder = dataset();
    let dir = folder.path();
    assert_eq!(faults(dir), [""; 0]);
    fs::write(file(dir, 0), "junk").expect("it can be written");
    fs::remove_file(file(dir, 1)).expect("it can be removed");
    fs::create_dir(file(dir, 1)).expect("it can be made");
    // Of games that cannot be read only they are a fault.
    fs::write(dir.join("plies/00002.parquet"), "junk").expect("it can be written");
    fs::copy(dir.join("games/00003.parquet"), file(dir, 3)).expect("it can be copied");
    let others = "expected the rows of the logged games, found others";
    let found = faults(dir);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert_eq!(found[0], "observations/00000.parquet: expected a whole Parquet file, found none");
    assert_eq!(found[1], "observations/00001.parquet: cannot be read: expected a regular file");
    assert_eq!(found[2], format!("observations/00003.parquet: {others}"));
    assert!(found[3].starts_with("plies/00002.parquet: "), "{found:#?}");
}

#[test]
fn missing_files_are_named_and_written_by_a_resumed_run() {
    let folder = dataset();
    let dir = folder.path();
    let whole = fs::read(file(dir, 2)).expect("it is there");
    fs::remove_file(file(dir, 2)).expect("it can be removed");
    let found = verified(dir);
    assert_eq!(found.faults, []);
    assert_eq!(found.missing_observations, ["observations/00002.parquet"]);
    let text = run(&format!("verify {}", dir.display())).expect("it is no fault");
    assert!(text.contains("observations/00002.parquet is missing: `darkqi selfplay"), "{text}");
    // What is cut off, has another bit, or is another file, is written again.
    fs::write(file(dir, 1), &whole[..100]).expect("it can be written");
    let mut bytes = fs::read(file(dir, 0)).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file(dir, 0), bytes).expect("it can be written");
    fs::copy(dir.join("games/00003.parquet"), file(dir, 3)).expect("it can be copied");
    // Its games are played again, too.
    fs::remove_file(dir.join("games/00002.parquet")).expect("it can be removed");
    run(&format!("selfplay --resume --out {}", dir.display())).expect("it is resumed");
    assert!(fs::read(file(dir, 2)).expect("it is there") == whole);
    let found = verified(dir);
    assert_eq!((found.faults, found.missing_observations), (vec![], vec![]));
}

#[test]
fn files_of_no_shard_are_found() {
    let folder = dataset();
    let dir = folder.path();
    fs::copy(file(dir, 0), file(dir, 99)).expect("it can be copied");
    let found = faults(dir);
    let expected = "observations/00099.parquet: expected no such file";
    assert!(found.len() == 1 && found[0].starts_with(expected), "{found:#?}");
}

#[test]
fn files_by_another_version_of_the_parquet_library_are_sound() {
    let folder = dataset();
    let dir = folder.path();
    let mut bytes = fs::read(file(dir, 1)).expect("it is there");
    let name = b"parquet-rs version ";
    let place = bytes.windows(name.len()).position(|bytes| bytes == name).expect("it is there");
    bytes[place + name.len()] = b'0';
    fs::write(file(dir, 1), bytes).expect("it can be written");
    assert_eq!(faults(dir), [""; 0]);
}

#[test]
fn a_list_with_other_games_is_a_fault() {
    let folder = dataset();
    let dir = folder.path();
    edit_manifest(dir, r#""last_game_id": 19"#, r#""last_game_id": 16"#);
    let found = faults(dir);
    let expected = "dataset.json: shard 3: expected as many games as there are ids from 15 to 16";
    assert!(found[0].starts_with(expected), "{found:#?}");
}
