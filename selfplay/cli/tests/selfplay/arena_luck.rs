//! Scores of matches without the luck of reveals.

use std::fs;

use darkqi_play::arena::{LuckAdjusted, Match};
use tempfile::tempdir;

use super::arena::{error, matched, play, threads};

/// The scores of the first agent in a match, as it is and adjusted.
fn scores(config: &Match) -> (f64, Option<LuckAdjusted>) {
    let pair = &play(config).pairs[0];
    (pair.score.expect("there are games").value, pair.adjusted)
}

fn seeded(seed: u64) -> Match {
    Match { seed, threads: threads(2), ..matched("gaiqi", "greedy,random", 240) }
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
fn journals_keep_luck_and_old_ones_do_without() {
    let folder = tempdir().expect("a folder can be made");
    let path = folder.path().join("journal");
    let config = Match { journal: Some(path.clone()), ..seeded(3) };
    let whole = play(&config);
    assert!(whole.pairs[0].adjusted.is_some());
    let text = fs::read_to_string(&path).expect("it is text");
    let write = |lines: Vec<String>| fs::write(&path, lines.join("\n") + "\n").expect("it can be");
    let lines = |change: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        text.lines().enumerate().map(|(number, line)| change(number, line)).collect()
    };
    write(lines(&|_, line| line.to_owned())[..60].to_vec());
    let resumed = play(&config);
    assert_eq!(resumed.pairs, whole.pairs);

    // The luck of the first 50 blocks is not known.
    let without = |line: &str| {
        let (before, after) = line.split_once(r#""luck":["#).expect("it has luck");
        let (_, after) = after.split_once("],").expect("it is a list");
        format!("{before}{after}")
    };
    let is_old = |number: usize| (1..=50).contains(&number);
    write(lines(&|number, line| if is_old(number) { without(line) } else { line.to_owned() }));
    let old = play(&config);
    assert_eq!(old.pairs[0].score, whole.pairs[0].score);
    let [less, more] = [&old, &whole].map(|one| one.pairs[0].adjusted.expect("some luck is known"));
    assert!(less.reduction < more.reduction, "{less:?} {more:?}");

    write(lines(&|number, line| if number == 0 { line.to_owned() } else { without(line) }));
    assert_eq!(play(&config).pairs[0].adjusted, None);

    write(lines(&|_, line| line.replace(r#""luck":["#, r#""luck":[0.5,"#)));
    let fault = error(&config);
    assert!(fault.contains("expected 21 numbers of luck, found 22"), "{fault}");

    // The first number of each block, where there is one, becomes one that no games can have.
    let forged = |line: &str| match line.split_once(r#""luck":["#) {
        Some((before, after)) => {
            let rest = after.split_once(',').expect("there are several numbers").1;
            format!(r#"{before}"luck":[2000,{rest}"#)
        }
        None => line.to_owned(),
    };
    write(lines(&|_, line| forged(line)));
    let fault = error(&config);
    assert!(fault.contains("expected luck from -1000 to 1000, found 2000"), "{fault}");
}
