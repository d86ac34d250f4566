//! A game as it was played, and the one loop that plays it again.
//!
//! Deals hold all chance, so a game is its seed and its actions. Whatever else is known of it, such as
//! legal actions, reveals and the result, is a fold over the steps of [`replay`].

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::Action;
use crate::error::FenError;
use crate::game::{Outcome, Player};
use crate::session::AnyState;
use crate::spec::Spec;

/// A game as it was played. The rules, with the options that were in force, make it again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trajectory {
    /// The seed of the deal.
    pub seed: u64,
    /// The full FEN of the position it began with; `None` for the deal of the seed.
    pub opening: Option<String>,
    /// The caller's seat, where others have played the other seats.
    pub caller: Option<Player>,
    /// The actions in order.
    pub actions: Vec<Action>,
    /// The decisions of which players said something, ascending by ply.
    pub decisions: Vec<LoggedDecision>,
}

/// A player's value and policy of one ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoggedDecision {
    /// The ply's number in its game.
    pub ply: u16,
    /// The expected result of each seat, in seat order.
    pub value: Option<Box<[f32]>>,
    /// Actions and their probabilities, ascending by action.
    pub policy: Option<Box<[PolicyEntry]>>,
}

/// The probability of one action in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyEntry {
    /// The action index, from the mover's perspective.
    pub action: u16,
    /// Its probability.
    pub probability: f32,
}

impl Trajectory {
    /// The position that the game began with.
    ///
    /// # Errors
    /// If the opening cannot be read.
    pub fn start(&self, spec: &Spec) -> Result<Box<dyn AnyState>, FenError> {
        match &self.opening {
            Some(fen) => spec.parse_fen(fen),
            None => Ok(spec.deal(self.seed)),
        }
    }
}

/// A ply that is about to be played.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Its number, from 0.
    pub ply: usize,
    /// The position before it.
    pub state: &'a dyn AnyState,
    /// The action that is played, one of the legal ones.
    pub action: Action,
}

/// Why actions are no game, or what the visitor of their steps returned.
#[derive(Clone, PartialEq, Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum ReplayError<E> {
    /// The game is over before an action.
    #[error("ply {ply} is played in a game that is over ({})", outcome.reason.name())]
    Over { ply: usize, outcome: Outcome },
    /// An action is not legal.
    #[error("ply {ply}: action {} is not among the {legal_count} legal actions", action.0)]
    Illegal { ply: usize, action: Action, legal_count: usize },
    /// The game is not over after the last action.
    #[error("the game is not over after {plies} plies")]
    Unfinished { plies: usize },
    /// The visitor of the steps has failed.
    #[error("{0}")]
    Visit(E),
}

/// Plays the actions of a whole game from a position, which becomes the last one, and calls `visit`
/// before each. Returns how the game ends.
///
/// # Errors
/// If the actions are no game by the rules, or `visit` fails. The position is then that before the ply
/// concerned.
pub fn replay<E>(
    state: &mut dyn AnyState,
    actions: impl IntoIterator<Item = Action>,
    mut visit: impl FnMut(Step<'_>) -> Result<(), E>,
) -> Result<Outcome, ReplayError<E>> {
    let mut actions = actions.into_iter();
    for ply in 0.. {
        let action = match (actions.next(), state.outcome()) {
            (Some(action), None) => action,
            (Some(_), Some(outcome)) => return Err(ReplayError::Over { ply, outcome }),
            (None, Some(outcome)) => return Ok(outcome),
            (None, None) => return Err(ReplayError::Unfinished { plies: ply }),
        };
        let legal = state.legal_actions();
        if legal.binary_search(&action).is_err() {
            return Err(ReplayError::Illegal { ply, action, legal_count: legal.len() });
        }
        visit(Step { ply, state, action }).map_err(ReplayError::Visit)?;
        state.apply(action).expect("it is legal");
    }
    unreachable!("the loop has no end")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{ReplayError, Trajectory, replay};
    use crate::board::Action;
    use crate::game::Options;
    use crate::rng::{Rng, Stream};
    use crate::spec::Spec;

    #[test]
    fn a_trajectory_is_played_again_and_its_faults_are_named() {
        let spec = Spec::new("flipping", &Options::new()).expect("the game exists");
        let whole = Trajectory {
            seed: 3,
            opening: None,
            caller: None,
            actions: Vec::new(),
            decisions: Vec::new(),
        };
        let mut state = whole.start(&spec).expect("deals are positions");
        let mut rng = Rng::new(3, Stream::Sample);
        let (mut actions, mut counts) = (Vec::new(), Vec::new());
        let ended = loop {
            if let Some(outcome) = state.outcome() {
                break outcome;
            }
            let legal = state.legal_actions();
            actions.push(*rng.choose(legal));
            counts.push(legal.len());
            state.apply(actions[actions.len() - 1]).expect("it is legal");
        };
        let again = |actions: &[Action]| {
            let mut start = whole.start(&spec).expect("deals are positions");
            let mut seen = Vec::new();
            let outcome = replay::<Infallible>(&mut *start, actions.to_vec(), |step| {
                assert_eq!((step.ply, step.action), (seen.len(), actions[step.ply]));
                seen.push(step.state.legal_actions().len());
                Ok(())
            });
            (outcome, seen, start.fen())
        };
        assert_eq!(again(&actions), (Ok(ended), counts.clone(), state.fen()));
        let plies = actions.len();
        let short = again(&actions[..plies - 1]).0;
        assert_eq!(short, Err(ReplayError::Unfinished { plies: plies - 1 }));
        let long = again(&[&actions[..], &actions[..1]].concat()).0;
        assert_eq!(long, Err(ReplayError::Over { ply: plies, outcome: ended }));
        let nonsense = Action(u16::MAX);
        let illegal = ReplayError::Illegal { ply: 1, action: nonsense, legal_count: counts[1] };
        assert_eq!(again(&[actions[0], nonsense]).0, Err(illegal));
    }
}
