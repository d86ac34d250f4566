//! An agent's choice in one position.

use std::sync::atomic::AtomicBool;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Action, AnyState};

use super::adviser::Adviser;
use crate::error::Error;

/// An agent's choice for the seat to move, by what that seat may know, until `stop` is true.
///
/// The action is a function of the position, the agent and the seed. A batch of
/// [`batch_against`](crate::opponents::batch_against) plays the same in a game with this seed.
///
/// ```
/// use darkqi_engine::agent::NEVER;
/// use darkqi_env::Options;
/// use darkqi_play::opponents::choose;
///
/// let game = darkqi_env::deal("jieqi", &Options::new(), 7)?;
/// let action = choose(&*game, &"greedy".parse()?, 1, &NEVER)?;
/// assert!(game.legal_actions().contains(&action));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the game is over, or the agent cannot be made; [`Error::Stopped`] once the flag is set.
pub fn choose(
    game: &dyn AnyState,
    agent: &AgentSpec,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Action, Error> {
    Ok(Adviser::new(&game.spec(), agent)?.decide(game, seed, stop)?.action)
}
