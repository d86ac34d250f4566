//! Agents asked about single positions, by their public face alone.

use darkqi_env::{Action, AnyState, Registered, Rng, Session, Viewer};
use darkqi_selfplay::{Agent, AgentSpec};

/// The agent of this spec.
///
/// # Panics
/// If there is none.
pub fn agent<G: Registered>(spec: &str) -> Box<dyn Agent<G>> {
    let spec: AgentSpec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
    spec.build().unwrap_or_else(|error| panic!("{error}"))
}

/// What the agent does in a game that is not over, as its mover.
pub fn choose<G: Registered>(
    agent: &mut (impl Agent<G> + ?Sized),
    session: &Session<G>,
    rng: &mut Rng,
) -> Action {
    let viewer = Viewer::Player(session.current_player());
    let rules = session.rules();
    agent.choose(rules, &rules.view(session.state(), viewer), session.legal_actions(), rng)
}
