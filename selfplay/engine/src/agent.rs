//! What an agent is: it is asked about positions and answers with decisions.

use std::error::Error;
use std::slice;
use std::sync::atomic::AtomicBool;

use arrayvec::ArrayVec;
use darkqi_env::{Action, MAX_PLAYERS, Registered, Rng};
use darkqi_format::PolicyEntry;

/// A position that an agent is asked about. The game is not over.
#[derive(Debug)]
pub struct Request<'a, G: Registered> {
    /// Tells apart the games that an agent is asked about. What it keeps for the next decision, where it
    /// does so, is for one of the same game.
    pub game: u64,
    /// What the seat to move may know.
    pub view: G::View<'a>,
    /// The legal actions, ascending and never empty.
    pub legal: &'a [Action],
    /// The random stream of this seat in this game.
    pub rng: &'a mut Rng,
    /// Once it is true, nobody waits for the decision: a search ends as soon as it can, with any legal
    /// action, which is not played.
    pub stop: &'a AtomicBool,
}

/// For requests that nothing stops.
pub static NEVER: AtomicBool = AtomicBool::new(false);

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

/// An agent could not decide, for example because its net gives NaN or its Python code raises.
#[derive(Debug)]
#[non_exhaustive]
pub struct AgentFailure {
    /// The place of the first request concerned. 0 if all are.
    pub request: usize,
    /// The reason.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl AgentFailure {
    /// A failure that concerns this request first.
    pub fn new(request: usize, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { request, cause: cause.into() }
    }
}

/// A player of one game, who knows what its seat may know and nothing else.
///
/// A decision must follow from the request alone, neither from other requests nor from earlier
/// ones: games are played in any order, in any company and on any thread. What an agent keeps
/// between calls may only save work.
pub trait Agent<G: Registered>: Send {
    /// Decides about one position.
    ///
    /// # Errors
    /// If the agent cannot decide. Searches always can.
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>)
    -> Result<Decision, AgentFailure>;

    /// Decides about several positions and adds one decision per request, in their order. The
    /// requests may come back in another order.
    ///
    /// Unless an agent gains by seeing many positions at once, it decides one after the other.
    ///
    /// # Errors
    /// If the agent cannot decide about one of them.
    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        for (place, request) in requests.iter_mut().enumerate() {
            let decision = self.decide(rules, request);
            decisions.push(decision.map_err(|failure| AgentFailure { request: place, ..failure })?);
        }
        Ok(())
    }

    /// The number of positions that the agent is best asked about at once. The driver keeps as many
    /// games in flight per thread.
    ///
    /// One, unless the agent is faster with more: games in flight are lost when a run is stopped.
    fn batch_size(&self) -> usize {
        1
    }

    /// How often this agent and those cloned from it, or the one that it was cloned from, have started
    /// a program again that had failed.
    fn restarts(&self) -> u64 {
        0
    }

    /// An agent that plays the same, for another thread.
    fn boxed_clone(&self) -> Box<dyn Agent<G>>;
}

/// Decides about one position by an agent that decides in batches.
///
/// # Errors
/// As [`Agent::decide_batch`].
pub(crate) fn decide_one<G: Registered>(
    agent: &mut impl Agent<G>,
    rules: &G,
    request: &mut Request<'_, G>,
) -> Result<Decision, AgentFailure> {
    let mut decisions = Vec::with_capacity(1);
    agent.decide_batch(rules, slice::from_mut(request), &mut decisions)?;
    Ok(decisions.pop().expect("an agent gives one decision per request"))
}
