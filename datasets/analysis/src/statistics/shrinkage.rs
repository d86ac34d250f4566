//! Shrinkage of many noisy estimates towards their mean (hierarchical Bayes).

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::estimate::{Estimate, Measurement};
use crate::error::{Error, Result};

/// The number of grid points for the posterior of the standard deviation. Even the narrow posterior
/// of 1,000 estimates spans a dozen of them, and the midpoint rule is exact enough for smooth peaks
/// beyond that.
const GRID_POINTS: usize = 1024;

/// Noisy estimates shrunk towards their common mean.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Shrinkage {
    /// The shrunk estimates, in the order given, with 95 % intervals.
    pub shrunk: Vec<Estimate>,
    /// The mean of the true values.
    pub mean: Measurement,
    /// The standard deviation of the true values: the restricted maximum likelihood (REML)
    /// estimate.
    pub tau: f64,
    /// The p-value of Cochran's Q test of the hypothesis that all true values are equal (`tau` =
    /// 0).
    pub p_value: f64,
}

/// Estimates true values `theta_k ~ N(mu, tau^2)` from independent measurements `y_k ~ N(theta_k,
/// s_k^2)`, as James-Stein and empirical Bayes estimators do.
///
/// The hierarchical normal model of Gelman et al., "Bayesian Data Analysis" (3rd edition, 2013),
/// section 5.4, with flat priors of `mu` and `tau`. Plain empirical Bayes, with one estimate of
/// `tau`, gives intervals that are too narrow, because `tau` and `mu` are uncertain as well. The
/// posterior of `tau` is therefore integrated over a grid. Given `tau`, that of `theta_k` is normal
/// with
///
/// ```text
/// B_k = s_k^2 / (s_k^2 + tau^2),   V = 1 / sum 1 / (s_k^2 + tau^2),   m = V sum y_k / (s_k^2 + tau^2)
/// mean (1 - B_k) y_k + B_k m,   variance (1 - B_k) s_k^2 + B_k^2 V
/// ```
///
/// The interval is normal with the mean and variance of the mixture. The mode of the posterior is
/// the REML estimate of `tau`, because the density is the restricted likelihood.
///
/// # Errors
/// If there are fewer than 5 measurements, with which the posterior of `mu` has no
/// variance, a value is not finite, or an error is not a finite number above 0.
pub fn shrink(measurements: &[Measurement]) -> Result<Shrinkage> {
    if measurements.len() < 5 {
        let found = measurements.len() as f64;
        let (what, expected) = ("measurements to shrink", "at least 5");
        return Err(Error::Value { what, expected, found });
    }
    for measurement in measurements {
        Error::check_finite("measurement", measurement.value)?;
        let found = measurement.error;
        if !(found > 0.0 && found.is_finite()) {
            let expected = "a finite number above 0";
            return Err(Error::Value { what: "standard error", expected, found });
        }
    }
    let conditional = |tau: f64| Conditional::new(measurements, tau);
    let degrees = (measurements.len() - 1) as f64;
    let without = conditional(0.0);
    let chi_squared = ChiSquared::new(degrees).expect("there are several figures");

    // The grid covers all positive `tau` as scale * t / (1 - t). The scale is a typical `tau`: the
    // estimate of DerSimonian and Laird (1986), increased by the typical error of Higgins and
    // Thompson (2002).
    let weights = || measurements.iter().map(|one| one.error.powi(-2));
    let total: f64 = weights().sum();
    let spread = total - weights().map(|weight| weight * weight).sum::<f64>() / total;
    let scale = ((without.q - degrees).max(0.0) / spread + degrees / spread).sqrt();
    let grid: Vec<(Conditional, f64)> = (0..GRID_POINTS)
        .map(|point| {
            let t = (point as f64 + 0.5) / GRID_POINTS as f64;
            (conditional(scale * t / (1.0 - t)), -2.0 * (1.0 - t).ln())
        })
        .collect();
    let log_weight =
        |(conditional, log_jacobian): &(Conditional, f64)| conditional.log_density + log_jacobian;
    let top = grid.iter().map(log_weight).fold(f64::NEG_INFINITY, f64::max);
    let weights_on_grid: Vec<f64> =
        grid.iter().map(|point| (log_weight(point) - top).exp()).collect();
    let whole: f64 = weights_on_grid.iter().sum();

    let mixture = |component: &dyn Fn(&Conditional) -> (f64, f64)| {
        let points =
            || grid.iter().map(|(conditional, _)| component(conditional)).zip(&weights_on_grid);
        let mean = points().map(|((mean, _), weight)| mean * weight).sum::<f64>() / whole;
        let variance = points()
            .map(|((centre, variance), weight)| (variance + (centre - mean).powi(2)) * weight)
            .sum::<f64>()
            / whole;
        Measurement { value: mean, error: variance.sqrt() }
    };
    let shrunk =
        measurements.iter().map(|one| mixture(&|conditional| conditional.figure(one)).estimate());
    Ok(Shrinkage {
        shrunk: shrunk.collect(),
        mean: mixture(&|conditional| (conditional.mean, conditional.variance)),
        tau: mode(&grid, &conditional),
        p_value: chi_squared.sf(without.q),
    })
}

/// The posterior given the standard deviation `tau` of the true values.
struct Conditional {
    tau: f64,
    /// Posterior mean and variance of the true mean.
    mean: f64,
    variance: f64,
    /// Cochran's Q at this `tau`.
    q: f64,
    /// The logarithm of the posterior density of `tau`, up to a constant.
    log_density: f64,
}

impl Conditional {
    fn new(measurements: &[Measurement], tau: f64) -> Self {
        let variances = || measurements.iter().map(|one| one.error * one.error + tau * tau);
        let weight: f64 = variances().map(f64::recip).sum();
        let values = || measurements.iter().map(|one| one.value).zip(variances());
        let mean = values().map(|(value, variance)| value / variance).sum::<f64>() / weight;
        let q = values().map(|(value, variance)| (value - mean).powi(2) / variance).sum();
        let log_density = -0.5 * (weight.ln() + variances().map(f64::ln).sum::<f64>() + q);
        Self { tau, mean, variance: weight.recip(), q, log_density }
    }

    /// Posterior mean and variance of a true value.
    fn figure(&self, measured: &Measurement) -> (f64, f64) {
        let noise = measured.error * measured.error;
        let shrink = noise / (noise + self.tau * self.tau);
        let mean = (1.0 - shrink) * measured.value + shrink * self.mean;
        (mean, (1.0 - shrink) * noise + shrink * shrink * self.variance)
    }
}

/// The mode of the posterior of `tau`: the best grid point, refined between its neighbours by
/// golden-section search.
fn mode(grid: &[(Conditional, f64)], conditional: &dyn Fn(f64) -> Conditional) -> f64 {
    let better = |one: usize, other: usize| {
        if grid[other].0.log_density > grid[one].0.log_density { other } else { one }
    };
    let best = (0..grid.len()).reduce(better).expect("the grid has points");
    let mut low = if best == 0 { 0.0 } else { grid[best - 1].0.tau };
    let mut high = grid[(best + 1).min(grid.len() - 1)].0.tau;
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    while high - low > 1e-7 * high {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if conditional(left).log_density >= conditional(right).log_density {
            high = right;
        } else {
            low = left;
        }
        // A value this small cannot be distinguished from 0.
        if high < 1e-6 * grid[grid.len() / 2].0.tau {
            return 0.0;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::Measurement;
    use crate::statistics::Z;

    /// The eight schools of Gelman et al., table 5.2.
    const SCHOOLS: [(f64, f64); 8] = [
        (28.0, 15.0),
        (8.0, 10.0),
        (-3.0, 16.0),
        (7.0, 11.0),
        (-1.0, 9.0),
        (1.0, 11.0),
        (18.0, 10.0),
        (12.0, 18.0),
    ];

    fn measured(figures: &[(f64, f64)]) -> Vec<Measurement> {
        figures.iter().map(|&(value, error)| Measurement { value, error }).collect()
    }

    #[test]
    fn the_eight_schools() {
        let found = shrink(&measured(&SCHOOLS)).expect("they can be shrunk");
        // Cochran's Q is 4.707 on 7 degrees of freedom. The posterior mean of mu is about 8 with
        // deviation 5, school A's about 11 with deviation 8 (Gelman et al., table 5.3 and section
        // 5.5); tau is likeliest at 0.
        assert!((found.p_value - 0.6959).abs() < 1e-3, "{}", found.p_value);
        assert!(found.tau == 0.0, "{}", found.tau);
        assert!((found.mean.value - 8.0).abs() < 0.3, "{:?}", found.mean);
        assert!((found.mean.error - 5.1).abs() < 0.4, "{:?}", found.mean);
        let first = found.shrunk[0];
        assert!((first.value - 11.3).abs() < 0.5, "{first:?}");
        let error = (first.high - first.low) / (2.0 * Z);
        assert!((error - 8.3).abs() < 0.5, "{error}");
    }

    #[test]
    fn faulty_measurements_are_refused() {
        let fault =
            |figures: &[(f64, f64)]| shrink(&measured(figures)).expect_err("no").to_string();
        assert_eq!(fault(&SCHOOLS[..4]), "measurements to shrink: expected at least 5, found 4");
        let mut figures = SCHOOLS;
        figures[2].1 = 0.0;
        assert_eq!(fault(&figures), "standard error: expected a finite number above 0, found 0");
        figures[2].1 = f64::INFINITY;
        assert_eq!(fault(&figures), "standard error: expected a finite number above 0, found inf");
        figures[2] = (f64::NAN, 1.0);
        assert_eq!(fault(&figures), "measurement: expected a finite number, found NaN");
    }

    #[test]
    fn equal_values_are_shrunk_together_and_clear_ones_stay() {
        let equal = measured(&[(0.5, 0.1); 6]);
        let found = shrink(&equal).expect("they can be shrunk");
        assert_eq!((found.tau, found.p_value), (0.0, 1.0));
        assert!(found.shrunk.iter().all(|one| (one.value - 0.5).abs() < 1e-12));
        assert!(found.shrunk.iter().all(|one| one.high - one.low < 2.0 * Z * 0.1));

        let clear: Vec<_> = (0..6).map(|k| (f64::from(k), 1e-3)).collect();
        let found = shrink(&measured(&clear)).expect("they can be shrunk");
        // With errors this small, tau is the standard deviation of the values.
        assert!((found.tau - 3.5_f64.sqrt()).abs() < 1e-3, "{}", found.tau);
        assert!(found.p_value < 1e-100);
        for (one, (value, error)) in found.shrunk.iter().zip(clear) {
            assert!((one.value - value).abs() < 1e-5, "{one:?}");
            assert!((one.high - one.value - Z * error).abs() < 1e-5, "{one:?}");
        }
    }
}
