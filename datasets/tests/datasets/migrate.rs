//! Datasets of schema version 1 are read as they are, and migrated.

use std::fs;
use std::path::{Path, PathBuf};

use darkqi_datasets::{Dataset, DatasetWriter, Error, GameRecord, migrate};
use tempfile::{TempDir, tempdir};

/// A copy of 20 games of jieqi that version 0.1.0 wrote.
fn version_1() -> TempDir {
    let from: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/data/version-1"].iter().collect();
    let copy = tempdir().expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it is there") {
        let entry = entry.expect("it can be read");
        fs::copy(entry.path(), copy.path().join(entry.file_name())).expect("it can be copied");
    }
    copy
}

fn replays(dir: &Path) -> Vec<GameRecord> {
    let dataset = Dataset::open(dir).expect("it can be opened");
    dataset.replays().map(|game| game.expect("it is sound")).collect()
}

/// The files of a folder and below, with their contents.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["", "games", "plies"] {
        for entry in fs::read_dir(dir.join(folder)).into_iter().flatten() {
            let path = entry.expect("it can be read").path();
            if path.is_file() {
                let name = path.strip_prefix(dir).expect("it is below").to_owned();
                found.push((name, fs::read(path).expect("it can be read")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn version_1_is_read_but_not_written() {
    let dir = version_1();
    let dataset = Dataset::open(dir.path()).expect("it can be opened");
    assert_eq!((dataset.schema_version(), dataset.num_games()), (1, 20));
    let games = replays(dir.path());
    assert!(games.iter().all(|game| !game.moves.is_empty()));
    assert!(games.iter().flat_map(|game| &game.moves).all(|ply| ply.value.is_none()));
    assert_eq!(dataset.game(13).expect("it is there"), games[13]);
    let before = contents(dir.path());
    let error = DatasetWriter::open(dir.path()).expect_err("it is old");
    assert!(matches!(error, Error::OldSchema { found: 1, .. }), "{error}");
    assert!(error.to_string().contains("`darkqi migrate` rewrites it"), "{error}");
    assert_eq!(contents(dir.path()), before);
}

#[test]
fn a_migrated_dataset_equals_one_written_anew() {
    let dir = version_1();
    let games = replays(dir.path());
    let old = Dataset::open(dir.path()).expect("it can be opened");
    // An interrupted migration leaves such files.
    fs::create_dir(dir.path().join("games")).expect("it can be made");
    fs::write(dir.path().join("games/00007.parquet"), b"half").expect("it can be written");
    fs::write(dir.path().join("games/.00000.parquet.tmp"), b"PAR1").expect("it can be written");

    assert!(migrate(dir.path()).expect("it can be migrated"));
    assert_eq!(replays(dir.path()), games);
    let new = Dataset::open(dir.path()).expect("it can be opened");
    assert_eq!((new.schema_version(), new.is_complete()), (2, true));
    assert_eq!(new.shards()[1].plies_file, "plies/00001.parquet");
    assert_eq!(new.unlisted_files().expect("it can be read"), [""; 0]);

    let fresh = tempdir().expect("a folder can be made");
    let run = old.run().expect("it is a run").clone();
    let metadata = old.metadata().clone();
    let mut writer = DatasetWriter::create_run(fresh.path(), metadata, run).expect("it can be");
    writer.write_shard(0, &games[..10]).expect("it can be written");
    writer.write_shard(1, &games[10..]).expect("it can be written");
    writer.finish().expect("it can be written");
    assert!(contents(fresh.path()) == contents(dir.path()));

    // Files that are not of a migration stay.
    let foreign = dir.path().join("games/foreign.parquet");
    fs::write(&foreign, b"mine").expect("it can be written");
    assert!(!migrate(dir.path()).expect("nothing is left to do"));
    assert!(foreign.exists());

    // A migration interrupted after it wrote the new list leaves old files, which the next one
    // removes.
    let left = dir.path().join("plies-00000.parquet");
    fs::write(&left, b"old").expect("it can be written");
    assert!(!migrate(dir.path()).expect("nothing is left to do"));
    assert!(!left.exists());
}

#[test]
fn damaged_datasets_are_not_migrated() {
    let flip = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    };
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let damages: [Damage<'_>; 2] = [&flip, &|bytes| bytes.truncate(1000)];
    for damage in damages {
        let dir = version_1();
        let file = dir.path().join("plies-00001.parquet");
        let mut bytes = fs::read(&file).expect("it can be read");
        damage(&mut bytes);
        fs::write(&file, bytes).expect("it can be written");
        let before = contents(dir.path());
        let error = migrate(dir.path()).expect_err("it is damaged");
        assert!(error.to_string().contains("plies-00001.parquet"), "{error}");
        assert_eq!(Dataset::open(dir.path()).expect("it is still there").schema_version(), 1);
        assert!(contents(dir.path()) == before);
    }
}

#[test]
fn a_migration_that_fails_leaves_the_files_as_they_were() {
    let dir = version_1();
    // The last file that is written cannot get its name.
    fs::create_dir_all(dir.path().join("games/00001.parquet/full")).expect("it can be made");
    let before = contents(dir.path());
    let error = migrate(dir.path()).expect_err("it cannot be written");
    assert!(error.to_string().contains("games/00001.parquet"), "{error}");
    assert!(contents(dir.path()) == before);
}

#[test]
fn a_card_written_by_the_user_stays() {
    let dir = version_1();
    let card = dir.path().join("README.md");
    fs::write(&card, "mine").expect("it can be written");
    assert!(migrate(dir.path()).expect("it can be migrated"));
    let metadata = Dataset::open(dir.path()).expect("it can be opened").metadata().clone();
    assert_eq!(fs::read_to_string(&card).expect("it is there"), "mine");

    let other = tempdir().expect("a folder can be made");
    let card = other.path().join("README.md");
    fs::write(&card, "mine, too").expect("it can be written");
    DatasetWriter::create(other.path(), metadata).expect("it can be made");
    assert_eq!(fs::read_to_string(&card).expect("it is there"), "mine, too");
}
