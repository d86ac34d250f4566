//! Matches that are logged: resuming after any interruption, and faults.

use std::fs;
use std::path::Path;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::game::texts;
use darkqi_play::arena;
use darkqi_play::generation::{Job, SHARD_GAMES, finish, kept_games};

use super::arena::{error, matched, play, threads, undecided};
use super::cli::run;
use super::{StopAfter, contents, folder, folder_with, replays};

/// A match of short games.
fn short(games: u64, out: &Path) -> Job {
    Job {
        options: texts(&[("max_plies", "40")]),
        dir: Some(out.into()),
        ..matched("gaiqi", "greedy,random", games)
    }
}

fn without_out(config: &Job) -> Job {
    Job { dir: None, shard_games: SHARD_GAMES, ..config.clone() }
}

/// Stops a match after some games, and gives what it holds.
fn stop_after(config: &Job, games: u64) -> arena::Results {
    let watch = StopAfter::games(games);
    arena::play(config, &watch, &watch.stop).expect("stopping is no error")
}

#[test]
fn a_match_is_logged_as_a_dataset() {
    let (_folder, dir) = folder_with("match");
    let agents = AgentSpec::parse_list("greedy,random,greedy:epsilon=0.5").expect("they exist");
    let config = Job { agents, shard_games: 10, threads: threads(2), ..short(8, &dir) };
    let expected = play(&config);
    assert_eq!(expected, play(&without_out(&config)));
    let games = replays(&dir);
    assert_eq!(games.len() as u64, expected.played());
    // All pairs play a deal, with either seating.
    let names = ["greedy", "random", "greedy:epsilon=0.5"];
    let seated = |one: usize, other: usize| [names[one], names[other]].map(str::to_owned);
    let rounds = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
    for (game, id) in games.iter().zip(0..) {
        assert_eq!((game.game_id, game.deal_id), (id, id / 6));
        let (one, other) = rounds[id as usize % 6];
        assert_eq!(game.agents, seated(one, other));
    }
    let verified = run(&format!("verify {}", dir.display())).expect("it is sound");
    assert!(verified.contains("24 games"), "{verified}");
    run(&format!("replay {} 5", dir.display())).expect("it can be played again");
    let refused = super::cli::error(&format!("selfplay --resume --out {}", dir.display()));
    assert!(refused.contains("holds a match; expected a run of self-play"), "{refused}");
}

#[test]
fn what_a_match_lacks_is_played_by_the_arena() {
    let (_folder, dir) = folder_with("match");
    let dir = dir.display();
    let line = format!("arena banqi --games 8 --agents random,greedy --shard-games 4 --out {dir}");
    run(&format!("{line} --shards 0..1")).expect("it can be played");
    let fault = super::cli::error(&format!("finish {dir}"));
    let expected = "the same `darkqi arena` with `--shards 1..2` plays a range of them";
    assert!(fault.ends_with(expected), "{fault}");
    let verified = run(&format!("verify {dir}")).expect("it is sound");
    assert!(verified.contains("the same `darkqi arena` goes on with it"), "{verified}");
    run(&line).expect("it goes on");
    run(&format!("finish {dir}")).expect("all is there");
}

#[test]
fn a_match_stopped_anywhere_is_resumed_to_the_same_results_and_files() {
    let folder = folder();
    let whole = folder.path().join("whole");
    let config = |dir: &Path| Job { shard_games: 4, ..short(10, dir) };
    let expected = play(&config(&whole));
    for games in 1..10 {
        let dir = folder.path().join(games.to_string());
        let stopped = stop_after(&config(&dir), games);
        assert_eq!((stopped.played(), stopped.complete), (games / 2 * 2, false));
        let resumed = undecided(play(&config(&dir)));
        assert_eq!(resumed, undecided(expected.clone()), "{games}");
        assert!(contents(&dir) == contents(&whole), "{games}");
    }
}

#[test]
fn a_match_can_be_extended_and_not_shortened() {
    let (_folder, dir) = folder_with("match");
    play(&short(6, &dir));
    let again = play(&short(6, &dir));
    assert!(again.complete && again.played() == 6);
    assert!(again.agents.iter().all(|agent| agent.decisions == 0), "none were made in this run");
    let many = play(&Job { threads: threads(3), ..short(40, &dir) });
    assert_eq!(undecided(many), undecided(play(&without_out(&short(40, &dir)))));
    let text = error(&short(6, &dir));
    assert_eq!(text, "games: expected at least 40, the number of games in the dataset, got 6");
    let agents = AgentSpec::parse_list("random,greedy,random:epsilon=1").expect("agents");
    let (_folder, dir) = folder_with("pairs");
    play(&Job { agents: agents.clone(), ..short(10, &dir) });
    let text = error(&Job { agents, ..short(4, &dir) });
    let expected =
        "games: expected at least 10, the number of games per pair in the dataset, got 4";
    assert_eq!(text, expected);
}

#[test]
fn tests_are_resumed() {
    let folder = folder();
    let [dir, whole] = ["match", "whole"].map(|name| folder.path().join(name));
    let config = |dir: &Path| Job {
        sprt: Some([0.0, 100.0]),
        threads: threads(4),
        shard_games: 8,
        dir: Some(dir.to_owned()),
        ..matched("gaiqi", "greedy,random", 2000)
    };
    let expected = play(&without_out(&config(&whole)));
    assert_eq!(play(&config(&whole)), expected);
    // The log ends with the block that decides.
    assert_eq!(replays(&whole).len() as u64, expected.played());
    for games in [3, 5, 9] {
        stop_after(&config(&dir), games);
    }
    assert_eq!(undecided(play(&config(&dir))), undecided(expected.clone()));
    assert!(contents(&dir) == contents(&whole));
    // Other hypotheses are tested with the same games, if they need more.
    let stricter = Job { alpha: 0.001, ..config(&dir) };
    assert_eq!(undecided(play(&stricter)), undecided(play(&without_out(&stricter))));
    let text = error(&config(&dir));
    assert!(text.starts_with("sprt: the test is decided with game "), "{text}");
    assert!(text.contains("holds later ones"), "{text}");
}

#[test]
fn another_match_is_refused_and_nothing_changed() {
    let (_folder, dir) = folder_with("match");
    let config = short(4, &dir);
    play(&config);
    let whole = contents(&dir);
    let agents = AgentSpec::parse_list("random,greedy").expect("they exist");
    let text = error(&Job { agents, random_plies: Some(2), ..config });
    let expected = r#"agents: ["greedy","random"] there, ["random","greedy"] asked for; openings.random_plies: 0 there, 2 asked for"#;
    assert!(text.ends_with(expected), "{text}");
    assert!(contents(&dir) == whole, "{text}");
}

#[cfg(unix)]
#[test]
fn the_same_command_resumes_after_a_kill_or_a_stop() {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::Duration;

    let folder = folder();
    let [dir, whole] = ["match", "whole"].map(|name| folder.path().join(name));
    let start = |dir: &Path, games: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_darkqi"));
        command.args(["arena", "gaiqi", "--agents", "greedy,random", "--games", games]);
        command.args(["--set", "max_plies=40", "--threads", "2", "--out"]).arg(dir);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
    };
    let shards = || fs::read_dir(dir.join("games")).into_iter().flatten().count();
    for signal in ["-KILL", "-INT"] {
        let before = shards();
        let mut child = start(&dir, "1000000");
        while shards() == before {
            assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
            sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("there is a kill");
        assert!(sent.success());
        let output = child.wait_with_output().expect("it ends");
        if signal == "-INT" {
            assert_eq!(output.status.code(), Some(130));
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(message.contains("stopped by Ctrl-C"), "{message}");
            assert!(message.contains("the same command goes on with"), "{message}");
            assert!(String::from_utf8_lossy(&output.stdout).contains("greedy - random"));
        }
    }
    // More games than there are.
    let games = (kept_games(&dir).expect("they can be counted") + 10).to_string();
    assert!(start(&dir, &games).wait().expect("it ends").success());
    assert!(start(&whole, &games).wait().expect("it ends").success());
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn shards_of_several_processes_make_up_the_match() {
    let folder = folder();
    let [dir, whole] = ["match", "whole"].map(|name| folder.path().join(name));
    let agents = AgentSpec::parse_list("greedy,random,greedy:epsilon=0.5").expect("they exist");
    let config = |dir: &Path| Job { agents: agents.clone(), shard_games: 6, ..short(6, dir) };
    let expected = play(&config(&whole));
    let part = |shards| play(&Job { shards: Some(shards), ..config(&dir) });
    let (last, first) = (part(1..3), part(0..1));
    assert_eq!((first.played(), last.played(), expected.played()), (6, 12, 18));
    let found = finish(&dir, threads(1), &(), &NEVER).expect("it can be listed");
    assert!(found.complete);
    assert_eq!(undecided(play(&config(&dir))), undecided(expected.clone()));
    assert!(contents(&dir) == contents(&whole));
}

#[test]
fn shards_that_do_not_follow_from_the_settings_are_refused() {
    let folder = folder();
    let config = Job { shards: Some(0..1), ..short(6, &folder.path().join("match")) };
    let sprt = Some([0.0, 100.0]);
    let test = error(&Job { sprt, ..config.clone() });
    assert!(test.contains("sprt=0,100 depends on the shards before"), "{test}");
    let nowhere = error(&Job { dir: None, ..config.clone() });
    assert_eq!(nowhere, "shards: expected a folder beside them, got none");
    let sized = error(&Job { dir: None, shards: None, shard_games: 4, ..config });
    assert_eq!(sized, "shard_games: expected a folder beside them, got none");
}
