//! How the probability of an outcome depends on `eta`, the sum of the columns times their coefficients,
//! and on cut points.

use serde::{Deserialize, Serialize};

use super::logit::{self, Derivatives};
use super::ordered;
use crate::error::Result;

/// A model of outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Model {
    Logit,
    OrderedLogit,
}

impl Model {
    /// The number of cut points: 0 or 2. Cut points take the place of a constant.
    pub(super) fn cuts(self) -> usize {
        match self {
            Self::Logit => 0,
            Self::OrderedLogit => 2,
        }
    }

    /// Whether the model accepts this outcome.
    pub(super) fn accepts(self, y: f64) -> bool {
        match self {
            Self::Logit => (0.0..=1.0).contains(&y),
            Self::OrderedLogit => [0.0, 0.5, 1.0].contains(&y),
        }
    }

    /// The initial cut points, where all coefficients are 0. `outcomes`: the weights of losses, draws
    /// and wins.
    ///
    /// # Errors
    /// If the outcomes do not determine them.
    pub(super) fn start(self, outcomes: [f64; 3]) -> Result<Vec<f64>> {
        match self {
            Self::Logit => Ok(Vec::new()),
            Self::OrderedLogit => ordered::start(outcomes),
        }
    }

    /// The logarithm of an outcome's probability, which is concave in all arguments.
    pub(super) fn derivatives(self, eta: f64, cuts: &[f64], y: f64) -> Derivatives {
        match self {
            Self::Logit => logit::derivatives(eta, y),
            Self::OrderedLogit => ordered::derivatives(eta, cuts, y),
        }
    }
}
