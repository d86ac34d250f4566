//! Coverage: intervals contain the true value of simulated data as often as stated.

use darkqi_analysis::statistics::regression::{logit, ordered_logit};
use darkqi_analysis::statistics::{
    Calibration, ClusteredSums, ConfidenceSequence, ControlVariates, WeightedSum, shrink,
};
use darkqi_analysis::{Estimate, Measurement};

use super::simulated::{CUTS, Source, TRUTH, games};

/// Repetitions. The standard error of a coverage of 95 % is then 0.5 %.
const RUNS: u32 = 2000;

/// Counts how often intervals contain the true value.
#[derive(Default)]
struct Coverage {
    held: u32,
    asked: u32,
}

impl Coverage {
    fn ask(&mut self, interval: Estimate, truth: f64) {
        self.asked += 1;
        self.held += u32::from(interval.low <= truth && truth <= interval.high);
    }

    fn share(&self) -> f64 {
        f64::from(self.held) / f64::from(self.asked)
    }

    fn is_right(&self, what: &str) {
        println!("{what}: {:.4}", self.share());
        assert!((0.93..=0.97).contains(&self.share()), "{what}: {}", self.share());
    }
}

#[test]
fn clustered_means_cover() {
    // Games of a deal share its luck. The group depends on the luck, so the overall mean and the
    // shares are correlated.
    let mut source = Source::new(1);
    let mut coverage: [Coverage; 4] = Default::default();
    for _ in 0..RUNS {
        let mut sums = ClusteredSums::new(2, 0.5);
        for _ in 0..200 {
            let mut cells = [WeightedSum::default(); 2];
            let luck = source.uniform();
            for _ in 0..1 + source.below(4) {
                let group = usize::from(source.uniform() < 0.25 + 0.5 * luck);
                cells[group].add(source.score(0.2 + 0.6 * luck), 1.0);
            }
            sums.add(&cells).expect("finite");
        }
        let found = sums.finish();
        // E(luck | group 1) = int u (1/4 + u/2) / (1/2) = 7/12, and 5/12 in group 0.
        let [low, high] = [5.0, 7.0].map(|twelfths| 0.2 + 0.6 * twelfths / 12.0);
        coverage[0].ask(found.mean(0).expect("it has games").estimate(), low);
        coverage[1].ask(found.score(1).expect("it has games"), high);
        let contrast = |factors: &[_]| found.contrast(factors).expect("both have games").estimate();
        coverage[2].ask(contrast(&[(1, 1.0), (0, -1.0)]), high - low);
        coverage[3].ask(contrast(&[(1, 1.0), (found.overall(), -1.0)]), high - 0.5);
    }
    for (coverage, what) in coverage.iter().zip(["mean", "Wilson's", "difference", "from overall"])
    {
        coverage.is_right(what);
    }
}

/// Clusters of very different sizes, whose games depend on one another.
#[test]
fn a_large_cluster_does_not_narrow_the_interval() {
    let mut source = Source::new(11);
    for (sizes, spread) in [
        (&[100, 10, 10, 10, 10, 10, 10, 10, 10, 10][..], 0.2),
        (&[200, 200, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 0.2),
        (&[1, 2, 4, 8, 16, 32, 64, 128, 256, 512], 0.0),
    ] {
        let mut coverage = Coverage::default();
        for _ in 0..RUNS {
            let mut sums = ClusteredSums::new(1, 0.5);
            for &games in sizes {
                let won = 0.5 + spread * (2.0 * source.uniform() - 1.0);
                let mut cell = WeightedSum::default();
                (0..games).for_each(|_| cell.add(source.score(won), 1.0));
                sums.add(&[cell]).expect("finite");
            }
            coverage.ask(sums.finish().score(0).expect("it has games"), 0.5);
        }
        assert!(coverage.share() > 0.925, "{sizes:?}: {}", coverage.share());
    }
}

/// Groups whose few games all end alike are not told from the others, nor do they decide the mean of all.
#[test]
fn equal_groups_of_lopsided_scores_are_not_told_apart() {
    const GROUPS: usize = 7;
    let mut source = Source::new(12);
    for (won, games) in [(0.95, 200), (0.5, 200)] {
        let (mut coverage, mut told) = (Coverage::default(), 0);
        for _ in 0..300 {
            let mut sums = ClusteredSums::new(GROUPS, 0.5);
            for _ in 0..games {
                let mut cells = [WeightedSum::default(); GROUPS];
                cells[source.below(GROUPS as u32) as usize].add(source.score(won), 1.0);
                sums.add(&cells).expect("finite");
            }
            let found = sums.finish();
            let groups: Vec<usize> =
                (0..GROUPS).filter(|&group| found.clusters(group) > 0).collect();
            let test = |&group: &usize| found.p_value(group).expect("it has games");
            let p_values: Vec<f64> = groups.iter().map(test).collect();
            told += u32::from(p_values.iter().any(|&p| p * (p_values.len() as f64) < 0.05));
            let measured: Vec<Measurement> =
                groups.iter().filter_map(|&group| found.mean_under_null(group)).collect();
            for estimate in shrink(&measured).expect("they can be shrunk").shrunk {
                coverage.ask(estimate, won);
            }
        }
        assert!(told < 30, "{won}: {told}");
        assert!(coverage.share() > 0.93, "{won}: {}", coverage.share());
    }
}

/// Where few games are decisive, a group that has one or two of them by chance is not told from the others.
#[test]
fn equal_groups_of_level_scores_are_not_told_apart() {
    const GROUPS: usize = 16;
    let mut source = Source::new(13);
    for (decisive, games) in [(0.1, 10), (0.04, 20), (0.04, 80), (0.12, 80), (0.02, 400)] {
        let mut told = 0;
        for _ in 0..300 {
            let mut sums = ClusteredSums::new(GROUPS, 0.5);
            for _ in 0..games {
                let is_decisive = source.uniform() < decisive;
                let result = if is_decisive { source.score(0.5) } else { 0.5 };
                let mut cells = [WeightedSum::default(); GROUPS];
                cells[source.below(GROUPS as u32) as usize].add(result, 1.0);
                sums.add(&cells).expect("finite");
            }
            let found = sums.finish();
            let p_values: Vec<f64> = (0..GROUPS).filter_map(|group| found.p_value(group)).collect();
            told += u32::from(p_values.iter().any(|&p| p * (p_values.len() as f64) < 0.05));
        }
        assert!(told < 24, "{decisive} {games}: {told}");
    }
}

/// A group of few decisive games that is another is told.
#[test]
fn a_group_of_few_decisive_games_is_told_where_it_differs() {
    let mut source = Source::new(14);
    let mut told = 0;
    for _ in 0..300 {
        let mut sums = ClusteredSums::new(8, 0.5);
        for _ in 0..400 {
            let group = source.below(8) as usize;
            let decisive = source.uniform() < if group == 0 { 0.3 } else { 0.02 };
            let result = if decisive { source.score(0.95) } else { 0.5 };
            let mut cells = [WeightedSum::default(); 8];
            cells[group].add(result, 1.0);
            sums.add(&cells).expect("finite");
        }
        told += u32::from(sums.finish().p_value(0).expect("it has games") < 0.05 / 8.0);
    }
    assert!(told > 285, "{told}");
}

#[test]
fn control_variates_cover_and_reduce_the_variance() {
    let mut source = Source::new(2);
    let mut coverage = Coverage::default();
    let (mut reduction, mut bias) = (0.0, 0.0);
    for _ in 0..RUNS {
        let mut controls = ControlVariates::new(2, 0.5);
        for number in 0..150 {
            // The first covariate explains the value, the second is noise.
            let luck = source.normal();
            let (mut cell, mut sums) = (WeightedSum::default(), [0.0; 2]);
            for _ in 0..2 {
                cell.add(0.3 + 0.2 * luck + 0.1 * source.normal(), 1.0);
                sums[0] += luck + 0.5 * source.normal();
                sums[1] += source.normal();
            }
            controls.add(2 * number, cell, &sums).expect("finite");
        }
        let found = controls.finish().expect("there are games");
        coverage.ask(found.adjusted.estimate(), 0.3);
        reduction += found.reduction / f64::from(RUNS);
        bias += (found.adjusted.value - 0.3) / f64::from(RUNS);
    }
    coverage.is_right("control variates");
    // For a deal's mean: Var y = 0.04 + 0.01 / 2, Var z = 1 + 0.25 / 2, Cov = 0.2. They explain
    // 0.0356 of 0.045.
    println!("reduction: {reduction:.4}, bias: {bias:.6}");
    assert!((reduction - 0.79).abs() < 0.02, "{reduction}");
    // The standard error is 0.00018.
    assert!(bias.abs() < 6e-4, "{bias}");
}

/// The coverage and the mean reduction of the variance by covariates that explain these shares of it, the
/// last `strong` of them strong ones, in this number of clusters.
fn with_covariates(
    source: &mut Source,
    clusters: u64,
    explained: &[f64],
    strong: usize,
) -> (Coverage, f64) {
    let mut coverage = Coverage::default();
    let mut reduction = 0.0;
    let rest = 1.0 - explained.iter().sum::<f64>();
    for _ in 0..RUNS {
        let weak = explained.len() - strong;
        let mut controls = ControlVariates::with_strong(weak, strong, 0.5);
        for number in 0..clusters {
            let luck: Vec<f64> = explained.iter().map(|_| source.normal()).collect();
            let effects = explained.iter().zip(&luck).map(|(share, luck)| share.sqrt() * luck);
            let value = effects.sum::<f64>() + rest.sqrt() * source.normal();
            let mut cell = WeightedSum::default();
            cell.add(0.3 + 0.2 * value, 1.0);
            controls.add(number, cell, &luck).expect("finite");
        }
        let found = controls.finish().expect("there are clusters");
        coverage.ask(found.adjusted.estimate(), 0.3);
        reduction += found.reduction / f64::from(RUNS);
    }
    println!("{clusters} clusters, {rest} not explained: reduction {reduction:.4}");
    (coverage, reduction)
}

#[test]
fn many_covariates_cost_little_where_they_explain_nothing() {
    let mut source = Source::new(9);
    for (clusters, least) in [(100, -0.03), (200, -0.015), (500, -0.01)] {
        let (coverage, reduction) = with_covariates(&mut source, clusters, &[0.0; 21], 0);
        coverage.is_right("covariates without effect");
        // Least squares without shrinkage would cost 21 of four fifths of the clusters.
        assert!(reduction > least, "{clusters}: {reduction}");
    }
}

#[test]
fn many_covariates_save_what_they_explain() {
    let mut source = Source::new(10);
    for (clusters, least) in [(200, 0.2), (500, 0.32)] {
        let (coverage, reduction) = with_covariates(&mut source, clusters, &[0.4 / 21.0; 21], 0);
        coverage.is_right("covariates with effects");
        assert!(reduction > least && reduction < 0.4, "{clusters}: {reduction}");
    }
}

#[test]
fn a_strong_covariate_saves_what_it_explains_beside_many_weak_ones() {
    let mut source = Source::new(11);
    let mut explained = [0.0; 22];
    explained[21] = 0.75;
    for (clusters, least) in [(100, 0.70), (200, 0.73), (500, 0.74)] {
        let (coverage, reduction) = with_covariates(&mut source, clusters, &explained, 1);
        coverage.is_right("a strong covariate");
        assert!(reduction > least && reduction < 0.76, "{clusters}: {reduction}");
    }
}

#[test]
fn logit_coefficients_cover() {
    let mut source = Source::new(3);
    let mut coverage: [Coverage; 4] = Default::default();
    for _ in 0..RUNS {
        let fit = logit(&games(&mut source, 250, false)).expect("it can be fitted");
        for (column, found) in fit.coefficients().into_iter().enumerate() {
            coverage[column].ask(found.expect("it is identified").estimate(), TRUTH[column]);
        }
        coverage[3].ask(
            fit.ratio(&[(2, 1.0)], &[(1, 1.0)]).expect("both are identified"),
            TRUTH[2] / TRUTH[1],
        );
    }
    for (coverage, what) in coverage.iter().zip(["constant", "shared", "own", "Fieller's"]) {
        coverage.is_right(what);
    }
}

#[test]
fn ordered_logit_coefficients_cover() {
    let mut source = Source::new(4);
    let mut coverage: [Coverage; 4] = Default::default();
    for _ in 0..RUNS {
        let fit = ordered_logit(&games(&mut source, 250, true)).expect("it can be fitted");
        for (column, found) in fit.coefficients().into_iter().enumerate() {
            coverage[column].ask(found.expect("it is identified").estimate(), TRUTH[column + 1]);
        }
        for (place, cut) in fit.cuts().expect("it has them").into_iter().enumerate() {
            coverage[2 + place].ask(cut.estimate(), CUTS[place]);
        }
    }
    for (coverage, what) in coverage.iter().zip(["shared", "own", "low cut", "high cut"]) {
        coverage.is_right(what);
    }
}

#[test]
fn confidence_sequences_of_other_ranges_cover_wherever_the_mean_lies() {
    let mut source = Source::new(9);
    // The mean is expected from 0.4 to 0.6, but may lie elsewhere.
    for mean in [0.5, 0.6, 0.95] {
        let (mut coverage, mut widths) = (Coverage::default(), [0.0; 2]);
        for _ in 0..RUNS / 8 {
            let within = |centre| {
                ConfidenceSequence::within(0.05, 0.05, [-0.5, 1.5], centre).expect("it is usable")
            };
            let (mut near, mut anywhere) = (within([0.4, 0.6]), within([-0.5, 1.5]));
            for _ in 0..1000 {
                // 0, 1/2 or 1, and noise from -1/2 to 1/2 of mean 0.
                let value = source.score(mean) + source.uniform() - 0.5;
                near.add(value).expect("in range");
                anywhere.add(value).expect("in range");
            }
            coverage.ask(near.estimate(), mean);
            for (width, found) in widths.iter_mut().zip([near, anywhere]) {
                *width += found.estimate().high - found.estimate().low;
            }
        }
        println!("mean {mean}: {:.4}, widths {widths:?}", coverage.share());
        assert!(coverage.share() >= 0.95, "{mean}: {}", coverage.share());
        // What is expected rightly is known better.
        assert!((mean > 0.6) == (widths[0] > widths[1]), "{mean}: {widths:?}");
    }
}

/// Shares of wins and draws of deals. With many draws the first scores are all equal, and a
/// variance that is estimated from them is 0.
const RESULTS: [[f64; 2]; 10] = [
    [0.5, 0.0],
    [0.6, 0.0],
    [0.9, 0.0],
    [0.99, 0.0],
    [0.05, 0.9],
    [0.1, 0.9],
    [0.005, 0.99],
    [0.01, 0.99],
    [0.0, 0.95],
    [0.89, 0.1],
];

/// How many games each file has, in runs that stop after a file.
const SHARDS: [u32; 5] = [1, 2, 5, 20, 200];

#[test]
fn runs_that_stop_at_a_half_width_cover_however_small_their_files_are() {
    let mut source = Source::new(8);
    let mut worst_ordinary = 1.0_f64;
    for ([wins, draws], half_width) in
        RESULTS.into_iter().flat_map(|it| [0.2, 0.08].map(|h| (it, h)))
    {
        let truth = wins + draws / 2.0;
        // Of intervals at the stop, by size of files; of all intervals until the last stop; and of
        // ordinary intervals at their stop.
        let mut stopped: [Coverage; SHARDS.len()] = Default::default();
        let (mut always, mut ordinary) = (Coverage::default(), Coverage::default());
        let mut deals = 0;
        for _ in 0..RUNS / 4 {
            let mut anytime = ConfidenceSequence::new(0.05, half_width).expect("it is usable");
            let (mut running, mut is_ordinary) = ([true; SHARDS.len()], true);
            let (mut sum, mut squares) = (0.0, 0.0);
            for count in 1..=3000 {
                let drawn = source.uniform() - wins;
                let score = if drawn < 0.0 {
                    1.0
                } else if drawn < draws {
                    0.5
                } else {
                    0.0
                };
                anytime.add(score).expect("in range");
                let found = anytime.estimate();
                let is_narrow = |found: Estimate| found.high - found.low <= 2.0 * half_width;
                for (place, size) in SHARDS.into_iter().enumerate() {
                    if running[place] && count % size == 0 && is_narrow(found) {
                        running[place] = false;
                        stopped[place].ask(found, truth);
                        deals += if size == 1 { count } else { 0 };
                    }
                }
                (sum, squares) = (sum + score, squares + score * score);
                let value = sum / f64::from(count);
                let error =
                    ((squares / f64::from(count) - value * value) / f64::from(count)).sqrt();
                let (low, high) = (value - 1.96 * error, value + 1.96 * error);
                let wald = Estimate { value, low, high };
                if is_ordinary && count > 1 && is_narrow(wald) {
                    is_ordinary = false;
                    ordinary.ask(wald, truth);
                }
                if running.iter().all(|running| !running) {
                    break;
                }
            }
            assert!(running.iter().all(|running| !running), "{half_width} is not reached");
            always.ask(anytime.estimate(), truth);
        }
        let shares = stopped.each_ref().map(|stopped| format!("{:.4}", stopped.share()));
        println!(
            "wins {wins}, draws {draws}, aim {half_width}: {} at the stop, {:.4} always, \
             {:.4} by the ordinary interval, {:.0} deals",
            shares.join(" "),
            always.share(),
            ordinary.share(),
            f64::from(deals) / f64::from(RUNS / 4)
        );
        for coverage in stopped.iter().chain([&always]) {
            assert!(coverage.share() >= 0.95, "{wins}, {draws}: {}", coverage.share());
        }
        worst_ordinary = worst_ordinary.min(ordinary.share());
    }
    // The test detects an interval that does not allow for stopping.
    assert!(worst_ordinary < 0.3, "{worst_ordinary}");
}

#[test]
fn confidence_sequences_reach_their_target_when_expected() {
    let mut source = Source::new(6);
    for (mean, half_width) in [(0.5, 0.02), (0.1, 0.01)] {
        let mut count = 0;
        for _ in 0..20 {
            let mut anytime = ConfidenceSequence::new(0.05, half_width).expect("it is usable");
            let width =
                |anytime: &ConfidenceSequence| anytime.estimate().high - anytime.estimate().low;
            while width(&anytime) > 2.0 * half_width {
                anytime.add(source.score(mean)).expect("in range");
            }
            count += anytime.count();
        }
        // The mean of two tosses has half the variance of one.
        let variance = mean * (1.0 - mean) / 2.0;
        let promised = 2.0 * 40.0_f64.ln() * variance / (half_width * half_width);
        let ratio = count as f64 / 20.0 / promised;
        println!("mean {mean}, aim {half_width}: {ratio:.3} of {promised:.0}");
        // The running intersection reaches the target a little earlier.
        assert!((0.75..1.05).contains(&ratio), "{ratio}");
    }
}

#[test]
fn shrinkage_reduces_errors_of_similar_values_only() {
    let mut source = Source::new(7);
    for (tau, most) in [(0.0, 0.35), (0.01, 0.75), (0.03, 0.97), (0.5, 1.001)] {
        let (mut raw, mut shrunk, mut coverage) = (0.0, 0.0, Coverage::default());
        for _ in 0..200 {
            let truths: Vec<f64> = (0..16).map(|_| 0.5 + tau * source.normal()).collect();
            let measured: Vec<Measurement> = truths
                .iter()
                .map(|truth| {
                    let error = 0.01 + 0.02 * source.uniform();
                    Measurement { value: truth + error * source.normal(), error }
                })
                .collect();
            let found = shrink(&measured).expect("they can be shrunk");
            for ((truth, measured), found) in truths.iter().zip(&measured).zip(found.shrunk) {
                raw += (measured.value - truth).powi(2);
                shrunk += (found.value - truth).powi(2);
                coverage.ask(found, *truth);
            }
        }
        println!("tau {tau}: {:.4} of the error, coverage {:.4}", shrunk / raw, coverage.share());
        assert!(shrunk < most * raw, "{tau}: {}", shrunk / raw);
        assert!(coverage.share() > 0.93, "{tau}: {}", coverage.share());
    }
}

#[test]
fn tau_is_nearly_unbiased_and_its_test_has_its_level() {
    let mut source = Source::new(8);
    let (mut rejected, mut tau) = (0, 0.0);
    for run in 0..RUNS {
        let spread = if run % 2 == 0 { 0.0 } else { 0.05 };
        let measured: Vec<Measurement> = (0..12)
            .map(|_| {
                let error = 0.02 + 0.02 * source.uniform();
                let value = spread * source.normal() + error * source.normal();
                Measurement { value, error }
            })
            .collect();
        let found = shrink(&measured).expect("they can be shrunk");
        if run % 2 == 0 {
            rejected += u32::from(found.p_value <= 0.05);
        } else {
            tau += found.tau * found.tau / f64::from(RUNS / 2);
        }
    }
    // 50 of 1,000 are expected, with a standard error of 7. REML's variance is nearly unbiased.
    println!("rejected {rejected} of {}, tau {:.4}", RUNS / 2, tau.sqrt());
    assert!((29..71).contains(&rejected), "{rejected}");
    assert!((tau.sqrt() - 0.05).abs() < 0.002, "{}", tau.sqrt());
}

#[test]
fn true_probabilities_are_calibrated() {
    let mut source = Source::new(9);
    let mut coverage = Coverage::default();
    let mut calibration = Calibration::default();
    let (mut brier, mut loss) = (0.0, 0.0);
    for _ in 0..150 {
        let mut calibration = Calibration::default();
        for cluster in 0..300 {
            // All games of a cluster share one random number.
            let chance = source.uniform();
            for _ in 0..3 {
                let p = source.uniform();
                calibration.add(cluster, p, f64::from(chance < p), 1.0).expect("in range");
            }
        }
        let found = calibration.finish().expect("there are predictions");
        found.bins.iter().for_each(|bin| coverage.ask(bin.excess.estimate(), 0.0));
    }
    coverage.is_right("calibration");
    for cluster in 0..2000 {
        let (p, y) = (source.uniform(), source.score(0.5));
        calibration.add(cluster, p, y, 2.0).expect("in range");
        brier += (p - y).powi(2) / 2000.0;
        loss -= (y * p.ln() + (1.0 - y) * (1.0 - p).ln()) / 2000.0;
    }
    let found = calibration.finish().expect("there are predictions");
    assert!((found.brier.value - brier).abs() < 1e-12, "{:?}", found.brier);
    assert!((found.log_loss.value - loss).abs() < 1e-12, "{:?}", found.log_loss);
    assert_eq!(found.bins.iter().map(|bin| bin.weight).sum::<f64>(), 4000.0);
}
