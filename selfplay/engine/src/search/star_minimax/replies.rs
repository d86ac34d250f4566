//! Games of more than two teams: every mover does what is best for itself.
//!
//! This is max^n (Luckhart and Irani, "An Algorithmic Solution of N-Person Games", AAAI 1986) with one
//! reply per position: the one after which the mover's static evaluation is highest.

use darkqi_env::{Action, Registered, game::GameExt};

use super::{Candidate, DISCOUNT, StarMinimax, Variation, sign};
use crate::evaluation::{Evaluation, SeatValues};

/// How many quiet replies are looked at besides the captures.
const QUIET_REPLIES: usize = 10;

/// By the number of replies before it: the replies that were legal in the first position reached, the
/// best first. In the positions after other actions of the root, most are legal, too, and as good.
pub(in crate::search) type RankedReplies = Vec<Vec<Action>>;

/// An action of the root and what follows it.
#[derive(Debug)]
pub(in crate::search) struct Line {
    /// Its value for the searcher.
    pub(in crate::search) value: f32,
    pub(in crate::search) variation: Variation,
}

/// A position after a reply.
struct Reply<S> {
    action: Action,
    state: S,
    values: SeatValues,
    is_over: bool,
}

impl<G: Registered> StarMinimax<'_, G> {
    /// Whether there are more than two teams, so that what one gains the searcher need not lose.
    pub(in crate::search) fn has_third_parties(&self) -> bool {
        let enemies =
            || (0..self.players()).filter(|&seat| !self.rules.allied(seat, self.searcher));
        enemies().any(|one| enemies().any(|other| !self.rules.allied(one, other)))
    }

    /// An action of the root and this many replies, or fewer where the game ends. Meaningless once the
    /// budget is spent.
    pub(in crate::search) fn line(
        &mut self,
        root: &G::State,
        candidate: Candidate,
        replies: u32,
        ranked: &mut RankedReplies,
    ) -> Line {
        let Candidate { action, .. } = candidate;
        let mut variation = vec![(self.searcher, action)];
        let after = self.only_outcome(root, candidate);
        let mut state = after.unwrap_or_else(|| self.typical(root, action));
        if let Some(outcome) = self.rules.outcome(&state) {
            let value = DISCOUNT * sign(outcome.rewards()[self.searcher]);
            return Line { value, variation };
        }
        let mut value = self.evaluate(&state)[self.searcher];
        for number in 0..replies as usize {
            let Some(reply) = self.best_reply(&state, number, ranked) else { break };
            variation.push((self.rules.to_move(&state), reply.action));
            value = reply.values[self.searcher];
            if reply.is_over {
                break;
            }
            state = reply.state;
        }
        Line { value: DISCOUNT * value, variation }
    }

    /// The reply after which its mover's static evaluation is highest. `None` once the budget is spent.
    fn best_reply(
        &mut self,
        state: &G::State,
        number: usize,
        ranked: &mut RankedReplies,
    ) -> Option<Reply<G::State>> {
        let mover = self.rules.to_move(state);
        let _ = self.list(state);
        let mut replies = std::mem::take(&mut self.scratch.legal);
        let is_first = ranked.len() == number;
        if !is_first {
            let view = self.view(state);
            let quiet =
                |action: &&Action| replies.contains(action) && !self.is_capture(&view, **action);
            let quiet: Vec<_> =
                ranked[number].iter().filter(quiet).take(QUIET_REPLIES).copied().collect();
            // Otherwise another army is to move, since one has fallen.
            if !quiet.is_empty() {
                replies.retain(|&action| self.is_capture(&view, action) || quiet.contains(&action));
            }
        }
        let mut values = Vec::with_capacity(if is_first { replies.len() } else { 0 });
        let mut best: Option<Reply<G::State>> = None;
        for &action in &replies {
            let reply = self.reply(state, action)?;
            let own = reply.values[mover];
            if is_first {
                values.push((own, action));
            }
            if best.as_ref().is_none_or(|best| own > best.values[mover]) {
                best = Some(reply);
            }
        }
        if is_first {
            ranked.push(by_falling_value(values));
        }
        self.scratch.legal = replies;
        best
    }

    /// The position after a reply, by a typical outcome if it has several. `None` if the budget is spent.
    fn reply(&mut self, state: &G::State, action: Action) -> Option<Reply<G::State>> {
        self.budget.spend();
        if self.budget.is_spent() {
            return None;
        }
        let after = if self.is_open(&self.view(state), action) {
            let mut after = state.clone();
            self.rules.play(&mut after, action);
            after
        } else {
            self.typical(state, action)
        };
        let outcome = self.rules.outcome(&after);
        let values = match &outcome {
            // Others may play otherwise: nothing is certain.
            Some(outcome) => {
                let mut values = SeatValues::default();
                for (value, &reward) in values.iter_mut().zip(outcome.rewards()) {
                    *value = Evaluation::MOST * sign(reward);
                }
                values
            }
            None => self.evaluate(&after),
        };
        Some(Reply { action, state: after, values, is_over: outcome.is_some() })
    }
}

/// Replies from the best on.
fn by_falling_value(mut values: Vec<(f32, Action)>) -> Vec<Action> {
    values.sort_by(|a, b| b.0.total_cmp(&a.0));
    values.into_iter().map(|(_, action)| action).collect()
}
