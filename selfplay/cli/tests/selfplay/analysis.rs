//! Analyses of real games: their results do not depend on threads and shards, are unbiased, and
//! faults are named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::piece_values::{PhaseBy, Quiet, Unit};
use darkqi_analysis::{
    Error, FirstRevealValue, PieceValues, first_reveal, piece_values, piece_values_by_phase,
    piece_values_by_region, piece_values_in,
};
use darkqi_engine::agent::NEVER;
use darkqi_env::game::texts;
use darkqi_format::{Dataset, GameRecord, Metadata, PieceName};
use darkqi_play::generation::Job;
use darkqi_play::luck::reveal_judge;
use rayon::ThreadPoolBuilder;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::{config, folder, play, replays, write_dataset};

/// Plays games and opens the dataset.
fn played(game: &str, agent: &str, count: u64) -> (TempDir, Dataset) {
    let folder = folder();
    play(&config(game, agent, count, folder.path()));
    let dataset = open(folder.path());
    (folder, dataset)
}

/// Games, two on each deal.
fn games(game: &str, agent: &str, count: u64) -> (Metadata, Vec<GameRecord>) {
    let folder = folder();
    play(&Job { duplicate: true, ..config(game, agent, count, folder.path()) });
    (open(folder.path()).metadata().clone(), replays(folder.path()))
}

/// Writes games in shards of this size.
fn write(metadata: &Metadata, games: &[GameRecord], shard_games: usize) -> (TempDir, Dataset) {
    let folder = folder();
    write_dataset(folder.path(), metadata, None, games, shard_games);
    let dataset = open(folder.path());
    (folder, dataset)
}

fn open(dir: &Path) -> Dataset {
    Dataset::open(dir).expect("it can be opened")
}

fn measure(dataset: &Dataset, threads: usize) -> (FirstRevealValue, PieceValues) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can start");
    pool.install(|| {
        let reveal = first_reveal(dataset, &NEVER).expect("it can be measured");
        (reveal, piece_values(dataset, 4, &NEVER).expect("it can be measured"))
    })
}

/// Compares all numbers up to rounding.
fn are_close(one: &Json, other: &Json, path: &str) {
    match (one, other) {
        (Json::Object(one), Json::Object(other)) => {
            assert_eq!(one.len(), other.len(), "{path}");
            for (name, value) in one {
                are_close(value, &other[name], &format!("{path}.{name}"));
            }
        }
        (Json::Array(one), Json::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{path}");
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                are_close(one, other, &format!("{path}[{at}]"));
            }
        }
        (Json::Number(found), Json::Number(expected)) if found.is_f64() && expected.is_f64() => {
            let [found, expected] = [found, expected].map(|number| number.as_f64().expect("one"));
            let close = (found - expected).abs() <= 1e-12 * expected.abs().max(1.0);
            assert!(close, "{path}: {found}, not {expected}");
        }
        _ => assert_eq!(one, other, "{path}"),
    }
}

#[test]
fn figures_are_the_same_for_any_threads_and_shards() {
    for game in ["jieqi", "banqi", "flipping"] {
        let (metadata, games) = games(game, "greedy:epsilon=0.3", 300);
        let (_folder, whole) = write(&metadata, &games, 300);
        let whole = measure(&whole, 1);
        let [reveal, values] = [
            serde_json::to_value(&whole.0).expect("it is JSON"),
            serde_json::to_value(&whole.1).expect("it is JSON"),
        ];
        for shard_games in [2, 38, 150] {
            let (_folder, dataset) = write(&metadata, &games, shard_games);
            let alone = measure(&dataset, 1);
            assert_eq!(alone, measure(&dataset, 4), "{game}, shards of {shard_games}");
            are_close(&serde_json::to_value(&alone.0).expect("it is JSON"), &reveal, game);
            are_close(&serde_json::to_value(&alone.1).expect("it is JSON"), &values, game);
        }
    }
}

/// What a judge says of the first ply, by the piece that comes up, adds up to 0 over all that can.
#[test]
fn judged_luck_has_mean_zero_over_what_a_ply_can_turn_over() {
    // The colours that can come up, and the pieces of each.
    for (game, colours, pieces) in
        [("gaiqi", "rb", "KAAEEHHRRCCPPPPP"), ("jieqi", "r", "AAEEHHRRCCPPPPP")]
    {
        let folder = folder();
        // This search always begins on the same square.
        let options = texts(&[("max_plies", "2")]);
        play(&Job { options, ..config(game, "expectimax:depth=1", 400, folder.path()) });
        let dataset = open(folder.path());
        // By the rules without that limit, after which no position is worth anything.
        let metadata = Metadata { options: BTreeMap::new(), ..dataset.metadata().clone() };
        let judge = reveal_judge(&metadata).expect("it can be made");
        let mut luck = BTreeMap::new();
        for mut game in dataset.replays().map(|game| game.expect("it can be read")) {
            game.moves.truncate(1);
            let first = game.first_reveal.as_ref().expect("the first ply turns a piece over");
            let place = (game.moves[0].action, first.color, first.kind);
            luck.entry(place).or_insert_with(|| judge.luck(&game).expect("it is a game"));
        }
        let of = |action, colour, kind| luck.get(&(action, colour, kind)).copied();
        let all = |action| -> Option<Vec<f64>> {
            let of_colour = |colour| pieces.chars().map(move |kind| of(action, colour, kind));
            colours.chars().flat_map(of_colour).collect()
        };
        let actions: BTreeSet<u16> = luck.keys().map(|&(action, ..)| action).collect();
        let seen: Vec<Vec<f64>> = actions.into_iter().filter_map(all).collect();
        assert!(!seen.is_empty(), "{game}: every piece came up by one action at least");
        for seen in seen {
            let most = seen.iter().fold(0.0_f64, |most, luck| most.max(luck.abs()));
            let sum: f64 = seen.iter().sum();
            assert!(most > 0.01 && sum.abs() < 1e-5, "{game}: {sum} of {seen:?}");
        }
    }
}

#[test]
fn values_are_fitted_by_phase() {
    let (_folder, dataset) = played("banqi", "greedy", 1500);
    let whole = piece_values(&dataset, 8, &NEVER).expect("it can be fitted");
    let found = piece_values_by_phase(&dataset, 8, PhaseBy::Covered, None, &NEVER);
    let found = found.expect("it can be fitted");
    assert_eq!(found.basis, whole.basis);
    assert_eq!(found.terms.len(), whole.terms.len());
    let of = |name| found.terms.iter().find(|term| term.name == name).expect("it is a column");
    let advisor = of("A");
    let [early, late] = [advisor.early, advisor.late].map(|one| one.log_odds.expect("it varies"));
    let change = advisor.change.expect("it varies");
    assert!((late.value - early.value - change.value).abs() < 1e-9);
    assert!(early.value > 0.0 && late.value > 0.0);
    assert!(advisor.p_holm >= advisor.p_value && advisor.early.value.is_some());

    let unit: Unit = "A=2".parse().expect("it is a unit");
    let found =
        piece_values_in(&dataset, 8, Some(&unit), Quiet::Both, &NEVER).expect("it can be fitted");
    for (own, other) in whole.terms.iter().zip(&found.terms) {
        assert_eq!(own.log_odds, other.log_odds);
        let advisor = whole.terms[1].log_odds.expect("it varies").value;
        if let (Some(value), Some(odds)) = (other.value, own.log_odds) {
            assert!((value.value - 2.0 * odds.value / advisor).abs() < 1e-9, "{}", own.name);
        }
    }
    // Of all positions that follow a quiet ply, those before a capture are others.
    let of = |quiet| piece_values_in(&dataset, 1000, None, quiet, &NEVER);
    let [all, few] = [Quiet::Before, Quiet::Both].map(|quiet| of(quiet).expect("it can be fitted"));
    let positions = [&all, &few].map(|values| values.basis.positions);
    assert!(positions[0] > positions[1], "{positions:?}");
    assert_ne!(all.terms[1].log_odds, few.terms[1].log_odds);

    let unit: Unit = "S=3".parse().expect("it is a unit");
    let fault =
        piece_values_in(&dataset, 8, Some(&unit), Quiet::Both, &NEVER).expect_err("no such kind");
    assert_eq!(fault.to_string(), "unit: expected kinds of banqi out of KAEHRCP, got S");
    // The loss of a general ends the game, so it has no value.
    let (_folder, dataset) = played("gaiqi", "random", 10);
    let unit: Unit = "K+R=9".parse().expect("it is a unit");
    let fault =
        piece_values_in(&dataset, 8, Some(&unit), Quiet::Both, &NEVER).expect_err("no such value");
    assert_eq!(fault.to_string(), "unit: expected kinds of gaiqi out of AEHRCP, got K");
    let (_folder, dataset) = played("flipping", "random", 10);
    let fault = piece_values_by_phase(&dataset, 8, PhaseBy::Covered, None, &NEVER);
    let fault = fault.expect_err("nothing is covered").to_string();
    assert!(fault.contains("nothing is covered in flipping"), "{fault}");
}

#[test]
fn values_are_fitted_by_region() {
    let (_folder, dataset) = played("banqi", "greedy", 1500);
    let whole = piece_values(&dataset, 8, &NEVER).expect("it can be fitted");
    let found = piece_values_by_region(&dataset, 8, None, &NEVER).expect("it can be fitted");
    assert_eq!(found.basis, whole.basis);
    assert_eq!(found.regions, ["corner", "edge", "inner"]);
    assert_eq!(found.kinds.len() + found.others.len(), whole.terms.len());
    let advisor = found.kinds.iter().find(|one| one.kind == 'A').expect("a kind");
    let pooled = whole.terms.iter().find(|term| term.kind == Some('A')).expect("a kind");
    let pooled = pooled.log_odds.expect("it varies").value;
    let odds: Vec<f64> = advisor
        .regions
        .iter()
        .map(|one| one.log_odds.expect("there are enough deals").value)
        .collect();
    // What is true of the whole board lies between the regions.
    let (least, most) = (
        odds.iter().copied().fold(f64::INFINITY, f64::min),
        odds.iter().copied().fold(0.0, f64::max),
    );
    assert!(least < pooled && pooled < most, "{pooled} {odds:?}");
    assert_eq!(advisor.differences.len(), 3);
    for one in &advisor.differences {
        let of = |name| odds[found.regions.iter().position(|&region| region == name).expect("one")];
        assert!((of(one.second) - of(one.first) - one.log_odds.value).abs() < 1e-9, "{one:?}");
    }
    assert!(advisor.p_holm >= advisor.p_value && advisor.p_value.is_some());

    let unit: Unit = "A=2".parse().expect("it is a unit");
    let other = piece_values_by_region(&dataset, 8, Some(&unit), &NEVER).expect("it can be fitted");
    assert_eq!(other.kinds[1].regions[0].log_odds, advisor.regions[0].log_odds);
    let values: Vec<f64> =
        other.kinds[1].regions.iter().map(|one| one.value.expect("in units").value).collect();
    assert!(values.iter().any(|&value| value < 2.0) && values.iter().any(|&value| value > 2.0));

    let (_folder, dataset) = played("banqi", "greedy", 60);
    let few = piece_values_by_region(&dataset, 8, None, &NEVER).expect("it can be fitted");
    let figures = few.kinds.iter().flat_map(|kind| &kind.regions);
    assert!(figures.clone().all(|one| one.deals < 100 && one.log_odds.is_none()), "{few:?}");
    assert!(few.kinds.iter().all(|kind| kind.p_holm.is_none() && kind.differences.is_empty()));

    let (_folder, dataset) = played("seven_kingdoms", "random", 4);
    let fault = piece_values_by_region(&dataset, 8, None, &NEVER);
    let fault = fault.expect_err("its board has no regions").to_string();
    assert!(fault.starts_with("regions: the board of seven_kingdoms has none"), "{fault}");
}

#[test]
fn a_judge_names_what_is_wrong_with_a_game() {
    let (metadata, mut games) = games("gaiqi", "greedy", 2);
    games[0].moves[0].action = 1;
    let judge = reveal_judge(&metadata).expect("it can be made");
    let fault = judge.luck(&games[0]).expect_err("it cannot be played");
    assert!(fault.contains("is not legal where it was played"), "{fault}");
    games[1].deal = "nothing".into();
    assert!(judge.luck(&games[1]).is_err());
}

/// The errors of both analyses for games that they cannot measure.
fn faults(metadata: &Metadata, games: &[GameRecord]) -> [String; 2] {
    let (_folder, dataset) = write(metadata, games, 10);
    let reveal = first_reveal(&dataset, &NEVER).expect_err("it cannot be measured");
    let values = piece_values(&dataset, 100, &NEVER).expect_err("it cannot be measured");
    [reveal.to_string(), values.to_string()]
}

#[test]
fn faults_of_games_are_named() {
    let (metadata, games) = games("banqi", "random", 20);
    let changed = |change: &dyn Fn(&mut GameRecord)| {
        let mut games = games.clone();
        change(&mut games[13]);
        games
    };
    let both = |change: &dyn Fn(&mut GameRecord), expected: &str| {
        let found = faults(&metadata, &changed(change));
        assert_eq!(found, [expected; 2].map(|expected| format!("game 13: {expected}")));
    };
    both(&|game| game.rewards = vec![0.0; 3], "expected 2 rewards, found 3");
    both(&|game| game.rewards.clear(), "expected 2 rewards, found 0");
    let unshared =
        "expected rewards that are all 0, or positive ones that add up to 1, found [1.0, 1.0]";
    both(&|game| game.rewards = vec![1.0; 2], unshared);
    let no_number = unshared.replace("[1.0, 1.0]", "[NaN, 1.0]");
    both(&|game| game.rewards = vec![f32::NAN, 1.0], &no_number);
    both(&|game| game.first_player = -1, "expected a seat from 0 to 1, found -1");
    both(&|game| game.agents[1] = "greedy".into(), "expected random in all seats, found greedy");

    let reveal = |change: &dyn Fn(&mut GameRecord), expected: &str| {
        let (_folder, dataset) = write(&metadata, &changed(change), 10);
        let found = first_reveal(&dataset, &NEVER).expect_err("it cannot be measured").to_string();
        assert!(found.starts_with(&format!("game 13: {expected}")), "{found}");
    };
    reveal(
        &|game| game.moves[0].revealed = PieceName::from("Z").ok(),
        "ply 0 is the first reveal: Z",
    );
    let letter = games[13].moves.iter().filter_map(|ply| ply.revealed).nth(1).expect("a second");
    let second = games[13].moves.iter().position(|ply| ply.revealed == Some(letter));
    let second = second.expect("it is there");
    reveal(
        &|game| game.moves[second].revealed = PieceName::from("Z").ok(),
        &format!("ply {second} shows Z, but no covered one is left"),
    );
    reveal(
        &|game| game.first_reveal.as_mut().expect("it has one").square = "z9".into(),
        "z9 is not a square of the board",
    );
    reveal(
        &|game| game.first_reveal.as_mut().expect("it has one").kind = 'Z',
        "ply 0 is the first reveal: ",
    );
    reveal(
        &|game| game.first_reveal.as_mut().expect("it has one").player = 2,
        "ply 0 is the first reveal: ",
    );

    let values = |change: &dyn Fn(&mut GameRecord), expected: &str| {
        let (_folder, dataset) = write(&metadata, &changed(change), 10);
        let found = piece_values(&dataset, 100, &NEVER);
        let found = found.expect_err("it cannot be measured").to_string();
        assert!(found.starts_with(&format!("game 13: {expected}")), "{found}");
    };
    values(&|game| game.moves[3].action = 60_000, "ply 3: action 60000 is not legal");
    values(&|game| game.moves[3].action = game.moves[0].action, "ply 3: action");
    values(&|game| game.deal = "8/8 1 - - 0 0".into(), "deal: ");
}

#[test]
fn faults_of_datasets_are_named() {
    let (metadata, games) = games("jieqi", "random", 4);
    let none = faults(&metadata, &[]);
    assert_eq!(none, ["expected at least one game, found none"; 2]);

    // Games of one ply have no quiet position before their end.
    let at_once: Vec<GameRecord> = games
        .iter()
        .map(|game| GameRecord { plies: 1, moves: game.moves[..1].to_vec(), ..game.clone() })
        .collect();
    let (_folder, dataset) = write(&metadata, &at_once, 10);
    let found = piece_values(&dataset, 8, &NEVER).expect_err("there are no positions").to_string();
    assert_eq!(
        found,
        "expected quiet positions (no capture in the ply before and after), found none in 4 games"
    );
    let found = piece_values(&dataset, 0, &NEVER).expect_err("none are asked for").to_string();
    assert_eq!(found, "positions per game: expected at least 1, found 0");

    let stopped = AtomicBool::new(true);
    assert!(matches!(first_reveal(&dataset, &stopped), Err(Error::Stopped)));
    assert!(matches!(piece_values(&dataset, 8, &stopped), Err(Error::Stopped)));

    // Games 0 and 1 share a deal, and so do games 2 and 3.
    let mut torn = games.clone();
    torn[3].deal_id = torn[0].deal_id;
    let torn_deal = "deal 0: expected its games to be adjacent in one shard, found some elsewhere";
    assert_eq!(faults(&metadata, &torn), [torn_deal; 2]);
    let (_folder, dataset) = write(&metadata, &games, 3);
    let found = first_reveal(&dataset, &NEVER).expect_err("it is torn").to_string();
    assert_eq!(found, torn_deal.replace("deal 0", "deal 1"));

    let agents = |agents: &[&str]| {
        let agents = agents.iter().map(ToString::to_string).collect();
        faults(&Metadata { agents, ..metadata.clone() }, &games)
    };
    let expected = "expected games of an agent against itself, found";
    assert_eq!(
        agents(&["random", "greedy"]),
        [format!("{expected} greedy against random"), format!("{expected} greedy against random")]
    );
    assert_eq!(agents(&[]), [format!("{expected} no agent"), format!("{expected} no agent")]);

    let elsewhere = Metadata { game: "chess".into(), ..metadata.clone() };
    assert!(faults(&elsewhere, &games).iter().all(|fault| fault.contains("chess")));
    let mut options = metadata.options.clone();
    options.insert("max_plies".into(), Json::from(0.5));
    let faults = faults(&Metadata { options, ..metadata }, &games);
    assert!(faults.iter().all(|fault| fault.contains("max_plies")), "{faults:?}");
}

#[test]
fn games_that_share_deals_are_one_observation() {
    let (metadata, games) = games("gaiqi", "greedy", 600);
    let (_folder, dataset) = write(&metadata, &games, 600);
    let found = first_reveal(&dataset, &NEVER).expect("it can be read");
    assert_eq!((found.deals, found.games), (300, 600));
    // Seat 0 always makes the first reveal.
    let score = |game: &GameRecord| f64::from(1.0 + game.rewards[0]) / 2.0;
    let mean = games.iter().map(score).sum::<f64>() / 600.0;
    let alone: f64 = games.iter().map(|game| (score(game) - mean).powi(2)).sum();
    let deals = games.chunks_exact(2);
    let shared: f64 =
        deals.map(|deal| deal.iter().map(|game| score(game) - mean).sum::<f64>().powi(2)).sum();
    let expected = (shared * 300.0 / 299.0) / (alone * 600.0 / 599.0);
    let effect = found.revealer.and_then(|one| one.design_effect).expect("there are two seats");
    assert!((effect - expected).abs() < 1e-9, "{effect}, not {expected}");
}
