//! Move generation and play together (perft): leaves of the positions in `tests/perft.toml`.

use std::fmt;
use std::fs;

use darkqi_env::{Options, Value};
use divan::counter::ItemsCount;

/// The maximum number of leaves of a run, some milliseconds of work.
const MAX_LEAVES: u64 = 100_000;

/// A position, a depth, and the number of leaves there.
struct Case {
    game: String,
    number: usize,
    options: Options,
    fen: String,
    depth: u32,
    leaves: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, depth {}", self.game, self.number, self.depth)
    }
}

/// Every position of the table, at the greatest depth that has few enough leaves.
fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/perft.toml");
    let text = fs::read_to_string(path).expect("the table is there");
    let games: toml::Table = toml::from_str(&text).expect("the table is TOML");
    let case = |game: &str, number: usize, position: &toml::Value| {
        let leaves: Vec<u64> = position["leaves"].clone().try_into().expect("leaves are numbers");
        let quick = leaves.iter().take_while(|&&leaves| leaves <= MAX_LEAVES).count();
        let depth = quick.max(1);
        let game = game.to_owned();
        let options = position.get("options").map_or(Options::new(), options);
        let fen = position["fen"].as_str().expect("a FEN is text").to_owned();
        Case { game, number, options, fen, depth: depth as u32, leaves: leaves[depth - 1] }
    };
    let cases = games.iter().flat_map(|(game, positions)| {
        let positions = positions.as_array().expect("a game has a list of positions");
        (1..).zip(positions).map(move |(number, position)| case(game, number, position))
    });
    cases.collect()
}

/// The options of a position, all written as text.
fn options(table: &toml::Value) -> Options {
    let text = |value: &toml::Value| Value::Text(value.as_str().expect("text").to_owned());
    let table = table.as_table().expect("options are a table");
    table.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

#[divan::bench(args = cases())]
fn leaves(bencher: divan::Bencher<'_, '_>, case: &Case) {
    let session = darkqi_env::from_fen(&case.game, &case.options, &case.fen).expect("a valid FEN");
    bencher.counter(ItemsCount::new(case.leaves)).bench_local(|| {
        assert_eq!(session.perft(case.depth), case.leaves, "{case} of {}", case.fen);
    });
}
