//! Real positions with results simulated from known values.

use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::flipping::Flipping;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::{Registered, Rng, Stream};

use super::value_of;
use crate::games::fixtures::metadata;
use crate::piece_values::phases::PhaseBy;
use crate::piece_values::positions::PositionSampler;
use crate::piece_values::results::PieceValues;
use crate::piece_values::row_file::RowFile;
use crate::piece_values::sample::SampledRows;
use crate::piece_values::simulation::{Positions, RUNS, Results};
use crate::statistics::regression::{OwnBlocks, logit};
use crate::{Error, Measurement, Result};
use darkqi_format::Metadata;

/// The results of the rows.
fn finish<G: Registered>(
    metadata: &Metadata,
    sampled: &SampledRows<RowFile>,
) -> Result<PieceValues> {
    let sampler = PositionSampler::new(G::default(), 1);
    value_of(&sampler, metadata, sampled, &OwnBlocks(&sampled.rows))
}

/// Checks the coverage of the intervals of all features.
fn assert_coverage<G: Registered + Default>(games: u64, per_deal: u64) {
    let positions = Positions::of::<G>(games, 1, per_deal);
    let truth = positions.truth();
    let rng = &mut Rng::new(3, Stream::Sample);
    let mut covered = vec![0; truth.len()];
    let mut identified = 0;
    for _ in 0..RUNS {
        let fit = logit(&positions.draw(&truth, rng)).expect("it can be fitted");
        for (at, found) in fit.coefficients().into_iter().enumerate() {
            let Some(found) = found else {
                assert_eq!(truth[at], 0.0, "{} is identified", positions.columns[at]);
                continue;
            };
            let found = found.estimate();
            covered[at] += usize::from(found.low <= truth[at] && truth[at] <= found.high);
        }
        identified = fit.coefficients().iter().flatten().count();
    }
    let shares: Vec<_> = (0..truth.len())
        .filter(|&at| covered[at] > 0)
        .map(|at| (positions.columns[at].to_string(), covered[at] as f64 / RUNS as f64))
        .collect();
    let mean = covered.iter().sum::<usize>() as f64 / (identified * RUNS) as f64;
    println!("{}, {per_deal} games a deal: {mean:.4}, {shares:.3?}", G::NAME);
    assert_eq!(shares.len(), identified);
    assert!((0.94..0.96).contains(&mean), "{mean}");
    for (column, share) in shares {
        assert!((0.93..=0.97).contains(&share), "{column}: {share}");
    }
}

#[test]
fn simulated_intervals_cover_values_in_banqi() {
    assert_coverage::<Banqi>(1200, 1);
}

#[test]
fn simulated_intervals_cover_values_in_jieqi() {
    assert_coverage::<Jieqi>(1500, 1);
}

#[test]
fn simulated_intervals_cover_values_in_flipping() {
    assert_coverage::<Flipping>(1200, 1);
}

#[test]
fn simulated_intervals_cover_values_if_games_share_deals() {
    assert_coverage::<Jieqi>(1500, 2);
}

/// Results that have nothing to do with the pieces, of which few or many are losses.
#[test]
fn simulated_results_are_rarely_taken_for_values() {
    const DRAWS: usize = 60;
    let positions = Positions::of::<Jieqi>(300, 8, 1);
    let games = positions.games.len();
    let metadata = metadata("jieqi");
    let rng = &mut Rng::new(12, Stream::Sample);
    for (losses, other) in [(1, 1.0), (2, 0.5), (5, 1.0), (10, 1.0), (150, 1.0)] {
        let (mut trusted, mut wrong, mut asked) = (0, 0, 0);
        for _ in 0..DRAWS {
            let mut scores = vec![other; games];
            while scores.iter().filter(|&&score| score == 0.0).count() < losses {
                scores[rng.below(games as u32) as usize] = 0.0;
            }
            let results = Results { positions: &positions, scores };
            let found = match finish::<Jieqi>(&metadata, &results.sampled()) {
                // Few losses may be told from the rest for certain.
                Err(error) if error.is_inconclusive() => continue,
                found => found.expect("it can be fitted"),
            };
            let shown = found.terms.iter().filter_map(|term| term.log_odds);
            if found.judgement.withheld.is_some() {
                assert_eq!((shown.count(), found.has_values()), (0, false));
            } else if found.judgement.warnings.is_empty() {
                trusted += 1;
                asked += shown.clone().count();
                wrong += shown.filter(|one| one.low > 0.0 || one.high < 0.0).count();
            }
        }
        let of_all = wrong as f64 / (DRAWS * positions.columns.len()) as f64;
        println!("{losses} losses: {trusted} of {DRAWS} trusted, {wrong} of {asked} exclude 0");
        assert!(of_all < 0.06, "{losses}: {of_all}");
        assert!(trusted == 0 || losses == 150, "{losses}: {trusted}");
    }
}

#[test]
fn simulated_intervals_cover_changes_between_phases() {
    // Random players soon turn most pieces over, so few positions are early by covered pieces.
    for (by, games) in [(PhaseBy::Covered, 5000), (PhaseBy::Pieces, 2000)] {
        let sampler = PositionSampler::new(Banqi::default(), 1).by_phase(by);
        let width = sampler.columns().len();
        let columns = sampler.columns().repeat(2);
        let positions = Positions::by(&Banqi::default(), &sampler, columns, games, 1);
        // Each position is in one phase, and both occur.
        let late = positions.games.iter().filter(|(_, x)| x[0][..width].iter().all(|&x| x == 0.0));
        let late = late.count() as f64 / positions.games.len() as f64;
        assert!((0.05..0.95).contains(&late), "{by:?}: {late}");
        let truth = positions.truth();
        let rng = &mut Rng::new(8, Stream::Sample);
        let (mut held, mut asked) = (0_u32, 0_u32);
        for _ in 0..RUNS / 8 {
            let fit = logit(&positions.draw(&truth, rng)).expect("it can be fitted");
            for column in 0..width {
                let change = fit.contrast(&[(column + width, 1.0), (column, -1.0)]);
                let Some(change) = change.map(Measurement::estimate) else { continue };
                let expected = truth[column + width] - truth[column];
                asked += 1;
                held += u32::from(change.low <= expected && expected <= change.high);
            }
        }
        let share = f64::from(held) / f64::from(asked);
        println!("changes by {by:?}: {share:.4} of {asked}, {late:.2} late");
        assert!((0.93..=0.97).contains(&share) && asked > RUNS as u32, "{by:?}: {share}");
    }
}

#[test]
fn values_are_in_units_and_have_forms_and_predictions() {
    let positions = Positions::of::<Flipping>(8000, 1, 2);
    let mut truth = positions.truth();
    // The unit must be significantly above 0.
    for (kind, value) in [('S', 0.5), ('H', 0.7)] {
        truth[positions.place(kind)] = value;
    }
    let results = positions.draw(&truth, &mut Rng::new(4, Stream::Sample));
    let found = finish::<Flipping>(&metadata("flipping"), &results.sampled());
    let found = found.expect("it can be fitted");
    let of = |kind| truth[positions.place(kind)];
    // Both forms of a soldier have a mean value of 3.
    let unit = (of('S') + of('H')) / 2.0 / 3.0;
    assert_eq!((found.basis.unit.as_slice(), found.basis.unit_value), (&['S', 'H'][..], 3.0));
    let near = |estimate: crate::Estimate, truth: f64, what: &str| {
        // About four standard errors: the width of the interval.
        let reach = (estimate.high - estimate.low).abs();
        assert!((estimate.value - truth).abs() < reach, "{what}: {estimate:?}, not {truth}");
        assert!(reach < 3.0 * truth.abs().max(1.0), "{what}: {estimate:?} is too wide");
    };
    for (term, truth) in found.terms.iter().zip(&truth) {
        let Some(kind) = term.kind.filter(|&kind| kind != 'K') else { continue };
        near(term.log_odds.expect("it is identified"), *truth, &term.name);
        let value = term.value.expect("the unit is identified");
        near(value, of(kind) / unit, &term.name);
    }
    for form in &found.forms[1..] {
        near(form.value, (of(form.kinds[0]) + of(form.kinds[1])) / 2.0 / unit, "a form");
    }
    assert_eq!(found.forms.len(), 3);
    let crate::Estimate { value, low, high } = found.forms[0].value;
    // The unit has no uncertainty.
    assert!(low == value && value == high && (value - 3.0).abs() < 1e-12);
    let held_out = found.held_out.expect("there are enough deals");
    let share = held_out.deals as f64 / found.basis.deals as f64;
    assert!((0.18..0.22).contains(&share), "{share}");
    assert!(
        held_out.quality.log_loss.value < held_out.without_values.log_loss.value,
        "{held_out:?}"
    );
}

#[test]
fn without_a_unit_there_are_log_odds_and_no_values() {
    let positions = Positions::of::<Flipping>(2000, 1, 3);
    for unit in [0.0, -0.5] {
        let mut truth = positions.truth();
        for kind in ['S', 'H'] {
            truth[positions.place(kind)] = unit;
        }
        let results = positions.draw(&truth, &mut Rng::new(6, Stream::Sample));
        let found = finish::<Flipping>(&metadata("flipping"), &results.sampled());
        let found = found.expect("it can be fitted");
        assert!(!found.has_values() && found.forms.is_empty(), "{unit}: {found:?}");
        assert!(found.terms.iter().any(|term| term.is_piece && term.log_odds.is_some()));
    }
}

#[test]
fn several_positions_per_game_keep_the_order_of_values() {
    let positions = Positions::of::<Flipping>(4000, 8, 1);
    // Both forms of a piece have the same value, because it may have moved since an earlier
    // position.
    let order = [['S', 'H'], ['F', 'C'], ['E', 'R']];
    let mut truth = vec![0.0; positions.columns.len()];
    for (kinds, value) in order.into_iter().zip([0.2, 0.5, 0.9]) {
        for kind in kinds {
            truth[positions.place(kind)] = value;
        }
    }
    let results = positions.draw(&truth, &mut Rng::new(5, Stream::Sample));
    let found = finish::<Flipping>(&metadata("flipping"), &results.sampled());
    let found = found.expect("it can be fitted");
    let value = |kind| found.terms[positions.place(kind)].log_odds.expect("it is identified");
    assert_eq!((found.basis.games, found.basis.positions > 7 * 4000), (4000, true));
    for pair in order.windows(2) {
        for (less, more) in pair[0].into_iter().flat_map(|less| pair[1].map(|more| (less, more))) {
            assert!(value(less).value < value(more).value, "{less} {more}: {found:?}");
        }
    }
}

#[test]
fn without_positions_there_are_no_values() {
    let positions = Positions::of::<Banqi>(1, 1, 1);
    let width = positions.columns.len();
    let mut sampled = SampledRows::new(RowFile::new(width).expect("temporary files can be made"));
    let mut fault = |games| {
        sampled.games = games;
        finish::<Banqi>(&metadata("banqi"), &sampled).expect_err("there are none")
    };
    assert!(matches!(fault(0), Error::NoGames));
    let none = fault(5).to_string();
    assert_eq!(
        none,
        "expected quiet positions (no capture in the ply before and after), found none in 5 games"
    );
}
