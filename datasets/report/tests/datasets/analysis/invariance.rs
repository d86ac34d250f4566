//! Results do not depend on the number of threads. They depend on blocks only by rounding.

use darkqi_analysis::Result;
use darkqi_analysis::statistics::regression::{Fit, RowSource, logit, ordered_logit};
use darkqi_analysis::statistics::{Calibration, ClusteredSums, ControlVariates, WeightedSum};
use rayon::ThreadPoolBuilder;

use super::simulated::{Source, games};

fn figures(fit: &Fit) -> Vec<f64> {
    let found = fit.coefficients().into_iter().flatten().chain(fit.cuts().into_iter().flatten());
    found.flat_map(|one| [one.value, one.error]).chain([fit.log_likelihood()]).collect()
}

fn with_threads(threads: usize, fit: impl FnOnce() -> Result<Fit> + Send) -> Vec<f64> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can start");
    figures(&pool.install(fit).expect("it can be fitted"))
}

#[test]
fn regressions_are_the_same_for_any_threads_and_blocks() {
    type Model = fn(&dyn RowSource) -> Result<Fit>;
    for (model, ordered) in [(logit as Model, false), (ordered_logit as Model, true)] {
        let table = games(&mut Source::new(3), 900, ordered);
        let fit = |threads, block| {
            let table = table.clone().in_blocks(block);
            with_threads(threads, || model(&table))
        };
        // One block, ten blocks, and more blocks than are held at once.
        let whole = fit(1, 900);
        for block in [90, 7] {
            let (alone, together) = (fit(1, block), fit(4, block));
            assert_eq!(alone, together);
            for (one, other) in whole.iter().zip(&alone) {
                assert!((one - other).abs() < 1e-12 * one.abs().max(1.0), "{one} {other}");
            }
        }
    }
}

#[test]
fn sums_can_be_merged() {
    let mut source = Source::new(4);
    let clusters: Vec<[WeightedSum; 3]> = (0..200)
        .map(|_| {
            let mut cells = [WeightedSum::default(); 3];
            (0..4).for_each(|_| cells[source.below(3) as usize].add(source.score(0.4), 1.0));
            cells
        })
        .collect();
    let figures = |block: usize| {
        let mut means = ClusteredSums::new(3, 0.5);
        let mut controls = ControlVariates::new(1, 0.5);
        let mut calibration = Calibration::default();
        let numbered: Vec<(u64, &[WeightedSum; 3])> = (0..).zip(&clusters).collect();
        for part in numbered.chunks(block) {
            let mut part_means = ClusteredSums::new(3, 0.5);
            let mut part_controls = ControlVariates::new(1, 0.5);
            let mut part_calibration = Calibration::default();
            for &(number, cells) in part {
                part_means.add(cells).expect("finite");
                part_controls.add(number, cells[0], &[cells[1].sum - 0.4]).expect("finite");
                for cell in cells.iter().filter(|cell| cell.weight > 0.0) {
                    let score = cell.sum / cell.weight;
                    part_calibration.add(number, 0.3 + score / 3.0, score, 1.0).expect("in range");
                }
            }
            means.merge(&part_means);
            controls.merge(&part_controls);
            calibration.merge(part_calibration);
        }
        let means = means.finish();
        let quality = calibration.finish().expect("there are predictions");
        let adjusted = controls.finish().expect("there are observations");
        let mut found: Vec<_> =
            (0..=means.overall()).filter_map(|group| means.mean(group)).collect();
        found.extend([adjusted.raw, adjusted.adjusted, quality.log_loss, quality.brier]);
        found.extend(quality.bins.iter().map(|bin| bin.excess));
        let figures = found.iter().flat_map(|one| [one.value, one.error]);
        let observed = quality.bins.iter().flat_map(|bin| [bin.observed.value, bin.observed.low]);
        figures.chain(observed).collect::<Vec<f64>>()
    };
    let whole = figures(200);
    assert_eq!(whole.len(), 2 * (4 + 4 + 2 * 4));
    for block in [1, 13] {
        for (one, other) in whole.iter().zip(figures(block)) {
            // Where nothing varies, errors are infinite.
            assert!(*one == other || (one - other).abs() < 1e-12, "{one} {other}");
        }
    }
}
