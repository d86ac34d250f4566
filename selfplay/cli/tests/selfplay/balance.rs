//! `until`, and piece values by self-play.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use darkqi_analysis::settled_scores;
use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::evaluation::PieceValues;
use darkqi_env::games::gaiqi::Gaiqi;
use darkqi_env::rng::game_seed;
use darkqi_format::Dataset;
use darkqi_play::balance::{Balance, Error, Round, balance};
use darkqi_play::generation::{Job, selfplay};

use super::{config, folder, folder_with, refusal};

#[test]
fn play_ends_with_the_shard_that_settles_the_score() {
    let (folder, dir) = folder_with("games");
    let base = config("gaiqi", "random", 50_000, &dir);
    let config = Job { shard_games: 400, until: Some(0.05), ..base };
    let summary = selfplay(&config, &(), &NEVER).expect("it can be played");
    let settled = summary.settled.expect("a score was to be settled");
    assert!(summary.complete && settled.is_reached);
    assert_eq!((summary.games, summary.games % 400), (settled.deals, 0));
    // About 2 ln(40) / 4 / 0.05^2 of them.
    assert!((600..3000).contains(&summary.games), "{}", summary.games);
    assert!(settled.score.high - settled.score.low <= 0.1);
    let dataset = Dataset::open(&dir).expect("it is a dataset");
    assert!(dataset.is_complete());
    let scores = settled_scores(&dataset, 0.05, &NEVER).expect("it can be read");
    assert_eq!(scores.score, settled);
    // One shard earlier the half-width was not reached.
    let dir = folder.path().join("fewer");
    let fewer = Job { games: summary.games - 400, dir: Some(dir), ..config };
    let fewer = selfplay(&fewer, &(), &NEVER).expect("it can be played").settled;
    assert!(!fewer.expect("a score was to be settled").is_reached);
}

#[test]
fn the_luck_adjusted_score_settles_with_fewer_games() {
    let folder = folder();
    let play = |name: &str, luck_adjusted| {
        let dir = folder.path().join(name);
        let config = Job {
            shard_games: 100,
            until: Some(0.03),
            luck_adjusted,
            ..config("gaiqi", "greedy", 50_000, &dir)
        };
        let settled = selfplay(&config, &(), &NEVER).expect("it can be played").settled;
        let settled = settled.expect("a score was to be settled");
        assert!(settled.is_reached && settled.is_luck_adjusted == luck_adjusted);
        let dataset = Dataset::open(&dir).expect("it is a dataset");
        assert_eq!(dataset.run().map(|run| run.luck_adjusted), Some(luck_adjusted));
        let scores = settled_scores(&dataset, 0.03, &NEVER).expect("it can be read");
        let adjusted = scores.adjusted.expect("pieces are covered");
        assert_eq!(if luck_adjusted { adjusted } else { scores.score }, settled);
        settled.deals
    };
    let (adjusted, plain) = (play("adjusted", true), play("plain", false));
    assert!(10 * adjusted < 8 * plain, "{adjusted} of {plain}");
}

#[test]
fn a_faulty_half_width_is_refused_before_anything_is_written() {
    let (_folder, dir) = folder_with("games");
    let fault = |agents: &str, until| {
        refusal(&Job { until: Some(until), ..config("gaiqi", agents, 10, &dir) })
    };
    assert_eq!(
        fault("random,greedy", 0.1),
        "until: expected an agent against itself, found greedy against random"
    );
    assert_eq!(
        fault("random", 0.6),
        "half-width: expected a number above 0 and at most 0.5, found 0.6"
    );
    assert!(!dir.exists());
}

/// Rounds of the greedy agent.
fn rounds_of(game: &str, games: u64, dir: &Path) -> Balance {
    let mut config = Balance::new(game, "greedy".parse().expect("it exists"), dir);
    config.job.games = games;
    config
}

#[test]
fn values_are_fitted_until_they_converge() {
    let (_folder, dir) = folder_with("balance");
    let config = Balance { margin: 1.0, test_games: 1000, ..rounds_of("gaiqi", 8000, &dir) };
    let mut seen = 0;
    let balanced = balance(&config, &(), &NEVER, &mut |_| seen += 1).expect("it can be balanced");
    assert!(balanced.has_converged && (1..=8).contains(&seen));
    assert_eq!(balanced.rounds.len(), seen);
    let values = PieceValues::read(&dir.join("values.toml")).expect("agents can read it");
    let (found, built_in) = (values.of::<Gaiqi>(), PieceValues::built_in().of::<Gaiqi>());
    // Both sides always have their general, as losing it ends the game. The soldier is the unit.
    assert_eq!((found[0], found[6]), (built_in[0], built_in[6]));
    assert!(found[4] > found[6], "a chariot is worth more than a soldier: {found:?}");
    let last = balanced.rounds.last().expect("there is a round");
    assert_eq!(fs::read(&last.file).ok(), fs::read(dir.join("values.toml")).ok());
    assert!(balanced.test.sprt.is_some());

    // Each value of the last round is within the margin of the one that was played, with its interval;
    // of no round before all were.
    let mean = |round: &Round| {
        let sum: f64 = round.values.iter().map(|value| value.played_by).sum();
        sum / round.values.len() as f64
    };
    let is_near = |round: &Round| {
        round.values.iter().all(|value| {
            let reach = value.played_by.max(mean(round));
            let near = |end: f64| (end.max(0.0) - value.played_by).abs() <= reach;
            near(value.fitted.low) && near(value.fitted.high)
        })
    };
    assert!(is_near(last) && !balanced.rounds[..seen - 1].iter().any(is_near));

    // No deal is played twice, neither in another round nor in the test.
    let seeds = |run: u64, games: u64| (0..games).map(move |game| game_seed(run, game));
    let round = |number: usize| {
        let dataset = Dataset::open(dir.join(format!("round-{number:02}"))).expect("it is there");
        dataset.metadata().seed
    };
    let rounds = (1..=seen).flat_map(|number| seeds(round(number), config.job.games));
    let mut deals: HashSet<u64> = rounds.collect();
    assert_eq!(deals.len() as u64, seen as u64 * config.job.games);
    assert!(seeds(balanced.test.seed, config.test_games).all(|deal| deals.insert(deal)));

    let again = balance(&config, &(), &NEVER, &mut |_| ()).expect_err("the folder is there");
    assert!(matches!(again, Error::Config { field: "out", .. }), "{again}");
}

/// Few games have wide intervals, which do not show that values stay.
#[test]
fn values_of_few_games_do_not_converge() {
    let (_folder, dir) = folder_with("balance");
    let config = Balance { rounds: 2, test_games: 2, ..rounds_of("flipping", 500, &dir) };
    let balanced = balance(&config, &(), &NEVER, &mut |_| ()).expect("it can be balanced");
    assert!(!balanced.has_converged && balanced.rounds.len() == 2);
}

#[test]
fn a_round_that_determines_nothing_keeps_the_values_before_it() {
    let (_folder, dir) = folder_with("balance");
    let mut config = Balance { rounds: 3, test_games: 2, ..rounds_of("flipping", 100, &dir) };
    config.job.seed = 2;
    let balanced = balance(&config, &(), &NEVER, &mut |_| ()).expect("the first round determines");
    assert!(balanced.undetermined.is_some(), "choose another seed: {}", balanced.rounds.len());
    assert!(!balanced.has_converged && balanced.rounds.len() == 1);
    assert!(dir.join("round-02").exists() && !dir.join("values-02.toml").exists());
    let [last, kept] = [&balanced.rounds[0].file, &dir.join("values.toml")].map(fs::read);
    assert_eq!(last.expect("it is there"), kept.expect("it is there"));
}

#[test]
fn too_few_games_determine_no_values() {
    let (_folder, dir) = folder_with("balance");
    let config = Balance { test_games: 2, ..rounds_of("gaiqi", 30, &dir) };
    let found = balance(&config, &(), &NEVER, &mut |_| ()).expect_err("the games are too few");
    assert!(matches!(found, Error::Undetermined { .. }), "{found}");
    assert!(found.to_string().ends_with("expected more games per round, wrote no values.toml"));
    assert!(!dir.join("values.toml").exists());
}

#[test]
fn faulty_settings_are_named() {
    let (_folder, dir) = folder_with("balance");
    let fault = |change: &dyn Fn(&mut Balance)| {
        let mut config = rounds_of("gaiqi", 10, &dir);
        change(&mut config);
        balance(&config, &(), &NEVER, &mut |_| ()).expect_err("it is faulty").to_string()
    };
    assert_eq!(fault(&|config| config.rounds = 0), "rounds: expected at least 1, found 0");
    assert_eq!(
        fault(&|config| config.margin = f64::NAN),
        "margin: expected a number above 0 and at most 1, found NaN"
    );
    assert_eq!(
        fault(&|config| config.margin = 5.0),
        "margin: expected a number above 0 and at most 1, found 5"
    );
    assert_eq!(fault(&|config| config.job.games = 0), "games: expected at least 1, got 0");
    assert!(fault(&|config| config.sprt = [0.0, -20.0]).starts_with("sprt: expected two"));
    assert!(fault(&|config| config.job.game = "chess".into()).starts_with("unknown game `chess`"));
    let missing = |config: &mut Balance| {
        config.job.agents = AgentSpec::parse_list("greedy:values=none.toml").expect("it exists");
    };
    assert!(fault(&missing).contains("none.toml"));
    let random = |config: &mut Balance| {
        config.job.agents = AgentSpec::parse_list("random").expect("it exists");
    };
    assert!(fault(&random).starts_with("agent random has no option `values`"));
    assert!(!dir.exists());
}
