//! Comparisons with planted scores.

use darkqi_env::{Rng, Stream};
use rand::RngExt as _;
use rand::distr::Open01;

use super::{PairedDifferences, pairs};
use crate::statistics::Z;

const RUNS: u32 = 400;

/// How the games of a deal end: each wins or loses with its own probability, and shares the luck of
/// the deal with probability 1/2.
fn scores(truth: &[f64], rng: &mut Rng) -> Vec<f64> {
    let common: f64 = rng.sample(Open01);
    let mut one = |truth: &f64| {
        let own: f64 = rng.sample(Open01);
        let luck = if rng.below(2) == 0 { common } else { own };
        // A tenth of the results are draws, whose half counts as the truth does.
        if luck < 0.1 { *truth } else { f64::from(u8::from((luck - 0.1) / 0.9 < *truth)) }
    };
    truth.iter().map(&mut one).collect()
}

/// The share of runs in which all intervals hold at the stop, and in which all ordinary intervals
/// do where a run stops as soon as they are all narrow enough.
fn held(truth: &[f64], half_width: f64, most: u64) -> [f64; 2] {
    let rng = &mut Rng::new(21, Stream::Sample);
    let mut held = [0_u32; 2];
    for _ in 0..RUNS {
        let mut found = PairedDifferences::new(truth.len(), half_width).expect("it can be");
        while !found.settled().is_reached && found.deals < most {
            let of_deal: Vec<_> = scores(truth, rng).into_iter().map(Some).collect();
            found.add(&of_deal).expect("they are scores");
        }
        let settled = found.settled();
        assert!(settled.is_reached, "{settled:?}");
        let is_held = settled.differences.iter().all(|one| {
            let expected = truth[one.second] - truth[one.first];
            let (low, high) = (one.difference.low, one.difference.high);
            assert!(high - low <= 2.0 * half_width);
            low <= expected && expected <= high
        });
        held[0] += u32::from(is_held);
        held[1] += u32::from(naive(truth, half_width, rng));
    }
    held.map(|held| f64::from(held) / f64::from(RUNS))
}

/// The share of errors with normal intervals of each difference, looked at after each deal from the tenth on.
fn naive(truth: &[f64], half_width: f64, rng: &mut Rng) -> bool {
    let mut sums = vec![[0.0; 2]; pairs(truth.len()).count()];
    for deals in 1.. {
        let scores = scores(truth, rng);
        for ((first, second), [sum, squares]) in pairs(truth.len()).zip(&mut sums) {
            let difference: f64 = scores[second] - scores[first];
            *sum += difference;
            *squares += difference * difference;
        }
        let count = f64::from(deals);
        let half = |[sum, squares]: &[f64; 2]| {
            Z * ((squares / count - (sum / count).powi(2)) / count).max(0.0).sqrt()
        };
        if deals >= 10 && sums.iter().all(|sums| half(sums) <= half_width) {
            return pairs(truth.len()).zip(&sums).all(|((first, second), sums)| {
                (sums[0] / count - (truth[second] - truth[first])).abs() <= half(sums)
            });
        }
    }
    unreachable!("the loop has no end")
}

#[test]
fn all_differences_hold_where_a_comparison_stops() {
    // Ordinary intervals hold in fewer runs than this: where there are several, or results seldom vary.
    for (truth, half_width, most) in [
        (vec![0.5, 0.5], 0.08, 1.0),
        (vec![0.5, 0.55, 0.3, 0.5], 0.1, 0.9),
        (vec![0.99, 0.98, 0.97], 0.05, 0.5),
        (vec![0.1, 0.9], 0.1, 0.9),
        (vec![0.45, 0.5, 0.5, 0.5, 0.5, 0.55], 0.12, 0.8),
    ] {
        let [held, naive] = held(&truth, half_width, 100_000);
        println!("{truth:?} to {half_width}: {held:.4}, ordinary intervals {naive:.4}");
        assert!(held >= 0.95, "{truth:?}: {held}");
        assert!(naive < most, "{truth:?}: {naive}");
    }
}

#[test]
fn equal_scores_are_known_soon_and_impossible_ones_are_refused() {
    let mut found = PairedDifferences::new(3, 0.05).expect("it can be");
    let none = found.settled();
    assert_eq!((none.deals, none.widest, none.is_reached), (0, 1.0, false));
    while !found.settled().is_reached {
        found.add(&[Some(1.0); 3]).expect("they are scores");
    }
    let settled = found.settled();
    assert!((20..400).contains(&settled.deals), "{settled:?}");
    assert_eq!(settled.differences.len(), 3);
    assert!(settled.differences.iter().all(|one| one.difference.value == 0.0));
    assert!(found.add(&[Some(1.0); 2]).is_err() && found.add(&[Some(3.0); 3]).is_err());
    assert!(PairedDifferences::new(2, 0.0).is_err() && PairedDifferences::new(2, 0.6).is_err());
}

#[test]
fn a_deal_without_a_score_counts_for_other_pairs_alone() {
    let mut found = PairedDifferences::new(3, 0.05).expect("it can be");
    for _ in 0..500 {
        found.add(&[Some(1.0), None, Some(1.0)]).expect("they are scores");
    }
    let settled = found.settled();
    let widths = settled.differences.iter().map(|one| one.difference.high - one.difference.low);
    let widths: Vec<f64> = widths.collect();
    assert!(!settled.is_reached && widths[0] == 2.0 && widths[2] == 2.0, "{widths:?}");
    assert!(widths[1] < 0.1, "{widths:?}");
}

#[test]
fn the_score_of_a_single_dataset_is_followed() {
    let mut found = PairedDifferences::new(1, 0.05).expect("it can be");
    assert!(!found.settled().is_reached, "nothing is known yet");
    while !found.settled().is_reached {
        found
            .add(&[Some(f64::from(u8::from(found.deals.is_multiple_of(2))))])
            .expect("it is a score");
    }
    let settled = found.settled();
    // A fixed number of games with a score of 0.5 needs 1.96^2 / 4 / 0.05^2 = 384 for that half-width.
    assert!((384..1200).contains(&settled.deals), "{settled:?}");
    assert!(settled.differences.is_empty());
}
