//! What a search thinks of a game that is over.
//!
//! Each position is valued by what the seat to move knew, so that nobody is blamed for what was covered:
//! a move costs what the best one was expected to bring more than it, on average over what both could
//! turn over and take.

use std::sync::atomic::AtomicBool;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Action, AnyState, Player};
use darkqi_play::opponents::Adviser;
use serde::Serialize;

use super::Finished;
use crate::answer::Refusal;
use crate::board::MoveJson;
use crate::hosting::refusal;

/// The search that reviews games. So many positions a move are a few milliseconds.
pub(super) const REVIEWER: &str = "expectimax:nodes=4000";

/// How many moves are told.
const TOLD: usize = 3;

/// The least cost that is worth telling, of the two between a loss and a win.
const LEAST: f32 = 0.02;

/// What is known of a game so far.
#[derive(Clone, Default, Serialize)]
pub(crate) struct Review {
    /// For each position, the expected result of each seat as the mover saw it. Where there was no
    /// choice, that of the next.
    values: Vec<Option<Vec<f32>>>,
    /// The costliest moves, that which costs most first.
    mistakes: Vec<Mistake>,
}

/// A move that another one was better than.
#[derive(Clone, Serialize)]
struct Mistake {
    ply: usize,
    seat: Player,
    played: MoveJson,
    better: MoveJson,
    /// What the seat could expect of each.
    value: f32,
    better_value: f32,
}

impl Mistake {
    fn cost(&self) -> f32 {
        self.better_value - self.value
    }
}

impl Finished {
    /// How many positions a review looks at.
    pub(super) fn plies(&self) -> usize {
        self.actions.len()
    }

    /// Reviews the game. `tell` gets the number of plies that are done after each, and says whether to go
    /// on.
    ///
    /// # Errors
    /// If the search cannot be made, or is stopped.
    pub(super) fn review(
        &self,
        stop: &AtomicBool,
        mut tell: impl FnMut(usize) -> bool,
    ) -> Result<Review, Refusal> {
        let agent: AgentSpec = REVIEWER.parse().map_err(Refusal::impossible)?;
        let told = |error| refusal(REVIEWER, error);
        let adviser = Adviser::new(&self.spec, &agent).map_err(told)?;
        let mut judge = Judge { adviser, seed: self.seed, stop };
        let mut review = Review::default();
        for (ply, (&played, state)) in self.actions.iter().zip(&self.states).enumerate() {
            if !tell(ply) {
                return Err(Refusal::impossible("nobody waits for the review any more"));
            }
            let (best, values) = judge.decide(&**state)?;
            review.values.push(values);
            if best == played {
                continue;
            }
            let seat = state.current_player();
            // Both are valued alike, one ply later.
            let value = judge.value_of(&**state, played)?;
            let better_value = judge.value_of(&**state, best)?;
            let size = self.spec.layout.size;
            review.mistakes.push(Mistake {
                ply,
                seat,
                played: MoveJson::new(&**state, size, played),
                better: MoveJson::new(&**state, size, best),
                value,
                better_value,
            });
        }
        let end = self.states[self.actions.len()].outcome();
        review.values.push(end.map(|outcome| outcome.rewards().to_vec()));
        for ply in (0..self.actions.len()).rev() {
            if review.values[ply].is_none() {
                review.values[ply] = review.values[ply + 1].clone();
            }
        }
        review.mistakes.retain(|mistake| mistake.cost() >= LEAST);
        review.mistakes.sort_by(|one, other| other.cost().total_cmp(&one.cost()));
        review.mistakes.truncate(TOLD);
        Ok(review)
    }
}

/// The search with what it keeps between decisions.
struct Judge<'a> {
    adviser: Adviser,
    seed: u64,
    stop: &'a AtomicBool,
}

impl Judge<'_> {
    /// The best action by what the mover knows, and what each seat can expect.
    fn decide(&mut self, state: &dyn AnyState) -> Result<(Action, Option<Vec<f32>>), Refusal> {
        let decided = self.adviser.decide(state, self.seed, self.stop);
        let decision = decided.map_err(|error| refusal(REVIEWER, error))?;
        Ok((decision.action, decision.value.map(|value| value.to_vec())))
    }

    /// What the mover can expect of an action, over all that it may turn over and take.
    fn value_of(&mut self, state: &dyn AnyState, action: Action) -> Result<f32, Refusal> {
        let seat = state.current_player();
        let mut expected = 0.0;
        for reveal in state.reveals(action).map_err(Refusal::impossible)? {
            let mut world = state.arrange(action, &reveal).map_err(Refusal::impossible)?;
            world.apply(action).map_err(Refusal::impossible)?;
            // Where there is no choice, the position after it has the value.
            let value = loop {
                if let Some(outcome) = world.outcome() {
                    break outcome.rewards()[seat];
                }
                let (best, values) = self.decide(&*world)?;
                if let Some(values) = values {
                    break values[seat];
                }
                world.apply(best).map_err(Refusal::impossible)?;
            };
            expected += reveal.probability as f32 * value;
        }
        Ok(expected)
    }
}
