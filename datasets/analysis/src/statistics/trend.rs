//! A line through measurements.

use serde::Serialize;

use super::estimate::{Estimate, Measurement, students_factor};

/// A line fitted to measurements by weighted least squares.
///
/// Weights are inverse squared standard errors. Measurements may lie further from the line than their
/// errors allow. An estimate of that scatter is the square root of chi-squared per degree of freedom
/// (Birge, "The calculation of errors by the method of least squares", Physical Review 40, 1932), and
/// an interval with it has the quantile of Student's t. Where that is wider than the interval without
/// scatter, all errors are widened so that their normal intervals are as wide. The places are taken as
/// exact.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Trend {
    /// The weighted mean of the places.
    pub centre: f64,
    /// The value there.
    pub value: Measurement,
    /// The slope per unit of place.
    pub slope: Measurement,
}

impl Trend {
    /// Fits a line to places and their measurements. Those without a finite error above 0 are left
    /// out. None if fewer than three places are left, or all are equal.
    pub fn new(points: &[(f64, Measurement)]) -> Option<Self> {
        let usable = |(place, one): &&(f64, Measurement)| {
            place.is_finite() && one.error > 0.0 && one.error.is_finite()
        };
        let points: Vec<_> = points.iter().filter(usable).collect();
        let weight = |one: &Measurement| one.error.powi(-2);
        let sum = |term: &dyn Fn(f64, &Measurement) -> f64| -> f64 {
            points.iter().map(|(place, one)| weight(one) * term(*place, one)).sum()
        };
        let total = sum(&|_, _| 1.0);
        let centre = sum(&|place, _| place) / total;
        let mean = sum(&|_, one| one.value) / total;
        let spread = sum(&|place, _| (place - centre).powi(2));
        let places = || points.iter().map(|(place, _)| *place);
        let are_equal = places().fold(f64::NAN, f64::max) == places().fold(f64::NAN, f64::min);
        if points.len() < 3 || are_equal {
            return None;
        }
        let slope = sum(&|place, one| (place - centre) * one.value) / spread;
        let misfit = sum(&|place, one| (one.value - mean - slope * (place - centre)).powi(2));
        let freedom = (points.len() - 2) as f64;
        let widening = (misfit / freedom).sqrt() * students_factor(freedom);
        let widening = widening.max(1.0);
        Some(Self {
            centre,
            value: Measurement { value: mean, error: widening / total.sqrt() },
            slope: Measurement { value: slope, error: widening / spread.sqrt() },
        })
    }

    /// The value of the line at a place, with its 95 % interval.
    pub fn at(&self, place: f64) -> Estimate {
        let away = place - self.centre;
        let value = self.value.value + away * self.slope.value;
        Measurement { value, error: self.value.error.hypot(away * self.slope.error) }.estimate()
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Rng, Stream};
    use rand::RngExt as _;
    use rand::distr::Open01;
    use statrs::distribution::{ContinuousCDF, Normal};

    use super::{Measurement, Trend};
    use crate::statistics::Z;

    #[test]
    fn an_exact_line_is_found() {
        let points = [0.0, 100.0, 250.0, 400.0]
            .map(|place: f64| (place, Measurement { value: 0.5 - place / 1000.0, error: 0.01 }));
        let found = Trend::new(&points).expect("there are four places");
        assert!((found.slope.value + 0.001).abs() < 1e-12, "{found:?}");
        assert!((found.at(600.0).value + 0.1).abs() < 1e-12, "{found:?}");
        // The squared distances of the places from their mean, 187.5, add up to 91,875.
        assert!((found.slope.error - 0.01 / 91_875.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
    }

    /// The share of lines whose slope is covered, with measurements that scatter by `scatter` errors.
    fn coverage(places: &[f64], scatter: f64) -> f64 {
        const RUNS: u32 = 2000;
        let rng = &mut Rng::new(3, Stream::Sample);
        let mut covered = 0;
        for _ in 0..RUNS {
            let measured = |&place: &f64| {
                let error = 0.01 + place / 10_000.0;
                let noise = Normal::standard().inverse_cdf(rng.sample(Open01));
                let value = 0.4 + place / 2000.0 + error * (1.0 + scatter * scatter).sqrt() * noise;
                (place, Measurement { value, error })
            };
            let points: Vec<_> = places.iter().map(measured).collect();
            let found = Trend::new(&points).expect("there are enough places").slope;
            covered += u32::from((found.value - 1.0 / 2000.0).abs() <= Z * found.error);
        }
        f64::from(covered) / f64::from(RUNS)
    }

    #[test]
    fn intervals_cover_the_slope_with_and_without_scatter() {
        let places = [0.0, 50.0, 120.0, 300.0, 420.0];
        for few in 3..=places.len() {
            for scatter in [0.0, 1.0, 3.0, 10.0] {
                let share = coverage(&places[..few], scatter);
                // Without scatter the intervals are wider than need be.
                let most = if scatter < 3.0 { 1.0 } else { 0.97 };
                assert!((0.94..=most).contains(&share), "{few} places, scatter {scatter}: {share}");
            }
        }
    }

    #[test]
    fn scatter_widens_the_band_and_too_few_points_give_none() {
        let point = |place, value| (place, Measurement { value, error: 0.01 });
        let straight = Trend::new(&[point(0.0, 0.4), point(1.0, 0.5), point(2.0, 0.6)]);
        let bent = Trend::new(&[point(0.0, 0.4), point(1.0, 0.7), point(2.0, 0.6)]);
        let errors = [straight, bent].map(|found| found.expect("there are three").slope.error);
        assert!(errors[1] > 5.0 * errors[0], "{errors:?}");
        assert!(Trend::new(&[point(0.0, 0.4), point(1.0, 0.5)]).is_none());
        assert!(Trend::new(&[point(1.0, 0.4), point(1.0, 0.5), point(1.0, 0.6)]).is_none());
    }
}
