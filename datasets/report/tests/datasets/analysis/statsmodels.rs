//! Comparison with statsmodels. `tests/reference/statsmodels_reference.py` computed the expected
//! values.

use darkqi_analysis::statistics::regression::{Fit, logit, ordered_logit};
use darkqi_analysis::statistics::{ClusteredSums, WeightedSum};
use serde::Deserialize;

use super::simulated::InMemoryRows;

#[derive(Deserialize)]
struct Reference {
    /// Constant, three columns, outcome, weight, cluster.
    rows: Vec<[f64; 7]>,
    logit: Regression,
    ordered: Regression,
    means: ClusteredMeans,
}

#[derive(Deserialize)]
struct Regression {
    coefficients: Vec<f64>,
    #[serde(default)]
    cuts: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    /// Without the finite-sample factor.
    #[serde(default)]
    uncorrected: Vec<Vec<f64>>,
    log_likelihood: f64,
}

#[derive(Deserialize)]
struct ClusteredMeans {
    /// The group of each row.
    groups: Vec<usize>,
    means: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    overall: f64,
    overall_variance: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../reference/statsmodels.json")).expect("it is complete")
}

/// Compares with a tolerance of 1e-6 times `size`.
fn close(what: &str, found: f64, expected: f64, size: f64) {
    assert!((found - expected).abs() <= 1e-6 * size, "{what}: {found}, expected {expected}");
}

fn agree(fit: &Fit, expected: &Regression) {
    let size = |one: usize, other: usize| {
        (expected.covariance[one][one] * expected.covariance[other][other]).sqrt()
    };
    for (column, &value) in expected.coefficients.iter().enumerate() {
        let found = fit.coefficients()[column].expect("it is identified");
        close("coefficient", found.value, value, value.abs());
        close("error", found.error, size(column, column).sqrt(), size(column, column).sqrt());
        for other in 0..expected.coefficients.len() {
            let found = fit.covariance(column, other).expect("both are identified");
            close("covariance", found, expected.covariance[column][other], size(column, other));
        }
    }
    for (place, &value) in expected.cuts.iter().enumerate() {
        let found = fit.cuts().expect("the model has them")[place];
        let at = expected.coefficients.len() + place;
        close("cut point", found.value, value, value.abs());
        close("cut point's error", found.error, size(at, at).sqrt(), size(at, at).sqrt());
    }
    let value = expected.log_likelihood;
    close("log-likelihood", fit.log_likelihood(), value, value.abs());
}

#[test]
fn a_weighted_fractional_logit_matches_statsmodels() {
    let Reference { rows, logit: expected, .. } = reference();
    let mut table = InMemoryRows::default();
    for row in &rows {
        table.push(&row[..4], row[4], row[5], row[6] as u64);
    }
    let fit = logit(&table).expect("it can be fitted");
    agree(&fit, &expected);
    assert!(fit.cuts().is_none() && fit.dropped().is_empty());
    assert_eq!((fit.rows(), fit.clusters()), (rows.len() as u64, 90));
    assert!(fit.iterations() < 10, "{}", fit.iterations());
    let [n, clusters, k] = [rows.len() as f64, 90.0, 4.0];
    let factor = clusters / (clusters - 1.0) * (n - 1.0) / (n - k);
    for column in 0..4 {
        let found = fit.covariance(column, column).expect("it is identified") / factor;
        let expected = expected.uncorrected[column][column];
        close("use_correction=False", found, expected, expected);
    }
}

#[test]
fn an_ordered_logit_matches_statsmodels() {
    let Reference { rows, ordered: expected, .. } = reference();
    let mut table = InMemoryRows::default();
    for row in &rows {
        table.push(&row[1..4], row[4], 1.0, row[6] as u64);
    }
    let fit = ordered_logit(&table).expect("it can be fitted");
    agree(&fit, &expected);
}

#[test]
fn whole_weights_are_repeated_rows() {
    let Reference { rows, .. } = reference();
    let [mut weighted, mut repeated] = [InMemoryRows::default(), InMemoryRows::default()];
    for row in &rows {
        let times = (row[5] * 4.0) as u32;
        weighted.push(&row[1..4], row[4], f64::from(times), row[6] as u64);
        (0..times).for_each(|_| repeated.push(&row[1..4], row[4], 1.0, row[6] as u64));
    }
    let [one, other] = [&weighted, &repeated].map(|table| ordered_logit(table).expect("it fits"));
    let factor = |fit: &Fit| (fit.rows() as f64 - 1.0) / (fit.rows() as f64 - 5.0);
    for column in 0..3 {
        let [one, other] = [&one, &other].map(|fit| {
            let found = fit.coefficients()[column].expect("it is identified");
            (found.value, found.error / factor(fit).sqrt())
        });
        close("coefficient", one.0, other.0, other.0.abs());
        close("error", one.1, other.1, other.1);
    }
    close("log-likelihood", one.log_likelihood(), other.log_likelihood(), 1.0);
}

#[test]
fn clustered_means_match_statsmodels() {
    let Reference { rows, means: expected, .. } = reference();
    // A distant centre loses a few digits only.
    for centre in [0.5, 0.0, 1000.0] {
        let mut sums = ClusteredSums::new(3, centre);
        let rows: Vec<_> = rows.iter().zip(&expected.groups).collect();
        for cluster in rows.chunk_by(|(one, _), (other, _)| one[6] == other[6]) {
            let mut cells = [WeightedSum::default(); 3];
            for &(row, &group) in cluster {
                cells[group].add(row[4], row[5]);
            }
            sums.add(&cells).expect("the numbers are finite");
        }
        let found = sums.finish();
        for group in 0..3 {
            let mean = found.mean(group).expect("it has observations");
            close("mean", mean.value, expected.means[group], expected.means[group]);
            for other in 0..3 {
                let value = expected.covariance[group][other];
                let size =
                    (expected.covariance[group][group] * expected.covariance[other][other]).sqrt();
                close("covariance", found.covariance(group, other), value, size);
            }
        }
        let overall = found.mean(found.overall()).expect("there are observations");
        close("overall mean", overall.value, expected.overall, expected.overall);
        let error = expected.overall_variance.sqrt();
        close("its error", overall.error, error, error);
    }
}
