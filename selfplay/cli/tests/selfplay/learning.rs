//! Positions that value nets are fitted to, and nets as an option of agents.

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_format::{Dataset, PlyRecord};
use darkqi_play::Error;
use darkqi_play::generation::Job;
use darkqi_play::learning::{Positions, Sampling, value_positions};

use super::{config, folder, folder_with, play, refusal, replays};

const ALL: Sampling = Sampling { share: 1.0, seed: 0, adjudicate: false };

fn positions(
    game: &str,
    agent: &str,
    games: u64,
    sampling: Sampling,
) -> (Vec<darkqi_format::GameRecord>, Result<Positions, Error>) {
    let (_folder, dir) = folder_with("games");
    play(&Job { shard_games: 3, ..config(game, agent, games, &dir) });
    let dataset = Dataset::open(&dir).expect("a dataset");
    (replays(&dir), value_positions(&dataset, sampling, &NEVER))
}

#[test]
fn positions_are_those_with_values_and_without_captures() {
    for game in ["banqi", "flipping", "jieqi"] {
        let (records, found) = positions(game, "expectimax:depth=1,epsilon=0.3", 8, ALL);
        let found = found.expect("positions");
        let most = records
            .iter()
            .flat_map(|record| &record.moves)
            .filter(|ply| ply.value.is_some() && ply.captured.is_none() && !ply.captured_covered);
        let most = 2 * most.count();
        let count = found.values.len();
        assert!(count > most / 2 && count <= most, "{game}: {count} of {most}");
        for numbers in [&found.logits, &found.fading, &found.results] {
            assert_eq!(numbers.len(), count);
        }
        assert_eq!(found.starts.len(), count);
        assert!(found.starts.is_sorted());
        let inputs = found.input_count as u32;
        assert!(found.inputs.iter().all(|&input| input < inputs));
        assert!(found.reflections.iter().all(|one| one.len() == found.input_count));
        // Both seats see each position: what one expects the other fears.
        for pair in found.values.chunks(2).chain(found.results.chunks(2)) {
            assert_eq!(pair[0], -pair[1]);
        }
        assert!(found.results.contains(&1.0), "{game}");
    }
}

#[test]
fn a_share_of_positions_is_taken_by_the_seed() {
    let take = |share, seed| {
        let sampling = Sampling { share, seed, ..ALL };
        positions("flipping", "expectimax:depth=1", 12, sampling).1.expect("positions")
    };
    let all = take(1.0, 0).values.len() as f64;
    let some = take(0.25, 0);
    assert!((some.values.len() as f64 / all - 0.25).abs() < 0.1);
    assert_eq!(some, take(0.25, 0));
    assert_ne!(some, take(0.25, 1));
    assert!(take(0.0, 0).values.is_empty());
}

#[test]
fn drawn_games_count_as_their_last_position_on_request() {
    let results = |adjudicate| {
        let sampling = Sampling { adjudicate, ..ALL };
        positions("banqi", "expectimax:depth=1", 6, sampling).1.expect("positions").results
    };
    let (plain, adjudicated) = (results(false), results(true));
    assert!(plain.contains(&0.0), "no game is drawn");
    for (plain, adjudicated) in plain.into_iter().zip(adjudicated) {
        assert!(adjudicated.abs() <= 1.0);
        assert!(plain == 0.0 || plain == adjudicated);
    }
}

#[test]
fn a_share_is_a_probability() {
    for share in [-0.5, 1.5, f64::NAN] {
        let (_, found) = positions("flipping", "random", 1, Sampling { share, ..ALL });
        let error = found.expect_err("it is no probability").to_string();
        assert_eq!(error, format!("share: expected a number from 0 to 1, found {share}"));
    }
}

#[test]
fn each_of_seven_seats_goes_by_its_own_values() {
    let (records, found) = positions("seven_kingdoms", "expectimax:depth=1", 2, ALL);
    let found = found.expect("positions");
    let plies = || records.iter().flat_map(|record| &record.moves);
    assert_eq!(found.teams, 7);
    assert!(found.values.len() <= plies().count() && found.values.len() > plies().count() / 2);
    let own = |ply: &PlyRecord| Some(ply.value.as_ref()?[usize::from(ply.player.unsigned_abs())]);
    let own: Vec<f32> = plies().filter_map(own).collect();
    for (value, result) in found.values.iter().zip(&found.results) {
        assert!([1.0, -1.0 / 6.0].contains(result), "{result}");
        assert!(own.contains(value) || value == result, "{value}");
    }
    assert!(found.results.contains(&1.0));
}

#[test]
fn a_net_is_built_in_or_a_file_or_none() {
    let folder = folder();
    let moves = |agent: &str, name: &str| {
        let dir = folder.path().join(name);
        play(&config("flipping", agent, 4, &dir));
        replays(&dir).into_iter().map(|game| game.moves).collect::<Vec<_>>()
    };
    let built_in = moves("expectimax:depth=2", "a");
    assert_eq!(built_in, moves("expectimax:depth=2,net=built-in", "b"));
    assert_ne!(built_in, moves("expectimax:depth=2,net=none", "c"));
    let bad = folder.path().join("bad");
    std::fs::write(&bad, "no net").expect("the file can be written");
    let agent = format!("expectimax:net={}", bad.display());
    let error = refusal(&config("flipping", &agent, 1, &folder.path().join("d")));
    assert!(error.contains("value net") && error.contains("bad: expected safetensors"), "{error}");
    assert!("greedy:net=none".parse::<AgentSpec>().is_err());
}

#[test]
fn a_run_remembers_the_built_in_net_that_it_is_played_with() {
    let folder = folder();
    let files = |agent: &str, name: &str| {
        let dir = folder.path().join(name);
        play(&config("flipping", agent, 1, &dir));
        let dataset = Dataset::open(&dir).expect("a dataset");
        dataset.run().expect("the run's settings").agent_files.clone()
    };
    assert!(files("expectimax:depth=1", "a").contains_key("built-in net"));
    assert!(!files("expectimax:depth=1,net=none", "b").contains_key("built-in net"));
    assert!(!files("greedy", "c").contains_key("built-in net"));
    let values = folder.path().join("values.toml");
    std::fs::write(&values, "[flipping]\nR = 7\n").expect("the file can be written");
    let agent = format!("expectimax:depth=1,values={}", values.display());
    assert!(!files(&agent, "d").contains_key("built-in net"));
}
