//! An interrupted writer leaves a readable dataset.

use std::fs;

use crate::samples::{games, metadata, read};
use darkqi_format::{Dataset, DatasetWriter, Error};
use tempfile::tempdir;

#[test]
fn a_dataset_is_readable_before_its_first_shard() {
    let dir = tempdir().unwrap();
    let _writer = DatasetWriter::create(dir.path(), metadata()).unwrap();
    let dataset = Dataset::open(dir.path()).unwrap();
    assert!(!dataset.is_complete());
    assert_eq!(dataset.replays().count(), 0);
    assert!(matches!(dataset.game(0), Err(Error::UnknownGame { game_id: 0, .. })));
}

#[test]
fn finished_shards_survive_an_interruption() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create(dir.path(), metadata()).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    drop(writer);
    // Leftovers of a killed writer: a partial file, or a complete one that is not listed yet.
    for name in ["games/.00001.parquet.tmp", "plies/.00001.parquet.tmp", ".dataset.json.tmp"] {
        fs::write(dir.path().join(name), b"PAR1 half a file").unwrap();
    }
    fs::copy(dir.path().join("plies/00000.parquet"), dir.path().join("plies/00001.parquet"))
        .unwrap();

    assert_eq!(read(dir.path()), games(0, 10));
    assert!(!Dataset::open(dir.path()).unwrap().is_complete());
}

#[test]
fn leftovers_of_an_interruption_are_overwritten() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create(dir.path(), metadata()).unwrap();
    let leftover = dir.path().join("games/.00000.parquet.tmp");
    fs::write(&leftover, vec![7; 1 << 20]).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    writer.finish().unwrap();
    assert!(!leftover.exists());
    assert_eq!(read(dir.path()), games(0, 10));
}

#[test]
fn a_shard_that_cannot_be_written_leaves_the_others() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create(dir.path(), metadata()).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    // A folder that blocks the temporary file.
    let obstacle = dir.path().join("plies/.00001.parquet.tmp");
    fs::create_dir(&obstacle).unwrap();
    let error = writer.write_shard(1, &games(10, 10)).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(!dir.path().join("games/00001.parquet").exists());
    assert!(!dir.path().join("games/.00001.parquet.tmp").exists());
    assert_eq!(read(dir.path()), games(0, 10));

    fs::remove_dir(&obstacle).unwrap();
    writer.write_shard(1, &games(10, 10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(dir.path()), games(0, 20));
}
