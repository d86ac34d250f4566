//! Scores of matches without the luck of reveals.

use darkqi_play::arena::LuckAdjusted;
use darkqi_play::generation::Job;

use super::arena::{matched, play, threads};
use super::folder;

/// The scores of the first agent in a match, as it is and adjusted.
fn scores(config: &Job) -> (f64, Option<LuckAdjusted>) {
    let pair = &play(config).pairs[0];
    (pair.score.expect("there are games").value, pair.adjusted)
}

fn seeded(seed: u64) -> Job {
    Job { seed, threads: threads(2), ..matched("gaiqi", "greedy,random", 240) }
}

#[test]
fn adjusted_scores_are_unbiased_and_narrower() {
    const MATCHES: u64 = 40;
    let found: Vec<(f64, LuckAdjusted)> = (0..MATCHES)
        .map(|seed| scores(&seeded(seed)))
        .map(|(raw, adjusted)| (raw, adjusted.expect("there are enough blocks")))
        .collect();
    let mean = |value: &dyn Fn(&(f64, LuckAdjusted)) -> f64| {
        found.iter().map(value).sum::<f64>() / MATCHES as f64
    };
    let difference = |one: &(f64, LuckAdjusted)| one.1.score.value - one.0;
    let bias = mean(&difference);
    let spread = mean(&|one| (difference(one) - bias).powi(2)) / (MATCHES - 1) as f64;
    assert!(spread > 0.0 && bias.abs() < 4.0 * spread.sqrt(), "{bias} ± {}", spread.sqrt());
    assert!(mean(&|one| one.1.reduction) > 0.1, "{}", mean(&|one| one.1.reduction));
    // The intervals are as wide as the scores differ.
    let centre = mean(&|one| one.1.score.value);
    let z = mean(&|(_, LuckAdjusted { score, .. })| {
        let error = (score.high - score.low) / (2.0 * 1.96);
        ((score.value - centre) / error).powi(2)
    });
    assert!((0.5..1.7).contains(&z), "{z}");
}

#[test]
fn only_games_with_covered_pieces_have_luck() {
    assert_eq!(scores(&matched("flipping", "greedy,random", 240)).1, None);
    // Too few blocks for the coefficients.
    assert_eq!(scores(&matched("gaiqi", "greedy,random", 40)).1, None);
}

#[test]
fn luck_comes_from_the_log() {
    let folder = folder();
    let config = Job { dir: Some(folder.path().join("match")), ..seeded(3) };
    let whole = play(&config);
    assert!(whole.pairs[0].adjusted.is_some());
    assert_eq!(play(&config).pairs, whole.pairs);
}
