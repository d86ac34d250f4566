//! Folders in which something was changed by accident or added: what was written stays.

use std::fs;

use darkqi_play::generation::Job;
use tempfile::TempDir;

use super::cli::{error, run};
use super::{config, contents, edit_manifest, folder, play};

/// A complete run of three shards of ten games.
fn complete() -> TempDir {
    let folder = folder();
    play(&Job { shard_games: 10, ..config("gaiqi", "random", 30, folder.path()) });
    folder
}

/// The commands that play what a folder lacks, and list what it has.
const COMMANDS: [&str; 3] =
    ["selfplay --resume --out", "selfplay --resume --shards 0..2 --out", "finish"];

#[test]
fn settings_that_the_files_contradict_are_refused() {
    let of_file = "dataset.json contradicts a file";
    for (old, new, expected) in [
        (r#""seed": 0"#, r#""seed": 3"#, [of_file, "`darkqi.seed`: expected \"3\", found \"0\""]),
        // Deals are played twice, or begin later.
        (
            r#""duplicate": false"#,
            r#""duplicate": true"#,
            ["shard 0: expected game 1 with seed ", "as its settings say, found "],
        ),
        (
            r#""duplicate": false,"#,
            r#""duplicate": false, "openings": { "random_plies": 4 },"#,
            ["shard 0: expected game 0 with deal ", "as its settings say, found "],
        ),
        (r#""max_plies": "#, r#""max_plies": 1"#, [of_file, "`darkqi.options`: expected"]),
        (
            "\"agents\": [\n    \"random\"",
            "\"agents\": [\n    \"greedy\"",
            [of_file, "`darkqi.agents`: expected"],
        ),
        (r#""plies": "#, r#""plies": 1"#, [of_file, " rows, found "]),
        // Another plan, by which shards would no longer be listed.
        (
            r#""games": 30"#,
            r#""games": 20"#,
            ["games: ", "expected at least 30, the number of games"],
        ),
        (r#""shard_games": 10"#, r#""shard_games": 15"#, ["shard 1: ", "games 15 to at most 29"]),
        (r#""last_game_id": 19"#, r#""last_game_id": 18"#, ["shard 1: ", "games 10 to at most 19"]),
    ] {
        let folder = complete();
        let dir = folder.path();
        edit_manifest(dir, old, new);
        let before = contents(dir);
        for command in COMMANDS {
            let text = error(&format!("{command} {}", dir.display()));
            assert!(expected.iter().all(|part| text.contains(part)), "{command}: {text}");
            assert!(contents(dir) == before, "{command}: {text}");
        }
    }
}

#[test]
fn files_of_others_stay() {
    let folder = complete();
    let dir = folder.path();
    let files = [
        "games/my_export.parquet",
        "plies/00000-clean.parquet",
        "games/.mine.parquet.tmp",
        "games-backup.parquet",
        "plies-clean-2026.parquet",
    ];
    for name in files {
        fs::write(dir.join(name), "mine").expect("it can be written");
    }
    // As Spark writes a table.
    fs::create_dir(dir.join("games/spark.parquet")).expect("it can be made");
    fs::write(dir.join("games/00007.parquet"), "PAR1").expect("it can be written");
    for command in ["selfplay --resume --out", "finish"] {
        run(&format!("{command} {}", dir.display())).expect("there is nothing to do");
        for name in files {
            assert_eq!(
                fs::read(dir.join(name)).expect("it is there"),
                b"mine",
                "{command}: {name}"
            );
        }
        assert!(dir.join("games/spark.parquet").is_dir());
        // A leftover of a writer.
        assert!(!dir.join("games/00007.parquet").exists());
    }
}

#[test]
fn figures_of_an_incomplete_dataset_say_so() {
    let folder = complete();
    let line = format!("first-reveal {}", folder.path().display());
    let said = "the dataset is not complete: these are the 30 games that it lists";
    assert!(!run(&line).expect("it is measured").contains(said));
    edit_manifest(folder.path(), r#""complete": true"#, r#""complete": false"#);
    assert!(run(&line).expect("it is measured").contains(said));
}
