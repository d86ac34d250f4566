//! Leaf counts of `perft.toml`.

use std::collections::BTreeMap;
use std::fs;

use darkqi_tests::leaves::{Player, count};
use darkqi_tests::{cases, folder, referee, shipped_games, texts};
use rayon::prelude::*;
use serde::Deserialize;

/// The referee counts up to this many leaves. A test of `scripts/test-long.sh` counts all of them.
const SLOW_LEAVES: u64 = 100_000;

/// A table holds at least this many leaves.
const LEAVES_PER_GAME: u64 = 10_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    fen: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// Leaves at depth 1, 2, 3 and so on.
    leaves: Vec<u64>,
}

impl Position {
    fn options(&self) -> Vec<(&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// The counts with their depths.
    fn by_depth(&self) -> impl Iterator<Item = (usize, u64)> {
        (1..).zip(self.leaves.iter().copied())
    }
}

fn tables() -> BTreeMap<String, Vec<Position>> {
    let text = fs::read_to_string(folder("perft.toml")).expect("the file can be read");
    toml::from_str(&text).expect("the file is TOML")
}

/// Runs a check on every position of every game, on all cores.
fn for_every_position(check: impl Fn(&str, &Position) + Sync) {
    let tables = tables();
    let positions: Vec<(&String, &Position)> = tables
        .iter()
        .flat_map(|(game, positions)| positions.iter().map(move |position| (game, position)))
        .collect();
    positions.into_par_iter().for_each(|(game, position)| check(game, position));
}

/// Checks the counts of at most `most` leaves against the referee's.
fn check_slowly(game: &str, position: &Position, most: u64) {
    let slow = referee::from_fen(game, &position.fen, &position.options()).expect("a valid FEN");
    for (depth, expected) in position.by_depth().filter(|&(_, leaves)| leaves <= most) {
        let found = count(&slow, depth, &Player::legal);
        assert_eq!(found, expected, "{game} depth {depth} of {}", position.fen);
    }
}

#[test]
fn every_game_has_a_large_table() {
    let tables = tables();
    assert!(tables.keys().eq(shipped_games()), "{:?}", tables.keys());
    for (game, positions) in tables {
        let leaves: u64 = positions.iter().flat_map(|position| &position.leaves).sum();
        assert!(leaves >= LEAVES_PER_GAME, "{game} has a table of {leaves} leaves");
    }
}

#[test]
fn the_engine_counts_the_leaves_of_the_tables() {
    for_every_position(|game, position| {
        let options = texts(&position.options());
        let fast = darkqi_env::from_fen(game, &options, &position.fen).expect("a valid FEN");
        for (depth, expected) in position.by_depth() {
            let found = fast.perft(depth as u32);
            assert_eq!(found, expected, "{game} depth {depth} of {}", position.fen);
        }
    });
}

#[test]
fn the_referee_counts_the_smaller_numbers_of_leaves() {
    for_every_position(|game, position| check_slowly(game, position, cases(SLOW_LEAVES)));
}

#[test]
#[ignore = "takes minutes: `scripts/test-long.sh` runs it"]
fn the_referee_counts_all_leaves_of_the_tables() {
    for_every_position(|game, position| check_slowly(game, position, u64::MAX));
}
