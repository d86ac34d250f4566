//! The command line: output and exit codes.

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use darkqi_format::{Dataset, GameRecord};

use super::folder_with;

/// What a command prints, also if it fails, and its result.
pub(crate) fn printed<'a>(
    words: impl IntoIterator<Item = &'a str>,
) -> (String, Result<(), String>) {
    let mut out = Vec::new();
    let result = darkqi_cli::run(["darkqi"].into_iter().chain(words), &mut out);
    let text = String::from_utf8(out).expect("it is text");
    (text, result.map_err(|error| format!("{error:#}")))
}

pub(crate) fn run(line: &str) -> Result<String, String> {
    let (text, result) = printed(line.split_whitespace());
    result.map(|()| text)
}

pub(crate) fn error(line: &str) -> String {
    run(line).expect_err(line)
}

/// Plays games of these settings into a folder.
pub(crate) fn played(settings: &str, dir: impl Display) {
    let line = format!("selfplay {settings} --quiet --out {dir}");
    run(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
}

fn darkqi() -> Command {
    Command::new(env!("CARGO_BIN_EXE_darkqi"))
}

fn output(line: &str) -> Output {
    darkqi().args(line.split_whitespace()).output().expect("the program runs")
}

/// Compares with a golden file, which `DARKQI_BLESS=1` writes.
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/golden", name].iter().collect();
    if std::env::var_os("DARKQI_BLESS").is_some() {
        fs::write(&path, text).expect("the file can be written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    assert_eq!(
        text, golden,
        "{name}; if the change is intended, rewrite the file with DARKQI_BLESS=1"
    );
}

/// The leading columns of each line.
pub(crate) fn columns(text: &str, count: usize) -> String {
    let cut = |line: &str| line.split_whitespace().take(count).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(cut).collect()
}

/// A list without `four_camps`, which is registered only in tests of the whole workspace.
fn of_shipped_games(text: &str) -> String {
    let options = |part: &&str| !part.starts_with("Options of four_camps\n");
    let parts: Vec<&str> = text.split_inclusive("\n\n").filter(options).collect();
    parts.concat().split_inclusive('\n').filter(|line| !line.starts_with("four_camps ")).collect()
}

#[test]
fn lists_agree_with_golden_files() {
    assert_golden("games.txt", &of_shipped_games(&run("games").expect("it succeeds")));
    let verbose = run("games --verbose").expect("it succeeds");
    assert_golden("games-verbose.txt", &of_shipped_games(&verbose));
    assert_golden("agents.txt", &of_shipped_games(&run("agents").expect("it succeeds")));
}

#[test]
fn one_game_is_told_with_its_rules() {
    let told = run("games gaiqi --set quiet_limit=7").expect("it succeeds");
    for part in ["Horse H", "Taking a covered piece", "Draw: 7 turns in a row"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let told = run("games flipping").expect("it succeeds");
    assert!(told.contains("It turns into: Chariot R."), "{told}");
    // Who takes whom is told where it is not all, and no kind that does not play.
    let told = run("games jieqi --set takes.C=- --set takes.R=P --set covered=-");
    let told = told.expect("it succeeds");
    for (captor, victims) in [("Cannon C takes ", " nothing"), ("Chariot R takes ", "  Soldier P")]
    {
        let is_told = |line: &str| line.starts_with(captor) && line.ends_with(victims);
        assert!(told.lines().any(is_told), "{captor}{victims} in {told}");
    }
    assert!(!told.contains("covered or not"), "{told}");
    let told = run("games banqi --set army.P=0 --set army.E=0").expect("it succeeds");
    assert!(!told.contains("Elephant") && !told.contains("exceptions"), "{told}");
    assert_eq!(error("games four_camps"), "nobody has written down how four_camps is played");
    assert_eq!(
        error("games --set quiet_limit=7"),
        "--set quiet_limit: expected a game that it belongs to"
    );
}

#[test]
fn perft_counts_agree_with_golden_files() {
    let text = run("perft jieqi --depth 3 --seed 7").expect("it succeeds");
    assert_golden("perft-jieqi.txt", &columns(&text, 2));
    let text = run("perft gaiqi --depth 3 --seed 7 --set repetition=off").expect("it succeeds");
    assert_golden("perft-gaiqi.txt", &columns(&text, 2));
    let text = run("perft jieqi --depth 2 --divide").expect("it succeeds");
    assert_golden("perft-jieqi-divide.txt", &text);
}

#[test]
fn perft_takes_a_position() {
    let perft = |fen: &str| {
        let (text, result) = printed(["perft", "gaiqi", "--depth", "4", "--fen", fen]);
        result.map(|()| columns(&text, 2))
    };
    // Two soldiers in opposite corners, two steps each: along an edge, or back.
    let text = perft("7p/8/8/P7 1 r - 0 10 -").expect("the FEN is well formed");
    assert!(text.starts_with("depth count\n1 2\n2 4\n"), "{text}");
    let over = perft("8/8/8/P7 2 r - 0 10 -").expect("the FEN is well formed");
    assert_eq!(over, "depth count\n1 0\nthe game\n");
    assert!(perft("8/8/8 1 r - 0 10 -").expect_err("a rank is missing").contains("field `board`"));
}

#[test]
fn bad_input_is_named() {
    assert!(error("perft chess -d 1").starts_with("unknown game `chess`; the games are: "));
    assert!(error("perft gaiqi -d 1 --set quiet=1").starts_with("gaiqi has no option `quiet`"));
    assert_eq!(
        error("perft gaiqi -d 1 --set quiet_limit=many"),
        "option `quiet_limit` of gaiqi: `many` is not a whole number from 0 to 65535"
    );
    assert!(error("perft gaiqi -d 1 --set quiet_limit").contains("expected OPTION=VALUE"));
    let twice = error("perft gaiqi -d 1 --set quiet_limit=5 --set quiet_limit=6");
    assert_eq!(twice, "--set quiet_limit: expected it once, found it twice");
    assert!(error("replay nowhere 0").starts_with("no dataset at nowhere"));
    assert!(error("selfplay gaiqi -n 1 -o x -a best").starts_with("unknown agent `best`"));
}

#[test]
fn numbers_and_agents_of_a_run_are_named_as_elsewhere() {
    for (given, fault) in [
        ("--threads 0", "'0' for '--threads <N>': expected a whole number from 1 on"),
        ("--threads -1", "'-1' for '--threads <N>': expected a whole number, not negative"),
        ("--agents expectimax:depth=1,,epsilon=0.1", "unknown agent ``"),
    ] {
        let found = error(&format!("selfplay gaiqi --games 1 --out x {given}"));
        assert!(found.contains(fault), "{given}: {found}");
    }
}

#[test]
fn folders_of_this_machine_may_be_urls_of_files_alone() {
    let (folder, dir) = folder_with("study");
    let url = format!("file://{}", dir.display());
    run(&format!("strength gaiqi --agents greedy,random -n 2 --match-games 2 --quiet --out {url}"))
        .expect("it succeeds");
    assert!(dir.join("report.html").exists());
    for command in [
        "strength gaiqi --agents greedy,random",
        "sweep gaiqi --agents greedy --vary quiet_limit=20,30",
        "values balance banqi",
        "tables banqi --pieces 2",
        "play gaiqi",
    ] {
        let found = error(&format!("{command} --out s3://bucket/{}", folder.path().display()));
        assert!(found.contains("s3://bucket/"), "{command}: {found}");
    }
    assert!(!Path::new("s3:").exists());
}

#[test]
fn a_refused_balance_leaves_no_folder() {
    let (_folder, dir) = folder_with("values");
    let line = format!("values balance banqi --agent greedy --games 10 --out {} -t", dir.display());
    assert!(error(&format!("{line} 100000")).contains("expected at most"));
    assert!(!dir.exists());
}

#[test]
fn a_game_with_its_rules_is_described_for_programs() {
    let found = super::cli_json::json("games --rules dark-capture --json");
    let games = found["games"].as_array().expect("a list");
    assert_eq!(games.iter().map(|game| &game["name"]).collect::<Vec<_>>(), ["banqi"]);
    assert_ne!(found, super::cli_json::json("games banqi --json"));
    let set = super::cli_json::json("games jieqi --json --set quiet_limit=30");
    let options = set["games"][0]["options"].as_array().expect("a list");
    let limit = options.iter().find(|option| option["name"] == "quiet_limit").expect("it has one");
    assert_eq!((&limit["default"], &limit["value"]), (&80.into(), &30.into()));
    let told = run("games banqi --verbose --set army.P=3").expect("it succeeds");
    assert!(told.contains("5, here 3"), "{told}");
    assert!(error("games --variants --rules dark-capture").contains("cannot be used with"));
}

#[test]
fn a_capture_that_fails_reveals_what_it_tried_to_take() {
    let (_folder, dir) = folder_with("games");
    let (text, done) = printed([
        "selfplay",
        "banqi",
        "--rules=dark-capture",
        "--games=40",
        "--agents=random",
        "--fen=8/8/8/~r~PP~k~p3 1 r - 0 0",
        "--out",
        dir.to_str().expect("the path is plain"),
    ]);
    done.expect(&text);
    let failed = |game: &GameRecord| {
        let first = game.moves.iter().find(|ply| ply.revealed.is_some()).expect("some are covered");
        let tried = first.mv.strip_prefix("c1").filter(|to| !to.is_empty());
        tried.map(|to| assert_eq!(game.first_reveal.as_ref().map(|it| &*it.square), Some(to)))
    };
    assert!(super::replays(&dir).iter().filter_map(failed).count() > 3);
}

#[test]
fn selfplay_and_replay_work_together() {
    let (_folder, dir) = folder_with("games");
    let dir = dir.to_str().expect("the path is plain");
    let line = format!(
        "selfplay gaiqi --games 40 --agents greedy,random --out {dir} --seed 2 --threads 2 \
         --shard-games 16 --duplicate --set quiet_limit=40"
    );
    let text = run(&line).expect("it succeeds");
    for part in ["40 games of gaiqi with seed 2", "agent", "seat 0", "ending", "plies per game"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let dataset = Dataset::open(dir).expect("the dataset can be opened");
    assert_eq!(dataset.num_games(), 40);
    assert_eq!(dataset.metadata().options["quiet_limit"], 40);
    let boards = run(&format!("replay {dir} 39")).expect("it succeeds");
    let moves = run(&format!("replay {dir} 39 --moves")).expect("it succeeds");
    assert!(boards.contains("taken from ") && !moves.contains("taken from "), "{boards}");
    assert!(boards.lines().count() > 5 * moves.lines().count());
    let plies = dataset.game(39).expect("there is such a game").plies;
    let listed = moves.lines().filter(|line| line.contains(" legal action"));
    assert_eq!(listed.count(), usize::from(plies));

    // Progress is all that is left out.
    let other = format!("{dir}-quiet");
    let quiet = run(&format!("selfplay gaiqi -n 2 -a random -o {other} --quiet"));
    assert!(quiet.expect("it succeeds").starts_with("2 games of gaiqi with seed 0"));
}

#[test]
fn exit_codes_distinguish_usage_from_failure() {
    let usage = output("selfplay gaiqi --game 3");
    assert_eq!(usage.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&usage.stderr).contains("--game"));
    let failure = output("perft chess --depth 1");
    assert_eq!(failure.status.code(), Some(1));
    let message = String::from_utf8_lossy(&failure.stderr);
    assert!(message.starts_with("error: unknown game `chess`"), "{message}");
    assert!(failure.stdout.is_empty());
    let version = output("--version");
    assert_eq!(version.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("darkqi "));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let mut command = darkqi();
    let child = command.arg("games").stdout(writer).stderr(Stdio::piped()).spawn();
    let output = child.and_then(|child| child.wait_with_output()).expect("the program runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_engine_reads_commands_from_standard_input() {
    let mut engine = darkqi();
    engine.args(["uci", "flipping", "--set", "quiet_limit=9"]);
    let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = engine.stdin.take().expect("it is piped");
    input.write_all(b"uci\nposition startpos\ngo depth 2\n").expect("it reads");
    // The end of the input ends the program, and not the search.
    drop(input);
    let output = engine.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("it is text");
    assert!(text.contains("option name quiet_limit type spin default 9 "), "{text}");
    assert!(text.contains("\nuciok\ninfo depth 1 ") && text.contains("\nbestmove "), "{text}");
    assert!(error("uci chess").starts_with("unknown game `chess`"));
}

/// The limit of a cluster on the size of files is an error of the file, as a full disk is.
#[cfg(unix)]
#[test]
fn files_beyond_a_limit_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, dir) = (env!("CARGO_BIN_EXE_darkqi"), folder.path().display());
    let line =
        format!("ulimit -f 2; exec {program} selfplay gaiqi -n 600 -a greedy -q -o {dir}/games");
    let output = Command::new("sh").args(["-c", &line]).output().expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && error.contains("File too large"), "{error}");
}
