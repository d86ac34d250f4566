//! What an agent is: it is asked about positions and answers with decisions.

use arrayvec::ArrayVec;
use darkqi_datasets::PolicyEntry;
use darkqi_env::{Action, MAX_PLAYERS, Registered, Rng};

/// A position that an agent is asked about. The game is not over.
#[derive(Debug)]
pub struct Request<'a, G: Registered> {
    /// What the seat to move may know.
    pub view: G::View<'a>,
    /// The legal actions, ascending and never empty.
    pub legal: &'a [Action],
    /// The random stream of this seat in this game.
    pub rng: &'a mut Rng,
}

/// An agent's answer. It is made from an action (`action.into()`); some agents tell more.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The action to play, one of the legal ones.
    pub action: Action,
    /// The expected result of each seat as the mover sees it, from -1 to 1, if the agent has one.
    pub value: Option<ArrayVec<f32, MAX_PLAYERS>>,
    /// Probabilities of legal actions, ascending by action, which add up to 1, if the agent has them.
    /// Actions that are left out have probability 0.
    pub policy: Option<Box<[PolicyEntry]>>,
}

impl From<Action> for Decision {
    fn from(action: Action) -> Self {
        Self { action, value: None, policy: None }
    }
}

/// A player of one game, who knows what its seat may know and nothing else.
///
/// A decision must follow from the request alone, neither from other requests nor from earlier
/// ones: games are played in any order, in any company and on any thread. What an agent keeps
/// between calls may only save work.
pub trait Agent<G: Registered>: Send {
    /// Decides about one position.
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decision;

    /// Decides about several positions and adds one decision per request, in their order.
    ///
    /// Unless an agent gains by seeing many positions at once, it decides one after the other.
    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) {
        decisions.extend(requests.iter_mut().map(|request| self.decide(rules, request)));
    }

    /// The number of positions that the agent is best asked about at once. The driver keeps as many
    /// games in flight per thread.
    ///
    /// One, unless the agent is faster with more: games in flight are lost when a run is stopped.
    fn batch_size(&self) -> usize {
        1
    }

    /// An agent that plays the same, for another thread.
    fn boxed_clone(&self) -> Box<dyn Agent<G>>;
}
