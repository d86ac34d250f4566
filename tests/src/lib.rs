//! Helpers of the tests that cross crates; the tests themselves are in `tests/`.

pub mod arbitrary;
pub mod ask;
pub mod buffers;
pub mod duel;
pub mod forced;
pub mod leaves;
pub mod referee;
pub mod reflect;
pub mod sound;
pub mod worlds;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

pub use darkqi_env::game::texts;
use darkqi_env::{AnyState, Options, Rng, Stream, game::Layout, games};
use rayon::prelude::*;
use serde::de::DeserializeOwned;

/// A folder of this crate.
pub fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), name].iter().collect()
}

/// What a TOML file of this crate holds.
///
/// # Panics
/// If the file cannot be read, or holds something else.
pub fn read_toml<T: DeserializeOwned>(name: &str) -> T {
    let text = fs::read_to_string(folder(name)).expect("the file can be read");
    toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a check on every position of every game, on all cores.
pub fn for_every_position<P: Sync>(
    positions: &BTreeMap<String, Vec<P>>,
    check: impl Fn(&str, &P) + Sync,
) {
    positions.par_iter().for_each(|(game, all)| all.par_iter().for_each(|one| check(game, one)));
}

/// The names of the games that are shipped. These have a page, tables and a referee. The game in
/// `seventh_game/` is registered for tests only.
pub fn shipped_games() -> Vec<&'static str> {
    games::names().iter().copied().filter(|&name| name != "four_camps").collect()
}

/// The generator of a test's own choices. The games do not use it.
pub fn test_rng(seed: u64) -> Rng {
    Rng::new(seed, Stream::Agent(100))
}

/// A uniformly random legal action of a game that is not over.
pub fn random_action(state: &dyn AnyState, rng: &mut Rng) -> darkqi_env::Action {
    let legal = state.legal_actions();
    *rng.choose(legal)
}

/// How many of `most` random cases a costly test tries: a quarter, or with `DARKQI_TESTS=long`, as in
/// `scripts/test-long.sh`, all of them.
pub fn cases(most: u64) -> u64 {
    let is_long = env::var_os("DARKQI_TESTS").is_some_and(|tests| tests == "long");
    if is_long { most } else { most.div_ceil(4) }
}

/// How many of `most` games or lanes to use, so that games with long rows take no more time than
/// the others. The time grows with the bytes that are written and compared.
pub fn affordable(most: usize, layout: &Layout) -> usize {
    const ROW: usize = 4096;
    most * ROW / layout.plane_len().max(ROW)
}

/// Options under which random games of this name are over within a few hundred plies.
pub fn short_games(game: &str) -> Options {
    match game {
        "seven_kingdoms" => texts(&[("capture_limit", "2"), ("kingdoms_to_win", "1")]),
        _ => Options::new(),
    }
}
