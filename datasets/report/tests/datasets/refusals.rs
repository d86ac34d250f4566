//! Records that the writer refuses without changing anything.

use std::fs;

use crate::samples::{game, games, metadata, says, write};
use darkqi_format::{Dataset, DatasetWriter, Error, GameRecord};
use tempfile::tempdir;

#[test]
fn an_existing_dataset_is_not_overwritten() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&games(0, 10)]);
    let games_file = dir.path().join("games/00000.parquet");
    let before = fs::read(&games_file).unwrap();
    let error = DatasetWriter::create(dir.path(), metadata()).unwrap_err();
    assert!(matches!(error, Error::AlreadyADataset { .. }));
    says(&error, &["choose another folder, or delete"]);
    assert_eq!(fs::read(&games_file).unwrap(), before);

    fs::remove_file(dir.path().join("dataset.json")).unwrap();
    fs::remove_file(&games_file).unwrap();
    let error = DatasetWriter::create(dir.path(), metadata()).unwrap_err();
    says(&error, &["plies/00000.parquet"]);

    // Rows of other games are no dataset's own.
    let rows = dir.path().join("rows/observations");
    fs::create_dir_all(&rows).unwrap();
    fs::write(rows.join("00003.parquet"), "mine").unwrap();
    let error = DatasetWriter::create(dir.path().join("rows"), metadata()).unwrap_err();
    says(&error, &["rows already holds a dataset (observations/00003.parquet)"]);

    // Listings take no dataset within another.
    write(&dir.path().join("above/inner"), &[&games(0, 2)]);
    let error = DatasetWriter::create(dir.path().join("above"), metadata()).unwrap_err();
    says(&error, &["above already holds a dataset (inner/dataset.json)"]);
}

#[test]
fn a_folder_with_other_files_takes_a_new_dataset() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    write(dir.path(), &[&games(0, 2)]);
    assert_eq!(fs::read(dir.path().join("notes.txt")).unwrap(), b"mine");
}

#[test]
fn a_folder_that_cannot_be_created_is_named() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let error = DatasetWriter::create(dir.path().join("file/in"), metadata()).unwrap_err();
    assert!(matches!(error, Error::Io { .. }));
    says(&error, &["cannot create the folder", "file/in"]);
}

#[test]
fn invalid_records_are_refused() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create(dir.path(), metadata()).unwrap();
    writer.write_shard(1, &games(10, 10)).unwrap();

    let mut refuse = |shard, games: &[GameRecord], parts: &[&str]| {
        let error = writer.write_shard(shard, games).unwrap_err();
        says(&error, parts);
        error
    };
    let error = refuse(2, &[], &["shard 2", "at least one game"]);
    assert!(matches!(error, Error::EmptyShard { shard: 2 }));
    let error = refuse(1, &games(30, 2), &["shard 1", "already exists"]);
    assert!(matches!(error, Error::ShardExists { shard: 1, .. }));
    let twice = [game(30, 2), game(30, 2)];
    let error = refuse(2, &twice, &["game 30", "`game_id`", "an id above 30", "found 30"]);
    assert!(matches!(error, Error::Record { field: "game_id", .. }));
    let error = refuse(2, &games(19, 5), &["ids outside 10 to 19", "shard 1's", "19 to 23"]);
    assert!(matches!(error, Error::Record { field: "game_id", .. }));
    let miscounted = GameRecord { plies: 3, ..game(30, 2) };
    let error = refuse(2, &[miscounted], &["game 30", "`plies`", "expected 2", "found 3"]);
    assert!(matches!(error, Error::Record { field: "plies", .. }));

    assert_eq!(Dataset::open(dir.path()).unwrap().num_games(), 10);
}
