//! One ply of expected material.

use std::path::Path;

use darkqi_env::{Action, Registered, Rng};

use super::{AgentError, AgentInfo, AgentOption, AgentSpec, Entry, PieceValues};
use crate::agent::Agent;

/// Gains closer than this are equal: rounding must not tell a capture whose outcome is certain
/// from one that is worth the same on average.
const TIE: f64 = 1e-6;

const BUILT_IN: &str = "built-in";

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
        let mover = G::view_to_move(view);
        let mut gain = 0.0;
        rules.each_reveal(view, action, |event, odds| {
            let Some(piece) = event.captured else { return };
            let Some(owner) = G::owner(view, piece.army) else { return };
            let value = self.values[usize::from(piece.kind)];
            gain += odds * if owner == mover { -value } else { value };
        });
        gain
    }
}

impl Entry for Greedy {
    const INFO: AgentInfo = AgentInfo {
        name: "greedy",
        about: "Takes the most valuable piece one ply ahead, covered ones by their odds; \
                ties at random.",
        options: &[AgentOption {
            name: "values",
            about: "A TOML file of piece values, one table per game; what it leaves out keeps \
                    its built-in value.",
            default: BUILT_IN,
        }],
    };

    fn build<G: Registered>(spec: &AgentSpec) -> Result<Box<dyn Agent<G>>, AgentError> {
        let values = match spec.option("values") {
            BUILT_IN => PieceValues::built_in().of::<G>(),
            path => PieceValues::read(Path::new(path))?.of::<G>(),
        };
        Ok(Box::new(Self::new(values)))
    }
}

impl<G: Registered> Agent<G> for Greedy {
    fn choose(
        &mut self,
        rules: &G,
        view: &G::View<'_>,
        legal: &[Action],
        rng: &mut Rng,
    ) -> Action {
        let mut highest = f64::NEG_INFINITY;
        self.best.clear();
        for &action in legal {
            let gain = self.gain(rules, view, action);
            if gain > highest + TIE {
                highest = gain;
                self.best.clear();
            }
            if gain > highest - TIE {
                self.best.push(action);
            }
        }
        self.best[rng.below(self.best.len() as u32) as usize]
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
