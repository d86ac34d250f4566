//! Whether a figure may be shown, shown with a warning, or is withheld: the one place that decides, from
//! what the data hold. Tables, JSON, Python, reports and the page show what it says.

use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};

use super::games::is_repetitive;

/// The number of clusters below which intervals and tests are rough.
const MIN_CLUSTERS: u64 = 30;

/// With fewer deals for each coefficient, the errors of the sandwich estimator are clearly too small,
/// and so they are with fewer games that end otherwise than most: where all but a few end alike, only
/// these few tell the coefficients anything (ten events per variable: Peduzzi et al., "A simulation study
/// of the number of events per variable in logistic regression analysis", 1996).
const PER_COEFFICIENT: u64 = 10;

/// The amount of data behind figures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence {
    /// The unit of observation: `deal` or, in a match, `block`.
    pub unit: &'static str,
    /// The number of observations.
    pub observations: u64,
    /// The effective number of them by how they begin ([`Beginnings`](super::Beginnings)); None if that
    /// is not known.
    pub effective: Option<u64>,
    /// The number of clusters and their noun, where several observations share an opening or a deal.
    pub clusters: Option<(u64, &'static str)>,
    /// The number of observations of a stopped run that ended before earlier ones.
    pub early: u64,
    /// The fit of coefficients, where some are fitted.
    pub fit: Option<FitEvidence>,
}

/// The games that coefficients are fitted to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitEvidence {
    /// The number of coefficients.
    pub coefficients: u64,
    /// The number of games.
    pub games: u64,
    /// The number of games that do not end with the most frequent result.
    pub rarer: u64,
    /// The log-loss on deals that were held out, of the fit and of the mean alone.
    pub held_out: Option<[f64; 2]>,
}

/// The judgement on figures.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Judgement {
    /// Why the figures may mislead.
    pub warnings: Vec<Doubt>,
    /// Why there are none.
    pub withheld: Option<Doubt>,
}

/// A reason to doubt figures. Serialised as its text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Doubt {
    /// Observations begin alike.
    Repeated {
        /// The unit of observation.
        unit: &'static str,
        /// The number of observations.
        observations: u64,
        /// The effective number.
        effective: u64,
    },
    /// Few clusters.
    FewClusters {
        /// Their number.
        clusters: u64,
        /// Their noun: `opening` or `deal`.
        unit: &'static str,
    },
    /// Short games are too frequent, because a run was stopped.
    Early {
        /// The unit of observation.
        unit: &'static str,
        /// The number of observations.
        observations: u64,
        /// The number that ended before earlier ones.
        early: u64,
    },
    /// Few deals for the coefficients.
    FewDeals {
        /// Their number.
        deals: u64,
        /// How many are enough.
        needed: u64,
    },
    /// Few games that end otherwise than most, for the coefficients.
    RareResults {
        /// Their number.
        rarer: u64,
        /// The number of all games.
        games: u64,
        /// How many of them are enough.
        needed: u64,
    },
    /// Fewer such games than coefficients.
    TooRareResults {
        /// Their number.
        rarer: u64,
        /// The number of all games.
        games: u64,
        /// The number of coefficients.
        coefficients: u64,
    },
    /// All games end alike.
    OneResult {
        /// The number of games.
        games: u64,
    },
    /// The fit predicts other games worse than the mean does.
    PredictsNothing {
        /// Its log-loss.
        fitted: f64,
        /// That of the mean.
        mean: f64,
    },
}

impl Evidence {
    /// Observations, with nothing else to be said of them.
    pub const fn of(unit: &'static str, observations: u64, effective: Option<u64>) -> Self {
        Self { unit, observations, effective, clusters: None, early: 0, fit: None }
    }

    /// The statements allowed.
    pub fn judge(&self) -> Judgement {
        let Self { unit, observations, effective, clusters, early, fit } = *self;
        let repeated = effective.filter(|&effective| is_repetitive(effective, observations));
        let repeated = repeated.map(|effective| Doubt::Repeated { unit, observations, effective });
        let few = clusters.filter(|&(clusters, _)| clusters < MIN_CLUSTERS);
        let few = few.map(|(clusters, unit)| Doubt::FewClusters { clusters, unit });
        let early = (early > 0).then_some(Doubt::Early { unit, observations, early });
        let mut warnings: Vec<Doubt> = repeated.into_iter().chain(few).chain(early).collect();
        let Some(fit) = fit else { return Judgement { warnings, withheld: None } };
        let withheld = fit.withheld();
        if withheld.is_none() {
            warnings.extend(fit.warning(observations));
        }
        Judgement { warnings, withheld }
    }
}

impl FitEvidence {
    fn withheld(&self) -> Option<Doubt> {
        let Self { coefficients, games, rarer, held_out } = *self;
        if rarer == 0 {
            return Some(Doubt::OneResult { games });
        }
        if rarer < coefficients {
            return Some(Doubt::TooRareResults { rarer, games, coefficients });
        }
        let worse = held_out.filter(|[fitted, mean]| fitted > mean);
        worse.map(|[fitted, mean]| Doubt::PredictsNothing { fitted, mean })
    }

    fn warning(&self, deals: u64) -> Option<Doubt> {
        let Self { coefficients, games, rarer, .. } = *self;
        let needed = PER_COEFFICIENT * coefficients;
        if deals < needed {
            return Some(Doubt::FewDeals { deals, needed });
        }
        (rarer < needed).then_some(Doubt::RareResults { rarer, games, needed })
    }
}

impl Display for Doubt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Repeated { unit, observations, effective } => write!(
                f,
                "{} begin as if there were only {}, so the figures are those of few openings; \
                 expected different ones, as by --random-plies",
                counted(observations, unit),
                count(effective)
            ),
            Self::FewClusters { clusters, unit } => write!(
                f,
                "{} only, so intervals and tests are rough; {MIN_CLUSTERS} are enough",
                counted(clusters, unit)
            ),
            Self::Early { unit, observations, early } => write!(
                f,
                "{} of {} ended before earlier ones, which were stopped, so short games are too frequent; \
                 a finished run has all",
                count(early),
                counted(observations, unit)
            ),
            Self::FewDeals { deals, needed } => write!(
                f,
                "{} only, so intervals are too narrow; {} are enough for these coefficients",
                counted(deals, "deal"),
                count(needed)
            ),
            Self::RareResults { rarer, games, needed } => write!(
                f,
                "{} of {} end otherwise than most, so intervals are too narrow; {} are enough for these \
                 coefficients",
                count(rarer),
                counted(games, "game"),
                count(needed)
            ),
            Self::TooRareResults { rarer, games, coefficients } => write!(
                f,
                "{} of {} end otherwise than most, fewer than there are coefficients ({}); more games help",
                count(rarer),
                counted(games, "game"),
                count(coefficients)
            ),
            Self::OneResult { games } => write!(
                f,
                "all of {} end with the same result, which says nothing of the pieces",
                counted(games, "game")
            ),
            Self::PredictsNothing { fitted, mean } => write!(
                f,
                "the values predict the results of deals that were held out worse than their mean does \
                 (log-loss {fitted:.4} against {mean:.4}); more games help"
            ),
        }
    }
}

impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A number with a comma before every three digits.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (number, digit) in digits.chars().enumerate() {
        if number > 0 && (digits.len() - number).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 shard`, `2,000 shards`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{Doubt, Evidence, FitEvidence, Judgement};

    #[test]
    fn repeated_observations_and_few_openings_are_warned_of() {
        let judged = |effective, openings| {
            let clusters = Option::map(openings, |openings| (openings, "opening"));
            let evidence = Evidence { clusters, ..Evidence::of("deal", 2000, effective) };
            let Judgement { warnings, withheld } = evidence.judge();
            assert_eq!(withheld, None);
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(judged(None, None), [""; 0]);
        assert_eq!(judged(Some(1800), Some(30)), [""; 0]);
        assert_eq!(
            judged(Some(1799), Some(29)),
            [
                "2,000 deals begin as if there were only 1,799, so the figures are those of few openings; \
                 expected different ones, as by --random-plies",
                "29 openings only, so intervals and tests are rough; 30 are enough",
            ]
        );
        let stopped = Evidence { early: 2, ..Evidence::of("block", 12, None) }.judge().warnings;
        assert!(stopped[0].to_string().starts_with("2 of 12 blocks ended before"), "{stopped:?}");
        let one = Evidence::of("block", 2, Some(1)).judge().warnings;
        assert_eq!(one, [Doubt::Repeated { unit: "block", observations: 2, effective: 1 }]);
    }

    #[test]
    fn a_fit_to_few_rarer_results_is_warned_of_or_withheld() {
        let judged = |deals, rarer, held_out| {
            let fit = FitEvidence { coefficients: 15, games: 300, rarer, held_out };
            let Judgement { warnings, withheld } =
                Evidence { fit: Some(fit), ..Evidence::of("deal", deals, Some(deals)) }.judge();
            (warnings, withheld)
        };
        assert_eq!(judged(300, 150, None), (vec![], None));
        assert_eq!(judged(300, 150, Some([0.6, 0.7])), (vec![], None));
        let rare = Doubt::RareResults { rarer: 149, games: 300, needed: 150 };
        assert_eq!(judged(300, 149, None), (vec![rare], None));
        let few = Doubt::FewDeals { deals: 149, needed: 150 };
        assert_eq!(judged(149, 20, None), (vec![few], None));
        let worse = Doubt::PredictsNothing { fitted: 0.7, mean: 0.6 };
        assert_eq!(judged(300, 150, Some([0.7, 0.6])), (vec![], Some(worse)));
        let rare = Doubt::TooRareResults { rarer: 14, games: 300, coefficients: 15 };
        assert_eq!(judged(300, 14, None), (vec![], Some(rare)));
        assert_eq!(judged(300, 0, None), (vec![], Some(Doubt::OneResult { games: 300 })));
    }
}
