//! Leaf counts of `perft.toml`.

use std::collections::BTreeMap;
use std::fs;

use darkqi_env::{Options, session};
use darkqi_tests::folder;
use darkqi_tests::referee::{self, Referee};
use serde::Deserialize;

/// The referee counts as far as this many leaves.
const SLOW_LEAVES: u64 = 10_000;

#[derive(Deserialize)]
struct Position {
    fen: String,
    /// Leaves at depth 1, 2, 3 and so on.
    leaves: Vec<u64>,
}

fn slow_perft(referee: &dyn Referee, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let below = |action: &String| {
        let mut next = referee.boxed_clone();
        next.apply(action).expect("listed actions are legal");
        slow_perft(next.as_ref(), depth - 1)
    };
    referee.legal_moves().iter().map(below).sum()
}

#[test]
fn leaf_counts_are_as_written() {
    let text = fs::read_to_string(folder("perft.toml")).expect("the file can be read");
    let games: BTreeMap<String, Vec<Position>> = toml::from_str(&text).expect("the file is TOML");
    for name in darkqi_env::games::names() {
        assert!(games.contains_key(*name), "{name} has no perft table");
    }
    for (game, positions) in games {
        for Position { fen, leaves } in positions {
            let fast = session::from_fen(&game, &Options::new(), &fen).expect("a valid FEN");
            let slow = referee::from_fen(&game, &fen, &[]).expect("a valid FEN");
            for (depth, &expected) in (1..).zip(&leaves) {
                assert_eq!(fast.perft(depth), expected, "{game} depth {depth} of {fen}");
                if expected <= SLOW_LEAVES {
                    assert_eq!(slow_perft(slow.as_ref(), depth as usize), expected, "{fen}");
                }
            }
        }
    }
}
