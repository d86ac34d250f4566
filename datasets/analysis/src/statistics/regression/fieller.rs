//! Fieller's interval of a ratio.

use crate::statistics::{Estimate, Measurement, Z};

/// The ratio of two normal estimates with Fieller's 95 % interval; see
/// [`Fit::ratio`](super::Fit::ratio).
///
/// A ratio r is not rejected if `(a - r b)^2 <= Z^2 (Var a - 2 r Cov + r^2 Var b)`. The solutions
/// of this quadratic inequality are an interval if `b` is significant. If the denominator is not
/// clearly above 0, the interval is from minus infinity to infinity.
pub(super) fn fieller(top: Measurement, bottom: Measurement, covariance: f64) -> Estimate {
    let (a, b, z_squared) = (top.value, bottom.value, Z * Z);
    let square = b * b - z_squared * bottom.error.powi(2);
    let value = a / b;
    // A negative denominator would change all signs.
    if square <= 0.0 || b <= 0.0 {
        return Estimate { value, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let middle = a * b - z_squared * covariance;
    let constant = a * a - z_squared * top.error.powi(2);
    let root = (middle * middle - square * constant).max(0.0).sqrt();
    Estimate { value, low: (middle - root) / square, high: (middle + root) / square }
}

#[cfg(test)]
mod tests {
    use super::{Measurement, fieller};

    fn measured(value: f64, error: f64) -> Measurement {
        Measurement { value, error }
    }

    #[test]
    fn walds_test_of_an_end_has_p_value_five_percent() {
        let (top, bottom, covariance) = (measured(4.0, 0.5), measured(1.0, 0.2), 0.03);
        let found = fieller(top, bottom, covariance);
        assert_eq!(found.value, 4.0);
        assert!(found.low < 4.0 && found.high - 4.0 > 4.0 - found.low, "{found:?}");
        for ratio in [found.low, found.high] {
            let variance = 0.25 - 2.0 * ratio * covariance + ratio * ratio * 0.04;
            let off = measured(4.0 - ratio, variance.sqrt());
            assert!((off.p_value() - 0.05).abs() < 1e-8, "{}", off.p_value());
        }
    }

    #[test]
    fn certain_estimates_give_the_delta_methods_interval() {
        let found = fieller(measured(4.0, 4e-4), measured(1.0, 1e-4), 0.0);
        let half = super::Z * (16e-8_f64 + 16e-8).sqrt();
        assert!((found.high - 4.0 - half).abs() < 1e-3 * half, "{found:?}");
        assert!((4.0 - found.low - half).abs() < 1e-3 * half, "{found:?}");
    }

    #[test]
    fn an_uncertain_unit_gives_an_unbounded_interval() {
        let found = fieller(measured(4.0, 0.5), measured(1.0, 0.6), 0.0);
        assert_eq!((found.low, found.high), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn a_negative_unit_gives_an_unbounded_interval() {
        let found = fieller(measured(4.0, 0.5), measured(-1.0, 0.1), 0.0);
        assert_eq!((found.low, found.high), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn the_ratio_of_the_unit_to_itself_is_one() {
        let unit = measured(0.3, 0.1);
        let found = fieller(unit, unit, 0.1 * 0.1);
        assert!([found.low, found.high].iter().all(|end| (end - 1.0).abs() < 1e-6), "{found:?}");
    }
}
