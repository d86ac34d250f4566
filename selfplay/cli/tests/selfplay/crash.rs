//! Real runs of self-play that are killed, stopped, or run out of disk space. The files that a
//! dataset lists are always complete, and a resumed run gives the bytes of an undisturbed run.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use darkqi_env::{Rng, Stream};

use super::{contents, folder};

/// Signals by their numbers in POSIX.
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;
const SIGINT: i32 = 2;

/// Games of a run: 120 shards, so that much of the time goes into files.
const GAMES: u64 = 1200;

/// More games than any test plays.
const ENDLESS: u64 = 1_000_000;

fn darkqi() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_darkqi"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A run of this many games.
fn run(games: u64, dir: &Path) -> Command {
    let mut command = darkqi();
    command.args(["selfplay", "gaiqi", "--agents", "random", "--shard-games", "10", "--quiet"]);
    command.args(["--threads", "2", "--games", &games.to_string(), "--out"]).arg(dir);
    command
}

/// A run that begins in a folder, or resumes what the folder holds.
fn resumed(dir: &Path) -> Command {
    let mut command = run(GAMES, dir);
    command.arg("--resume");
    command
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the program runs")
}

fn succeed(command: &mut Command) {
    let output = output(command);
    assert!(output.status.success(), "{}", message(&output));
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn send(signal: i32, child: &Child) {
    let status = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(status.expect("there is a kill command").success());
}

/// The files of an undisturbed run.
fn undisturbed(games: u64) -> BTreeMap<String, Vec<u8>> {
    let folder = folder();
    let dir = folder.path().join("games");
    succeed(&mut run(games, &dir));
    let files = contents(&dir);
    // Two files per shard, `dataset.json` and `README.md`.
    assert_eq!(files.len() as u64, 2 + 2 * games / 10);
    files
}

/// Checks the dataset with `darkqi verify`. A folder without `dataset.json` is not a dataset yet.
fn assert_sound(dir: &Path) {
    if dir.join("dataset.json").exists() {
        succeed(darkqi().args(["verify", "--quiet"]).arg(dir));
    }
}

/// Sends a random signal to runs after random times, until signals have ended `count` processes. A
/// run that finishes is compared, and the next one starts in a new folder. Returns the number of
/// finished runs.
fn disturb(count: u32, signals: &[i32], rng: &mut Rng) -> u32 {
    let started = Instant::now();
    let expected = undisturbed(GAMES);
    let whole = started.elapsed();
    let folder = folder();
    let mut finished = 0;
    let mut ended = 0;
    let mut dir = folder.path().join("0");
    while ended < count {
        let mut child = resumed(&dir).spawn().expect("the program runs");
        // At most a third of the time of a run, so that most runs are disturbed more than once.
        let wait = whole.mul_f64(f64::from(rng.below(1000)) / 3000.0);
        thread::sleep(wait);
        let signal = *rng.choose(signals);
        if child.try_wait().expect("it can be asked").is_none() {
            send(signal, &child);
        }
        let status = child.wait().expect("it ends");
        if status.success() {
            assert!(contents(&dir) == expected, "a finished run differs");
            finished += 1;
            dir = folder.path().join(finished.to_string());
            continue;
        }
        // Until the program has installed its handlers, SIGTERM and SIGINT kill it.
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        assert_eq!(code, 128 + signal);
        ended += 1;
        assert_sound(&dir);
    }
    succeed(&mut resumed(&dir));
    assert!(contents(&dir) == expected, "the last run differs");
    finished + 1
}

#[test]
fn a_few_runs_resume_after_kills_and_stops() {
    disturb(6, &[SIGKILL, SIGTERM, SIGINT], &mut Rng::new(1, Stream::Sample));
}

#[test]
#[ignore = "takes minutes; `scripts/test-long.sh` runs it"]
fn runs_resume_after_a_thousand_kills_and_stops() {
    let rng = &mut Rng::new(2, Stream::Sample);
    let finished = disturb(1000, &[SIGKILL, SIGKILL, SIGTERM, SIGINT], rng);
    println!("1,000 signals survived, {finished} runs finished and compared");
}

/// A process that plays some shards of the run.
fn shards(range: &str, dir: &Path) -> Child {
    let mut command = run(GAMES, dir);
    command.args(["--shards", range]).spawn().expect("the program runs")
}

/// Two processes at a time play overlapping ranges of shards, are killed, and begin again.
#[test]
fn killed_processes_that_share_a_folder_leave_whole_shards() {
    let expected = undisturbed(GAMES);
    let (folder, mut rng) = (folder(), Rng::new(4, Stream::Sample));
    let dir = folder.path().join("games");
    let ranges = ["0..70", "50..120"];
    let mut killed = 0;
    for _ in 0..6 {
        let children = ranges.map(|range| shards(range, &dir));
        thread::sleep(Duration::from_millis(u64::from(20 + rng.below(120))));
        for mut child in children {
            if child.try_wait().expect("it can be asked").is_none() {
                send(SIGKILL, &child);
            }
            killed += u32::from(!child.wait().expect("it ends").success());
        }
        assert_sound(&dir);
    }
    assert!(killed > 0, "none was at work");
    for mut child in ranges.map(|range| shards(range, &dir)) {
        assert!(child.wait().expect("it ends").success());
    }
    succeed(darkqi().args(["finish", "--quiet"]).arg(&dir));
    assert!(contents(&dir) == expected);
}

/// Waits until a run has listed some shards.
fn wait_for_shards(dir: &Path, child: &mut Child) {
    while !dir.join("games/00002.parquet").exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_stopped_run_says_how_to_resume_and_leaves_no_partial_file() {
    for (signal, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "Ctrl-C")] {
        let folder = folder();
        let dir = folder.path().join("games");
        let mut child = run(ENDLESS, &dir).spawn().expect("the program runs");
        wait_for_shards(&dir, &mut child);
        send(signal, &child);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(128 + signal));
        let message = message(&output);
        let how = format!("`darkqi selfplay --resume --out {}` resumes the run", dir.display());
        assert!(message.contains(&format!("stopped by {name}: ")) && message.contains(&how));
        // Neither a partial file nor a lock is left.
        assert!(contents(&dir).into_keys().all(|name| !name.starts_with('.')));
        assert_sound(&dir);
    }
}

/// The number of kept games, from a message.
fn kept_games(message: &str) -> u64 {
    let (before, _) = message.split_once(" games are in ").expect("it says how many are kept");
    let kept = before.split_whitespace().rev().nth(2).expect("it is `N of M`");
    kept.replace(',', "").parse().expect("it is a number")
}

/// A run of slow games in one shard.
fn slow_run(dir: &Path) -> Command {
    let mut command = darkqi();
    command.args(["selfplay", "banqi", "--agents", "ismcts:sims=150", "--games", "60"]);
    command.args(["--threads", "2", "--resume", "--out"]).arg(dir);
    command
}

#[test]
fn games_of_an_unfinished_shard_are_kept() {
    let folder = folder();
    let [dir, other] = ["games", "other"].map(|name| folder.path().join(name));
    // A kill can leave a temporary file, which the next run removes.
    let is_part = |file: &DirEntry| file.path().extension().is_some_and(|end| end == "part");
    let parts = || {
        fs::read_dir(dir.join("parts")).map_or(0, |found| found.flatten().filter(is_part).count())
    };
    let mut kept = 0;
    for signal in [SIGKILL, SIGTERM] {
        let before = parts();
        let mut child = slow_run(&dir).spawn().expect("the program runs");
        while parts() == before {
            assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
            thread::sleep(Duration::from_millis(2));
        }
        send(signal, &child);
        let output = child.wait_with_output().expect("it ends");
        assert!(parts() > before);
        if signal == SIGTERM {
            kept = kept_games(&message(&output));
            assert!((2..60).contains(&kept), "{kept}");
        }
        assert_sound(&dir);
    }
    let last = output(&mut slow_run(&dir));
    let summary = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        summary.contains(&format!("\n{kept} of them were in the dataset already")),
        "{summary}"
    );
    succeed(&mut slow_run(&other));
    assert!(contents(&dir) == contents(&other));
}

/// Writing to `/dev/full` fails as on a full disk. A link to it replaces the temporary file.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_only_what_did_not_fit() {
    let expected = undisturbed(GAMES);
    for table in ["plies", "games"] {
        let folder = folder();
        let dir = folder.path().join("games");
        fs::create_dir_all(dir.join(table)).expect("a folder can be made");
        let temporary = dir.join(table).join(".00003.parquet.tmp");
        symlink("/dev/full", temporary).expect("a link can be made");
        let file = &format!("{table}/00003.parquet");
        let full = output(&mut resumed(&dir));
        assert_eq!(full.status.code(), Some(1));
        let message = message(&full);
        for part in [file, "No space left on device", " of 1,200 games are in", "--resume"] {
            assert!(message.contains(part), "no {part} in {message}");
        }
        // Three shards, and the games already played of the next ones.
        let kept = kept_games(&message);
        assert!((30..GAMES).contains(&kept), "{kept}");
        assert_sound(&dir);
        succeed(&mut resumed(&dir));
        assert!(contents(&dir) == expected, "{file}");
    }
}
