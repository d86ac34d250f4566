//! The agent `greedy`: the greatest expected gain of material within one ply.

use darkqi_env::{Action, Registered};

use super::info::{AgentInfo, Built, RegisteredAgent};
use super::options::{AgentOptions, VALUES};
use crate::agent::{Agent, Decided, Request};
use crate::evaluation::Gain;

/// Gains closer than this count as equal: rounding must not separate a certain capture from one
/// with the same expected value.
const TIE: f64 = 1e-6;

/// Plays the action of the greatest expected gain. Ties are broken at random.
///
/// The gain of an action is the value of the piece that it captures, negative for a piece of its
/// own. It is the mean over everything that the action may reveal, by exact odds.
#[derive(Clone, Debug)]
pub struct Greedy {
    /// By index of kind.
    values: Vec<f64>,
    /// The best actions so far, kept for its memory.
    best: Vec<Action>,
}

impl Greedy {
    /// Plays by these values, given by index of kind.
    pub const fn new(values: Vec<f64>) -> Self {
        Self { values, best: Vec::new() }
    }

    /// The expected gain of a legal action of `mover`.
    fn gain<G: Registered>(&self, rules: &G, view: &G::View<'_>, action: Action) -> f64 {
        // A mover sees what it captures: no piece is unknown.
        let value = |kind| self.values[usize::from(kind)];
        Gain::of(rules, view, action, value, 0.0).expected
    }
}

impl RegisteredAgent for Greedy {
    const INFO: AgentInfo = AgentInfo {
        name: "greedy",
        about: "Captures the most valuable piece within one ply, covered pieces by their odds; \
                ties at random.",
        argument: None,
        options: &[VALUES],
    };

    fn build<G: Registered>(_: &G, options: &AgentOptions) -> Built<G> {
        Ok(Box::new(Self::new(options.values()?.of::<G>())))
    }
}

impl<G: Registered> Agent<G> for Greedy {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        let Request { view, legal, rng, .. } = request;
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
        Ok((*rng.choose(&self.best)).into())
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
