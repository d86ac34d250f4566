//! An agent asked what it would play in one game.

use std::any::Any;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{Action, AnyState, Registered, Rng, Session, Stream, Viewer};

use crate::agents::{Agent, AgentSpec, Request};
use crate::error::Error;

/// What an agent plays for the seat to move, knowing what that seat may know.
///
/// The choice follows from the game, the agent and the seed. It is what the agent plays there
/// within a batch ([`batch_against`](crate::batch_against)) whose game has this seed.
///
/// ```
/// use darkqi_env::Options;
/// use darkqi_selfplay::choose;
///
/// let game = darkqi_env::deal("jieqi", &Options::new(), 7)?;
/// let action = choose(&*game, &"greedy".parse()?, 1)?;
/// assert!(game.legal_actions().contains(&action));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the game is over, or the agent cannot be had.
///
/// # Panics
/// If `game` is a state of another make than [`Session`].
pub fn choose(game: &dyn AnyState, agent: &AgentSpec, seed: u64) -> Result<Action, Error> {
    struct Ask<'a>(&'a dyn AnyState, &'a AgentSpec, u64);
    impl Visitor for Ask<'_> {
        type Output = Result<Action, Error>;
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            let Self(game, spec, seed) = self;
            let session = (game as &dyn Any).downcast_ref::<Session<G>>();
            let session = session.expect("the session is of the game it names");
            let (rules, state, legal) = (session.rules(), session.state(), session.legal_actions());
            Ok(ask(&mut *spec.build()?, rules, state, legal, seed))
        }
    }
    if let Some(outcome) = game.outcome() {
        return Err(Error::Over { agent: agent.to_string(), reason: outcome.reason.name() });
    }
    let spec = game.spec();
    games::with(spec.name, &spec.options_in_force(), Ask(game, agent, seed))?
}

/// What an agent plays for the seat to move, seeing what that seat may know, in the game that has
/// this seed. Each ply has a random stream of its own, so that nothing is kept between choices.
pub(crate) fn ask<G: Registered>(
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
