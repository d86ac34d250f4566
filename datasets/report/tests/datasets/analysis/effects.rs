//! The interval of a group's effect, by hand where the overall mean is extreme.

use darkqi_analysis::Estimate;
use darkqi_analysis::statistics::{ClusteredSums, WeightedSum};

/// Games on deals of their own: of 8 in one group 6 are won, of 392 in the other 388. `score` is the
/// score of a game that is won or not.
fn effects(score: fn(bool) -> f64) -> [Estimate; 2] {
    let mut sums = ClusteredSums::new(2, 0.5);
    for (group, games, wins) in [(0, 8, 6), (1, 392, 388)] {
        for game in 0..games {
            let mut cells = [WeightedSum::default(); 2];
            cells[group].add(score(game < wins), 1.0);
            sums.add(&cells).expect("the numbers are finite");
        }
    }
    let means = sums.finish();
    [0, 1].map(|group| means.effect(group).expect("it has games"))
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

/// With G = 400 clusters, p = 6/8 and q = 394/400:
///
/// - var p = 8 / 7 * 1.5 / 8^2, so p counts as p (1 - p) / var p = 7 trials, and Wilson's interval of it is
///   0.388867 to 0.933968;
/// - var q = G / (G - 1) * 5.91 / 400^2, so q counts as 399 trials: 0.967636 to 0.993114, of which
///   the lower part is more than twice as long as the upper;
/// - cov(p, q) = G / (G - 1) * 1.5 / (8 * 400), so their correlation would be 0.503793; it counts as
///   sqrt(8 / 400) = 0.141421;
/// - low = p - q - sqrt(a^2 + b^2 - 2 * 0.141421 a b) with a = p - 0.388867 and b = 0.993114 - q;
/// - high = p - q + the same root with a = 0.933968 - p and b = q - 0.967636.
///
/// The ends were computed from these formulas in 25 digits by another program.
#[test]
fn the_interval_of_an_effect_is_the_one_computed_by_hand() {
    let [few, _] = effects(|is_won| f64::from(u8::from(is_won)));
    close(few.value, -0.235);
    close(few.low, -0.595_075_316_364_747_3);
    close(few.high, -0.052_675_518_635_733_74);
}

#[test]
fn negated_scores_exchange_the_ends_of_an_effect() {
    let won = effects(|is_won| f64::from(u8::from(is_won)));
    let lost = effects(|is_won| f64::from(u8::from(!is_won)));
    for (won, lost) in won.into_iter().zip(lost) {
        close(lost.value, -won.value);
        close(lost.low, -won.high);
        close(lost.high, -won.low);
    }
}
