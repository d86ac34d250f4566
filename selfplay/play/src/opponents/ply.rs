//! One ply of an agent that keeps nothing between plies.

use darkqi_env::{Registered, Rng, Stream, Viewer};

/// The view of the seat to move.
pub(super) fn view<'a, G: Registered>(rules: &'a G, state: &'a G::State) -> G::View<'a> {
    rules.view(state, Viewer::Player(rules.to_move(state)))
}

/// The random stream of an agent at this ply of the game with this seed.
///
/// Each ply has a stream of its own, so that no generator needs to be kept between plies.
pub(super) fn stream<G: Registered>(rules: &G, state: &G::State, seed: u64) -> Rng {
    Rng::new(seed, Stream::Ply(rules.ply(state)))
}
