//! Journals of matches: resuming after any interruption, and faults.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_engine::agents::AgentSpec;
use darkqi_play::arena::{self, Match, Sprt};
use tempfile::{TempDir, tempdir};

use super::arena::{error, matched, option, play, threads, timeless};

fn folder() -> TempDir {
    tempdir().expect("a folder can be made")
}

/// A match of short games.
fn short(games: u64, journal: &Path) -> Match {
    Match {
        options: option("max_plies", "40"),
        journal: Some(journal.into()),
        ..matched("gaiqi", "greedy,random", games)
    }
}

fn without_journal(config: &Match) -> Match {
    Match { journal: None, ..config.clone() }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("the journal can be read")
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::write(path, bytes).expect("the journal can be written");
}

/// A journal's lines without their times, which are the last entry.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("it is text");
    let untimed = |line: &str| line.split(r#","seconds""#).next().unwrap_or_default().to_owned();
    text.lines().map(untimed).collect()
}

#[test]
fn a_journal_cut_anywhere_is_resumed_to_the_same_results() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(6, &path);
    let expected = play(&config);
    assert_eq!(expected, play(&without_journal(&config)));
    let whole = read(&path);
    let whole_lines = lines(&path);
    assert_eq!(whole_lines.len(), 1 + 3);
    for length in 0..=whole.len() {
        write(&path, &whole[..length]);
        assert_eq!(play(&config), expected, "cut to {length} bytes");
        assert_eq!(lines(&path), whole_lines, "cut to {length} bytes");
    }
}

#[test]
fn a_finished_match_plays_no_more_games() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(6, &path);
    play(&config);
    let whole = read(&path);
    let again = arena::play(&config, &(), &AtomicBool::new(true)).expect("nothing is left to stop");
    assert!(again.complete);
    assert_eq!(again.resumed_games, 6);
    assert!(again.agents.iter().all(|agent| agent.seconds > 0.0), "the journal keeps the times");
    assert_eq!(read(&path), whole);
}

#[test]
fn a_match_can_be_extended_or_shortened() {
    let folder = folder();
    let path = folder.path().join("journal");
    let few = play(&short(6, &path));
    let many = play(&Match { threads: threads(3), ..short(40, &path) });
    assert_eq!(many, play(&without_journal(&short(40, &path))));
    assert_eq!(play(&short(6, &path)), few);
    assert_eq!(lines(&path).len(), 1 + 20);
}

#[test]
fn all_pairs_are_resumed() {
    let folder = folder();
    let path = folder.path().join("journal");
    let agents = "greedy,random,greedy:values=built-in";
    let agents = AgentSpec::parse_list(agents).expect("they exist");
    let config = Match { agents, threads: threads(2), ..short(8, &path) };
    let expected = play(&config);
    let whole = read(&path);
    write(&path, &whole[..whole.len() / 2]);
    assert_eq!(play(&config), expected);
}

#[test]
fn tests_are_resumed() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = Match {
        sprt: Some(Sprt::new(0.0, 100.0)),
        threads: threads(4),
        journal: Some(path.clone()),
        ..matched("gaiqi", "greedy,random", 2000)
    };
    let expected = play(&without_journal(&config));
    assert_eq!(play(&config), expected);
    let whole = read(&path);
    for part in [2, 3, 5] {
        write(&path, &whole[..whole.len() / part]);
        assert_eq!(play(&config), expected);
    }
    // Other hypotheses are tested with the same games.
    let stricter = Match { sprt: Some(Sprt { alpha: 0.001, ..Sprt::new(0.0, 100.0) }), ..config };
    assert_eq!(play(&stricter), play(&without_journal(&stricter)));
}

#[test]
fn a_journal_of_another_match_is_refused_and_unchanged() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(4, &path);
    play(&config);
    let whole = read(&path);
    let refused = |config: Match| {
        let text = error(&config);
        assert_eq!(read(&path), whole, "{text}");
        let start = format!("journal {}: of another match: ", path.display());
        text.strip_prefix(&start).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let seed = Match { seed: 3, ..config.clone() };
    assert_eq!(refused(seed), "seed: 0 there, 3 asked for");
    let random_plies = Some(2);
    let plies = Match { random_plies, ..config.clone() };
    assert_eq!(refused(plies), "random_plies: 0 there, 2 asked for");
    let options = Match { options: option("max_plies", "50"), ..config.clone() };
    assert_eq!(refused(options), "options.max_plies: 40 there, 50 asked for");
    let agents = AgentSpec::parse_list("random,greedy").expect("they exist");
    assert_eq!(
        refused(Match { agents, seed: 1, ..config.clone() }),
        r#"agents: ["greedy","random"] there, ["random","greedy"] asked for; seed: 0 there, 1 asked for"#
    );
    let other = Match { game: "banqi".to_owned(), ..config };
    assert!(refused(other).contains(r#"game: "gaiqi" there, "banqi" asked for"#));
}

#[test]
fn damage_is_named_by_its_line() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(8, &path);
    play(&config);
    let text = fs::read_to_string(&path).expect("it is text");
    let damaged = |line: usize, damage: &dyn Fn(&str) -> String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[line - 1] = damage(&lines[line - 1]);
        let damaged = lines.join("\n") + "\n";
        write(&path, &damaged);
        let text = error(&config);
        assert_eq!(read(&path), damaged.as_bytes(), "{text}");
        let start = format!("journal {}, line {line}: ", path.display());
        text.strip_prefix(&start).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let half = damaged(3, &|line| line[..line.len() / 2].to_owned());
    assert!(half.starts_with("column ") && half.contains("EOF"), "{half}");
    assert_eq!(damaged(2, &|_| String::new()), "column 0: EOF while parsing a value");
    assert!(damaged(4, &|line| line.replace("block", "blocks")).contains("unknown field `blocks`"));
    let pair = damaged(5, &|line| line.replace(r#""second":1"#, r#""second":2"#));
    assert_eq!(pair, "agents 0 and 2 are no pair of this match");
    let again = damaged(3, &|_| text.lines().nth(1).unwrap_or_default().to_owned());
    assert_eq!(again, "block 0 of this pair is on an earlier line");
    let rewards = damaged(3, &|line| line.replacen("\"rewards\":[", "\"rewards\":[0.5,", 1));
    assert_eq!(rewards, "expected 2 rewards, found 3");
    // One entry of the first game, or of the block, with another value.
    let changed = |entry: &str, value: &str| {
        damaged(3, &|line| {
            let start = line.find(entry).expect("there is such an entry") + entry.len();
            let ends: &[char] = if entry.ends_with('[') { &[']'] } else { &[',', '}'] };
            let end = start + line[start..].find(ends).expect("it ends");
            format!("{}{value}{}", &line[..start], &line[end..])
        })
    };
    for rewards in ["5.0,5.0", "-0.5,-0.7", "3e38,3e38", "1.0,1.0", "0.5,-0.5"] {
        let fault = changed("\"rewards\":[", rewards);
        assert!(fault.starts_with("expected rewards of a game that ends by "), "{fault}");
    }
    assert_eq!(
        changed("\"reason\":", r#""x\n\u001b[31m""#),
        r#"expected a reason of RULES.md section 8, found "x\n\u{1b}[31m""#
    );
    for plies in ["0", "41"] {
        let fault = changed("\"plies\":", plies);
        assert_eq!(fault, format!("expected from 1 to 40 plies, found {plies}"));
    }
    let most = u64::MAX;
    let decisions = changed("\"decisions\":[", &format!("{most},{most}"));
    assert!(
        decisions.starts_with("expected at most ")
            && decisions.ends_with(&format!(" decisions, found {most} and {most}")),
        "{decisions}"
    );
    let truncated = damaged(3, &|line| {
        let (before, after) = line.split_once("\"rewards\":[").expect("there are rewards");
        let (_, after) = after.split_once("\"plies\"").expect("there are plies");
        format!("{before}\"rewards\":[1.0,-1.0],\"reason\":\"max_plies\",\"plies\"{after}")
    });
    assert_eq!(truncated, "expected rewards of a game that ends by max_plies, found [1.0, -1.0]");
    let seconds = damaged(3, &|line| line.replace("\"seconds\":[", "\"seconds\":[-"));
    assert!(seconds.starts_with("expected seconds of 0 or more, found -"), "{seconds}");
    let games = damaged(3, &|line| {
        let start = line.find("\"games\":[").expect("there are games") + "\"games\":[".len();
        let end = line.find("],\"beginning\"").expect("there is a beginning");
        line[..start].to_owned() + &line[end..]
    });
    assert_eq!(games, "expected 2 games, found 0");
}

#[test]
fn other_files_are_not_overwritten() {
    let folder = folder();
    let path = folder.path().join("journal");
    let older = "{\"darkqi_arena_journal\":1,\"software_version\":\"0.0.";
    // The last could be the beginning of the journal of another match.
    for text in ["notes\n", "notes", "{\"darkqi\"", "{}\n", "\n", older] {
        write(&path, text);
        let refused = error(&short(4, &path));
        assert!(refused.contains("not a journal"), "{text}: {refused}");
        assert_eq!(read(&path), text.as_bytes());
    }
    let nowhere = short(4, &folder.path().join("none/journal"));
    assert!(error(&nowhere).contains("cannot open"), "{}", error(&nowhere));
}

#[test]
fn a_journal_belongs_to_one_process_at_a_time() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(4, &path);
    play(&config);
    let file = fs::File::open(&path).expect("it can be opened");
    file.try_lock().expect("nobody else has it");
    let expected = format!("journal {}: another process is writing to it", path.display());
    assert_eq!(error(&config), expected);
    drop(file);
    play(&config);
}

/// Waits until a journal has this many lines.
#[cfg(unix)]
fn wait_for(child: &mut std::process::Child, path: &Path, lines: usize) {
    let written = || fs::read_to_string(path).unwrap_or_default().lines().count();
    while written() < lines {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn the_same_command_resumes_after_a_kill_or_a_stop() {
    use std::process::{Command, Stdio};

    let folder = folder();
    let path = folder.path().join("journal");
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_darkqi"));
        command.args(["arena", "gaiqi", "--agents", "greedy,random", "--games", "1000000"]);
        command.args(["--set", "max_plies=40", "--threads", "2", "--journal"]).arg(&path);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
    };
    let mut killed = start();
    wait_for(&mut killed, &path, 20);
    killed.kill().expect("it can be killed");
    killed.wait().expect("it has ended");
    let before = lines(&path).len();

    let mut stopped = start();
    wait_for(&mut stopped, &path, before + 20);
    let id = stopped.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().expect("there is a kill command");
    assert!(sent.success());
    let output = stopped.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("stopped by Ctrl-C") && message.contains("resumes from"), "{message}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("greedy - random"));

    // More games than the journal has.
    let games = 2 * (lines(&path).len() as u64 + 5);
    let config = short(games, &path);
    let results = arena::play(&config, &(), &AtomicBool::new(false)).expect("it is resumed");
    assert!(results.resumed_games >= 2 * 40 - 4, "{}", results.resumed_games);
    assert_eq!(timeless(results), play(&without_journal(&config)));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_folders_are_no_journals() {
    let folder = folder();
    for path in [Path::new("/dev/null"), folder.path()] {
        let text = error(&short(6, path));
        let expected = "expected a regular file, found something else";
        assert_eq!(text, format!("journal {}: {expected}", path.display()));
    }
}

#[test]
fn journals_of_blocks_make_up_that_of_the_match() {
    let folder = folder();
    let whole = folder.path().join("whole");
    let config = Match {
        agents: AgentSpec::parse_list("greedy,random,greedy:epsilon=0.5").expect("they exist"),
        ..short(6, &whole)
    };
    let expected = play(&config);
    let part = |name: &str, blocks: std::ops::Range<u64>| {
        let journal = folder.path().join(name);
        let own = Match { journal: Some(journal.clone()), blocks: Some(blocks), ..config.clone() };
        (play(&own), journal)
    };
    let (first, one) = part("one", 0..4);
    let (last, other) = part("other", 4..9);
    assert!(!first.complete && !last.complete);
    let games = |results: &arena::Results| results.pairs.iter().map(|pair| pair.games).sum::<u64>();
    assert_eq!((games(&first), games(&last), games(&expected)), (8, 10, 18));
    let mut joined = read(&one);
    let lines = read(&other);
    let header = lines.iter().position(|&byte| byte == b'\n').expect("it has lines");
    joined.extend(&lines[header + 1..]);
    write(&folder.path().join("joined"), &joined);
    // Nothing is played: the blocks are counted.
    let (counted, path) = part("joined", 0..0);
    assert!(counted.complete);
    assert_eq!(counted, expected);
    assert!(read(&path) == joined);
}

#[test]
fn blocks_that_do_not_follow_from_the_settings_are_refused() {
    let folder = folder();
    let config = short(6, &folder.path().join("journal"));
    let beyond = error(&Match { blocks: Some(2..4), ..config.clone() });
    assert_eq!(beyond, "blocks: expected a range within 0..3, got 2..4");
    let agents = AgentSpec::parse_list("expectimax:time=5,random").expect("they exist");
    let clock = error(&Match { blocks: Some(0..3), agents, ..config });
    assert!(clock.starts_with("blocks: expected agents whose play follows from"), "{clock}");
    assert!(clock.ends_with("got agent expectimax:time=5"), "{clock}");
}

/// After a power cut a file system may have the length of the first line and zeros for its bytes.
#[test]
fn a_journal_that_was_left_as_zeros_is_begun_anew_and_other_zeros_are_kept() {
    let folder = folder();
    let path = folder.path().join("journal");
    let config = short(6, &path);
    let expected = play(&config);
    let whole = read(&path);
    let first = whole.iter().position(|&byte| byte == b'\n').expect("it has lines") + 1;
    for kept in [0, first / 2] {
        write(&path, [&whole[..kept], &vec![0; first - kept]].concat());
        assert_eq!(play(&config), expected);
        assert!(read(&path).starts_with(&whole[..first]));
    }
    let zeros = vec![0; first + 1];
    write(&path, &zeros);
    assert!(error(&config).contains("not a journal"));
    assert_eq!(read(&path), zeros);
}
