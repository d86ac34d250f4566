//! Helpers of the tests that cross crates; the tests themselves are in `tests/`.

pub mod referee;

use std::path::PathBuf;

use darkqi_env::{AnyState, Rng, Stream};

/// A folder of this crate.
pub fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), name].iter().collect()
}

/// The generator of a test's own choices, apart from those of the games.
pub fn test_rng(seed: u64) -> Rng {
    Rng::new(seed, Stream::Agent(100))
}

/// A uniformly random legal action of a game that is not over.
pub fn random_action(state: &dyn AnyState, rng: &mut Rng) -> darkqi_env::Action {
    let legal = state.legal_actions();
    legal[rng.below(legal.len() as u32) as usize]
}
