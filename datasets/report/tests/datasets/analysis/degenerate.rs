//! Degenerate data: little or no information, and refused arguments.

use std::io;

use darkqi_analysis::statistics::regression::{Fit, Row, RowSource, logit, ordered_logit};
use darkqi_analysis::statistics::{
    Calibration, ClusteredSums, ConfidenceSequence, ControlVariates, DroppedColumn, WeightedSum,
};
use darkqi_analysis::{Measurement, Result};

use super::simulated::{InMemoryRows, Source, games};

fn fault<T>(result: Result<T>) -> String {
    result.err().expect("it is refused").to_string()
}

fn table(rows: &[(&[f64], f64, f64, u64)]) -> InMemoryRows {
    let mut table = InMemoryRows::default();
    rows.iter().for_each(|&(x, y, weight, cluster)| table.push(x, y, weight, cluster));
    table
}

#[test]
fn groups_without_information() {
    let cell = |sum, weight| WeightedSum { sum, weight };
    let mut sums = ClusteredSums::new(4, 0.5);
    assert!(sums.finish().mean(sums.finish().overall()).is_none());

    sums.add(&[cell(1.0, 2.0), cell(0.7, 7.0), cell(0.0, 0.0), cell(1.0, 1.0)]).expect("finite");
    let one = sums.finish();
    let infinite = Measurement { value: 0.5, error: f64::INFINITY };
    assert_eq!(one.mean(0), Some(infinite));
    let estimate = infinite.estimate();
    assert_eq!((estimate.low, estimate.high), (f64::NEG_INFINITY, f64::INFINITY));

    sums.add(&[cell(2.0, 2.0), cell(0.3, 3.0), cell(0.0, 0.0), cell(0.0, 0.0)]).expect("finite");
    let two = sums.finish();
    assert!(two.mean(0).is_some_and(|mean| mean.value == 0.75 && mean.error < 0.5));
    // Group 1 is always 0.1, group 2 is empty, and only one cluster has group 3.
    assert!(two.mean(1).is_some_and(|mean| mean.error.is_infinite()));
    assert!(two.score(1).is_some_and(|score| score.low < 0.05 && score.high > 0.3));
    assert!(two.mean(2).is_none() && two.score(2).is_none());
    assert_eq!(two.contrast(&[(0, 1.0), (2, -1.0)]), None);
    assert!(two.mean(3).is_some_and(|mean| mean.error.is_infinite()));
    assert!(two.score(3).is_some_and(|score| score.high == 1.0 && score.low > 0.0));
    assert_eq!((two.clusters(0), two.clusters(3), two.clusters(two.overall())), (2, 1, 2));

    let nan = cell(f64::NAN, 1.0);
    let expected = "a cluster's sum: expected a finite number, found NaN";
    assert_eq!(fault(sums.add(&[cell(1.0, 1.0), nan, nan, nan])), expected);
    assert_eq!(fault(sums.add(&[nan])), "groups of a cluster: expected 4, found 1");
    assert_eq!(sums.finish().mean(0), two.mean(0));
    let expected = "a cluster's weight: expected a finite number from 0 up, found -1";
    assert_eq!(fault(sums.add(&[cell(1.0, -1.0); 4])), expected);
}

#[test]
fn controls_without_information() {
    let mut controls = ControlVariates::new(2, 0.5);
    assert!(controls.finish().is_none());
    let cell = WeightedSum { sum: 1.0, weight: 1.0 };
    controls.add(0, cell, &[0.0, 1.0]).expect("finite");
    assert!(controls.finish().is_some_and(|found| found.adjusted.error.is_infinite()));
    // One covariate is always 0, and the values do not vary.
    (1..50).for_each(|number| controls.add(number, cell, &[0.0, 1.0]).expect("finite"));
    let found = controls.finish().expect("there are observations");
    let unknown = Measurement { value: 1.0, error: f64::INFINITY };
    assert_eq!((found.raw, found.adjusted, found.reduction), (unknown, unknown, 0.0));
    assert_eq!(found.coefficients, [0.0, 0.0]);
    let expected = "a covariate: expected a finite number, found NaN";
    assert_eq!(fault(controls.add(50, cell, &[0.0, f64::NAN])), expected);
    assert_eq!(fault(controls.add(50, cell, &[0.0])), "covariates: expected 2, found 1");
}

#[test]
fn a_confidence_sequence_starts_with_the_whole_range() {
    let mut mean = ConfidenceSequence::new(0.05, 0.01).expect("it is usable");
    assert_eq!((mean.estimate().low, mean.estimate().high), (0.0, 1.0));
    for value in [-0.1, 1.1, f64::NAN] {
        assert!(fault(mean.add(value)).starts_with("observation: expected a number from 0 to 1"));
    }
    assert_eq!(mean.count(), 0);
    // A mean that jumps later does not move the interval outwards.
    (0..5000).for_each(|_| mean.add(0.0).expect("in range"));
    (0..50_000).for_each(|_| mean.add(1.0).expect("in range"));
    let found = mean.estimate();
    assert!(found.low <= found.value && found.value <= found.high, "{found:?}");
    for (alpha, half_width) in [(0.0, 0.1), (1.0, 0.1), (0.05, 0.0), (0.05, 0.6), (f64::NAN, 0.1)] {
        assert!(ConfidenceSequence::new(alpha, half_width).is_err());
    }
}

#[test]
fn predictions_without_information() {
    assert!(Calibration::default().finish().is_none());
    let mut calibration = Calibration::default();
    for (predicted, observed, weight) in [(f64::NAN, 0.5, 1.0), (0.5, 2.0, 1.0), (0.5, 0.5, 0.0)] {
        assert!(calibration.add(0, predicted, observed, weight).is_err());
    }
    assert!(calibration.clone().finish().is_none());
    // A wrong prediction of certainty has a large but finite loss.
    calibration.add(0, 1.0, 0.0, 1.0).expect("in range");
    let found = calibration.finish().expect("there is a prediction");
    assert!((found.log_loss.value - 34.5).abs() < 0.1 && found.log_loss.error.is_infinite());
    assert_eq!((found.bins.len(), found.bins[0].low, found.bins[0].high), (1, 0.9, 1.0));
}

#[test]
fn columns_without_a_coefficient_are_named() {
    // Columns: constant, x1, x2, zero, 2 x1 - 1, and the constant again.
    let source = games(&mut Source::new(9), 200, false);
    let [mut wide, mut plain] = [InMemoryRows::default(), InMemoryRows::default()];
    source
        .visit(0, &mut |Row { x, y, weight, cluster }| {
            plain.push(x, y, weight, cluster);
            wide.push(&[x[0], x[1], 0.0, x[2], 2.0 * x[1] - 1.0, 3.0], y, weight, cluster);
        })
        .expect("it is in memory");
    let [plain, found] = [&plain, &wide].map(|table| logit(table).expect("it can be fitted"));
    let dropped = |column, with: &[usize]| DroppedColumn { column, with: with.to_vec() };
    assert_eq!(found.dropped(), [dropped(2, &[]), dropped(4, &[0, 1]), dropped(5, &[0])]);
    let identified: Vec<_> = found.coefficients().into_iter().flatten().collect();
    let expected: Vec<_> = plain.coefficients().into_iter().flatten().collect();
    assert_eq!(identified, expected);
    assert!(found.coefficients()[2].is_none() && found.ratio(&[(1, 1.0)], &[(4, 1.0)]).is_none());
    let score = found.expected_score(&[1.0, 0.5, 0.0, 2.0, 0.0, 3.0]);
    assert_eq!(score, plain.expected_score(&[1.0, 0.5, 2.0]));

    let ordered = ordered_logit(&wide).expect("it can be fitted");
    // The cut points are its constants.
    let all = [dropped(0, &[]), dropped(2, &[]), dropped(4, &[1]), dropped(5, &[])];
    assert_eq!(ordered.dropped(), all);
}

#[test]
fn rows_without_information() {
    type Model = fn(&dyn RowSource) -> Result<Fit>;
    for model in [logit as Model, ordered_logit as Model] {
        let none = "expected rows of at least 2 clusters, found 0";
        assert_eq!(fault(model(&InMemoryRows::default())), none);
        let rows: Vec<(&[f64], f64, f64, u64)> =
            vec![(&[1.0], 0.0, 1.0, 8), (&[2.0], 1.0, 1.0, 8), (&[0.0], 0.5, 1.0, 8)];
        let one = "expected rows of at least 2 clusters, found 1";
        assert_eq!(fault(model(&table(&rows))), one);
        let faulty = |row: (&'static [f64], f64, f64, u64)| {
            let mut rows = rows.clone();
            rows.push(row);
            fault(model(&table(&rows)))
        };
        let nan = "a column: expected a finite number, found NaN";
        assert_eq!(faulty((&[f64::NAN], 0.0, 1.0, 9)), nan);
        assert!(faulty((&[1.0], f64::NAN, 1.0, 9)).starts_with("outcome: expected 0, 1/2 or 1"));
        assert!(faulty((&[1.0], 1.5, 1.0, 9)).ends_with("found 1.5"));
        assert_eq!(
            faulty((&[1.0], 1.0, 0.0, 9)),
            "weight: expected a finite number above 0, found 0"
        );
        assert_eq!(faulty((&[1.0, 2.0], 1.0, 1.0, 9)), "columns of a row: expected 1, found 2");
        let zero: Vec<_> = rows.iter().map(|row| (&[0.0][..], row.1, 1.0, row.3 + 1)).collect();
        let zero = [rows.clone(), zero].concat();
        let zero: Vec<_> = zero.iter().map(|row| (&[0.0][..], row.1, row.2, row.3)).collect();
        assert!(fault(model(&table(&zero))).ends_with("found none of 1"));
    }
}

#[test]
fn separated_rows_are_an_error() {
    let rows = |outcome: fn(f64, u64) -> f64| {
        let mut table = InMemoryRows::default();
        for cluster in 0..60 {
            let x = cluster as f64 / 10.0 - 2.95;
            let other = f64::from(cluster % 3 == 0);
            table.push(&[1.0, other, x], outcome(x, cluster), 1.0, cluster);
        }
        table
    };
    let expected = |column| {
        format!(
            "the likelihood has no finite maximum: column {column} helps to predict some outcomes with certainty"
        )
    };
    // All won; lost or won by the sign of x; always won if the middle column is 1.
    assert_eq!(fault(logit(&rows(|_, _| 1.0))), expected(0));
    assert_eq!(fault(logit(&rows(|x, _| f64::from(x > 0.0)))), expected(2));
    let partly = |_: f64, cluster: u64| f64::from([0, 2, 3, 4].contains(&(cluster % 6)));
    assert_eq!(fault(logit(&rows(partly))), expected(1));

    assert_eq!(
        fault(ordered_logit(&rows(|x, _| f64::from(x > 0.0)))),
        "expected losses, draws and wins, found no draw; a logit needs no draws"
    );
    let by_x = |x: f64, _| {
        if x < -1.0 {
            0.0
        } else if x < 1.0 {
            0.5
        } else {
            1.0
        }
    };
    assert_eq!(fault(ordered_logit(&rows(by_x))), expected(2));
}

#[test]
fn rows_that_cannot_be_read_are_an_error() {
    struct Broken;
    impl RowSource for Broken {
        fn width(&self) -> usize {
            1
        }
        fn blocks(&self) -> usize {
            3
        }
        fn visit(&self, block: usize, _: &mut dyn FnMut(Row<'_>)) -> io::Result<()> {
            Err(io::Error::other(format!("block {block} is gone")))
        }
    }
    assert_eq!(fault(logit(&Broken)), "cannot store or read the rows: block 0 is gone");
}
