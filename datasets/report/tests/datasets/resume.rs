//! Writers that are interrupted and resume a dataset; one writer at a time.

use std::fs;

use crate::samples::{games, metadata, read, says};
use darkqi_format::{Dataset, DatasetWriter, Error, Openings, RunSettings};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

pub(crate) fn run(games: u64) -> RunSettings {
    RunSettings {
        games,
        shard_games: 10,
        duplicate: false,
        all_pairs: false,
        sprt: None,
        // A fraction that must survive JSON exactly.
        until: Some(0.1 + 0.2),
        luck_adjusted: false,
        openings: Openings::default(),
        agent_files: [("built-in values".to_string(), "0123456789abcdef".to_string())].into(),
    }
}

/// A dataset of a run of two shards, the first of which is written.
fn begun() -> (TempDir, DatasetWriter) {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create_run(dir.path(), metadata(), run(20)).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    (dir, writer)
}

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
    let (dir, writer) = begun();
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
    let (dir, mut writer) = begun();
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

#[test]
fn settings_are_read_as_written() {
    let dir = tempdir().unwrap();
    let writer = DatasetWriter::create_run(dir.path(), metadata(), run(20)).unwrap();
    assert_eq!(writer.run(), Some(&run(20)));
    drop(writer);
    assert_eq!(Dataset::open(dir.path()).unwrap().run(), Some(&run(20)));
    assert_eq!(DatasetWriter::open(dir.path()).unwrap().run(), Some(&run(20)));
}

#[test]
fn datasets_without_settings_can_be_read() {
    let dir = tempdir().unwrap();
    DatasetWriter::create(dir.path(), metadata()).unwrap().finish().unwrap();
    let text = fs::read_to_string(dir.path().join("dataset.json")).unwrap();
    assert!(!text.contains("\"run\""), "{text}");
    assert_eq!(Dataset::open(dir.path()).unwrap().run(), None);
}

#[test]
fn resuming_removes_leftovers_and_nothing_else() {
    let (dir, writer) = begun();
    drop(writer);
    let leftovers = [
        "games/.00001.parquet.tmp",
        "plies/.00001.parquet.tmp",
        ".dataset.json.tmp",
        "plies/00001.parquet",
        "games/00007.parquet",
    ];
    let others = ["notes.txt", ".notes.tmp", "games.parquet", "report.html"];
    for name in leftovers.iter().chain(&others) {
        fs::write(dir.path().join(name), "?").unwrap();
    }
    let strays = Dataset::open(dir.path()).unwrap().unlisted_files().unwrap();
    assert_eq!(strays, ["games/00007.parquet", "plies/00001.parquet"]);

    let mut writer = DatasetWriter::open(dir.path()).unwrap();
    assert!(leftovers.iter().all(|name| dir.path().join(name).exists()), "opening changes nothing");
    writer.resume(Some(run(20))).unwrap();
    assert!(leftovers.iter().all(|name| !dir.path().join(name).exists()));
    assert!(others.iter().all(|name| dir.path().join(name).exists()));
    writer.write_shard(1, &games(10, 10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(dir.path()), games(0, 20));
}

#[test]
fn a_shard_is_replaced_and_the_others_stay() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create_run(dir.path(), metadata(), run(30)).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    writer.write_shard(1, &games(10, 4)).unwrap();
    let error = writer.write_shard(1, &games(10, 10)).unwrap_err();
    assert!(matches!(error, Error::ShardExists { shard: 1, .. }), "{error}");
    let error = writer.replace_shard(1, &games(9, 10)).unwrap_err();
    says(&error, &["ids outside 0 to 9, which are shard 0's"]);
    writer.replace_shard(1, &games(10, 10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(dir.path()), games(0, 20));
}

#[test]
fn there_is_one_writer_at_a_time() {
    let dir = tempdir().unwrap();
    let lock = dir.path().join(".dataset.lock");
    let writer = DatasetWriter::create_run(dir.path(), metadata(), run(20)).unwrap();
    assert!(lock.exists());
    for error in [
        DatasetWriter::open(dir.path()).unwrap_err(),
        DatasetWriter::create(dir.path(), metadata()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Locked { .. }), "{error}");
        says(&error, &["is being written by process", &std::process::id().to_string()]);
    }
    Dataset::open(dir.path()).unwrap();
    drop(writer);
    #[cfg(unix)]
    assert!(!lock.exists());
    let _writer = DatasetWriter::open(dir.path()).unwrap();
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_no_lock() {
    let (dir, other) = (tempdir().unwrap(), tempdir().unwrap());
    let victim = other.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    drop(DatasetWriter::create_run(dir.path(), metadata(), run(20)).unwrap());
    std::os::unix::fs::symlink(&victim, dir.path().join(".dataset.lock")).unwrap();
    let error = DatasetWriter::open(dir.path()).unwrap_err();
    says(&error, &["cannot create ", ".dataset.lock"]);
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
}

#[test]
fn opening_a_folder_without_a_dataset_leaves_no_file() {
    let dir = tempdir().unwrap();
    assert!(matches!(DatasetWriter::open(dir.path()), Err(Error::NotADataset { .. })));
    let nowhere = dir.path().join("nowhere");
    assert!(matches!(DatasetWriter::open(&nowhere), Err(Error::MissingFolder { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// `/dev/full` behaves like a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_dataset_unchanged() {
    let (dir, mut writer) = begun();
    let before = fs::read(dir.path().join("dataset.json")).unwrap();
    for file in [".dataset.json.tmp", "plies/.00001.parquet.tmp", "games/.00001.parquet.tmp"] {
        let obstacle = dir.path().join(file);
        std::os::unix::fs::symlink("/dev/full", &obstacle).unwrap();
        let error = writer.write_shard(1, &games(10, 10)).unwrap_err();
        let name = file.replacen('.', "", 1).replace(".tmp", "");
        says(&error, &[&name, "No space left on device"]);
        assert_eq!(fs::read(dir.path().join("dataset.json")).unwrap(), before);
        assert_eq!(read(dir.path()), games(0, 10));
        assert!(!obstacle.is_symlink());
    }
    writer.write_shard(1, &games(10, 10)).unwrap();
    writer.finish().unwrap();
    assert_eq!(read(dir.path()), games(0, 20));
}

#[test]
fn an_extended_dataset_is_incomplete_until_it_is_finished() {
    let dir = tempdir().unwrap();
    let mut writer = DatasetWriter::create_run(dir.path(), metadata(), run(10)).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    writer.finish().unwrap();
    let mut writer = DatasetWriter::open(dir.path()).unwrap();
    assert!(Dataset::open(dir.path()).unwrap().is_complete(), "opening changes nothing");
    writer.resume(Some(run(20))).unwrap();
    assert!(Dataset::open(dir.path()).unwrap().is_complete(), "no game is to be added yet");
    writer.mark_incomplete().unwrap();
    let dataset = Dataset::open(dir.path()).unwrap();
    assert_eq!((dataset.is_complete(), dataset.run()), (false, Some(&run(20))));
    writer.finish().unwrap();
    assert!(Dataset::open(dir.path()).unwrap().is_complete());
}

#[test]
fn shards_out_of_order_are_not_extended() {
    let (dir, mut writer) = begun();
    writer.write_shard(1, &games(10, 10)).unwrap();
    writer.finish().unwrap();
    let file = dir.path().join("dataset.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    manifest["shards"].as_array_mut().unwrap().reverse();
    fs::write(&file, manifest.to_string()).unwrap();
    let error = DatasetWriter::open(dir.path()).unwrap_err();
    let path = file.display().to_string();
    says(&error, &[&path, "found shard 0 after shard 1", "`darkqi verify` looks for all faults"]);
    assert!(!dir.path().join(".dataset.lock").exists());
}
