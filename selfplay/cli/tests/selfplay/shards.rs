//! Shards that several processes play in one folder give the files of one run.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::{fs, thread};

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_format::Dataset;
use darkqi_play::generation::{Finished, Job, Summary, finish, list, prepare, survey};

use super::cli::{error, run};
use super::cli_json::{json, json_and_result};
use super::{config, files, folder, folder_with, play, refusal, replays, stop_after, verified};

/// A run of four shards, the last of them short.
fn begun(dir: &Path) -> Job {
    Job { shard_games: 10, ..config("gaiqi", "random", 35, dir) }
}

fn play_shards(config: &Job, shards: Range<u64>) -> Summary {
    play(&Job { shards: Some(shards), ..config.clone() })
}

fn finished(dir: &Path) -> Finished {
    finish(dir, NonZeroUsize::MIN, &(), &NEVER).expect("the folder can be read")
}

fn fault(config: &Job, shards: Range<u64>) -> String {
    refusal(&Job { shards: Some(shards), ..config.clone() })
}

/// The files of the run of `begun` by one process.
fn whole() -> BTreeMap<String, Vec<u8>> {
    let folder = folder();
    play(&begun(folder.path()));
    files(folder.path())
}

#[test]
fn shards_in_any_order_give_the_files_of_one_run() {
    let folder = folder();
    let values = folder.path().join("values.toml");
    fs::write(&values, "[gaiqi]\nR = 7\n").expect("a file can be written");
    let with_file = format!("greedy:values={},random", values.display());
    let plain = begun(Path::new(""));
    let runs = [
        // Rounded up to eight games, so that deals stay together.
        Job { duplicate: true, shard_games: 7, ..config("gaiqi", &with_file, 30, Path::new("")) },
        Job {
            openings: Some(vec!["c2c3".to_owned(), "d2d3".to_owned()]),
            remove: vec!["S".to_owned()],
            random_plies: Some(3),
            ..Job { game: "flipping".to_owned(), ..plain.clone() }
        },
        plain,
    ];
    for (number, run) in runs.into_iter().enumerate() {
        let [one, many] = ["one", "many"].map(|name| folder.path().join(format!("{number}{name}")));
        let expected = play(&Job { dir: Some(one.clone()), ..run.clone() });
        let shared = Job { dir: Some(many.clone()), ..run };
        let (mut games, mut shards) = (0, 0);
        for range in [2..4, 0..1, 1..2] {
            shards += range.end - range.start;
            let summary = play_shards(&shared, range);
            assert_eq!((summary.kept_games, summary.complete), (0, true));
            games += summary.games;
            // A dataset that is marked as incomplete, without a fault.
            let dataset = Dataset::open(&many).expect("it can be opened");
            assert!(!dataset.is_complete());
            let found = verified(&many);
            assert_eq!((found.fault_count, found.complete), (0, false));
            assert_eq!(found.unlisted_files.len() as u64, 2 * shards);
        }
        assert_eq!(games, expected.games);
        let found = finished(&many);
        assert_eq!((found.games, found.plies, found.shards), (games, expected.plies, 4));
        assert!(found.complete && found.missing.is_empty() && found.damages.is_empty());
        assert!(files(&many) == files(&one), "{number}");
        // Once more, with nothing to do.
        assert_eq!(finished(&many), found);
        assert_eq!(play_shards(&shared, 0..4).kept_games, games);
        assert!(files(&many) == files(&one), "{number}");
    }
}

#[test]
fn what_is_missing_is_named_and_the_rest_can_be_read() {
    let (_folder, dir) = folder_with("games");
    play_shards(&begun(&dir), 0..1);
    play_shards(&begun(&dir), 3..4);
    // What a killed process leaves is not touched before all shards are there: others may be at work.
    let left = [".0123456789abcdef.00001.parquet.tmp", ".00002.parquet.tmp"];
    for name in left {
        fs::write(dir.join("plies").join(name), "PAR1").expect("a file can be written");
    }
    let found = finished(&dir);
    assert_eq!((found.games, found.shards, found.run_shards), (15, 2, 4));
    assert_eq!(found.missing, [Range { start: 1, end: 3 }]);
    assert!(!found.complete && left.iter().all(|name| dir.join("plies").join(name).exists()));
    let dataset = Dataset::open(&dir).expect("it can be opened");
    assert!(!dataset.is_complete());
    assert_eq!(replays(&dir).len(), 15);
    let line = format!("finish --quiet {}", dir.display());
    let text = error(&line);
    let how = format!("`darkqi selfplay --resume --out {} --shards 1..3`", dir.display());
    assert!(text.starts_with("2 of 4 shards are missing or damaged: 1..3; "), "{text}");
    assert!(text.contains(&how), "{text}");

    play_shards(&begun(&dir), 2..3);
    assert!(error(&line).starts_with("1 of 4 shards is missing or damaged: 1..2; "));
    play_shards(&begun(&dir), 1..2);
    let text = run(&line).expect("all are there");
    assert!(text.contains(": complete; 35 games with ") && text.contains(" in 4 of 4 shards"));
    assert!(files(&dir) == whole());
}

#[test]
fn a_listed_shard_that_lacks_games_is_counted_as_missing() {
    let (_folder, dir) = folder_with("games");
    let games = |games| Job { games, resume: true, ..begun(&dir) };
    play(&games(2));
    stop_after(&games(10), 3);
    let text = error(&format!("finish --quiet {}", dir.display()));
    assert!(text.starts_with("1 of 1 shard is missing or damaged: 0..1; "), "{text}");
}

#[test]
fn processes_may_play_the_same_shards_at_once() {
    let folder = folder();
    let expected = whole();
    for (number, ranges) in [[0..3, 1..4], [0..4, 0..4], [3..4, 0..4]].into_iter().enumerate() {
        let dir = folder.path().join(number.to_string());
        let config = &begun(&dir);
        thread::scope(|scope| {
            for range in ranges {
                scope.spawn(move || play_shards(config, range));
            }
        });
        assert!(finished(&dir).complete);
        assert!(files(&dir) == expected, "{number}");
    }
}

#[test]
fn another_number_of_games_is_refused() {
    let (folder, dir) = folder_with("games");
    play_shards(&begun(&dir), 0..1);
    let before = files(&dir);
    // The last shard would be another one.
    let text = fault(&Job { games: 36, ..begun(&dir) }, 1..2);
    assert!(text.ends_with("holds a run with other settings: games: 35 there, 36 asked for"));
    assert_eq!(files(&dir), before, "{text}");

    // A run that stops by its score has no fixed number of shards.
    let until = folder.path().join("until");
    play(&Job { until: Some(0.5), ..begun(&until) });
    assert!(fault(&begun(&until), 0..1).ends_with("until: 0.5 there, null asked for"));
    let text = error(&format!("finish {}", until.display()));
    assert!(text.starts_with("shards: until=0.5 depends on the shards before"), "{text}");
}

#[test]
fn shards_that_do_not_follow_from_the_settings_are_refused() {
    let (_folder, dir) = folder_with("games");
    let outside = [(0, 0), (2, 2), (3, 1), (3, 5), (4, 9), (0, u64::MAX)];
    for (start, end) in outside {
        let expected = format!(
            "shards: expected a range within 0..4, which are the shards of the run, and at least one \
             of them; got {start}..{end}"
        );
        assert_eq!(fault(&begun(&dir), Range { start, end }), expected);
    }
    let agents = |text: &str| {
        let agents = AgentSpec::parse_list(text).expect("they exist");
        fault(&Job { agents, ..begun(&dir) }, 0..1)
    };
    let end = "; expected a run whose shards follow from its settings alone";
    assert_eq!(
        agents("random,expectimax:time=5"),
        format!("shards: agent expectimax:time=5 plays by the clock{end}")
    );
    let until = fault(&Job { until: Some(0.1), ..begun(&dir) }, 0..1);
    assert_eq!(until, format!("shards: until=0.1 depends on the shards before{end}"));
    let rows = Job { observations: true, ..begun(&dir) };
    let found = fault(&rows, 0..1);
    assert!(found.starts_with("shards: observations are written once all"), "{found}");
    // In object storage all are written in that way.
    let rows = Job { dir: Some("s3://games/rows".into()), ..rows };
    assert_eq!(refusal(&rows), found);
    assert!(!dir.exists());
}

#[cfg(unix)]
#[test]
fn programs_are_refused() {
    let (_folder, dir) = folder_with("games");
    let agents = AgentSpec::parse_list("uci:cmd=true,depth=1").expect("it can be parsed");
    let flipping = Job { agents, ..config("flipping", "random", 4, &dir) };
    let refused = fault(&flipping, 0..1);
    assert!(
        refused.starts_with("shards: agent uci:") && refused.contains("a program"),
        "{refused}"
    );
    assert!(!dir.exists());
}

#[test]
fn foreign_and_damaged_shards_are_found_and_replaced() {
    let folder = folder();
    let [dir, seed, openings] = ["games", "seed", "openings"].map(|name| folder.path().join(name));
    play_shards(&begun(&dir), 0..4);
    play(&Job { seed: 7, ..begun(&seed) });
    // Its files say the same of themselves: only the games differ.
    play(&Job { random_plies: Some(2), ..begun(&openings) });
    let put = |from: &Path, shard: u32, tables: &[&str]| {
        for table in tables {
            let name = format!("{table}/{shard:05}.parquet");
            fs::copy(from.join(&name), dir.join(&name)).expect("it can be copied");
        }
    };
    put(&seed, 0, &["games", "plies"]);
    put(&openings, 1, &["games", "plies"]);
    put(&openings, 2, &["plies"]);
    fs::remove_file(dir.join("plies/00003.parquet")).expect("it is there");
    let found = finished(&dir);
    assert_eq!(
        (found.games, found.missing.as_slice()),
        (0, [Range { start: 0, end: 4 }].as_slice())
    );
    let [other_seed, other_deal, other_plies] = found.damages.as_slice() else {
        panic!("{:?}", found.damages)
    };
    assert!(other_seed.contains("games/00000.parquet") && other_seed.contains("`darkqi.seed`"));
    assert!(
        other_deal.contains("games/00001.parquet, row 0 (game 10): deal: logged "),
        "{other_deal}"
    );
    assert!(other_plies.contains("00002.parquet"), "{other_plies}");
    assert!(error(&format!("finish -q {}", dir.display())).contains("damaged: 0..4; "));

    let summary = play_shards(&begun(&dir), 0..4);
    assert_eq!((summary.kept_games, summary.games), (0, 35));
    assert_eq!(summary.damages, found.damages);
    assert!(finished(&dir).complete);
    assert!(files(&dir) == whole());

    // The same once they are listed.
    put(&seed, 3, &["games"]);
    let found = finished(&dir);
    assert_eq!(found.missing, [Range { start: 3, end: 4 }]);
    assert!(!Dataset::open(&dir).expect("it can be opened").is_complete());
    play_shards(&begun(&dir), 3..4);
    assert!(finished(&dir).complete);
    assert!(files(&dir) == whole());
}

#[test]
fn a_stopped_process_leaves_whole_shards_and_parts() {
    let (_folder, dir) = folder_with("games");
    let summary = stop_after(&Job { shards: Some(1..4), ..begun(&dir) }, 22);
    assert_eq!((summary.games, summary.complete), (22, false));
    assert_eq!(finished(&dir).missing, [0..1, 3..4]);
    let text = run(&format!("selfplay --resume --out {} --shards 0..4", dir.display()));
    let text = text.expect("the settings are those of the folder");
    assert!(text.contains("35 games of gaiqi") && text.contains("\n22 of them were in"), "{text}");
    assert!(text.contains("\nshards 0..4; once all are there, `darkqi finish "), "{text}");
    assert!(finished(&dir).complete);
    assert!(files(&dir) == whole());
}

#[test]
fn a_resumed_run_keeps_the_shards_of_other_processes() {
    let (folder, dir) = folder_with("games");
    play_shards(&begun(&dir), 1..3);
    let summary = play(&Job { resume: true, ..begun(&dir) });
    assert_eq!((summary.kept_games, summary.games, summary.complete), (20, 35, true));
    assert!(files(&dir) == whole());
    // And the other way round.
    let dir = folder.path().join("other");
    stop_after(&begun(&dir), 15);
    assert_eq!(play_shards(&begun(&dir), 0..4).kept_games, 15);
    assert!(finished(&dir).complete);
    assert!(files(&dir) == whole());
}

#[test]
fn leftovers_are_removed_once_all_shards_are_there() {
    let folder = folder();
    let values = folder.path().join("values.toml");
    fs::write(&values, "[gaiqi]\nR = 7\n").expect("a file can be written");
    let agent = format!("greedy:values={}", values.display());
    let run = |dir: &Path| Job { shard_games: 10, ..config("gaiqi", &agent, 20, dir) };
    let [one, dir] = ["one", "many"].map(|name| folder.path().join(name));
    play(&run(&one));
    play_shards(&run(&dir), 0..2);
    let writer = ".0123456789abcdef";
    for name in [
        "dataset.json",
        "README.md",
        "games/00001.parquet",
        "plies/00000.parquet",
        "agents/35bd8fe4b1b8a0e7",
    ] {
        let (folder, name) = name.rsplit_once('/').unwrap_or(("", name));
        let path = dir.join(folder).join(format!("{writer}.{name}.tmp"));
        fs::write(path, "half").expect("a file can be written");
    }
    assert!(finished(&dir).complete);
    assert!(files(&dir) == files(&one));
}

#[test]
fn one_process_lists_shards_at_a_time() {
    let (_folder, dir) = folder_with("games");
    play_shards(&begun(&dir), 0..4);
    let lock = dir.join(".dataset.lock");
    fs::write(&lock, "process 4242 on elsewhere").expect("a file can be written");
    let file = fs::File::open(&lock).expect("it can be opened");
    file.try_lock().expect("nobody has it");
    let text = error(&format!("finish {}", dir.display()));
    assert!(text.contains("is being written by process 4242 on elsewhere"), "{text}");
    // Shards need no lock.
    assert_eq!(play_shards(&begun(&dir), 0..4).kept_games, 35);
    drop(file);
    assert!(finished(&dir).complete);
    assert!(error("finish nowhere").starts_with("no dataset at nowhere"));
}

#[test]
fn files_of_shards_without_a_description_are_left_alone() {
    let (_folder, dir) = folder_with("games");
    play_shards(&begun(&dir), 0..1);
    fs::remove_file(dir.join("dataset.json")).expect("it is there");
    let before = files(&dir);
    assert!(fault(&begun(&dir), 0..1).contains("already holds a dataset (plies/00000.parquet)"));
    assert_eq!(files(&dir), before);
}

#[test]
fn the_command_line_names_faulty_ranges() {
    let (_folder, dir) = folder_with("games");
    let line = |shards: &str| {
        format!("selfplay gaiqi -n 30 -a random --shard-games 10 -o {} {shards}", dir.display())
    };
    for text in ["3", "1..", "..4", "a..b", "0..=2", "1...3"] {
        let error = error(&line(&format!("--shards {text}")));
        let expected = "expected A..B, such as 0..10 for the first ten shards";
        assert!(error.contains(expected) && error.contains(text), "{error}");
    }
    assert!(error(&line("--shards 2..4")).contains("within 0..3, which are the shards of the run"));
    assert!(!dir.exists());
    let summary = json(&line("--shards 1..2 --json"));
    assert_eq!((&summary["shards"], &summary["games"]), (&vec![1, 2].into(), &10.into()));
    let text = run(&format!("verify {}", dir.display())).expect("there is no fault");
    for part in ["not complete", "games/00001.parquet is not listed yet", "`darkqi finish` lists"] {
        assert!(text.contains(part), "{text}");
    }
    let (found, result) = json_and_result(&format!("finish --json {}", dir.display()));
    assert!(result.is_err(), "shards are missing");
    assert_eq!(found["missing"], serde_json::json!([[0, 1], [2, 3]]));
    assert_eq!((&found["complete"], &found["games"]), (&false.into(), &10.into()));
}

#[test]
fn several_processes_share_the_work_of_the_finisher() {
    let folder = folder();
    let (alone, dir) = (folder.path().join("alone"), folder.path().join("games"));
    play(&begun(&alone));
    assert_eq!(prepare(&begun(&dir)).expect("it is a run of four shards"), 4);
    assert_eq!(prepare(&begun(&dir)).expect("it is the same run"), 4);
    let survey = |shards| survey(&dir, shards, NonZeroUsize::MIN, &(), &NEVER);
    assert_eq!(survey(0..4).expect("the folder can be read").sound(), 0);
    play_shards(&begun(&dir), 0..1);
    play_shards(&begun(&dir), 2..4);
    let found = [0..1, 1..3, 3..4].map(|shards| survey(shards).expect("the folder can be read"));
    assert_eq!(found.each_ref().map(|found| found.sound()), [1, 1, 1]);
    let finished = list(&dir, found.to_vec()).expect("they can be listed");
    assert_eq!((finished.complete, finished.shards), (false, 3));
    assert_eq!(finished.missing, std::slice::from_ref(&(1..2)));
    play_shards(&begun(&dir), 1..2);
    let found = [0..3, 3..4].map(|shards| survey(shards).expect("the folder can be read"));
    // They would be listed in the wrong order.
    let [first, last] = found.clone();
    let error = list(&dir, vec![last, first]).expect_err("they do not ascend").to_string();
    assert!(error.contains("dataset.json"), "{error}");
    assert!(list(&dir, found.to_vec()).expect("they can be listed").complete);
    assert_eq!(files(&dir), files(&alone));
    let beyond = survey(3..5).expect_err("there are four").to_string();
    assert!(beyond.starts_with("shards: expected a range within 0..4"), "{beyond}");
    let clock = AgentSpec::parse_list("expectimax:time=5").expect("they exist");
    let elsewhere = folder.path().join("clock");
    let refused = prepare(&Job { agents: clock, ..begun(&elsewhere) }).expect_err("it is refused");
    assert!(refused.to_string().starts_with("shards: agent expectimax:time=5 plays by"));
    assert!(!elsewhere.exists());
}
