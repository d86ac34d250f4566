//! A verdict on rules: fair, not fair, or not decided.

use std::collections::BTreeMap;

use darkqi_analysis::statistics::{holm, students_tail};
use darkqi_analysis::{Estimate, SIGNIFICANT, count};
use darkqi_env::{game::Reason, session::Phrase};
use serde::{Serialize, Serializer};
use statrs::distribution::{ContinuousCDF, Normal};

use super::equivalence::Equivalence;
use crate::reporting::figures;

/// Fewer games with a winner than this share say little about fairness: draws are even under any rules.
const FEW_WINNERS: f64 = 0.5;

/// What games have shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The score is within the margin of the even one.
    Fair,
    /// The score is not even, and lies beyond the margin.
    NotFair,
    /// Neither is shown.
    NotDecided,
}

/// A verdict on the rules of a set, for the agent that has played them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fairness {
    /// What is shown at 5 %, all sets considered (Holm).
    pub finding: Finding,
    /// About how many more games would decide it if the score stays as it is, in two digits; `None` if
    /// it is decided, or no number of games would.
    pub more_games: Option<u64>,
    /// Why an even score would say little about the rules, if so.
    #[serde(serialize_with = "text_if_any")]
    pub warning: Option<Phrase>,
    /// The verdict in a sentence.
    #[serde(serialize_with = "text")]
    pub sentence: Phrase,
}

fn text<S: Serializer>(phrase: &Phrase, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(phrase)
}

fn text_if_any<S: Serializer>(phrase: &Option<Phrase>, serializer: S) -> Result<S::Ok, S::Error> {
    phrase.as_ref().map(ToString::to_string).serialize(serializer)
}

/// A set that is judged.
pub(super) struct Judged<'a> {
    pub(super) score: Estimate,
    pub(super) even: f64,
    pub(super) equivalence: Equivalence,
    pub(super) games: u64,
    /// One less than there are deals or, where there are few of them, openings.
    pub(super) degrees: f64,
    /// Whether few openings, and not the deals, are the observations: more games of the same openings do not
    /// narrow the interval so.
    pub(super) has_few_openings: bool,
    pub(super) decisive: f64,
    pub(super) endings: &'a BTreeMap<String, u64>,
}

/// The verdicts on sets that are compared with one another.
///
/// # Errors
/// If a figure is not finite.
pub(super) fn verdicts(sets: &[Judged<'_>]) -> Result<Vec<Fairness>, darkqi_analysis::Error> {
    let uneven =
        |set: &Judged<'_>| 2.0 * students_tail(set.score.deviation(set.even).abs(), set.degrees);
    let p_values: Vec<f64> = sets.iter().map(uneven).collect();
    let judge = |(set, uneven): (&Judged<'_>, f64)| set.verdict(uneven, sets.len());
    Ok(sets.iter().zip(holm(&p_values)?).map(judge).collect())
}

impl Judged<'_> {
    fn distance(&self) -> f64 {
        (self.score.value - self.even).abs()
    }

    fn verdict(&self, uneven: f64, sets: usize) -> Fairness {
        let margin = self.equivalence.margin;
        let is_beyond = self.distance() > margin;
        let finding = if self.equivalence.p_holm < SIGNIFICANT {
            Finding::Fair
        } else if uneven < SIGNIFICANT && is_beyond {
            Finding::NotFair
        } else {
            Finding::NotDecided
        };
        let more_games = (finding == Finding::NotDecided && !self.has_few_openings)
            .then(|| self.more_games(sets))
            .flatten();
        let score = || Phrase::from(figures::share(self.score));
        let sentence = match (finding, more_games) {
            (Finding::Fair, _) => Phrase::new(
                "fair within {margin}: the score is {score}",
                [("margin", margin.to_string().into()), ("score", score())],
            ),
            (Finding::NotFair, _) => {
                let even =
                    if self.even == 0.5 { "0.5".to_owned() } else { format!("{:.4}", self.even) };
                Phrase::new(
                    "not fair: the score is {score}, and {even} would be even",
                    [("score", score()), ("even", even.into())],
                )
            }
            (Finding::NotDecided, None) => {
                Phrase::new("not decided: the score is {score}", [("score", score())])
            }
            (Finding::NotDecided, Some(more)) => Phrase::new(
                "not decided: the score is {score}; about {more} more games decide it if it stays there",
                [("score", score()), ("more", count(more).into())],
            ),
        };
        Fairness { finding, more_games, warning: self.warning(), sentence }
    }

    /// The deviations of the tests grow with the root of the number of games.
    fn more_games(&self, sets: usize) -> Option<u64> {
        let margin = self.equivalence.margin;
        let level = SIGNIFICANT / sets as f64;
        let [low, even, high] =
            [-margin, 0.0, margin].map(|shift| self.score.deviation(self.even + shift));
        let (deviation, level) =
            if self.distance() > margin { (even, level / 2.0) } else { (low.min(-high), level) };
        let games = self.games as f64;
        let more = games * (Normal::standard().inverse_cdf(level) / deviation).powi(2) - games;
        // Two digits: the estimate is no better.
        let unit = 10_f64.powf(more.max(1.0).log10().floor() - 1.0).max(1.0);
        let rounded = (more / unit).ceil() * unit;
        (1.0..1e12).contains(&rounded).then_some(rounded as u64)
    }

    fn warning(&self) -> Option<Phrase> {
        if self.decisive >= FEW_WINNERS {
            return None;
        }
        let all: u64 = self.endings.values().sum();
        // Options make draws of other reasons: those of more games than have a winner.
        let won = self.decisive * all as f64;
        let draws = |reason: &str, count: u64| {
            count as f64 > won || Reason::named(reason).is_some_and(Reason::is_draw)
        };
        let most = |(reason, count): &(&String, &u64)| (draws(reason, **count), **count);
        let (reason, count) = self.endings.iter().max_by_key(most)?;
        let percent = |share: f64| Phrase::from(format!("{:.0}", 100.0 * share));
        Some(Phrase::new(
            "only {won} % of these games have a winner ({most} % end by {reason}), and draws are even under any \
             rules; ask a stronger agent",
            [
                ("won", percent(self.decisive)),
                ("most", percent(*count as f64 / all.max(1) as f64)),
                ("reason", Phrase::name(reason.clone())),
            ],
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use darkqi_analysis::statistics::MeanScore;
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;

    use super::{Finding, Judged, verdicts};
    use crate::studies::equivalence::equivalence;

    fn endings_of(endings: &[(&str, u64)]) -> BTreeMap<String, u64> {
        endings.iter().map(|&(reason, count)| (reason.to_owned(), count)).collect()
    }

    /// A set with this mean score, whose even score is 1/2, with the share of its games that have a winner.
    fn judged(
        score: f64,
        games: u64,
        decisive: f64,
        variance: f64,
        endings: &BTreeMap<String, u64>,
    ) -> Judged<'_> {
        let (variance, even) = (variance / games as f64, 0.5);
        let score = MeanScore::independent(score, variance, games as f64).estimate();
        let degrees = (games as f64 - 1.0).max(1.0);
        let tests = equivalence(&[score], &[even], &[degrees], 0.02).expect("all is finite");
        let (equivalence, has_few_openings) = (tests[0], false);
        Judged { score, even, equivalence, games, degrees, has_few_openings, decisive, endings }
    }

    fn found(score: f64, games: u64, decisive: f64) -> (Finding, Option<u64>, bool) {
        let endings = endings_of(&[("checkmate", 3), ("quiet_limit", 1), ("repetition", 2)]);
        let set = judged(score, games, decisive, decisive * 0.25, &endings);
        let verdict = verdicts(&[set]).expect("all is finite").remove(0);
        (verdict.finding, verdict.more_games, verdict.warning.is_some())
    }

    #[test]
    fn a_warning_names_the_most_frequent_draw() {
        for (decisive, endings, most) in [
            (0.1, [("checkmate", 10), ("no_moves", 85), ("repetition", 5)], "85 % end by no moves"),
            (0.4, [("checkmate", 40), ("repetition", 31), ("quiet_limit", 29)], "31 % end by rep"),
        ] {
            let endings = endings_of(&endings);
            let warning = judged(0.5, 100, decisive, 0.25 * decisive, &endings).warning();
            let warning = warning.expect("few games have a winner").to_string();
            assert!(warning.contains(most), "{warning}");
        }
    }

    #[test]
    fn a_game_shows_nothing_and_not_fair_leaves_out_the_even_score() {
        for games in [1, 2, 3, 10, 20, 40] {
            for won in 0..=games {
                let score = won as f64 / games as f64;
                let endings = endings_of(&[("checkmate", games)]);
                let set = judged(score, games, 1.0, score * (1.0 - score), &endings);
                let is_out = set.score.low > 0.5 || set.score.high < 0.5;
                let finding = verdicts(&[set]).expect("all is finite")[0].finding;
                assert_eq!(finding == Finding::NotFair, is_out, "{won} of {games}");
            }
        }
    }

    /// Ten sets of even rules with five openings each, of 2,000 games.
    #[test]
    fn few_openings_rarely_make_rules_unfair() {
        const OPENINGS: f64 = 5.0;
        let rng = &mut Rng::new(7, Stream::Sample);
        let endings = endings_of(&[("checkmate", 10_000)]);
        let mut wrong = 0;
        for _ in 0..1000 {
            let mut set = || {
                // Uniform within 0.1 of the even score.
                let means: Vec<f64> = (0..5).map(|_| 0.4 + 0.2 * rng.random::<f64>()).collect();
                let mean = means.iter().sum::<f64>() / OPENINGS;
                let squares: f64 = means.iter().map(|one| (one - mean).powi(2)).sum();
                let variance = squares / (OPENINGS - 1.0) / OPENINGS;
                let independent = MeanScore::independent(mean, variance, OPENINGS);
                let score = MeanScore { observations: 10_000.0, ..independent }.estimate();
                let few = judged(0.5, 10_000, 1.0, 0.25, &endings);
                Judged { score, degrees: OPENINGS - 1.0, has_few_openings: true, ..few }
            };
            let sets: Vec<Judged<'_>> = (0..10).map(|_| set()).collect();
            let found = verdicts(&sets).expect("all is finite");
            wrong += u32::from(found.iter().any(|one| one.finding == Finding::NotFair));
        }
        assert!(wrong < 70, "{wrong}");
    }

    #[test]
    fn verdicts_follow_score_and_number_of_games() {
        assert_eq!(found(0.5, 20_000, 1.0), (Finding::Fair, None, false));
        assert_eq!(found(0.56, 20_000, 1.0), (Finding::NotFair, None, false));
        let (finding, more, _) = found(0.5, 400, 1.0);
        // 1.645 errors of 0.5 / sqrt(n) fit into 0.02 from n = 1691 on.
        assert_eq!((finding, more), (Finding::NotDecided, Some(1300)));
        assert!(found(0.5, 400, 0.1).2);
        // Nearer to the margin it takes longer.
        assert!(found(0.515, 400, 1.0).1 > more);
    }
}
