//! Parts: games are read back; damaged parts and those of other runs are not.

use std::fs;
use std::path::{Path, PathBuf};

use crate::samples::{any_shard, game, games, metadata};
use darkqi_format::{Dataset, DatasetWriter, GameRecord, Parts};
use proptest::prelude::*;
use tempfile::tempdir;
use twox_hash::XxHash64;

fn parts(dir: &Path) -> Parts {
    Parts::new(dir, *b"this run").unwrap()
}

fn read(dir: &Path) -> Vec<GameRecord> {
    parts(dir).read(3).unwrap()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(dir.join("parts")).map_or(Vec::new(), |found| found.collect());
    found.into_iter().map(|entry| entry.unwrap().path()).collect()
}

/// Puts these bytes into the place of all parts, under the name that a writer would give them.
fn forge(dir: &Path, contents: &[u8]) {
    files(dir).iter().for_each(|file| fs::remove_file(file).unwrap());
    let name = format!("00003-00000-{:016x}.part", XxHash64::oneshot(0, contents));
    fs::write(dir.join("parts").join(name), contents).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn games_are_read_as_written(first in any_shard(), second in any_shard()) {
        let dir = tempdir().unwrap();
        prop_assert_eq!(read(dir.path()), []);
        parts(dir.path()).write(3, 10, &second).unwrap();
        parts(dir.path()).write(3, 9, &first).unwrap();
        prop_assert_eq!(read(dir.path()), [first, second].concat());
        prop_assert_eq!(parts(dir.path()).shards().unwrap(), [3].into());
        prop_assert_eq!(parts(dir.path()).read(2).unwrap(), []);
    }
}

#[test]
fn a_part_that_was_cut_or_changed_is_empty() {
    let dir = tempdir().unwrap();
    parts(dir.path()).write(3, 0, &games(0, 4)).unwrap();
    parts(dir.path()).write(3, 1, &games(4, 1)).unwrap();
    let part = files(dir.path()).into_iter().max().unwrap();
    let whole = fs::read(&part).unwrap();
    for place in 0..whole.len() {
        fs::write(&part, &whole[..place]).unwrap();
        assert_eq!(read(dir.path()), games(0, 4), "{place}");
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&part, damaged).unwrap();
        assert_eq!(read(dir.path()), games(0, 4), "{place}");
    }
}

#[test]
fn stated_lengths_are_not_trusted() {
    let dir = tempdir().unwrap();
    parts(dir.path()).write(3, 0, &[game(1, 3)]).unwrap();
    let whole = fs::read(&files(dir.path())[0]).unwrap();
    for place in 8..whole.len() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        forge(dir.path(), &[&whole[..place], &huge, &whole[place + 1..]].concat());
        assert!(read(dir.path()).len() <= 1, "{place}");
    }
    forge(dir.path(), &[&whole[..], b"more"].concat());
    assert_eq!(read(dir.path()), []);
    forge(dir.path(), &whole);
    assert_eq!(read(dir.path()), [game(1, 3)]);
}

#[test]
fn a_part_of_another_run_or_version_is_empty() {
    let dir = tempdir().unwrap();
    parts(dir.path()).write(3, 0, &games(0, 3)).unwrap();
    let other: Parts = Parts::new(dir.path(), *b"other run").unwrap();
    assert_eq!(other.read(3).unwrap(), []);
    assert_eq!(read(dir.path()), games(0, 3));
    let mut newer = fs::read(&files(dir.path())[0]).unwrap();
    newer[7] += 1;
    forge(dir.path(), &newer);
    assert_eq!(read(dir.path()), []);
}

/// The encoding of a version never changes: a new encoding needs a higher version.
#[test]
fn the_encoding_of_version_1_is_fixed() {
    let dir = tempdir().unwrap();
    parts(dir.path()).write(3, 0, &[game(1, 30), game(3, 2)]).unwrap();
    let bytes = fs::read(&files(dir.path())[0]).unwrap();
    assert_eq!(&bytes[..8], b"darkqiP\x01");
    assert_eq!((bytes.len(), XxHash64::oneshot(0, &bytes)), (999, 13_874_604_387_554_574_008));
}

#[test]
fn parts_end_with_their_shard() {
    let dir = tempdir().unwrap();
    let folder = dir.path();
    fs::create_dir(folder.join("parts")).unwrap();
    forge(folder, b"of a dataset that was deleted");
    let mut writer = DatasetWriter::create(folder, metadata()).unwrap();
    assert!(files(folder).is_empty());
    for shard in [0, 3, 123_456] {
        parts(folder).write(shard, 0, &games(0, 3)).unwrap();
    }
    let others = ["notes.part", "3-0-0123456789abcdef.part", "00003-00000-0.txt"];
    others.iter().for_each(|name| fs::write(folder.join("parts").join(name), "").unwrap());
    // Readers ignore parts.
    assert_eq!(Dataset::open(folder).unwrap().num_games(), 0);
    assert_eq!(Dataset::open(folder).unwrap().unlisted_files().unwrap(), [""; 0]);
    assert_eq!(parts(folder).shards().unwrap(), [0, 3, 123_456].into());
    writer.write_shard(3, &games(0, 3)).unwrap();
    assert_eq!(parts(folder).shards().unwrap(), [0, 123_456].into());
    writer.finish().unwrap();
    assert_eq!(files(folder).len(), others.len());
}
