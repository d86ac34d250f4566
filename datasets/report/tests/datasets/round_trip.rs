//! Records are read as they were written, and equal records give equal bytes.

use std::fs;
use std::path::Path;

use crate::samples::{any_shard, game, games, metadata, read, write};
use darkqi_format::{Dataset, DatasetWriter, GameRecord, Metadata};
use proptest::prelude::*;
use tempfile::tempdir;

/// The names and contents of all files, ordered by name.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let folders = ["", "games", "plies"].map(|folder| dir.join(folder));
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_string();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn without_moves(games: &[GameRecord]) -> Vec<GameRecord> {
    let mut games = games.to_vec();
    games.iter_mut().for_each(|game| game.moves.clear());
    games
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_records_round_trip(shard in any_shard()) {
        let dir = tempdir().unwrap();
        write(dir.path(), &[&shard]);
        prop_assert_eq!(&read(dir.path()), &shard);
        let dataset = Dataset::open(dir.path()).unwrap();
        let headers: Vec<_> = dataset.games().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(headers, without_moves(&shard));
        for game in &shard {
            prop_assert_eq!(&dataset.game(game.game_id).unwrap(), game);
        }
    }

    #[test]
    fn the_same_records_give_the_same_bytes(shard in any_shard()) {
        let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
        write(one.path(), &[&shard]);
        write(other.path(), &[&shard]);
        prop_assert_eq!(files(one.path()), files(other.path()));
    }
}

#[test]
fn a_shard_does_not_depend_on_other_shards() {
    let (one, other) = (tempdir().unwrap(), tempdir().unwrap());
    let shards = [games(0, 20), games(20, 20), games(40, 20)];
    write(one.path(), &[&shards[0], &shards[1], &shards[2]]);
    let mut writer = DatasetWriter::create(other.path(), metadata()).unwrap();
    for number in [2, 0, 1] {
        writer.write_shard(number, &shards[number as usize]).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(files(one.path()), files(other.path()));
    assert_eq!(read(one.path()), games(0, 60));
}

#[test]
fn games_are_found_across_pages_row_groups_and_shards() {
    let dir = tempdir().unwrap();
    // 9000 games of 30 plies: three row groups of plies and three pages of games.
    let long: Vec<_> = (0..9000).map(|id| game(id, 30)).collect();
    let short = games(10_000, 50);
    write(dir.path(), &[&long, &short]);

    let dataset = Dataset::open(dir.path()).unwrap();
    assert_eq!(dataset.num_games(), 9050);
    let short_plies: u64 = short.iter().map(|game| u64::from(game.plies)).sum();
    assert_eq!(dataset.num_plies(), 270_000 + short_plies);
    // Game 4369 has plies in both the first and the second row group, which starts at row 131072.
    for id in [0, 1, 136, 4095, 4096, 4368, 4369, 4370, 8738, 8999] {
        assert_eq!(dataset.game(id).unwrap(), long[id as usize]);
    }
    assert_eq!(dataset.game(10_049).unwrap(), short[49]);
    let replayed = dataset.replays().map(Result::unwrap);
    assert!(replayed.eq(long.iter().chain(&short).cloned()));
}

#[test]
fn games_without_plies_make_a_shard() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&[game(3, 0)]]);
    assert_eq!(read(dir.path()), [game(3, 0)]);
    assert_eq!(Dataset::open(dir.path()).unwrap().game(3).unwrap(), game(3, 0));
}

#[test]
fn each_file_has_the_metadata() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&games(0, 3), &games(3, 3)]);
    let dataset = Dataset::open(dir.path()).unwrap();
    assert_eq!(dataset.metadata(), &metadata());
    for shard in dataset.shards() {
        for file in [&shard.games_file, &shard.plies_file] {
            assert_eq!(Metadata::of_file(dir.path().join(file)).unwrap(), metadata());
        }
    }
}
