//! Agents are asked about positions and answer with decisions.
//!
//! Who runs games knows no game's type: it holds [`AnyAgent`]s and asks them about [`Ask`]s, which hold a
//! position that only a player opens, to the view of the seat to move. Within this crate a player is an
//! [`Agent`] of its game.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::slice;
use std::sync::atomic::AtomicBool;

use arrayvec::ArrayVec;
use darkqi_env::{Action, Registered, Rng, Viewer, game::MAX_PLAYERS, trajectory::PolicyEntry};

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

/// An agent's answer, or why there is none.
pub type Decided = Result<Decision, AgentFailure>;

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
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided;

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

/// A position that a player is asked about. The game is not over.
///
/// It holds all that lies covered, and lets nobody see it: a player is given the view of the seat to
/// move.
pub struct Ask<'a> {
    game: u64,
    state: &'a dyn Any,
    legal: &'a [Action],
    rng: &'a mut Rng,
    stop: &'a AtomicBool,
}

impl<'a> Ask<'a> {
    /// The question what the seat to move plays in a state of the player's game. The other parts are
    /// those of a [`Request`].
    pub fn new(
        game: u64,
        state: &'a dyn Any,
        legal: &'a [Action],
        rng: &'a mut Rng,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { game, state, legal, rng, stop }
    }

    /// Tells apart the games that a player is asked about.
    pub fn game(&self) -> u64 {
        self.game
    }

    /// The legal actions, ascending and never empty.
    pub fn legal(&self) -> &'a [Action] {
        self.legal
    }

    /// The random stream of this seat in this game.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// The flag that ends the decision, as in a [`Request`].
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    fn request<'r, G: Registered>(&'r mut self, rules: &'r G) -> Request<'r, G> {
        let state = self.state.downcast_ref::<G::State>();
        let state = state.expect("the state is of the player's game");
        Request {
            game: self.game,
            view: rules.view(state, Viewer::Player(rules.to_move(state))),
            legal: self.legal,
            rng: self.rng,
            stop: self.stop,
        }
    }
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("game", &self.game).finish_non_exhaustive()
    }
}

/// An agent of a game whose type its user does not know.
pub trait AnyAgent: Send {
    /// Decides about several positions and adds one decision for each, in their order.
    ///
    /// # Errors
    /// If the agent cannot decide about one of them.
    ///
    /// # Panics
    /// If a position is of another game.
    fn decide(
        &mut self,
        asks: &mut [Ask<'_>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure>;

    /// As [`Agent::batch_size`].
    fn batch_size(&self) -> usize {
        1
    }

    /// As [`Agent::restarts`].
    fn restarts(&self) -> u64 {
        0
    }

    /// A player that plays the same, for another thread.
    fn boxed_clone(&self) -> Box<dyn AnyAgent>;
}

/// The player that an agent is, with the rules of its game.
pub(crate) struct Seated<G: Registered> {
    pub(crate) rules: G,
    pub(crate) agent: Box<dyn Agent<G>>,
}

impl<G: Registered> AnyAgent for Seated<G> {
    fn decide(
        &mut self,
        asks: &mut [Ask<'_>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        let Self { rules, agent } = self;
        match asks {
            [ask] => {
                decisions.push(agent.decide(rules, &mut ask.request(rules))?);
                Ok(())
            }
            asks => {
                let mut requests: Vec<_> = asks.iter_mut().map(|ask| ask.request(rules)).collect();
                agent.decide_batch(rules, &mut requests, decisions)
            }
        }
    }

    fn batch_size(&self) -> usize {
        self.agent.batch_size()
    }

    fn restarts(&self) -> u64 {
        self.agent.restarts()
    }

    fn boxed_clone(&self) -> Box<dyn AnyAgent> {
        Box::new(Self { rules: self.rules.clone(), agent: self.agent.boxed_clone() })
    }
}

/// Decides about one position by an agent that decides in batches.
///
/// # Errors
/// As [`Agent::decide_batch`].
pub(crate) fn decide_one<G: Registered>(
    agent: &mut impl Agent<G>,
    rules: &G,
    request: &mut Request<'_, G>,
) -> Decided {
    let mut decisions = Vec::with_capacity(1);
    agent.decide_batch(rules, slice::from_mut(request), &mut decisions)?;
    Ok(decisions.pop().expect("an agent gives one decision per request"))
}
