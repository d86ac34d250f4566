//! Leaf counts of `perft.toml`.

use std::collections::BTreeMap;

use darkqi_tests::leaves::{count, legal};
use darkqi_tests::{cases, for_every_position, read_toml, referee, shipped_games, texts};
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
    read_toml("perft.toml")
}

/// Checks the counts of at most `most` leaves against the referee's.
fn check_slowly(game: &str, position: &Position, most: u64) {
    let slow = referee::from_fen(game, &position.fen, &position.options()).expect("a valid FEN");
    for (depth, expected) in position.by_depth().filter(|&(_, leaves)| leaves <= most) {
        let found = count(&*slow, depth, &legal);
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
    for_every_position(&tables(), |game, position| {
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
    for_every_position(&tables(), |game, position| {
        check_slowly(game, position, cases(SLOW_LEAVES))
    });
}

#[test]
#[ignore = "takes minutes: `scripts/test-long.sh` runs it"]
fn the_referee_counts_all_leaves_of_the_tables() {
    for_every_position(&tables(), |game, position| check_slowly(game, position, u64::MAX));
}
