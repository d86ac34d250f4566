//! Resumed runs give the same files as runs that were never interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use darkqi_engine::agents::AgentSpec;
use darkqi_env::game::texts;
use darkqi_format::Dataset;
use darkqi_play::generation::Job;
use serde_json::Value as Json;

use super::cli::{error, run};
use super::{config, contents, folder, folder_with, play, refusal, replays, stop_after, verified};

type Files = BTreeMap<String, Vec<u8>>;

/// Games of a run of four shards, the last of them short.
const GAMES: u64 = 35;

/// A run of four shards that resumes the run in the folder.
fn resumed(dir: &Path) -> Job {
    Job { shard_games: 10, resume: true, ..config("gaiqi", "random", GAMES, dir) }
}

/// The files of this run without an interruption.
fn whole() -> Files {
    let (_folder, dir) = folder_with("whole");
    play(&Job { resume: false, ..resumed(&dir) });
    contents(&dir)
}

fn plant(dir: &Path, files: &Files) {
    fs::create_dir_all(dir).expect("a folder can be made");
    for (name, bytes) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, bytes).expect("a file can be written");
    }
}

/// The name of a table's file while it is written.
fn temporary_name(file: &str) -> String {
    let (folder, name) = file.split_once('/').expect("it is in a table's folder");
    format!("{folder}/.{name}.tmp")
}

/// `dataset.json` when it listed the first shards only.
fn manifest(whole: &Files, shards: usize) -> Vec<u8> {
    let text = String::from_utf8(whole["dataset.json"].clone()).expect("it is text");
    let mut manifest: Json = serde_json::from_str(&text).expect("it is JSON");
    manifest["shards"].as_array_mut().expect("it is a list").truncate(shards);
    manifest["complete"] = false.into();
    // Readers do not depend on the order of fields.
    manifest.to_string().into_bytes()
}

/// Every state of the folder between two system calls that a writer of `whole` makes, by name.
fn states(whole: &Files) -> Vec<(String, Files)> {
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let lock =
        (".dataset.lock".to_owned(), b"process 1 on a machine that was switched off".to_vec());
    let mut empty = Files::from([lock]);
    let mut states =
        vec![("no file".to_owned(), Files::new()), ("locked".to_owned(), empty.clone())];
    let card = "README.md".to_owned();
    let written = [(".README.md.tmp".to_owned(), half(&whole[&card]))];
    states.push(("half of the card".into(), empty.clone().into_iter().chain(written).collect()));
    empty.insert(card.clone(), whole[&card].clone());
    // All files but the card and `dataset.json` come in pairs.
    let shards = (whole.len() - 2) / 2;
    for done in 0..=shards {
        let is_first = done == 0;
        let mut state = empty.clone();
        for shard in 0..done {
            for table in ["games", "plies"] {
                let name = format!("{table}/{shard:05}.parquet");
                state.insert(name.clone(), whole[&name].clone());
            }
        }
        let next = manifest(whole, done);
        let temporary = ".dataset.json.tmp".to_owned();
        // The files of the last shard exist, but `dataset.json` does not list them yet.
        if done > 0 {
            state.insert("dataset.json".to_owned(), manifest(whole, done - 1));
        }
        let mut add = |name: &str, state: &Files| {
            states.push((format!("{name}, {done} shards"), state.clone()))
        };
        if !is_first {
            add("published but not listed", &state);
        }
        for (name, bytes) in
            [("nothing of", Vec::new()), ("half of", half(&next)), ("all of", next.clone())]
        {
            let written = [(temporary.clone(), bytes)];
            add(
                &format!("{name} dataset.json"),
                &state.clone().into_iter().chain(written).collect(),
            );
        }
        state.insert("dataset.json".to_owned(), next);
        add("listed", &state);
        if done == shards {
            let written = [(temporary, half(&whole["dataset.json"]))];
            add(
                "half of the last dataset.json",
                &state.clone().into_iter().chain(written).collect(),
            );
            continue;
        }
        let [games, plies] = ["games", "plies"].map(|table| format!("{table}/{done:05}.parquet"));
        for file in [&games, &plies] {
            let temporary = temporary_name(file);
            state.insert(temporary.clone(), Vec::new());
            add(&format!("nothing of {file}"), &state);
            state.insert(temporary.clone(), half(&whole[file]));
            add(&format!("half of {file}"), &state);
            state.insert(temporary, whole[file].clone());
            add(&format!("all of {file}"), &state);
        }
        state.remove(&temporary_name(&plies));
        state.insert(plies.clone(), whole[&plies].clone());
        add("plies published", &state);
    }
    states.push(("complete".to_owned(), whole.clone()));
    states
}

#[test]
fn every_state_that_a_kill_can_leave_is_readable_and_can_be_resumed() {
    let whole = whole();
    let folder = folder();
    let states = states(&whole);
    assert_eq!(whole.len(), 2 + 2 * 4);
    assert!(states.len() > 50, "{}", states.len());
    for (number, (name, state)) in states.iter().enumerate() {
        let dir = folder.path().join(number.to_string());
        plant(&dir, state);
        let listed = match Dataset::open(&dir) {
            Ok(dataset) => dataset.num_games(),
            Err(error) => {
                assert!(!state.contains_key("dataset.json"), "{name}: {error}");
                0
            }
        };
        if listed > 0 {
            assert_eq!(replays(&dir).len() as u64, listed, "{name}");
        }
        // A shard whose files have their names is kept, listed or not.
        let mut kept = listed;
        if state.contains_key("dataset.json") {
            let shards = state.keys().filter(|file| file.starts_with("games/0")).count();
            kept = GAMES.min(10 * shards as u64);
        }
        let summary = play(&resumed(&dir));
        assert!(contents(&dir) == whole, "{name}");
        assert_eq!(summary.kept_games, kept, "{name}");
        assert_eq!((summary.games, summary.complete), (GAMES, true), "{name}");
        assert_eq!(summary.damages, [""; 0], "{name}");
    }
}

#[test]
fn a_stopped_run_is_resumed_with_the_settings_of_its_folder() {
    let folder = folder();
    let [dir, other] = ["stopped", "whole"].map(|name| folder.path().join(name));
    let agents = AgentSpec::parse_list("greedy,random").expect("they exist");
    let options = texts(&[("quiet_limit", "40")]);
    let run_of = |dir: &Path| Job {
        agents: agents.clone(),
        options: options.clone(),
        seed: u64::MAX - 1,
        duplicate: true,
        shard_games: 7,
        ..config("gaiqi", "random", 60, dir)
    };
    let expected = play(&run_of(&other));
    stop_after(&run_of(&dir), 25);
    let kept = Dataset::open(&dir).expect("it can be read").num_games();
    assert_eq!(kept, 24);

    let text = run(&format!("selfplay --resume --out {} --threads 2", dir.display()));
    let text = text.expect("it is resumed");
    assert!(
        text.contains("60 games of gaiqi")
            && text.contains("25 of them were in the dataset already")
    );
    assert_eq!(contents(&dir), contents(&other));

    // Once more with no games left: the summary covers all games.
    let dataset = Dataset::open(&dir).expect("it can be read");
    let again = play(&Job::of_selfplay(&dataset).expect("it says how to go on"));
    assert_eq!(again.kept_games, 60);
    assert_eq!((again.agents, again.seats), (expected.agents, expected.seats));
    assert_eq!((again.lengths, again.reasons), (expected.lengths, expected.reasons));
    assert_eq!((again.plies, again.bytes), (expected.plies, expected.bytes));
    assert_eq!(contents(&dir), contents(&other));
}

#[test]
fn a_run_can_be_extended_but_not_shortened() {
    let folder = folder();
    let expected = whole();
    for (number, first) in [3, 10, 20, 25, 31, GAMES].into_iter().enumerate() {
        let dir = folder.path().join(number.to_string());
        play(&Job { games: first, ..resumed(&dir) });
        let summary = play(&resumed(&dir));
        assert!(contents(&dir) == expected, "{first} games first");
        assert_eq!((summary.kept_games, summary.games), (first, GAMES));
    }
    // Fewer games than a shard holds.
    let dir = folder.path().join("short");
    let big = |games| Job { games, shard_games: 1000, ..resumed(&dir) };
    play(&big(5));
    play(&big(12));
    let other = folder.path().join("at once");
    play(&Job { dir: Some(other.clone()), ..big(12) });
    assert_eq!(contents(&dir), contents(&other));
    // Fewer games than the dataset holds.
    let before = contents(&dir);
    let expected = "games: expected at least 12, the number of games in the dataset, got 11";
    assert_eq!(refusal(&big(11)), expected);
    assert_eq!(contents(&dir), before);
}

#[test]
fn a_kill_while_a_short_shard_is_replaced_loses_no_other_games() {
    let folder = folder();
    let first = folder.path().join("first");
    play(&Job { games: 25, ..resumed(&first) });
    let (short, whole) = (contents(&first), whole());
    // The writer removes the short shard from the list, replaces its files, and lists it again.
    let unlisted = Files::from([("dataset.json".to_owned(), manifest(&whole, 2))]);
    let plies = "plies/00002.parquet".to_owned();
    let games = "games/00002.parquet".to_owned();
    let replaced = |names: &[&String]| -> Files {
        let new = names.iter().map(|&name| (name.clone(), whole[name].clone()));
        short.clone().into_iter().chain(unlisted.clone()).chain(new).collect()
    };
    let temporary = |name: &String| (temporary_name(name), whole[name].clone());
    let written: Files =
        short.clone().into_iter().chain([temporary(&plies), temporary(&games)]).collect();
    let states = [written, replaced(&[]), replaced(&[&plies]), replaced(&[&plies, &games])];
    for (number, state) in states.iter().enumerate() {
        let dir = folder.path().join(number.to_string());
        plant(&dir, state);
        let listed = Dataset::open(&dir).expect("it can be opened").num_games();
        assert_eq!(listed, if number == 0 { 25 } else { 20 });
        assert_eq!(replays(&dir).len() as u64, listed);
        play(&resumed(&dir));
        assert!(contents(&dir) == whole, "state {number}");
    }
}

#[test]
fn runs_until_a_score_is_settled_stop_at_the_same_game() {
    // Of the luck-adjusted score, coefficients are fitted by then.
    for (agent, luck_adjusted, half_width) in [("random", false, 0.1), ("greedy", true, 0.08)] {
        let folder = folder();
        let until = |name: &str, half_width| Job {
            until: Some(half_width),
            luck_adjusted,
            shard_games: 50,
            resume: true,
            ..config("gaiqi", agent, 20_000, &folder.path().join(name))
        };
        let files = |name: &str| contents(&folder.path().join(name));
        let expected = play(&until("one", half_width));
        assert!(expected.games < 20_000 && expected.games > 150, "{}", expected.games);
        for stop in [50, 75] {
            assert!(!stop_after(&until("other", half_width), stop).complete);
        }
        let summary = play(&until("other", half_width));
        assert_eq!(files("one"), files("other"));
        assert_eq!((summary.settled, summary.games), (expected.settled, expected.games));
        // The half-width is reached, so no more games are played. A narrower one needs more games.
        assert_eq!(play(&until("other", half_width)).kept_games, summary.games);
        let narrower = play(&until("other", half_width / 2.0));
        assert!(narrower.games > summary.games);
        play(&until("narrower", half_width / 2.0));
        assert_eq!(files("other"), files("narrower"));
        let wider = refusal(&until("other", 0.3));
        assert!(wider.starts_with("until: 0.3 is reached with game "), "{wider}");
        assert_eq!(files("other"), files("narrower"));
    }
}

#[test]
fn what_is_adjusted_for_luck_has_luck_and_a_half_width() {
    let folder = folder();
    let fault = |game: &str, until| {
        let dir = folder.path().join(game);
        refusal(&Job { until, luck_adjusted: true, ..config(game, "greedy", 10, &dir) })
    };
    assert_eq!(
        fault("flipping", Some(0.1)),
        "luck_adjusted: nothing is covered in flipping; expected a game with covered pieces"
    );
    assert_eq!(
        fault("gaiqi", None),
        "luck_adjusted: expected the half-width `until` beside it, found none"
    );
}

#[test]
fn other_settings_are_refused_by_name() {
    let (folder, dir) = folder_with("games");
    let values = folder.path().join("values.toml");
    fs::write(&values, "[gaiqi]\nR = 7\n").expect("a file can be written");
    let agent = format!("greedy:values={}", values.display());
    let begun = Job { shard_games: 10, resume: true, ..config("gaiqi", &agent, 20, &dir) };
    play(&begun);
    let before = contents(&dir);
    let refused = |change: &dyn Fn(&mut Job)| {
        let mut config = begun.clone();
        change(&mut config);
        let text = refusal(&config);
        assert_eq!(contents(&dir), before, "{text}");
        let start = format!("{} holds a run with other settings: ", dir.display());
        text.strip_prefix(&start).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert_eq!(refused(&|config| config.seed = 3), "seed: 0 there, 3 asked for");
    assert_eq!(refused(&|config| config.shard_games = 9), "shard_games: 10 there, 9 asked for");
    assert_eq!(
        refused(&|config| config.duplicate = true),
        "duplicate: false there, true asked for"
    );
    assert_eq!(
        refused(&|config| config.options = texts(&[("quiet_limit", "7")])),
        "options.quiet_limit: 60 there, 7 asked for"
    );
    let agents = AgentSpec::parse_list("random").expect("it exists");
    let text = refused(&|config| config.agents = agents.clone());
    assert!(
        text.contains("agents: [") && text.contains(r#"["random","random"] asked for"#),
        "{text}"
    );
    let plies = refused(&|config| config.random_plies = Some(2));
    assert_eq!(plies, "openings.random_plies: 0 there, 2 asked for");
    // Options of another game are not listed.
    let game = refused(&|config| config.game = "banqi".to_owned());
    assert_eq!(game, r#"game: "gaiqi" there, "banqi" asked for"#);
    fs::write(&values, "[gaiqi]\nR = 8\n").expect("a file can be written");
    let text = refused(&|_| ());
    assert!(text.starts_with("agent_files.greedy:values="), "{text}");
    fs::write(&values, "[gaiqi]\nR = 7\n").expect("a file can be written");

    let edit = |old: &str, new: &str| {
        let text = String::from_utf8(before["dataset.json"].clone()).expect("it is text");
        assert!(text.contains(old), "{text}");
        fs::write(dir.join("dataset.json"), text.replace(old, new)).expect("it can be written");
        refusal(&begun)
    };
    let version = format!("\"software_version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let text = edit(&version, "\"software_version\": \"0.0.1\"");
    assert!(text.contains(r#"software_version: "0.0.1" there"#), "{text}");
    assert!(edit("\"schema_version\": 2", "\"schema_version\": 3").contains("update this one"));
    assert!(edit("\"run\"", "\"ran\"").contains("has no `run`"));
    assert!(edit("\"first_game_id\": 10", "\"first_game_id\": 11").contains("shard 1: expected"));
}

#[test]
fn the_command_line_takes_missing_settings_from_the_dataset() {
    let (_folder, dir) = folder_with("games");
    let out = dir.display();
    let nowhere = error(&format!("selfplay --resume --out {out}"));
    assert!(nowhere.contains("no dataset at"), "{nowhere}");
    // With a game and a number of games it begins a run.
    let begin =
        format!("selfplay gaiqi -n 10 -o {out} -a random --seed 4 --shard-games 4 --resume");
    run(&begin).expect("it begins");
    run(&begin).expect("there is nothing to do");
    run(&format!("selfplay gaiqi --resume -o {out} -n 20")).expect("it is resumed");
    let dataset = Dataset::open(&dir).expect("it can be read");
    assert_eq!((dataset.num_games(), dataset.metadata().seed), (20, 4));
    let other = error(&format!("selfplay --resume -o {out} --seed 5 -a greedy"));
    assert!(other.contains("seed: 4 there, 5 asked for") && other.contains("agents: "), "{other}");
    let other = error(&format!("selfplay banqi --resume -o {out}"));
    assert!(other.contains(r#"game: "gaiqi" there, "banqi" asked for"#), "{other}");
    let again = error(&format!("selfplay gaiqi -n 10 -o {out}"));
    assert!(again.contains("already holds a dataset") && again.contains("resumed"), "{again}");
    assert!(error(&format!("selfplay -o {out}")).contains("required"));
}

#[test]
fn damaged_shards_are_played_again() {
    let folder = folder();
    let whole = whole();
    let flip = |path: &PathBuf| {
        let mut bytes = fs::read(path).expect("it can be read");
        // In the first page: damage of the footer gives other errors.
        bytes[40] ^= 1;
        fs::write(path, bytes).expect("it can be written");
    };
    type Damage<'a> = &'a dyn Fn(&PathBuf);
    let damages: [(&str, Damage<'_>); 3] = [
        ("is missing", &|path| fs::remove_file(path).expect("it can be removed")),
        ("expected the XXH64 checksum", &flip),
        ("expected a complete Parquet file", &|path| {
            fs::write(path, "PAR1").expect("it can be written");
        }),
    ];
    for (number, (fault, damage)) in damages.iter().enumerate() {
        let dir = folder.path().join(number.to_string());
        plant(&dir, &whole);
        damage(&dir.join("games/00001.parquet"));
        damage(&dir.join("plies/00003.parquet"));
        let summary = play(&resumed(&dir));
        assert!(contents(&dir) == whole, "{fault}");
        assert_eq!(summary.kept_games, 20);
        assert_eq!(summary.damages.len(), 2);
        assert!(summary.damages.iter().all(|found| found.contains(fault)), "{summary:?}");
    }
}

#[test]
fn an_interrupted_repair_can_be_resumed() {
    let folder = folder();
    let (whole, dir) = (whole(), folder.path().join("games"));
    plant(&dir, &whole);
    for file in ["games/00001.parquet", "plies/00003.parquet"] {
        fs::remove_file(dir.join(file)).expect("it can be removed");
    }
    assert!(!stop_after(&resumed(&dir), 1).complete);
    assert!(play(&resumed(&dir)).complete);
    assert!(contents(&dir) == whole);
}

#[test]
fn files_of_agents_are_kept_with_the_run() {
    let folder = folder();
    let [dir, other, values] =
        ["games", "whole", "values.toml"].map(|name| folder.path().join(name));
    let text = "[gaiqi]\nR = 7\n";
    fs::write(&values, text).expect("a file can be written");
    let agent = format!("greedy:values={}", values.display());
    let run_of = |dir: &Path| Job { shard_games: 10, ..config("gaiqi", &agent, 30, dir) };
    play(&run_of(&other));
    stop_after(&run_of(&dir), 15);
    let copies: Vec<_> = fs::read_dir(dir.join("agents")).expect("it is there").flatten().collect();
    let [copy] = copies.as_slice() else { panic!("{copies:?}") };
    assert_eq!(fs::read_to_string(copy.path()).expect("it is text"), text);

    // The original is gone, as it is for somebody who got the dataset.
    fs::remove_file(&values).expect("it can be removed");
    let line = format!("selfplay --resume --out {}", dir.display());
    run(&line).expect("it is resumed");
    assert_eq!(contents(&dir), contents(&other));
    assert!(run(&format!("verify {}", dir.display())).is_ok());
    // A new run has no copies.
    let new = refusal(&run_of(&folder.path().join("new")));
    assert!(new.contains(&format!("{}: ", values.display())), "{new}");

    fs::write(copy.path(), "[gaiqi]\nR = 8\n").expect("it can be written");
    let changed = error(&line);
    assert!(changed.contains("agent_files.greedy:values="), "{changed}");
    let faulty = error(&format!("verify {}", dir.display()));
    assert!(faulty.starts_with("1 fault in "), "{faulty}");
    fs::remove_file(copy.path()).expect("it can be removed");
    let faults = || verified(&dir).faults.iter().map(ToString::to_string).collect::<Vec<_>>();
    let name = format!("agents/{}", copy.file_name().display());
    let gone = format!("{name}: is missing: expected a copy of the file of `{agent} values`");
    assert_eq!(faults(), [gone]);
    fs::create_dir(copy.path()).expect("it can be made");
    let unreadable = faults();
    assert!(unreadable.len() == 1 && unreadable[0].starts_with(&name), "{unreadable:?}");
    assert!(unreadable[0].contains("expected a regular file"), "{unreadable:?}");
    fs::remove_dir(copy.path()).expect("it can be removed");
    let missing = error(&line);
    assert!(missing.contains(&values.display().to_string()), "{missing}");
}
