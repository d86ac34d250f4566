//! Asks agents about single positions, through their public interface only.

use darkqi_engine::agent::{Agent, Decision, NEVER, Request};
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::search::{Expectimax, Limits};
use darkqi_env::{Action, AnyState, Options, Registered, Rng, Session, Viewer};

/// The agent of this spec, for the game without options.
///
/// # Panics
/// If there is no such agent.
pub fn agent<G: Registered>(spec: &str) -> Box<dyn Agent<G>> {
    let spec: AgentSpec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
    let rules = darkqi_env::game::configure(&Options::new()).expect("the defaults are valid");
    spec.build(&rules).unwrap_or_else(|error| panic!("{error}"))
}

/// The agent's decision for the mover of a game that is not over.
pub fn decide<G: Registered>(
    agent: &mut (impl Agent<G> + ?Sized),
    session: &Session<G>,
    rng: &mut Rng,
) -> Decision {
    let viewer = Viewer::Player(session.current_player());
    let rules = session.rules();
    let view = rules.view(session.state(), viewer);
    let legal = session.legal_actions();
    agent
        .decide(rules, &mut Request { game: 0, view, legal, rng, stop: &NEVER })
        .expect("searches decide")
}

/// The agent's action for the mover of a game that is not over.
pub fn choose<G: Registered>(
    agent: &mut (impl Agent<G> + ?Sized),
    session: &Session<G>,
    rng: &mut Rng,
) -> Action {
    decide(agent, session, rng).action
}

/// Expectimax's value of a game that is not over, for its mover, from a search to this depth. A
/// value beyond ±[`Evaluation::MOST`] claims a known result.
pub fn expected<G: Registered>(session: &Session<G>, depth: u32, rng: &mut Rng) -> f32 {
    let viewer = Viewer::Player(session.current_player());
    let rules = session.rules();
    let mut search = Expectimax::new(Evaluation::built_in::<G>(), Limits::depth(depth));
    search.search(rules, &rules.view(session.state(), viewer), rng).value
}
