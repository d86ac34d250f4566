//! Differences between datasets.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Hides, Spec};
use serde::Serialize;

use crate::analysis::games::{check, is_won, only_agent, score, seat};
use crate::analysis::{ClusteredSums, Error, Estimate, Result, WeightedSum, holm};
use crate::format::options_from_json;
use crate::{Dataset, GameRecord};

/// What is compared of two datasets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The score of the player who makes the first reveal or, in games without covered pieces, the
    /// first move.
    Score,
    /// The share of games with a winner.
    Decisive,
    /// Plies per game.
    Plies,
}

impl Quantity {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 3] = [Self::Score, Self::Decisive, Self::Plies];

    /// Where the sums of its values are centred.
    const fn centre(self) -> f64 {
        match self {
            Self::Score | Self::Decisive => 0.5,
            Self::Plies => 0.0,
        }
    }

    /// The value of a game; None where it has none.
    fn of(self, hides: Hides, game: &GameRecord) -> std::result::Result<Option<f64>, String> {
        Ok(match self {
            Self::Decisive => Some(f64::from(u8::from(is_won(game)))),
            Self::Plies => Some(game.plies.into()),
            Self::Score => {
                let player = match &game.first_reveal {
                    Some(first) => Some(first.player),
                    None => (hides == Hides::Nothing).then_some(game.first_player),
                };
                let seat = player.map(|player| seat(player, game.rewards.len())).transpose()?;
                seat.map(|seat| score(game, seat).into())
            }
        })
    }
}

/// The difference of a mean between two datasets.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// The place of the first dataset among those compared.
    pub first: usize,
    /// The place of the second.
    pub second: usize,
    /// What is compared.
    pub quantity: Quantity,
    /// The mean of the second less that of the first, with its 95 % interval.
    pub difference: Estimate,
    /// Of no difference (Wald test).
    pub p_value: f64,
    /// Adjusted for all differences of this quantity (Holm).
    pub p_holm: f64,
    /// Whether the two have common deals.
    pub paired: bool,
}

/// Compares every dataset with every other, in one pass over each.
///
/// Datasets of the same game, seed and openings are paired: deal k of one and deal k of the other form
/// one cluster, whose common luck cancels out. Others are independent. Where several openings were
/// given, they are the clusters.
///
/// # Errors
/// If a dataset cannot be read or has several agents, or `stop` becomes true.
pub fn compare(datasets: &[Dataset], stop: &AtomicBool) -> Result<Vec<Difference>> {
    let sums: Vec<ClusterSums> =
        datasets.iter().map(|dataset| read(dataset, stop)).collect::<Result<_>>()?;
    let mut differences = Vec::new();
    for (place, quantity) in Quantity::ALL.into_iter().enumerate() {
        let mut found = Vec::new();
        for second in 1..datasets.len() {
            for first in 0..second {
                let paired = is_paired(&datasets[first], &datasets[second]);
                let pair = [&sums[first][place], &sums[second][place]];
                let Some((difference, p_value)) = difference(pair, quantity, paired)? else {
                    continue;
                };
                let p_holm = 1.0;
                found.push(Difference {
                    first,
                    second,
                    quantity,
                    difference,
                    p_value,
                    p_holm,
                    paired,
                });
            }
        }
        let p_values: Vec<f64> = found.iter().map(|one| one.p_value).collect();
        for (one, p_holm) in found.iter_mut().zip(holm(&p_values)?) {
            one.p_holm = p_holm;
        }
        differences.append(&mut found);
    }
    Ok(differences)
}

/// Whether deal k of one dataset is deal k of the other.
fn is_paired(one: &Dataset, other: &Dataset) -> bool {
    let runs = one.run().zip(other.run());
    let (a, b) = (one.metadata(), other.metadata());
    (&a.game, a.seed) == (&b.game, b.seed)
        && runs.is_some_and(|(one, other)| {
            (one.duplicate, &one.openings) == (other.duplicate, &other.openings)
        })
}

/// The sums of each quantity by cluster.
type ClusterSums = [BTreeMap<u64, WeightedSum>; Quantity::ALL.len()];

fn read(dataset: &Dataset, stop: &AtomicBool) -> Result<ClusterSums> {
    let metadata = dataset.metadata();
    let agent = only_agent(metadata)?;
    let hides = Spec::new(&metadata.game, &options_from_json(&metadata.options)?)?.hides;
    let openings = dataset.run().map(|run| run.openings.clone()).unwrap_or_default();
    let mut sums = ClusterSums::default();
    for game in dataset.games() {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let game = game?;
        let fault = |fault| Error::Game { game_id: game.game_id, fault };
        check(&game, game.rewards.len(), agent).map_err(fault)?;
        let cluster = openings.cluster(game.seed).unwrap_or(game.pair_id);
        for (quantity, clusters) in Quantity::ALL.into_iter().zip(&mut sums) {
            if let Some(value) = quantity.of(hides, &game).map_err(fault)? {
                clusters.entry(cluster).or_default().add(value, 1.0);
            }
        }
    }
    Ok(sums)
}

/// The mean of the second games less that of the first, and its p-value. None without games.
fn difference(
    [first, second]: [&BTreeMap<u64, WeightedSum>; 2],
    quantity: Quantity,
    paired: bool,
) -> Result<Option<(Estimate, f64)>> {
    let mut sums = ClusteredSums::new(2, quantity.centre());
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
    let difference = sums.finish().contrast(&[(1, 1.0), (0, -1.0)]);
    Ok(difference.map(|difference| (difference.estimate(), difference.p_value())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;
    use rand::distr::Open01;

    use super::{Quantity, WeightedSum, difference};

    const RUNS: u32 = 1000;

    /// Scores on deals of different luck, and on the same deals with this much more.
    fn scores(rng: &mut Rng, luck: &[f64], more: f64) -> BTreeMap<u64, WeightedSum> {
        let mut deals = BTreeMap::<u64, WeightedSum>::new();
        for (deal, luck) in (0..).zip(luck) {
            let is_won = rng.sample::<f64, _>(Open01) < luck + more;
            deals.entry(deal).or_default().add(f64::from(u8::from(is_won)), 1.0);
        }
        deals
    }

    #[test]
    fn intervals_cover_the_difference_and_pairing_narrows_them() {
        let rng = &mut Rng::new(5, Stream::Sample);
        let mut covered = [0_u32; 2];
        let mut widths = [0.0; 2];
        for _ in 0..RUNS {
            let luck: Vec<f64> = (0..400).map(|_| [0.1, 0.8][rng.below(2) as usize]).collect();
            let (one, other) = (scores(rng, &luck, 0.0), scores(rng, &luck, 0.05));
            for (at, paired) in [true, false].into_iter().enumerate() {
                let found = difference([&one, &other], Quantity::Score, paired);
                let (found, _) = found.expect("the figures are finite").expect("there are games");
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
    fn equal_games_do_not_differ() {
        let rng = &mut Rng::new(6, Stream::Sample);
        let scores = scores(rng, &[0.5; 50], 0.0);
        let (found, p_value) = difference([&scores; 2], Quantity::Score, true)
            .expect("the figures are finite")
            .expect("there are games");
        assert_eq!((found.value, found.low, found.high, p_value), (0.0, 0.0, 0.0, 1.0));
        let nothing = difference([&scores, &BTreeMap::new()], Quantity::Score, true);
        assert_eq!(nothing.expect("the figures are finite"), None);
    }
}
