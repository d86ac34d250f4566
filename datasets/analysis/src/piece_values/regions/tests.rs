//! Real positions with results simulated from known values of each region.

use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::flipping::Flipping;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::{Registered, Rng, Stream};

use super::{DEALS_PER_REGION, Places, RegionalValues, values_of};
use crate::games::fixtures::metadata;
use crate::piece_values::positions::PositionSampler;
use crate::piece_values::sample::SampledRows;
use crate::piece_values::simulation::{Positions, RUNS, Results};
use crate::statistics::regression::logit;
use crate::{Error, Result};

/// A position of each game, in which pieces count by region.
fn positions<G: Registered + Default>(games: u64) -> (Positions, Places) {
    let regions = G::REGIONS.expect("it has regions");
    let sampler = PositionSampler::new(G::default(), 1).by_region(regions);
    let places = Places { kinds: G::KINDS.len(), regions: regions.names().len() };
    let (kinds, others) = sampler.columns().split_at(places.kinds);
    let columns = [kinds.repeat(places.regions), others.to_vec()].concat();
    (Positions::by(&G::default(), &sampler, columns, games, 1), places)
}

/// The results of the rows.
fn found<G: Registered + Default>(results: Results<'_>) -> Result<RegionalValues> {
    let regions = G::REGIONS.expect("it has regions");
    let sampler = PositionSampler::new(G::default(), 1).by_region(regions);
    let games = results.scores.len() as u64;
    let sampled = SampledRows { games, quiet_games: games, ..SampledRows::new(results) };
    values_of(sampler, &metadata(G::NAME), regions, &sampled)
}

/// Checks the coverage of the differences between the regions, and that the test finds them.
fn assert_coverage<G: Registered + Default>(games: u64) {
    let (positions, places) = positions::<G>(games);
    let truth = positions.truth();
    let names = G::REGIONS.expect("it has regions").names();
    let region = |name| names.iter().position(|&one| one == name).expect("it is one of them");
    let rng = &mut Rng::new(8, Stream::Sample);
    let (mut held, mut asked, mut told) = (0_u32, 0_u32, 0_u32);
    let runs = RUNS / 8;
    for _ in 0..runs {
        let values = found::<G>(positions.draw(&truth, rng)).expect("it can be fitted");
        for (kind, figures) in values.kinds.iter().enumerate() {
            for one in &figures.differences {
                let of = |name| truth[places.column(kind, region(name))];
                let expected = of(one.second) - of(one.first);
                asked += 1;
                held += u32::from(one.log_odds.low <= expected && expected <= one.log_odds.high);
            }
        }
        told += u32::from(values.kinds.iter().any(|kind| kind.p_holm.is_some_and(|p| p < 0.05)));
    }
    let share = f64::from(held) / f64::from(asked);
    println!("{}: {share:.4} of {asked} differences, told in {told} of {runs} runs", G::NAME);
    assert!((0.93..=0.97).contains(&share) && asked > RUNS as u32 / 2, "{}: {share}", G::NAME);
    assert!(told as usize > runs * 9 / 10, "{}: {told}", G::NAME);
}

#[test]
fn simulated_intervals_cover_differences_between_regions_in_banqi() {
    assert_coverage::<Banqi>(3000);
}

#[test]
fn simulated_intervals_cover_differences_between_regions_in_jieqi() {
    assert_coverage::<Jieqi>(3000);
}

#[test]
fn simulated_intervals_cover_differences_between_regions_in_flipping() {
    assert_coverage::<Flipping>(2000);
}

#[test]
fn simulated_regions_that_are_alike_are_rarely_told_apart() {
    let (positions, places) = positions::<Banqi>(2500);
    let mut truth = positions.truth();
    for kind in 0..places.kinds {
        for region in 1..places.regions {
            truth[places.column(kind, region)] = truth[places.column(kind, 0)];
        }
    }
    let rng = &mut Rng::new(9, Stream::Sample);
    let (mut wrong, mut tested) = (0_u32, 0);
    let runs = RUNS / 2;
    for _ in 0..runs {
        let values = found::<Banqi>(positions.draw(&truth, rng)).expect("it can be fitted");
        let p_values: Vec<f64> = values.kinds.iter().filter_map(|kind| kind.p_holm).collect();
        tested += p_values.len();
        wrong += u32::from(p_values.iter().any(|&p| p < 0.05));
    }
    println!("told apart in {wrong} of {runs} runs");
    // Three standard errors above 5 %.
    assert!(wrong <= 39, "{wrong}");
    // Each of the seven kinds is tested.
    assert_eq!(tested, 7 * runs);
}

#[test]
fn rare_pieces_count_in_the_most_frequent_region() {
    let (positions, places) = positions::<Jieqi>(1200);
    // Pieces decide results: values that predict nothing would be withheld.
    let truth = positions.truth();
    let mut results = positions.draw(&truth, &mut Rng::new(10, Stream::Sample));
    let soldier = positions.place('P');
    // In all but few games the soldiers are across.
    let rare = places.column(soldier, 0);
    let mut games = positions.games.clone();
    let mut left = 20;
    for ((_, rows), score) in games.iter_mut().zip(&mut results.scores) {
        let Some(row) = rows.last_mut().filter(|row| row[rare] != 0.0) else { continue };
        if left > 0 {
            // The side that has more of them wins.
            *score = if row[rare] > 0.0 { 1.0 } else { 0.0 };
            left -= 1;
        } else {
            row[places.column(soldier, 1)] += row[rare];
            row[rare] = 0.0;
        }
    }
    let scores = results.scores;
    let positions = Positions { columns: positions.columns.clone(), games };
    let results = || Results { positions: &positions, scores: scores.clone() };
    assert!(matches!(logit(&results()), Err(Error::Separated { .. })), "a few decide all");
    let values = found::<Jieqi>(results()).expect("it can be fitted");
    let kind = &values.kinds[soldier];
    let [home, across] = kind.regions.as_slice() else { panic!("two regions") };
    assert_eq!((home.region, home.deals, home.log_odds, home.value), ("home", 20, None, None));
    assert!(across.deals > DEALS_PER_REGION && across.log_odds.is_some());
    assert!(kind.differences.is_empty() && kind.p_value.is_none() && kind.p_holm.is_none());
    // The others are told apart as before.
    let chariot = values.kinds.iter().find(|one| one.kind == 'R').expect("a kind");
    assert_eq!(chariot.differences.len(), 1);
    assert!(chariot.p_holm >= chariot.p_value && chariot.p_value.is_some());
    // With two regions the test is that of their difference.
    let one = &chariot.differences[0].log_odds;
    let error = (one.high - one.low) / (2.0 * crate::statistics::Z);
    let p_value = crate::Measurement { value: one.value, error }.p_value();
    assert!((chariot.p_value.expect("it is tested") - p_value).abs() < 1e-6);
}

#[test]
fn a_unit_is_the_mean_over_the_regions() {
    let (positions, places) = positions::<Flipping>(6000);
    let mut truth = positions.truth();
    for region in 0..places.regions {
        for (kind, value) in [('S', 0.5), ('H', 0.7)] {
            truth[places.column(positions.place(kind), region)] = value + 0.1 * region as f64;
        }
    }
    let results = positions.draw(&truth, &mut Rng::new(11, Stream::Sample));
    let values = found::<Flipping>(results).expect("it can be fitted");
    assert_eq!((values.basis.unit.as_slice(), values.basis.unit_value), (&['S', 'H'][..], 3.0));
    let of = |letter| values.kinds.iter().find(|one| one.kind == letter).expect("a kind");
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for figures in ['S', 'H'].into_iter().flat_map(|letter| &of(letter).regions) {
        let (value, odds) = (figures.value.expect("in units"), figures.log_odds.expect("fitted"));
        // The same unit everywhere.
        let unit = odds.value / value.value;
        (least, most) = (least.min(unit), most.max(unit));
        assert!(value.low < value.value && value.value < value.high, "{figures:?}");
    }
    assert!(most - least < 1e-9, "{least} {most}");
    // Between the least and the greatest of its parts.
    assert!((0.5 / 3.0..0.9 / 3.0).contains(&least), "{least}");
    let one = &of('C').differences[0];
    let value = one.value.expect("in units");
    assert!((one.log_odds.value / value.value - least).abs() < 1e-9, "{one:?}");
}
