//! What an agent is.

use darkqi_env::{Action, Registered, Rng};

/// A player of one game, who knows what its seat may know and nothing else.
pub trait Agent<G: Registered>: Send {
    /// Chooses one of `legal`, which ascends and is never empty. `view` is the mover's.
    ///
    /// The choice must follow from the arguments alone: what an agent keeps between calls may only
    /// save work, because games are played in any order and on any thread.
    fn choose(&mut self, rules: &G, view: &G::View<'_>, legal: &[Action], rng: &mut Rng) -> Action;

    /// An agent that plays the same, for another thread.
    fn boxed_clone(&self) -> Box<dyn Agent<G>>;
}
