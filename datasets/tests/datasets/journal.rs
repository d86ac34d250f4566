//! Journals: appended games are read back; damaged games and those of other runs are not.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Command;

use crate::samples::{any_shard, game, games, metadata};
use darkqi_datasets::{Dataset, DatasetWriter, Error, GameRecord, Journals};
use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::tempdir;
use twox_hash::XxHash64;

fn path(dir: &Path) -> PathBuf {
    dir.join(".00003.journal")
}

fn journals(dir: &Path) -> Journals {
    Journals::new(dir, *b"this run")
}

fn read(dir: &Path) -> Vec<GameRecord> {
    journals(dir).read(3).unwrap()
}

fn append(dir: &Path, games: &[GameRecord]) {
    journals(dir).open(3).unwrap().append(games).unwrap();
}

/// The bytes of a journal of some games.
fn bytes(games: &[GameRecord]) -> Vec<u8> {
    let dir = tempdir().unwrap();
    append(dir.path(), games);
    fs::read(path(dir.path())).unwrap()
}

fn entry(bytes: &[u8]) -> Vec<u8> {
    let checksum = XxHash64::oneshot(0, bytes);
    [&(bytes.len() as u64).to_le_bytes()[..], &checksum.to_le_bytes(), bytes].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn games_are_read_as_appended(first in any_shard(), second in any_shard()) {
        let dir = tempdir().unwrap();
        prop_assert_eq!(read(dir.path()), []);
        append(dir.path(), &first);
        append(dir.path(), &second);
        prop_assert_eq!(read(dir.path()), [first, second].concat());
        prop_assert_eq!(journals(dir.path()).shards().unwrap(), [3]);
        prop_assert_eq!(journals(dir.path()).read(2).unwrap(), []);
    }

    #[test]
    fn random_bytes_hold_no_games(garbage in vec(any::<u8>(), 0..200), sound in any::<bool>()) {
        let dir = tempdir().unwrap();
        let begun = bytes(&[]);
        // As a whole file, after a sound beginning, and as a sound entry.
        let entry = if sound { entry(&garbage) } else { garbage.clone() };
        for bytes in [garbage, [begun, entry].concat()] {
            fs::write(path(dir.path()), bytes).unwrap();
            // Random bytes may encode a short game.
            prop_assert!(read(dir.path()).len() <= usize::from(sound));
        }
    }
}

#[test]
fn a_journal_cut_anywhere_is_read_to_its_last_complete_game() {
    let (all, more) = (games(0, 4), games(9, 1));
    let whole = bytes(&all);
    let ends: Vec<usize> = (0..=all.len()).map(|count| bytes(&all[..count]).len()).collect();
    assert_eq!(ends[4], whole.len());
    let dir = tempdir().unwrap();
    for length in 0..=whole.len() {
        fs::write(path(dir.path()), &whole[..length]).unwrap();
        let expected = &all[..ends[1..].iter().filter(|&&end| end <= length).count()];
        assert_eq!(read(dir.path()), expected, "{length}");
        append(dir.path(), &more);
        assert_eq!(read(dir.path()), [expected, &more].concat(), "{length}");
    }
}

#[test]
fn a_flipped_bit_loses_the_games_from_there_on() {
    let all = games(0, 4);
    let whole = bytes(&all);
    let ends: Vec<usize> = (0..=all.len()).map(|count| bytes(&all[..count]).len()).collect();
    let dir = tempdir().unwrap();
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(path(dir.path()), damaged).unwrap();
        let expected = ends[1..].iter().filter(|&&end| end <= place).count();
        assert_eq!(read(dir.path()), all[..expected], "{place}");
    }
}

#[test]
fn stated_lengths_are_not_trusted() {
    let begun = bytes(&[]);
    let dir = tempdir().unwrap();
    for length in [1, 1 << 20, u64::from(u32::MAX), 1 << 62, u64::MAX] {
        let forged = [&begun, &length.to_le_bytes()[..], &[0; 8], &[7; 100]].concat();
        fs::write(path(dir.path()), forged).unwrap();
        assert_eq!(read(dir.path()), []);
    }
    // Within an entry: a record that states a huge length for its deal, or for any of its lists.
    let record = &bytes(&[game(1, 3)])[begun.len() + 16..];
    for place in 0..record.len() {
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        let forged = [&record[..place], &huge, &record[place + 1..]].concat();
        fs::write(path(dir.path()), [&begun[..], &entry(&forged)].concat()).unwrap();
        assert!(read(dir.path()).len() <= 1, "{place}");
    }
}

#[test]
fn a_journal_of_another_run_or_version_is_empty() {
    let dir = tempdir().unwrap();
    append(dir.path(), &games(0, 3));
    let other = Journals::new(dir.path(), *b"other run");
    assert_eq!(other.read(3).unwrap(), []);
    assert_eq!(read(dir.path()), games(0, 3));
    other.open(3).unwrap().append(&games(5, 1)).unwrap();
    assert_eq!(other.read(3).unwrap(), games(5, 1));
    assert_eq!(read(dir.path()), []);

    let mut newer = bytes(&games(0, 3));
    newer[7] += 1;
    fs::write(path(dir.path()), newer).unwrap();
    assert_eq!(read(dir.path()), []);
}

/// The other end may never be opened.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_no_journal() {
    let dir = tempdir().unwrap();
    let place = path(dir.path());
    assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
    let expected =
        format!("cannot open {}: expected a regular file, found a pipe", place.display());
    assert_eq!(journals(dir.path()).read(3).unwrap_err().to_string(), expected);
    assert_eq!(journals(dir.path()).open(3).err().unwrap().to_string(), expected);
}

/// The encoding of a version never changes: a new encoding needs a higher version.
#[test]
fn the_encoding_of_version_1_is_fixed() {
    let bytes = bytes(&[game(1, 30), game(3, 2)]);
    assert_eq!(&bytes[..8], b"darkqiJ\x01");
    assert_eq!((bytes.len(), XxHash64::oneshot(0, &bytes)), (1045, 3_725_603_538_038_969_812));
}

#[test]
fn a_journal_ends_with_its_shard() {
    let dir = tempdir().unwrap();
    let folder = dir.path();
    fs::write(folder.join(".00001.journal"), "of a dataset that was deleted").unwrap();
    let mut writer = DatasetWriter::create(folder, metadata()).unwrap();
    assert_eq!(journals(folder).shards().unwrap(), [0; 0]);
    let others = [".notes.journal", ".+3.journal", ".3.journal", "00003.journal"];
    others.iter().for_each(|name| fs::write(folder.join(name), "").unwrap());
    for shard in [0, 3, 123_456] {
        journals(folder).open(shard).unwrap().append(&games(0, 3)).unwrap();
    }
    // Readers ignore journals.
    assert_eq!(Dataset::open(folder).unwrap().num_games(), 0);
    assert_eq!(Dataset::open(folder).unwrap().unlisted_files().unwrap(), [""; 0]);
    assert_eq!(journals(folder).shards().unwrap(), [0, 3, 123_456]);
    writer.write_shard(3, &games(0, 3)).unwrap();
    assert_eq!(journals(folder).shards().unwrap(), [0, 123_456]);
    writer.finish().unwrap();
    assert_eq!(journals(folder).shards().unwrap(), [0; 0]);
    assert!(others.iter().all(|name| folder.join(name).exists()));
}

/// `/dev/full` behaves like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let dir = tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", path(dir.path())).unwrap();
    let error = journals(dir.path()).open(3).unwrap_err();
    assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
}
