//! What an agent plays in one position.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Action, AnyState, Registered, Session, Visitor, games};

use super::ply;
use crate::agents::AgentSpec;
use crate::driver::{AgentFailure, Decision, NEVER, Request};
use crate::error::Error;

/// What an agent plays for the seat to move, by what that seat may know.
///
/// The action is a function of the position, the agent and the seed. A batch of
/// [`batch_against`](crate::batch_against) plays the same in a game with this seed.
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
/// If the game is over, or the agent cannot be made.
///
/// # Panics
/// If `game` is another implementation of [`AnyState`] than [`Session`].
pub fn choose(game: &dyn AnyState, agent: &AgentSpec, seed: u64) -> Result<Action, Error> {
    choose_until(game, agent, seed, &NEVER)
}

/// As [`choose`], until `stop` is true.
///
/// # Errors
/// As [`choose`]; and [`Error::Stopped`] once the flag is set.
///
/// # Panics
/// As [`choose`].
pub fn choose_until(
    game: &dyn AnyState,
    agent: &AgentSpec,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Action, Error> {
    struct Choose<'a>(&'a dyn AnyState, &'a AgentSpec, u64, &'a AtomicBool);
    impl Visitor for Choose<'_> {
        type Output = Result<Action, Error>;
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            let Self(game, spec, seed, stop) = self;
            let session = (game as &dyn Any).downcast_ref::<Session<G>>();
            let session = session.expect("the session is of the game it names");
            let (rules, state, legal) = (session.rules(), session.state(), session.legal_actions());
            let mut agent = spec.build(rules)?;
            let mut rng = ply::stream(rules, state, seed);
            let view = ply::view(rules, state);
            let mut request = Request { view, legal, rng: &mut rng, stop };
            let decided = agent.decide(rules, &mut request);
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            match decided {
                Ok(decision) if legal.contains(&decision.action) => Ok(decision.action),
                Ok(Decision { action, .. }) => {
                    let cause = format!("action {} is not legal", action.0).into();
                    Err(Error::Undecided { agent: spec.to_string(), cause })
                }
                Err(AgentFailure { cause, .. }) => {
                    Err(Error::Undecided { agent: spec.to_string(), cause })
                }
            }
        }
    }
    if let Some(outcome) = game.outcome() {
        return Err(Error::Over { agent: agent.to_string(), reason: outcome.reason.name() });
    }
    let spec = game.spec();
    games::with(spec.name, &spec.options_in_force(), Choose(game, agent, seed, stop))?
}
