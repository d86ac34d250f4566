//! One ply of expected material.

use darkqi_env::{Action, Registered};

use super::{Agent, AgentError, AgentInfo, AgentSpec, Decision, Entry, Request, settings};
use crate::search::Gain;

/// Gains closer than this are equal: rounding must not tell a capture whose outcome is certain
/// from one that is worth the same on average.
const TIE: f64 = 1e-6;

/// Takes what is worth most, covered pieces by their odds; ties are broken at random.
///
/// The gain of an action is the value of the piece it takes, negative for a piece of its own, as
/// expected over all that the action may turn up.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// By index of kind.
    values: Vec<f64>,
    /// The best actions so far; kept for its memory.
    best: Vec<Action>,
}

impl Greedy {
    /// Plays by these values, given by index of kind.
    pub const fn new(values: Vec<f64>) -> Self {
        Self { values, best: Vec::new() }
    }

    /// The expected gain of a legal action of `mover`.
    fn gain<G: Registered>(&self, rules: &G, view: &G::View<'_>, action: Action) -> f64 {
        // A mover is shown what it takes: nothing is unknown.
        let value = |kind| self.values[usize::from(kind)];
        Gain::of(rules, view, action, value, 0.0).expected
    }
}

impl Entry for Greedy {
    const INFO: AgentInfo = AgentInfo {
        name: "greedy",
        about: "Takes the most valuable piece one ply ahead, covered ones by their odds; \
                ties at random.",
        options: &[settings::VALUES],
    };

    fn build<G: Registered>(spec: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError> {
        Ok(Box::new(Self::new(settings::values(spec)?.of::<G>())))
    }
}

impl<G: Registered> Agent<G> for Greedy {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decision {
        let Request { view, legal, rng } = request;
        let mut highest = f64::NEG_INFINITY;
        self.best.clear();
        for &action in *legal {
            let gain = self.gain(rules, view, action);
            if gain > highest + TIE {
                highest = gain;
                self.best.clear();
            }
            if gain >= highest - TIE {
                self.best.push(action);
            }
        }
        self.best[rng.below(self.best.len() as u32) as usize].into()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
