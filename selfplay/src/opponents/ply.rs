//! One ply of an agent that keeps nothing between plies.

use darkqi_env::{Action, Registered, Rng, Stream, Viewer};

use crate::driver::{Agent, Request};

/// What an agent plays for the seat to move, in the game that has this seed.
///
/// Each ply has a random stream of its own, so that no generator needs to be kept between plies.
pub(super) fn decide<G: Registered>(
    agent: &mut dyn Agent<G>,
    rules: &G,
    state: &G::State,
    legal: &[Action],
    seed: u64,
) -> Action {
    let view = rules.view(state, Viewer::Player(rules.to_move(state)));
    let rng = &mut Rng::new(seed, Stream::Ply(rules.ply(state)));
    agent.decide(rules, &mut Request { view, legal, rng }).action
}
