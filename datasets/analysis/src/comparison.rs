//! Differences between datasets, by agent or by rules.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::games::{
    Beginnings, Clusters, checked, cluster_name, is_won, only_agent, revealer, score,
};
use crate::paired_differences::pairs;
use crate::statistics::{ClusteredMeans, ClusteredSums, Matrix, WeightedSum, dot, holm};
use crate::{Doubt, Error, Estimate, Evidence, Measurement, Result};
use darkqi_format::{Dataset, GameRecord};

/// By how much the expected result of a seat, from -1 to 1, must exceed all others for a lead.
const LEAD: f32 = 0.1;

/// The quantity that is compared of datasets: a mean over games.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The score of the player who makes the first reveal or, in games without covered pieces, the
    /// first move.
    Score,
    /// The share of games with a winner.
    Decisive,
    /// Plies per game.
    Plies,
    /// The mean number of legal actions of a game's plies.
    Branching,
    /// How often the lead changes in a game: which seat the player to move expects to do best, by
    /// more than 0.1 of results from -1 to 1. Only games whose agents log such values.
    LeadChanges,
}

impl Quantity {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 5] =
        [Self::Score, Self::Decisive, Self::Plies, Self::Branching, Self::LeadChanges];

    /// In a few words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Decisive => "decisive",
            Self::Plies => "plies",
            Self::Branching => "branching",
            Self::LeadChanges => "lead changes",
        }
    }

    /// Whether it lies between 0 and 1.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Score | Self::Decisive)
    }

    /// The value of a game; None where it has none.
    fn of(self, game: &GameRecord) -> std::result::Result<Option<f64>, String> {
        Ok(match self {
            Self::Decisive => Some(f64::from(u8::from(is_won(game)))),
            Self::Plies => Some(game.plies.into()),
            Self::Branching => {
                let legal: f64 = game.moves.iter().map(|ply| f64::from(ply.legal_count)).sum();
                (!game.moves.is_empty()).then(|| legal / game.moves.len() as f64)
            }
            Self::LeadChanges => lead_changes(game),
            Self::Score => revealer(game)?.map(|seat| score(game, seat).into()),
        })
    }
}

/// None without logged values.
fn lead_changes(game: &GameRecord) -> Option<f64> {
    let values = game.moves.iter().filter_map(|ply| ply.value.as_deref());
    let mut has_values = false;
    let (mut leader, mut changes) = (None, 0);
    for value in values {
        has_values = true;
        let best = (0..value.len()).max_by(|&a, &b| value[a].total_cmp(&value[b]))?;
        let leads = (0..value.len()).all(|seat| seat == best || value[best] - value[seat] > LEAD);
        if leads {
            changes += u32::from(leader.replace(best).is_some_and(|before| before != best));
        }
    }
    has_values.then(|| changes.into())
}

/// The difference of a mean between two datasets.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// The place of the first dataset among those compared.
    pub first: usize,
    /// The place of the second.
    pub second: usize,
    /// That of the second less that of the first, with its 95 % interval.
    pub difference: Estimate,
    /// Of no difference (Student's test, for independent datasets Welch's).
    pub p_value: f64,
    /// Adjusted for all pairs of datasets (Holm).
    pub p_holm: f64,
    /// Whether the two have common deals.
    pub paired: bool,
    /// Why the figures of the first dataset may mislead, and those of the second.
    pub warnings: [Vec<Doubt>; 2],
}

/// A test that a mean is the same in all datasets.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Equality {
    /// Wald's statistic of the differences; of independent datasets it is Cochran's Q.
    pub statistic: f64,
    /// Its degrees of freedom: the number of datasets less one.
    pub freedom: u64,
    /// Of no difference. The statistic has Hotelling's distribution, which takes into account that the
    /// covariance is estimated from a number of deals.
    pub p_value: f64,
}

/// The games of several datasets, to be compared.
///
/// Datasets of the same game and seed are paired: deal k of one and deal k of the other form one
/// cluster, whose common luck cancels out. Others are independent. Where several openings were
/// given, they are the clusters, and common if they and the seed are the same. Datasets of different
/// games are not compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    datasets: Vec<Compared>,
}

#[derive(Clone, Debug)]
struct Compared {
    sums: ClusterSums,
    game: String,
    /// The score if all seats are equal.
    even: f64,
    /// The settings that are equal where deals are common; None if nothing is known of the deals.
    deals: Option<String>,
    /// How the deals begin.
    beginnings: Beginnings,
    /// What a cluster is where it is more than a deal.
    cluster: &'static str,
}

impl Compared {
    fn warnings(&self) -> Vec<Doubt> {
        let (deals, effective) = (self.beginnings.deals(), self.beginnings.effective());
        let clusters = self.sums[Quantity::Decisive as usize].len() as u64;
        let clusters = (clusters < deals).then_some((clusters, self.cluster));
        let evidence = Evidence { clusters, ..Evidence::of("deal", deals, Some(effective)) };
        evidence.judge().warnings
    }
}

impl Comparison {
    /// Reads the datasets. Memory grows with the number of deals.
    ///
    /// # Errors
    /// If a dataset cannot be read or has several agents, or `stop` becomes true.
    pub fn new(datasets: &[Dataset], stop: &AtomicBool) -> Result<Self> {
        let compared = |dataset: &Dataset| {
            let game = dataset.metadata().game.clone();
            let even = 1.0 / dataset.metadata().spec()?.num_players as f64;
            let (sums, beginnings) = read(dataset, stop)?;
            let cluster = dataset.run().map_or("deal", |run| cluster_name(&run.openings));
            Ok(Compared { sums, game, even, deals: deals(dataset), beginnings, cluster })
        };
        Ok(Self { datasets: datasets.iter().map(compared).collect::<Result<_>>()? })
    }

    /// The mean in a dataset; None where no game has a value. Shares have Wilson's interval.
    ///
    /// # Errors
    /// If a figure is not finite.
    pub fn mean(&self, dataset: usize, quantity: Quantity) -> Result<Option<Estimate>> {
        let compared = &self.datasets[dataset];
        let even = if quantity == Quantity::Score { compared.even } else { centre(quantity) };
        let mut sums = ClusteredSums::new(1, even);
        let clusters = compared.sums[quantity as usize].values();
        clusters.clone().try_for_each(|&cluster| sums.add(&[cluster]))?;
        let means = sums.finish();
        Ok(if quantity.is_share() { means.score(0) } else { means.amount(0) })
    }

    /// The differences of a mean between every two datasets.
    ///
    /// # Errors
    /// If a figure is not finite.
    pub fn differences(&self, quantity: Quantity) -> Result<Vec<Difference>> {
        self.each_pair(quantity, |_| (1.0, 0.0))
    }

    /// The differences of all means between every two datasets.
    ///
    /// # Errors
    /// If a figure is not finite.
    pub fn all_differences(&self) -> Result<BTreeMap<Quantity, Vec<Difference>>> {
        let of = |quantity| Ok((quantity, self.differences(quantity)?));
        Quantity::ALL.into_iter().map(of).collect()
    }

    /// The differences in unfairness, `|score - even|`, between every two datasets, given the even
    /// score of each. The signs are taken as known. Where a score is near the even one, that makes
    /// the test conservative.
    ///
    /// # Errors
    /// If a figure is not finite.
    pub fn unfairness(&self, even: &[f64]) -> Result<Vec<Difference>> {
        Error::check_equal("even scores", self.datasets.len(), even.len())?;
        let mut signs = Vec::with_capacity(even.len());
        for (dataset, &even) in even.iter().enumerate() {
            let score = self.mean(dataset, Quantity::Score)?;
            signs.push(if score.is_some_and(|score| score.value < even) { -1.0 } else { 1.0 });
        }
        self.each_pair(Quantity::Score, |dataset| (signs[dataset], even[dataset]))
    }

    /// Tests whether a mean is the same in all datasets. None with fewer than two, with datasets of
    /// different games, without games or variation, or with no more deals than datasets.
    ///
    /// The errors of shares are those with a won game against lost ones more for each dataset, as those of
    /// [`Comparison::differences`].
    ///
    /// # Errors
    /// If a figure is not finite.
    pub fn equality(&self, quantity: Quantity) -> Result<Option<Equality>> {
        let groups = self.datasets.len();
        let none = vec![WeightedSum::default(); groups];
        // Deals of other seeds have clusters of their own.
        let mut clusters = BTreeMap::<(usize, u64), Vec<WeightedSum>>::new();
        for (group, one) in self.datasets.iter().enumerate() {
            let has_same = |other: &Compared| other.deals.is_some() && other.deals == one.deals;
            let deals = self.datasets.iter().position(has_same).unwrap_or(group);
            for (&cluster, &sum) in &one.sums[quantity as usize] {
                clusters.entry((deals, cluster)).or_insert_with(|| none.clone())[group] = sum;
            }
        }
        let mut sums = ClusteredSums::new(groups, centre(quantity));
        clusters.values().try_for_each(|cluster| sums.add(cluster))?;
        let found = sums.finish();
        let fewest = (0..groups).map(|group| found.clusters(group)).min().unwrap_or(0);
        let is_one_game = self.datasets.windows(2).all(|two| two[0].game == two[1].game);
        if groups < 2 || fewest <= groups as u64 || !is_one_game {
            return Ok(None);
        }
        if quantity.is_share() {
            for winner in 0..groups {
                let result = |group| f64::from(u8::from(group == winner));
                let more: Vec<WeightedSum> = (0..groups)
                    .map(|group| WeightedSum { sum: result(group), weight: 1.0 })
                    .collect();
                sums.add(&more)?;
            }
        }
        let careful = sums.finish();
        let freedom = groups - 1;
        let first = found.mean(0).map_or(f64::NAN, |mean| mean.value);
        let difference = |group| found.mean(group).map_or(f64::NAN, |mean| mean.value - first);
        let differences: Vec<f64> = (1..groups).map(difference).collect();
        let of = |one, other| careful.covariance(one, other);
        let covariance = Matrix::from_fn(freedom, |row, column| {
            of(row + 1, column + 1) - of(row + 1, 0) - of(0, column + 1) + of(0, 0)
        });
        let Some(decomposed) = covariance.cholesky() else { return Ok(None) };
        let statistic = dot(&decomposed.solve(&differences), &differences);
        let (count, freedom) = (fewest as f64, freedom as f64);
        let scaled = statistic * (count - freedom) / (freedom * (count - 1.0));
        let of_null = FisherSnedecor::new(freedom, count - freedom).ok();
        Ok(of_null.filter(|_| statistic.is_finite()).map(|of_null| Equality {
            statistic,
            freedom: freedom as u64,
            p_value: of_null.sf(scaled.max(0.0)),
        }))
    }

    /// The differences between `sign * (mean - from)` of every two datasets of a game, given both
    /// of each.
    fn each_pair(
        &self,
        quantity: Quantity,
        distance: impl Fn(usize) -> (f64, f64),
    ) -> Result<Vec<Difference>> {
        let mut found = Vec::new();
        for (first, second) in pairs(self.datasets.len()) {
            let [one, other] = [&self.datasets[first], &self.datasets[second]];
            if one.game != other.game {
                continue;
            }
            let paired = one.deals.is_some() && one.deals == other.deals;
            let clusters = [&one.sums, &other.sums].map(|sums| &sums[quantity as usize]);
            let distances = [distance(first), distance(second)];
            let signs = distances.map(|(sign, _)| sign);
            let Some((difference, degrees)) = difference(clusters, signs, quantity, paired)? else {
                continue;
            };
            let [from, to] = distances.map(|(sign, from)| sign * from);
            let value = difference.value - (to - from);
            let difference = Measurement { value, ..difference };
            let (mut difference, p_value) = difference.student(degrees);
            let p_holm = 1.0;
            if quantity.is_share() {
                difference.low = difference.low.max(-1.0);
                difference.high = difference.high.min(1.0);
            }
            let warnings = [one.warnings(), other.warnings()];
            found.push(Difference { first, second, difference, p_value, p_holm, paired, warnings });
        }
        let p_values: Vec<f64> = found.iter().map(|one| one.p_value).collect();
        for (one, p_holm) in found.iter_mut().zip(holm(&p_values)?) {
            one.p_holm = p_holm;
        }
        Ok(found)
    }
}

/// Where the sums of a quantity are centred.
const fn centre(quantity: Quantity) -> f64 {
    if quantity.is_share() { 0.5 } else { 0.0 }
}

/// The common part of two datasets with common deals.
fn deals(dataset: &Dataset) -> Option<String> {
    let (run, metadata) = (dataset.run()?, dataset.metadata());
    let clusters = match run.openings.lines.as_slice() {
        [] | [_] => String::new(),
        lines => lines.join("\n"),
    };
    Some(format!("{} {} {clusters}", metadata.game, metadata.seed))
}

/// The sums of each quantity by cluster.
type ClusterSums = [BTreeMap<u64, WeightedSum>; Quantity::ALL.len()];

fn read(dataset: &Dataset, stop: &AtomicBool) -> Result<(ClusterSums, Beginnings)> {
    let metadata = dataset.metadata();
    let agent = only_agent(metadata)?;
    let deals = Clusters::of(dataset)?;
    let mut sums = ClusterSums::default();
    let (mut beginnings, mut deal) = (Beginnings::default(), None);
    for game in dataset.replays() {
        let game = checked(game, None, agent, stop)?;
        let fault = |fault| Error::Game { game_id: game.game_id, fault };
        if deal.replace(game.deal_id) != Some(game.deal_id) {
            beginnings.add(&game);
        }
        let cluster = deals.of_game(&game).unwrap_or(game.deal_id);
        for (quantity, clusters) in Quantity::ALL.into_iter().zip(&mut sums) {
            if let Some(value) = quantity.of(&game).map_err(fault)? {
                clusters.entry(cluster).or_default().add(value, 1.0);
            }
        }
    }
    Ok((sums, beginnings))
}

/// `sign * mean` of the second games less that of the first, with the degrees of freedom of its error. None
/// without games.
///
/// The errors of shares are those with a won and a lost game more on either side (Agresti and Caffo,
/// "Simple and effective confidence intervals for proportions and differences of proportions result
/// from adding two successes and two failures", 2000), on common deals one against the other, for the
/// difference without them: they draw it towards 0, and the error with it. Without them, a few games that
/// end alike would have no error. Other figures have no finite error where
/// nothing varies.
fn difference(
    [first, second]: [&BTreeMap<u64, WeightedSum>; 2],
    signs: [f64; 2],
    quantity: Quantity,
    paired: bool,
) -> Result<Option<(Measurement, f64)>> {
    let mut sums = ClusteredSums::new(2, centre(quantity));
    let none = WeightedSum::default();
    for (cluster, &one) in first {
        let other = second.get(cluster).filter(|_| paired);
        sums.add(&[one, other.copied().unwrap_or(none)])?;
    }
    for (cluster, &other) in second {
        if !paired || !first.contains_key(cluster) {
            sums.add(&[none, other])?;
        }
    }
    let factors = [(1, signs[1]), (0, -signs[0])];
    let means = sums.finish();
    let Some(found) = means.contrast(&factors) else { return Ok(None) };
    let (error, degrees) = spread(&means, found, paired);
    if !quantity.is_share() {
        let error = if error > 0.0 { error } else { f64::INFINITY };
        return Ok(Some((Measurement { error, ..found }, degrees)));
    }
    let [lost, won] = [0.0, 1.0].map(|sum| WeightedSum { sum, weight: 1.0 });
    let more = if paired {
        vec![[lost, won], [won, lost]]
    } else {
        vec![[lost, none], [won, none], [none, lost], [none, won]]
    };
    more.iter().try_for_each(|cluster| sums.add(cluster))?;
    let means = sums.finish();
    let careful = means.contrast(&factors).expect("both have games");
    let (error, _) = spread(&means, careful, paired);
    let weight = |games: &BTreeMap<u64, WeightedSum>| games.values().map(|sum| sum.weight).sum();
    let fewest: f64 = f64::min(weight(first), weight(second));
    let error = error * (fewest + 2.0) / fewest;
    Ok(Some((Measurement { error, ..found }, degrees)))
}

/// The error of the difference of two groups, and its degrees of freedom.
///
/// Pairs have one degree less than clusters of the group with the fewest: what only the other group has says
/// nothing of this one's spread. Of independent datasets each has an error and degrees of its own
/// (Welch, "The generalization of 'Student's' problem when several different population variances are
/// involved", 1947).
fn spread(means: &ClusteredMeans, difference: Measurement, paired: bool) -> (f64, f64) {
    if paired || difference.error.is_infinite() {
        let all = means.clusters(means.overall()) as f64;
        let fewest = means.clusters(0).min(means.clusters(1)) as f64;
        // The greater factor for few clusters, in place of that for all.
        let factor = |clusters: f64| clusters / (clusters - 1.0).max(1.0);
        let error = difference.error * (factor(fewest) / factor(all)).sqrt();
        return (error, (fewest - 1.0).max(1.0));
    }
    let groups = || [0, 1].into_iter();
    let variance: f64 = groups().map(|group| means.own_variance(group)).sum();
    let degrees = |group| (means.effective(group) - 1.0).max(1.0);
    let squares = groups().map(|group| means.own_variance(group).powi(2) / degrees(group));
    // Not a number where nothing varies.
    (variance.sqrt(), (variance * variance / squares.sum::<f64>()).max(1.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use darkqi_env::games::banqi::Banqi;
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;
    use rand::distr::Open01;

    use super::{Compared, Comparison, LEAD, Quantity, WeightedSum, lead_changes};
    use crate::Estimate;
    use crate::games::fixtures;

    const RUNS: u32 = 1000;

    /// Scores on deals of different luck, with as much more.
    fn scores(rng: &mut Rng, luck: &[f64], more: f64, deals: Option<&str>) -> Compared {
        let mut clusters = BTreeMap::<u64, WeightedSum>::new();
        for (deal, luck) in (0..).zip(luck) {
            let is_won = rng.sample::<f64, _>(Open01) < luck + more;
            clusters.entry(deal).or_default().add(f64::from(u8::from(is_won)), 1.0);
        }
        compared(Quantity::Score, clusters, deals)
    }

    /// A dataset of banqi with these sums of a quantity by deal.
    fn compared(
        quantity: Quantity,
        clusters: BTreeMap<u64, WeightedSum>,
        deals: Option<&str>,
    ) -> Compared {
        let mut sums = super::ClusterSums::default();
        sums[quantity as usize] = clusters;
        let (game, deals) = ("banqi".to_owned(), deals.map(str::to_owned));
        let beginnings = super::Beginnings::default();
        Compared { sums, game, even: 0.5, deals, beginnings, cluster: "deal" }
    }

    /// The luck of 400 deals whose mean score is 0.45.
    fn luck(rng: &mut Rng) -> Vec<f64> {
        (0..400).map(|_| [0.1, 0.8][rng.below(2) as usize]).collect()
    }

    #[test]
    fn intervals_cover_the_difference_and_pairing_narrows_them() {
        let rng = &mut Rng::new(5, Stream::Sample);
        let mut covered = [0_u32; 2];
        let mut widths = [0.0; 2];
        for _ in 0..RUNS {
            let luck = luck(rng);
            for (at, deals) in [Some("common"), None].into_iter().enumerate() {
                let datasets = [0.0, 0.05].map(|more| scores(rng, &luck, more, deals)).into();
                let found = Comparison { datasets }.differences(Quantity::Score);
                let found = &found.expect("the figures are finite")[0];
                assert_eq!((found.first, found.second, found.paired), (0, 1, deals.is_some()));
                let found = found.difference;
                covered[at] += u32::from(found.low <= 0.05 && 0.05 <= found.high);
                widths[at] += found.high - found.low;
            }
        }
        let share = |covered: u32| f64::from(covered) / f64::from(RUNS);
        assert!((0.93..=0.97).contains(&share(covered[0])), "{}", share(covered[0]));
        assert!(share(covered[1]) > 0.97, "{}", share(covered[1]));
        assert!(widths[0] < 0.8 * widths[1], "{widths:?}");
    }

    #[test]
    fn few_games_that_end_alike_differ_by_chance() {
        let rng = &mut Rng::new(8, Stream::Sample);
        for deals in [2, 4, 8] {
            let mut covered = [0_u32; 2];
            for _ in 0..RUNS {
                let luck = vec![0.85; deals];
                for (at, common) in [Some("common"), None].into_iter().enumerate() {
                    let datasets = [0.0, 0.0].map(|more| scores(rng, &luck, more, common)).into();
                    let found = Comparison { datasets }.differences(Quantity::Score);
                    let found = &found.expect("the figures are finite")[0];
                    covered[at] +=
                        u32::from(found.difference.low <= 0.0 && 0.0 <= found.difference.high);
                    assert!(found.p_value > 0.0 && found.difference.low < found.difference.high);
                }
            }
            assert!(covered.iter().all(|&covered| covered > RUNS * 94 / 100), "{covered:?}");
        }
    }

    /// Two sets of 50 games for each of a few openings that they have in common or not, which decide much.
    #[test]
    fn few_openings_are_rarely_told_apart() {
        let rng = &mut Rng::new(10, Stream::Sample);
        for deals in [Some("common"), None] {
            for openings in [3, 5, 10] {
                let mut told = 0;
                for _ in 0..RUNS {
                    let mut share = || 0.2 + 0.6 * rng.random::<f64>();
                    let one: Vec<f64> = (0..openings).map(|_| share()).collect();
                    let other: Vec<f64> = (0..openings).map(|_| share()).collect();
                    let other = deals.map_or(other, |_| one.clone());
                    let mut set = |shares: &[f64]| {
                        let games: Vec<f64> = (0..50).flat_map(|_| shares.to_vec()).collect();
                        let mut set = scores(rng, &games, 0.0, deals);
                        let sums = &mut set.sums[Quantity::Score as usize];
                        let games = std::mem::take(sums);
                        for (game, sum) in games {
                            *sums.entry(game % openings).or_default() += sum;
                        }
                        set
                    };
                    let datasets = vec![set(&one), set(&other)];
                    let found = Comparison { datasets }.differences(Quantity::Score);
                    told += u32::from(found.expect("the figures are finite")[0].p_value < 0.05);
                }
                let share = f64::from(told) / f64::from(RUNS);
                assert!(share < 0.07, "{openings}, {deals:?}: {share}");
            }
        }
    }

    #[test]
    fn draws_of_many_seats_determine_no_score() {
        let of = |even| {
            let drawn = |deal| (deal, WeightedSum { sum: 1.0 / 7.0, weight: 1.0 });
            let drawn = compared(Quantity::Score, (0..120).map(drawn).collect(), None);
            let datasets = vec![Compared { even, ..drawn }];
            let mean = Comparison { datasets }.mean(0, Quantity::Score);
            let Estimate { low, high, .. } = mean.expect("it is finite").expect("there are games");
            high - low
        };
        // Wins and losses of two seats with this mean would tell more.
        assert!(of(1.0 / 7.0) > 1.5 * of(0.5), "{} {}", of(1.0 / 7.0), of(0.5));
    }

    #[test]
    fn a_few_games_have_few_degrees_beside_many_on_common_deals() {
        let rng = &mut Rng::new(7, Stream::Sample);
        let mut of = |deals: u64| {
            let mut plies = || (0..12).map(|_| rng.sample::<f64, _>(Open01)).sum::<f64>();
            let clusters = (0..deals).map(|deal| (deal, WeightedSum { sum: plies(), weight: 1.0 }));
            compared(Quantity::Plies, clusters.collect(), Some("common"))
        };
        let mut covered = 0;
        for _ in 0..400 {
            let comparison = Comparison { datasets: vec![of(100), of(3)] };
            let found = comparison.differences(Quantity::Plies).expect("the figures are finite");
            assert!(found[0].paired);
            let Estimate { low, high, .. } = found[0].difference;
            covered += u32::from((low..=high).contains(&0.0));
        }
        assert!((370..=397).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn other_figures_without_variation_have_no_interval() {
        let of = |plies| {
            let clusters = (0..3).map(|deal| (deal, WeightedSum { sum: plies, weight: 1.0 }));
            compared(Quantity::Plies, clusters.collect(), None)
        };
        let comparison = Comparison { datasets: vec![of(30.0), of(40.0)] };
        let found = comparison.differences(Quantity::Plies).expect("the figures are finite");
        let found = &found[0];
        assert_eq!(found.difference.value, 10.0);
        assert_eq!((found.difference.low, found.p_value), (f64::NEG_INFINITY, 1.0));
    }

    #[test]
    fn simulated_equally_fair_sets_are_rarely_told_apart_and_others_are() {
        let rng = &mut Rng::new(7, Stream::Sample);
        let (mut wrong, mut right) = (0, 0);
        for _ in 0..RUNS {
            let luck = luck(rng);
            // The first four are off by 0.05, to either side; the last by 0.25.
            let more = [0.0, 0.1, 0.0, 0.1, -0.2];
            let datasets = more.map(|more| scores(rng, &luck, more, Some("common"))).into();
            let found =
                Comparison { datasets }.unfairness(&[0.5; 5]).expect("the figures are finite");
            assert_eq!(found.len(), 10);
            let of_equals = |one: &&super::Difference| one.second < 4;
            wrong += u32::from(found.iter().filter(of_equals).any(|one| one.p_holm < 0.05));
            let of_last = found.iter().filter(|one| one.second == 4);
            right += of_last.filter(|one| one.p_holm < 0.05 && one.difference.low > 0.0).count();
        }
        assert!(f64::from(wrong) / f64::from(RUNS) < 0.064, "{wrong}");
        // The test finds a difference of 0.2 in nine of ten pairs.
        assert!(right as f64 / f64::from(4 * RUNS) > 0.9, "{right}");
    }

    #[test]
    fn simulated_datasets_with_equal_scores_are_rarely_told_apart_and_others_are() {
        let rng = &mut Rng::new(9, Stream::Sample);
        let mut told = [[0_u32; 2]; 2];
        for _ in 0..RUNS {
            let luck = luck(rng);
            for (at, deals) in [Some("common"), None].into_iter().enumerate() {
                for (which, most) in [0.0, 0.15].into_iter().enumerate() {
                    let more = [0.0, 0.0, 0.0, most];
                    let datasets = more.map(|more| scores(rng, &luck, more, deals)).into();
                    let found = Comparison { datasets }.equality(Quantity::Score);
                    let found = found.expect("the figures are finite").expect("there are games");
                    assert_eq!(found.freedom, 3);
                    told[at][which] += u32::from(found.p_value < 0.05);
                }
            }
        }
        let [paired, own] = told.map(|counts| counts.map(|one| f64::from(one) / f64::from(RUNS)));
        assert!((0.035..0.066).contains(&paired[0]), "{paired:?}");
        // Luck that is the same in all makes independent ones differ less.
        assert!(own[0] < 0.066, "{own:?}");
        assert!(paired[1] > 0.95 && own[1] > 0.9, "{paired:?} {own:?}");
    }

    #[test]
    fn equal_games_do_not_differ() {
        let rng = &mut Rng::new(6, Stream::Sample);
        let one = scores(rng, &[0.5; 50], 0.0, Some("common"));
        let none = Compared { sums: super::ClusterSums::default(), deals: None, ..one.clone() };
        let other = Compared { game: "jieqi".to_owned(), ..one.clone() };
        let comparison = Comparison { datasets: vec![one.clone(), one, none, other] };
        let found = comparison.differences(Quantity::Score).expect("the figures are finite");
        // The third has no games, and the last are those of another game.
        assert_eq!(found.len(), 1);
        let difference = found[0].difference;
        assert_eq!(difference.value, 0.0);
        assert!(difference.low > -0.08 && difference.high < 0.08, "{difference:?}");
        assert_eq!((found[0].p_value, found[0].p_holm), (1.0, 1.0));
        assert_eq!(comparison.mean(2, Quantity::Score).expect("it is finite"), None);
        assert_eq!(comparison.equality(Quantity::Score).expect("it is finite"), None);
    }

    #[test]
    fn the_lead_changes_where_another_seat_is_clearly_ahead() {
        let game = fixtures::play(&Banqi::default(), 0, 0, fixtures::Player::Random);
        let changes = |values: &[[f32; 2]]| {
            let mut game = game.clone();
            game.moves.truncate(values.len());
            for (ply, value) in game.moves.iter_mut().zip(values) {
                ply.value = Some((*value).into());
            }
            lead_changes(&game)
        };
        assert_eq!(changes(&[]), None);
        assert_eq!(changes(&[[0.0, 0.0]]), Some(0.0));
        assert_eq!(changes(&[[0.5, -0.5], [0.6, -0.6]]), Some(0.0));
        assert_eq!(changes(&[[0.5, -0.5], [0.0, 0.0], [-0.5, 0.5], [0.5, -0.5]]), Some(2.0));
        // A lead that is too small is none.
        let small = 0.4 * LEAD;
        assert_eq!(changes(&[[0.5, -0.5], [-small, small], [0.5, -0.5]]), Some(0.0));
    }
}
