//! Verification of datasets: every fault is named with its file and row.

use std::fs;
use std::num::NonZeroUsize;
#[cfg(target_os = "linux")]
use std::os::unix::fs::symlink;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;

use darkqi_engine::agent::NEVER;
use darkqi_env::games;
use darkqi_format::{Dataset, FirstReveal, GameRecord, Metadata, PieceName, PolicyEntry};
use darkqi_play::generation::Job;
use darkqi_play::reporting::Progress;
use darkqi_play::verify::{Verification, VerificationParts, verify, verify_part};
use serde_json::Value as Json;
use tempfile::TempDir;

use super::cli::{error, printed, run};
use super::cli_json::json_and_result;
use super::{
    StopAfter, config, contents, folder, greedy_and_random, play, replays, stop_after,
    write_dataset,
};

const GAMES: &str = "games/00001.parquet";
const PLIES: &str = "plies/00001.parquet";

/// A dataset of three shards of ten games.
fn dataset() -> TempDir {
    let folder = folder();
    play(&Job { shard_games: 10, ..config("gaiqi", "greedy,random", 30, folder.path()) });
    folder
}

/// What is found at once and, the same, in parts of two shards.
fn check(dir: &Path) -> Verification {
    let threads = NonZeroUsize::new(2).expect("it is a number");
    let found = verify(dir, threads, &(), &NEVER).expect("it can be checked");
    let mut parts = VerificationParts::new(dir).expect("it can be checked");
    for first in (0..found.shards).step_by(2) {
        let shards = first..found.shards.min(first + 2);
        let part = verify_part(dir, shards, threads, &(), &NEVER).expect("it can be checked");
        parts.add(&part).expect("they are the next shards");
    }
    assert_eq!(parts.finish(threads, &NEVER).expect("it can be checked"), found);
    found
}

#[test]
fn other_parts_are_refused() {
    let (folder, threads) = (dataset(), NonZeroUsize::MIN);
    let dir = folder.path();
    let parts = || VerificationParts::new(dir).expect("it can be checked");
    let missing = parts().finish(threads, &NEVER).expect_err("shards are missing").to_string();
    assert_eq!(missing, "a part of another process: shards 0 to 3 are missing");
    // A writer has changed the list meanwhile.
    let first = verify_part(dir, 0..1, threads, &(), &NEVER).expect("it can be checked");
    let mut changed = parts();
    change_manifest(dir, |manifest| manifest["shards"][0]["games_xxh64"] = "0".into());
    changed.add(&first).expect("it is what was listed at the start");
    assert!(parts().add(&first).is_err());
}

fn faults(dir: &Path) -> Vec<String> {
    let found = check(dir);
    assert_eq!(found.fault_count as usize, found.faults.len());
    found.faults.iter().map(ToString::to_string).collect()
}

/// The one fault of a dataset.
fn fault(dir: &Path) -> String {
    let faults = faults(dir);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults[0].clone()
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("it can be read");
    change(&mut bytes);
    fs::write(path, bytes).expect("it can be written");
}

fn change_manifest(dir: &Path, change: impl FnOnce(&mut Json)) {
    self::change(&dir.join("dataset.json"), |bytes| {
        let mut manifest: Json = serde_json::from_slice(bytes).expect("it is JSON");
        change(&mut manifest);
        *bytes = manifest.to_string().into_bytes();
    });
}

/// The dataset written again, with sound files, after `change` was applied to its games.
fn forged(dir: &Path, change: impl FnOnce(&mut Vec<GameRecord>)) -> TempDir {
    let dataset = Dataset::open(dir).expect("it can be opened");
    let mut games = replays(dir);
    change(&mut games);
    let forged = folder();
    let run = dataset.run().expect("it has one");
    write_dataset(forged.path(), dataset.metadata(), Some(run), &games, 10);
    forged
}

#[test]
fn played_games_are_sound() {
    for game in games::names() {
        let folder = folder();
        let agents = greedy_and_random(game);
        let seats = agents.split(',').count() as u64;
        let (duplicate, shard_games) = (true, 2 * seats);
        let config = config(game, &agents, 5 * seats, folder.path());
        let summary = play(&Job { duplicate, shard_games, ..config });
        let found = check(folder.path());
        assert_eq!(found.faults, [], "{game}");
        assert_eq!((found.games, found.plies), (summary.games, summary.plies));
        assert_eq!((found.shards, found.complete), (3, true));
    }
}

#[test]
fn an_interrupted_run_is_sound() {
    let folder = folder();
    let dir = folder.path();
    stop_after(&Job { shard_games: 10, ..config("gaiqi", "random", 30, dir) }, 25);
    fs::copy(dir.join("plies/00000.parquet"), dir.join("plies/00002.parquet")).expect("it can be");
    let found = check(dir);
    assert_eq!((found.games, found.complete, found.fault_count), (20, false, 0));
    assert_eq!(found.unlisted_files, ["plies/00002.parquet"]);
    let text = run(&format!("verify {}", dir.display())).expect("it is sound");
    for part in ["not complete", "plies/00002.parquet is not listed yet", "20 of 20 games"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn each_damage_of_a_file_has_its_own_fault() {
    let dataset = dataset();
    let dir = dataset.path();
    let whole = contents(dir);
    let damaged = |name: &str, damage: &dyn Fn(&Path), expected: &str| {
        damage(&dir.join(name));
        let found = fault(dir);
        assert!(found.starts_with(&format!("{name}: ")) && found.contains(expected), "{found}");
        assert_eq!(check(dir).games, 20);
        fs::write(dir.join(name), &whole[name]).expect("it can be written");
    };
    damaged(PLIES, &|path| fs::remove_file(path).expect("it is there"), "is missing");
    damaged(PLIES, &|path| change(path, |bytes| bytes[50] ^= 4), "expected the XXH64 checksum");
    #[cfg(target_os = "linux")]
    {
        // The other end of a pipe may never be opened, and a device may have no end.
        let replaced = |path: &Path, by: &dyn Fn(&Path)| {
            fs::remove_file(path).expect("it is there");
            by(path);
        };
        let pipe = |path: &Path| {
            let made = Command::new("mkfifo").arg(path).status().expect("Linux has it");
            assert!(made.success());
        };
        let zeros = |path: &Path| symlink("/dev/zero", path).expect("it can be made");
        let expected = "expected a regular file";
        let undo = |path: &Path| fs::remove_file(path).expect("it is there");
        for by in [&pipe as &dyn Fn(&Path), &zeros] {
            for name in [GAMES, PLIES] {
                replaced(&dir.join(name), by);
                let found = fault(dir);
                assert!(found.starts_with(name) && found.contains(expected), "{found}");
                undo(&dir.join(name));
                fs::write(dir.join(name), &whole[name]).expect("it can be written");
            }
            let manifest = dir.join("dataset.json");
            replaced(&manifest, by);
            assert!(error(&format!("verify {}", dir.display())).contains(expected));
            undo(&manifest);
            fs::write(&manifest, &whole["dataset.json"]).expect("it can be written");
        }
    }
    // Both files of one shard, and those of another.
    for name in [GAMES, PLIES, "games/00002.parquet"] {
        change(&dir.join(name), |bytes| bytes[50] ^= 4);
    }
    assert_eq!(faults(dir).len(), 3);
    assert_eq!(check(dir).games, 10);
}

#[test]
fn the_list_of_shards_is_checked() {
    let dataset = dataset();
    let dir = dataset.path();
    let whole = contents(dir);
    let listed = |change: &dyn Fn(&mut Json)| {
        change_manifest(dir, change);
        let found = faults(dir);
        fs::write(dir.join("dataset.json"), &whole["dataset.json"]).expect("it can be written");
        found
    };
    let missing = listed(&|json| drop(json["shards"].as_array_mut().expect("a list").remove(1)));
    assert_eq!(
        missing[..3],
        [
            "dataset.json: shard 1 is missing: expected shard 1, found shard 2",
            "dataset.json: shard 2: games are missing: expected 10 first, found 20",
            "dataset.json: expected the run's 30 games, found 20",
        ]
    );
    let stray = "expected no such file, as `dataset.json` does not list it";
    assert!(missing[3].starts_with(&format!("{GAMES}: {stray}")), "{missing:?}");
    assert!(missing[4].starts_with(&format!("{PLIES}: {stray}")), "{missing:?}");
    let twice = listed(&|json| {
        let shards = json["shards"].as_array_mut().expect("a list");
        shards.insert(1, shards[0].clone());
    });
    assert_eq!(
        twice[..2],
        [
            "dataset.json: shard 0 is listed twice or out of order: expected shard 1, found shard 0",
            "dataset.json: shard 0: games are listed twice: expected 10 first, found 0",
        ]
    );
    // A run whose shards are played apart lists those that are there.
    let apart = listed(&|json| {
        json["complete"] = false.into();
        drop(json["shards"].as_array_mut().expect("a list").remove(0));
    });
    assert_eq!(apart, [""; 0]);
    let counted = listed(&|json| json["shards"][1]["games"] = 11.into());
    assert!(counted[0].contains("expected as many games as there are ids from 10 to 19, found 11"));
    assert!(counted.iter().any(|fault| fault == &format!("{GAMES}: expected 11 rows, found 10")));
    let asked = listed(&|json| json["run"]["games"] = 40.into());
    assert_eq!(asked, ["dataset.json: expected the run's 40 games, found 30"]);
    let sized = listed(&|json| json["run"]["shard_games"] = 9.into());
    assert!(sized[0].contains("shard 0: expected 9 games, found 10"), "{sized:?}");
    let named = listed(&|json| json["shards"][1]["plies_file"] = "plies/00002.parquet".into());
    assert!(named[0].contains(&format!("expected the file {PLIES}")), "{named:?}");
    let summed = listed(&|json| json["shards"][1]["plies_xxh64"] = "0".into());
    assert!(
        summed[0].starts_with(&format!("{PLIES}: expected the XXH64 checksum 0 ")),
        "{summed:?}"
    );
    let until = listed(&|json| {
        json["agents"][1] = json["agents"][0].clone();
        json["run"]["until"] = (-1).into();
    });
    assert!(until[0].contains("half"), "{until:?}");
    let agents = listed(&|json| json["agents"][0] = "best".into());
    assert!(agents[0].starts_with("dataset.json: unknown agent `best`"), "{agents:?}");

    let refused = |change: &dyn Fn(&mut Json)| {
        change_manifest(dir, change);
        let text = error(&format!("verify {}", dir.display()));
        fs::write(dir.join("dataset.json"), &whole["dataset.json"]).expect("it can be written");
        text
    };
    let newer = refused(&|json| json["schema_version"] = 3.into());
    assert!(newer.contains("expected schema version 2, found 3, which a newer darkqi wrote"));
    let older = refused(&|json| json["schema_version"] = 0.into());
    assert!(older.contains("expected schema version 2, found 0, which no released darkqi wrote"));
    assert!(refused(&|json| json["game"] = "chess".into()).contains("unknown game `chess`"));
    assert!(refused(&|json| json["shards"] = "?".into()).contains("dataset.json"));
    assert!(error("verify nowhere").starts_with("no dataset at nowhere"));
}

#[test]
fn every_forged_value_is_named_with_its_row() {
    let dataset = dataset();
    let games = replays(dataset.path());
    let game = |change: &dyn Fn(&mut GameRecord)| {
        let forged = forged(dataset.path(), |games| change(&mut games[13]));
        fault(forged.path())
    };
    let row = format!("{GAMES}, row 3 (game 13): ");
    let winner = game(&|game| game.winner = 7);
    assert_eq!(winner, format!("{row}winner: logged 7, replayed {}", games[13].winner));
    assert!(
        game(&|game| game.rewards[0] = 0.25).starts_with(&format!("{row}rewards: logged [0.25"))
    );
    assert!(game(&|game| game.terminated ^= true).starts_with(&format!("{row}terminated: ")));
    assert!(game(&|game| game.reason = "boredom".into()).contains("reason: logged boredom"));
    assert!(game(&|game| game.first_player = 1).starts_with(&format!("{row}first_player: ")));
    assert!(game(&|game| game.seed ^= 1).contains("seed: logged "));
    assert!(game(&|game| game.deal_id = 3).contains("deal_id: logged 3, replayed 13"));
    assert!(game(&|game| game.agents.reverse()).contains("agents: logged "));
    let reveal = |game: &mut GameRecord| {
        let reveal = game.first_reveal.as_mut().expect("there is one");
        *reveal = FirstReveal { square: "h9".into(), ..reveal.clone() };
    };
    assert!(game(&reveal).contains("first_reveal_square: logged h9"));

    let ply = |change: &dyn Fn(&mut GameRecord)| {
        let found = game(change);
        let row = 2 + games[10..13].iter().map(|game| u64::from(game.plies)).sum::<u64>();
        let start = format!("{PLIES}, row {row} (game 13, ply 2): ");
        found.strip_prefix(&start).unwrap_or_else(|| panic!("{found}")).to_owned()
    };
    assert!(ply(&|game| game.moves[2].player ^= 1).starts_with("player: logged "));
    assert!(ply(&|game| game.moves[2].legal_count += 1).starts_with("legal_count: logged "));
    assert!(
        ply(&|game| game.moves[2].revealed = PieceName::from("?").ok())
            .starts_with("revealed: logged ?")
    );
    assert!(
        ply(&|game| game.moves[2].captured = PieceName::from("?").ok())
            .starts_with("captured: logged ?")
    );
    assert!(ply(&|game| game.moves[2].captured_covered ^= true).starts_with("captured_covered: "));
    let name = "a1".parse().expect("it is short");
    assert!(ply(&|game| game.moves[2].mv = name).starts_with("move: logged a1"));
    assert!(ply(&|game| game.moves[2].action = 9999).contains("not among the"));
    let value = |numbers: &[f32]| {
        ply(&|game| game.moves[2].value = Some(numbers.into()))
            .strip_prefix("value: ")
            .map(Into::into)
    };
    for numbers in [&[][..], &[1.0]] {
        let expected =
            format!("logged {numbers:?}, replayed a number from -1 to 1 for each of 2 seats");
        assert_eq!(value(numbers), Some(expected));
    }
    // What cannot be a value or a probability at all is not read.
    let at = 2 + games[10..13].iter().map(|game| u64::from(game.plies)).sum::<u64>();
    for numbers in [[f32::NAN, 0.0], [0.0, f32::INFINITY], [7.0, -7.0]] {
        let expected = format!(
            "{PLIES}, row {at}: column `value`, row {at}: expected finite numbers from -1 to 1 (game 13, \
             ply 2), found {numbers:?}"
        );
        let found = game(&|game| game.moves[2].value = Some(numbers.into()));
        assert!(found.starts_with(&expected), "{found}");
    }
    let nothing = PolicyEntry { action: games[13].moves[2].action, probability: f32::NAN };
    let found = game(&|game| game.moves[2].policy = Some([nothing].into()));
    assert!(found.contains("column `policy`") && found.contains("(game 13, ply 2)"), "{found}");
    let policy = |shares: &[(u16, f32)]| {
        let entry = |&(more, probability): &(u16, f32)| PolicyEntry {
            action: games[13].moves[2].action + more,
            probability,
        };
        ply(&|game| game.moves[2].policy = Some(shares.iter().map(entry).collect()))
    };
    for (shares, expected) in [
        (&[(9999, 1.0)][..], "replayed legal actions"),
        (&[(0, 0.5), (0, 0.5)], "replayed ascending actions"),
        (&[(0, 0.25)], "logged a sum of 0.25, replayed probabilities that add up to 1"),
        (&[], "logged a sum of 0"),
    ] {
        let found = policy(shares);
        assert!(found.starts_with("policy: ") && found.contains(expected), "{found}");
    }

    let cut = game(&|game| {
        game.moves.pop();
        game.plies -= 1;
    });
    assert!(
        cut.starts_with(&format!("{row}plies: logged ")) && cut.contains("a game that is not over")
    );
    let more = game(&|game| {
        game.moves.extend(game.moves.last().cloned());
        game.plies += 1;
    });
    assert!(more.contains(", where the game ends ("), "{more}");
    let reveals = forged(dataset.path(), |games| games[13].first_reveal = None);
    let columns = ["square", "kind", "color", "player"];
    for (fault, column) in faults(reveals.path()).iter().zip(columns) {
        assert!(fault.starts_with(&format!("{row}first_reveal_{column}: ")), "{fault}");
    }
    let deal = game(&|game| game.deal.push('!'));
    assert!(deal.starts_with(&format!("{row}deal: ")), "{deal}");
}

#[test]
fn games_of_other_rules_are_counted_and_the_first_named() {
    let dataset = dataset();
    let original = Dataset::open(dataset.path()).expect("it can be opened");
    let folder = folder();
    // By these rules the games are truncated after three plies.
    let metadata = Metadata {
        options: [("max_plies".to_owned(), 3.into())].into(),
        ..original.metadata().clone()
    };
    let long = replays(dataset.path()).into_iter().filter(|game| game.plies > 3);
    let games: Vec<_> = long.take(3).collect();
    let games: Vec<_> =
        (0..50).map(|id| GameRecord { game_id: id, ..games[id as usize % 3].clone() }).collect();
    write_dataset(folder.path(), &metadata, None, &games, 50);
    let found = check(folder.path());
    assert_eq!((found.games, found.fault_count), (50, 50), "{:#?}", found.faults);
    assert_eq!(found.faults.len(), Verification::MAX_PER_SHARD);
    let (text, result) = printed(["verify", &folder.path().display().to_string()]);
    assert!(result.is_err_and(|fault| fault.starts_with("50 faults in ")));
    assert!(text.contains("and 30 more"), "{text}");
}

#[test]
fn json_has_the_place_of_each_fault() {
    let dataset = dataset();
    let forged = forged(dataset.path(), |games| games[4].winner = 7);
    let (found, result) = json_and_result(&format!("verify --json {}", forged.path().display()));
    assert!(result.is_err_and(|fault| fault.starts_with("1 fault in ")));
    assert_eq!(found["fault_count"], 1);
    let fault = &found["faults"][0];
    assert_eq!((&fault["row"], &fault["game_id"]), (&4.into(), &4.into()));
    assert_eq!(fault["file"], "games/00000.parquet");
}

#[test]
fn checking_can_be_stopped() {
    let dataset = dataset();
    let watch = StopAfter::games(3);
    let stopped = verify(dataset.path(), NonZeroUsize::MIN, &watch, &watch.stop);
    assert!(matches!(stopped, Err(darkqi_play::Error::Stopped)));
}

#[test]
fn a_run_that_is_extended_meanwhile_has_no_faults() {
    /// Extends the run once its description has been read.
    struct Extend<'a>(&'a Path);
    impl Progress for Extend<'_> {
        fn begin(&self, _: u64, _: u64) {
            play(&extended(self.0, 40));
        }
        fn played(&self, _: u16) {}
    }
    fn extended(dir: &Path, games: u64) -> Job {
        Job { shard_games: 10, resume: true, ..config("gaiqi", "random", games, dir) }
    }
    let folder = folder();
    let threads = NonZeroUsize::MIN;
    for games in [20, 25] {
        let dir = folder.path().join(games.to_string());
        play(&extended(&dir, games));
        let found = verify(&dir, threads, &Extend(&dir), &NEVER);
        let found = found.expect("it can be checked");
        assert_eq!(found.faults, []);
        assert_eq!(
            (found.listed_games, found.games, found.shards),
            (games, 20, 2 + (games as usize) % 2)
        );
        // The last shard was not full: it has more games now.
        assert_eq!(found.replaced_shards, if games == 25 { vec![2] } else { vec![] });
        assert_eq!(check(&dir).games, 40);
    }
}
