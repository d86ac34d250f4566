//! The logged values and policies of agents.

use darkqi_env::{Action, Options, game::texts, games};
use darkqi_format::training::{Sampler, SamplerConfig, TrainingBatch};
use darkqi_format::{Dataset, GameRecord, PlyRecord, PolicyEntry};
use darkqi_play::generation::Job;
use tempfile::TempDir;

use super::{config, folder, folder_with, play, replays, write_dataset};

/// Games of an agent against itself.
fn logged(game: &str, agent: &str) -> Vec<GameRecord> {
    let (_folder, dir) = folder_with("games");
    let options = texts(&[("max_plies", "40")]);
    play(&Job { options, ..config(game, agent, 3, &dir) });
    replays(&dir)
}

/// The plies with more than one legal action. Searches do not search the others.
fn choices(record: &GameRecord) -> impl Iterator<Item = &PlyRecord> {
    record.moves.iter().filter(|ply| ply.legal_count > 1)
}

#[test]
fn searches_log_a_value_for_each_seat() {
    for game in games::names() {
        for agent in ["expectimax:depth=1", "ismcts:sims=20"] {
            for record in logged(game, agent) {
                for ply in choices(&record) {
                    let value = ply.value.as_ref().expect("a search has a value");
                    assert_eq!(value.len(), record.rewards.len(), "{game}, {agent}");
                    assert!(value.iter().all(|seat| seat.abs() <= 1.0), "{value:?}");
                    let sum: f32 = value.iter().sum();
                    assert!(sum.abs() < 1e-5, "{game}, {agent}: {value:?}");
                }
            }
        }
    }
}

#[test]
fn tree_searches_log_the_shares_of_visits() {
    for game in games::names() {
        for record in logged(game, "ismcts:sims=20") {
            let mut state =
                darkqi_env::from_fen(game, &Options::new(), &record.deal).expect("a FEN");
            for ply in &record.moves {
                if ply.legal_count > 1 {
                    let policy = ply.policy.as_ref().expect("a tree search has a policy");
                    assert!(policy.is_sorted_by(|one, next| one.action < next.action));
                    let legal = state.legal_actions();
                    assert!(policy.iter().all(|one| legal.contains(&Action(one.action))));
                    let sum: f32 = policy.iter().map(|one| one.probability).sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{game}: {policy:?}");
                    let most = policy.iter().map(|one| one.probability).fold(0.0, f32::max);
                    let chosen = policy.iter().find(|one| one.action == ply.action);
                    assert_eq!(chosen.map(|one| one.probability), Some(most), "{game}");
                }
                state.apply(Action(ply.action)).expect("it is legal");
            }
        }
    }
}

#[test]
fn other_agents_log_none() {
    for agent in ["random", "greedy", "ismcts:sims=20,epsilon=1"] {
        for ply in logged("jieqi", agent).iter().flat_map(|game| &game.moves) {
            assert_eq!((&ply.value, &ply.policy), (&None, &None), "{agent}");
        }
    }
}

/// A dataset of a search against an agent without values, and its games.
fn mixed() -> (TempDir, Vec<GameRecord>) {
    let (folder, dir) = folder_with("games");
    play(&config("gaiqi", "ismcts:sims=10,greedy", 20, &dir));
    (folder, replays(&dir))
}

#[test]
fn training_rows_have_the_logged_targets() {
    let (folder, games) = mixed();
    let dataset = Dataset::open(folder.path().join("games")).expect("it can be opened");
    let config = SamplerConfig { targets: true, seed: 4, ..SamplerConfig::default() };
    let mut sampler = Sampler::open(&dataset, &config).expect("it can be opened");
    let mut batch = TrainingBatch::new(&sampler, 64);
    let (mut rows, mut with_value) = (0, 0);
    while batch.fill(&mut sampler).expect("it is sound") > 0 {
        for row in 0..batch.len() {
            let game = &games[batch.game_id()[row] as usize];
            let ply = &game.moves[usize::from(batch.ply()[row])];
            match &ply.value {
                Some(expected) => assert_eq!(batch.value(row), &**expected),
                None => assert!(batch.value(row).iter().all(|seat| seat.is_nan())),
            }
            let mut expected = vec![0.0; sampler.lengths().mask];
            for entry in ply.policy.iter().flatten() {
                expected[usize::from(entry.action)] = entry.probability;
            }
            assert_eq!(batch.policy(row), &*expected);
            with_value += usize::from(ply.value.is_some());
            rows += 1;
        }
    }
    assert_eq!(rows, dataset.num_plies());
    assert!(with_value > 50, "{with_value}");
}

#[test]
fn targets_that_contradict_the_rules_are_named() {
    let (mixed, games) = mixed();
    let sound = Dataset::open(mixed.path().join("games")).expect("it can be opened");
    let fault = |change: &dyn Fn(&mut PlyRecord)| {
        let mut games = games.clone();
        change(&mut games[2].moves[3]);
        let folder = folder();
        write_dataset(folder.path(), sound.metadata(), None, &games, games.len());
        let dataset = Dataset::open(folder.path()).expect("it can be opened");
        let config = SamplerConfig { targets: true, ..SamplerConfig::default() };
        let mut sampler = Sampler::open(&dataset, &config).expect("it can be opened");
        let mut batch = TrainingBatch::new(&sampler, 4096);
        batch.fill(&mut sampler).expect_err("it is faulty").to_string()
    };
    let found = fault(&|ply| ply.value = Some([0.5].into()));
    assert!(found.contains("column `value`, row "), "{found}");
    assert!(found.contains("a number from -1 to 1 for each of 2 seats (game 2, ply 3)"), "{found}");
    let found = fault(&|ply| ply.value = Some([7.0, -7.0].into()));
    assert!(found.contains("a number from -1 to 1 for each of 2 seats (game 2, ply 3)"), "{found}");
    let entry = PolicyEntry { action: 60_000, probability: 1.0 };
    let found = fault(&|ply| ply.policy = Some([entry].into()));
    assert!(found.contains("column `policy`, row "), "{found}");
    assert!(found.contains("legal actions (game 2, ply 3), found action 60000"), "{found}");
}
