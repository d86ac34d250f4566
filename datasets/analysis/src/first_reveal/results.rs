//! The results of the analysis of first reveals.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::running_score::{Settled, SettledScores};
use crate::statistics::Adjusted;
use crate::{Doubt, Estimate, SIGNIFICANT};
use darkqi_format::Openings;

/// The value of the first reveal in a dataset.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirstRevealValue {
    /// The game's registry name.
    pub game: String,
    /// All options in force.
    pub options: BTreeMap<String, Json>,
    /// The agent that played all seats.
    pub agent: String,
    /// The dataset's seed.
    pub seed: u64,
    /// The version that played.
    pub software_version: String,
    /// Games.
    pub games: u64,
    /// Games that differ in their deal or in an action. A repeated game adds no information but is
    /// counted by every interval.
    pub distinct_games: u64,
    /// Deals.
    pub deals: u64,
    /// The independent observations: the deals or, where several openings were given, the openings.
    pub clusters: u64,
    /// The effective number of deals by how their games begin: the number of equally frequent
    /// beginnings of which as many pairs would be alike. A beginning is the deal and the first five
    /// plies of each seat.
    pub effective_deals: u64,
    /// How the games began, if not with the deal itself.
    #[serde(serialize_with = "all_fields")]
    pub openings: Option<Openings>,
    /// The player who made the first reveal; null in games without covered pieces.
    pub revealer: Option<Revealer>,
    /// The seat that moved first.
    pub first_mover: Outcomes,
    /// The expected score if all seats are equal; null if some seats win together, because teams
    /// may differ.
    pub even: Option<f64>,
    /// The share of games with a winner.
    pub decisive: Estimate,
    /// Game lengths in plies.
    pub plies: GameLengths,
    /// Games by the reason of their end.
    pub endings: BTreeMap<String, u64>,
    /// The games among them that were cut off by a limit.
    pub cut_off: BTreeMap<String, u64>,
    /// Why the figures may mislead.
    pub warnings: Vec<Doubt>,
    /// The score by an interval that is valid at all times, if one is asked for.
    pub settled: Option<Settled>,
    /// The interval of the luck-adjusted score, where pieces are covered.
    pub settled_adjusted: Option<Settled>,
}

/// Openings with those of their fields that are empty, too.
fn all_fields<S: Serializer>(
    openings: &Option<Openings>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct All<'a> {
        lines: &'a [String],
        remove: &'a [String],
        random_plies: u32,
    }
    let all = openings.as_ref().map(|Openings { lines, remove, random_plies }| All {
        lines,
        remove,
        random_plies: *random_plies,
    });
    all.serialize(serializer)
}

impl FirstRevealValue {
    /// These figures with the scores of a run that stops at a target precision.
    #[must_use]
    pub fn with_settled(self, found: Option<SettledScores>) -> Self {
        Self {
            settled: found.map(|found| found.score),
            settled_adjusted: found.and_then(|found| found.adjusted),
            ..self
        }
    }
}

/// The results of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outcomes {
    /// Games won, alone or with allies.
    pub wins: u64,
    /// Games without a winner, including those cut off.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// The draws that were cut off.
    pub cut_off: u64,
    /// The mean score, with Wilson's interval for the variance between deals.
    pub score: Estimate,
    /// The Elo difference with this expected score; with two seats only.
    pub elo: Option<Estimate>,
}

/// The number of deals for each covariate of luck below which there is no luck-adjusted score.
pub const DEALS_PER_COVARIATE: u64 = 5;

/// The player who made the first reveal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Revealer {
    /// The results.
    pub outcomes: Outcomes,
    /// The luck-adjusted score (control variates), and the variance reduction. None with fewer than
    /// [`DEALS_PER_COVARIATE`] deals for each covariate, where fitting the coefficients may cost more
    /// than they explain.
    pub adjusted: Option<Adjusted>,
    /// The design effect: the variance of the score over that of the same number of games on deals
    /// of their own. About 1 if no games share deals, below 1 if sharing reduces the variance. None
    /// with more than two seats.
    pub design_effect: Option<f64>,
    /// Games without a reveal, which are left out here.
    pub without_reveal: u64,
    /// The share of games in which the seat that moved first made the first reveal.
    pub moved_first: Estimate,
    /// By the kind revealed.
    pub kinds: Effects,
    /// By the square. Squares that are equivalent by symmetry form one group, named by the lowest
    /// and leftmost from the player's perspective. Agents choose where they reveal, so this is an
    /// association and not a causal effect.
    pub squares: Effects,
}

/// Scores by group of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Effects {
    /// The non-empty groups.
    pub groups: Vec<Effect>,
    /// The heterogeneity of the groups' true scores; null with fewer than 5 groups with an error.
    pub spread: Option<Heterogeneity>,
}

impl Effects {
    /// The groups that differ significantly from the others. A group is named only if the test of any
    /// difference rejects, too, where there is one (serial gatekeeping: Westfall and Krishen,
    /// "Optimally weighted, fixed sequence and gatekeeper multiple testing procedures", Journal of
    /// Statistical Planning and Inference 99, 2001).
    pub fn significant(&self) -> impl Iterator<Item = &Effect> {
        let is_open = self.spread.is_none_or(|spread| spread.p_value < SIGNIFICANT);
        self.groups.iter().filter(move |effect| is_open && effect.p_holm < SIGNIFICANT)
    }
}

/// One group of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Effect {
    /// The piece letter or square.
    pub name: String,
    /// The number of games.
    pub games: u64,
    /// The mean score of the player who made the first reveal.
    pub score: Estimate,
    /// This score minus that of all games, with an interval that is valid for few games too
    /// ([`ClusteredMeans::effect`](crate::statistics::ClusteredMeans::effect)).
    pub effect: Estimate,
    /// The p-value of the hypothesis of no effect, unadjusted: a score test, exact where few games are
    /// decisive ([`ClusteredMeans::p_value`](crate::statistics::ClusteredMeans::p_value)).
    pub p_value: f64,
    /// The p-value adjusted by Holm's method. Kinds are one family of tests, squares another.
    pub p_holm: f64,
    /// The score shrunk towards the others according to its noise (empirical Bayes); null without
    /// heterogeneity estimate.
    pub shrunk: Option<Estimate>,
}

/// The heterogeneity of groups.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Heterogeneity {
    /// The standard deviation of the groups' true scores (REML).
    pub deviation: f64,
    /// The p-value of the hypothesis of no difference (Cochran's Q).
    pub p_value: f64,
}

/// Game lengths in plies.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GameLengths {
    /// The mean.
    pub mean: Estimate,
    /// The 5 % quantile.
    pub p5: u16,
    /// The median: of an even number, the mean of the middle two.
    pub median: f64,
    /// The 95 % quantile.
    pub p95: u16,
    /// A histogram of game lengths: about twenty bins of equal width up to the 95 % quantile, and
    /// as many more as needed.
    pub bins: Vec<LengthBin>,
}

/// A bin of the histogram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LengthBin {
    /// The shortest length in the bin.
    pub shortest: u16,
    /// The longest length in the bin.
    pub longest: u16,
    /// The number of games.
    pub games: u64,
}

#[cfg(test)]
mod tests {
    use super::{Effect, Effects, Heterogeneity};
    use crate::Estimate;

    #[test]
    fn groups_are_named_only_if_any_difference_is_significant() {
        let estimate = Estimate { value: 0.5, low: 0.4, high: 0.6 };
        let group = |name: &str, p_holm| Effect {
            name: name.to_owned(),
            games: 100,
            score: estimate,
            effect: estimate,
            p_value: p_holm,
            p_holm,
            shrunk: None,
        };
        let named = |any: Option<f64>| {
            let spread = any.map(|p_value| Heterogeneity { deviation: 0.1, p_value });
            let effects = Effects { groups: vec![group("a1", 0.01), group("b1", 0.2)], spread };
            let names: Vec<String> =
                effects.significant().map(|effect| effect.name.clone()).collect();
            names
        };
        assert_eq!(named(Some(0.185)), [""; 0]);
        assert_eq!(named(Some(0.01)), ["a1"]);
        assert_eq!(named(None), ["a1"]);
    }
}
