//! A writer whose folder was moved away changes nothing of what has taken its place.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::resume::run;
use crate::samples::{games, metadata, read};
use darkqi_format::training::write_observations;
use darkqi_format::{Dataset, DatasetWriter, Error, Parts, SharedWriter};
use tempfile::tempdir;

fn is_lost<T: std::fmt::Debug>(result: Result<T, Error>, at: &Path) -> bool {
    matches!(result, Err(Error::LostFolder { dir }) if dir == at)
}

#[cfg(unix)]
#[test]
fn two_writers_of_one_path_keep_apart() {
    let folder = tempdir().unwrap();
    let [dir, moved] = ["games", "moved"].map(|name| folder.path().join(name));
    let mut first = DatasetWriter::create(&dir, metadata()).unwrap();
    first.write_shard(0, &games(0, 10)).unwrap();
    let parts: Parts = first.parts(*b"run");
    parts.write(1, 0, &games(10, 3)).unwrap();

    fs::rename(&dir, &moved).unwrap();
    // Nothing is at the path.
    let mut lost = is_lost(first.write_shard(1, &games(10, 10)), &dir);
    assert!(lost && !dir.exists());

    let mut second = DatasetWriter::create(&dir, metadata()).unwrap();
    second.write_shard(0, &games(0, 5)).unwrap();
    let other: Parts = second.parts(*b"run");
    other.write(1, 0, &games(5, 5)).unwrap();
    let files = ["dataset.json", "games/00000.parquet"];
    let before = files.map(|name| fs::read(dir.join(name)).unwrap());
    lost = is_lost(first.write_shard(1, &games(10, 10)), &dir);
    lost &= is_lost(first.replace_shard(0, &games(0, 9)), &dir);
    lost &= is_lost(first.resume(None), &dir);
    lost &= is_lost(parts.write(2, 0, &games(12, 1)), &dir);
    lost &= is_lost(parts.remove(1), &dir);
    lost &= is_lost(first.finish(), &dir);
    drop(parts);
    assert_eq!(other.read(1).unwrap(), games(5, 5));
    assert!(lost);
    assert_eq!(files.map(|name| fs::read(dir.join(name)).unwrap()), before);
    assert!(matches!(DatasetWriter::open(&dir), Err(Error::Locked { .. })), "the lock stays");
    second.finish().unwrap();
    assert_eq!(read(&dir), games(0, 5));

    // The first dataset can be resumed where it is.
    assert!(!Dataset::open(&moved).unwrap().is_complete());
    let mut first = DatasetWriter::open(&moved).unwrap();
    let parts: Parts = first.parts(*b"run");
    assert_eq!(parts.read(1).unwrap(), games(10, 3));
    first.resume(None).unwrap();
    first.write_shard(1, &games(10, 10)).unwrap();
    first.finish().unwrap();
    assert_eq!(read(&moved), games(0, 20));
}

#[test]
fn rows_are_written_by_one_process_at_a_time() {
    let folder = tempdir().unwrap();
    let dir = folder.path().join("games");
    let mut writer = DatasetWriter::create(&dir, metadata()).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    let dataset = Dataset::open(&dir).unwrap();
    let locked = write_observations(&dataset, &AtomicBool::new(false));
    assert!(matches!(locked, Err(Error::Locked { .. })), "{locked:?}");
    assert!(!dir.join("observations").exists());
}

#[cfg(unix)]
#[test]
fn a_writer_without_a_lock_keeps_to_its_folder() {
    let folder = tempdir().unwrap();
    let [dir, moved] = ["games", "moved"].map(|name| folder.path().join(name));
    let begin = || SharedWriter::join(&dir, metadata(), run(20)).unwrap();
    let mut first = begin();
    first.prepare(&[].into()).unwrap();
    first.write_shard(0, &games(0, 10)).unwrap();
    fs::rename(&dir, &moved).unwrap();
    assert!(is_lost(first.write_shard(1, &games(10, 10)), &dir) && !dir.exists());
    // Of another run at its path nothing is changed.
    let second = begin();
    second.prepare(&[].into()).unwrap();
    assert!(is_lost(first.write_shard(1, &games(10, 10)), &dir));
    assert!(is_lost(first.prepare(&[].into()), &dir));
    assert!(Dataset::open(&dir).unwrap().shards_in_folder().unwrap().is_empty());
    assert_eq!(Dataset::open(&moved).unwrap().shards_in_folder().unwrap(), [0]);
}
