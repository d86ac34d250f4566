//! The engine, spoken to.

use std::io::{self, BufRead, BufReader, Cursor, PipeWriter, Write};
use std::thread;

use darkqi_env::{Options, Value};

use super::{Server, settings::Settings};

mod covered;
mod variation;

const START: &str = "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0";

/// The answers to these lines.
fn answers(game: &str, lines: &[&str]) -> Vec<String> {
    let server = Server::new(game, Options::new()).expect("the game exists");
    let mut out = Vec::new();
    server.run(Cursor::new(lines.join("\n")), &mut out).expect("it can be written");
    let text = String::from_utf8(out).expect("it is text");
    text.lines().map(str::to_owned).collect()
}

/// The only answer to the last of these lines.
fn answer(game: &str, lines: &[&str]) -> String {
    let mut answers = answers(game, lines);
    assert_eq!(answers.len(), 1, "{lines:?}: {answers:?}");
    answers.remove(0)
}

/// The moves that are played.
fn best(game: &str, lines: &[&str]) -> Vec<String> {
    let answers = answers(game, lines);
    answers.iter().filter_map(|line| line.strip_prefix("bestmove ")).map(str::to_owned).collect()
}

/// The value of a field of an `info` line.
fn field<'a>(info: &'a str, name: &str) -> &'a str {
    let mut words = info.split(' ').skip_while(|word| *word != name);
    words.nth(1).unwrap_or_else(|| panic!("no {name} in {info}"))
}

#[test]
fn it_says_what_it_is() {
    let lines = answers("flipping", &["uci", "isready"]);
    assert!(lines[0].starts_with("id name darkqi "));
    let expected = [
        "id author the darkqi developers",
        "option name Hash type spin default 2 min 1 max 65536",
        "option name Threads type spin default 1 min 1 max 256",
        "option name Net type string default built-in",
        "option name repetition type check default true",
        "option name quiet_limit type spin default 0 min 0 max 65535",
        "option name max_plies type spin default 400 min 1 max 65535",
        "uciok",
        "readyok",
    ];
    assert_eq!(lines[1..], expected);
    let designed = answers("jieqi", &["setoption name moves.R value RW", "uci"]);
    assert!(designed.contains(&"option name Net type string default none".to_owned()));
    let lines = answers("seven_kingdoms", &["uci"]);
    assert!(lines.iter().any(|line| line.contains(" type combo default ")), "{lines:?}");
}

#[test]
fn each_depth_is_told_and_then_the_move() {
    let lines = answers("flipping", &["position startpos moves c2c3", "go depth 3"]);
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (depth, info) in (1..).zip(&lines[..3]) {
        assert!(info.starts_with(&format!("info depth {depth} score cp ")), "{info}");
        for name in ["cp", "nodes", "nps", "time"] {
            assert!(field(info, name).parse::<i64>().is_ok(), "{info}");
        }
    }
    let nodes = |line: &str| field(line, "nodes").parse::<u64>().expect("it is a number");
    assert!(nodes(&lines[0]) < nodes(&lines[2]));
    assert_eq!(lines[3], format!("bestmove {}", field(&lines[2], "pv")));
    // Twice the same.
    let again = answers("flipping", &["position startpos moves c2c3", "go depth 3"]);
    assert_eq!(again[3], lines[3]);
}

#[test]
fn limits_are_kept() {
    let most = |go: &str| {
        let lines = answers("flipping", &["position startpos", go]);
        let nodes = lines.iter().filter(|line| line.starts_with("info "));
        nodes.map(|line| field(line, "nodes").parse::<u64>().expect("a number")).max()
    };
    assert!(most("go nodes 500").is_some_and(|nodes| nodes <= 500));
    assert!(most("go depth 2").is_some());
    for go in ["go movetime 20", "go wtime 900 btime 900 movestogo 30", "go depth 4 nodes 9"] {
        assert_eq!(best("flipping", &["position startpos", go]).len(), 1, "{go}");
    }
}

#[test]
fn a_search_remembers_the_one_before_until_a_new_game() {
    let go = ["position startpos moves c2c3", "go depth 4"];
    let nodes = |between: &[&str]| {
        let lines = answers("flipping", &[&go, between, &go].concat());
        let is_last = |line: &&String| line.starts_with("info depth 4 ");
        let found: Vec<u64> = lines
            .iter()
            .filter(is_last)
            .map(|line| field(line, "nodes").parse().expect("a number"))
            .collect();
        <[u64; 2]>::try_from(found).expect("both depths are told")
    };
    let [first, again] = nodes(&[]);
    assert!(again < first / 2, "{again} of {first}");
    let [first, anew] = nodes(&["ucinewgame"]);
    assert_eq!(anew, first);
}

#[test]
fn several_threads_search_one_position() {
    let lines = ["setoption name Threads value 2", "position startpos", "go nodes 3000"];
    assert_eq!(best("flipping", &lines).len(), 1);
    let settings = Settings::new("flipping", Options::new()).with("threads", "2");
    let search = settings.expect("it is an option").search().expect("the game exists");
    assert_eq!(search.threads(), 2);
}

#[test]
fn a_win_has_the_greatest_score() {
    // The elephant becomes a chariot that gives mate.
    let lines = answers("flipping", &["position fen 2k4/R6/3E3/7/7/7/3K3 w 0 0", "go depth 3"]);
    let last = &lines[lines.len() - 2];
    assert_eq!(field(last, "cp"), "10000", "{lines:?}");
    let lines = answers("flipping", &["position fen 2k4/R6/3E3/7/7/7/4K2 b 0 0", "go depth 4"]);
    assert!(lines[lines.len() - 2].contains(" cp -10000 "), "{lines:?}");
}

/// A server on a thread of its own.
struct Talk {
    input: PipeWriter,
    lines: io::Lines<BufReader<io::PipeReader>>,
    server: thread::JoinHandle<()>,
}

impl Talk {
    fn new(game: &'static str) -> Self {
        let (input_reader, input) = io::pipe().expect("a pipe can be made");
        let (reader, mut out) = io::pipe().expect("a pipe can be made");
        let server = thread::spawn(move || {
            let server = Server::new(game, Options::new()).expect("the game exists");
            server.run(BufReader::new(input_reader), &mut out).expect("it can be written");
        });
        Self { input, lines: BufReader::new(reader).lines(), server }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the server reads");
    }

    /// The next line that begins so.
    fn hear(&mut self, beginning: &str) -> String {
        let mut lines = self.lines.by_ref().map(|line| line.expect("it is text"));
        lines.find(|line| line.starts_with(beginning)).expect("the server goes on")
    }

    fn leave(mut self) -> Vec<String> {
        self.say("quit");
        let left = self.lines.by_ref().map(|line| line.expect("it is text")).collect();
        self.server.join().expect("the server ends");
        left
    }
}

#[test]
fn a_search_can_be_asked_for_a_sign_and_stopped() {
    let mut talk = Talk::new("flipping");
    talk.say("position startpos");
    talk.say("go infinite");
    talk.hear("info depth 2 ");
    talk.say("isready");
    talk.hear("readyok");
    // What comes meanwhile waits, and `stop` does not.
    talk.say("position startpos moves c2c3");
    talk.say("go depth 1");
    talk.say("stop");
    talk.hear("bestmove ");
    let reply = talk.hear("bestmove ");
    // So does a `go` that cannot be read.
    talk.say("go infinite");
    talk.hear("info depth 1 ");
    talk.say("go depth x");
    talk.hear("info string ");
    talk.say("stop");
    assert_ne!(talk.hear("bestmove "), "bestmove (none)");
    assert_eq!(talk.hear("bestmove "), "bestmove (none)");
    assert!(reply.as_bytes()["bestmove ".len() + 1] >= b'5', "{reply} is none of black's");
    // One that waits has its own `stop`, if it comes before the answer to the first.
    for line in ["go infinite", "stop", "go infinite", "stop"] {
        talk.say(line);
    }
    talk.hear("bestmove ");
    talk.hear("bestmove ");
    talk.say("stop");
    talk.say("go infinite");
    talk.hear("info depth 1 ");
    let left = talk.leave();
    assert!(left.last().is_some_and(|line| line.starts_with("bestmove ")), "{left:?}");
}

#[test]
fn an_infinite_search_keeps_its_move_until_it_is_stopped() {
    let mut talk = Talk::new("flipping");
    // A certain win ends the search by itself.
    talk.say("position fen 2k4/R6/3E3/7/7/7/3K3 w 0 0");
    talk.say("go infinite");
    talk.hear("info depth 1 ");
    thread::sleep(std::time::Duration::from_millis(300));
    talk.say("isready");
    // `hear` would pass over a move, `next` does not.
    loop {
        let line = talk.lines.next().expect("the server goes on").expect("it is text");
        assert!(!line.starts_with("bestmove"), "{line}");
        if line == "readyok" {
            break;
        }
    }
    talk.say("stop");
    talk.hear("bestmove ");
    assert_eq!(talk.leave(), Vec::<String>::new());
}

#[test]
fn the_end_of_the_commands_ends_infinite_searches_only() {
    assert_eq!(best("flipping", &["position startpos", "go infinite"]).len(), 1);
    let lines = ["position startpos", "go depth 2", "position startpos moves c2c3", "go depth 2"];
    let moves = best("flipping", &lines);
    assert_eq!(moves.len(), 2);
    assert_ne!(moves[0], moves[1]);
    assert_eq!(best("flipping", &["go", "go", "go depth 1"]).len(), 3);
    // The first ends early and the others are not begun.
    assert_eq!(best("flipping", &["go depth 60", "go depth 60", "quit"]).len(), 1);
}

#[test]
fn positions_are_shown() {
    let lines = answers("flipping", &["position startpos moves d2d3 d6d5", "d"]);
    let fen = "fen 1efkfe1/2s1s2/3h3/7/3H3/2S1S2/1EFKFE1 w 2 2";
    assert_eq!(lines.last().map(String::as_str), Some(fen));
    assert_eq!(lines[0], "7  . e f k f e .");
}

#[test]
fn faults_are_named_and_nothing_is_played() {
    for (lines, fault) in [
        (&["fly"][..], "unknown command `fly`"),
        (&["position"], "position: expected `startpos` or `fen FEN`, found ``"),
        (&["position here"], "position: expected `startpos` or `fen FEN`, found `here`"),
        (&["position fen 7/7"], "field `"),
        (&["position fen moves"], "field `"),
        (&["position startpos moves a1a9"], "`a1a9`"),
        (
            &["position startpos movesd2d3"],
            "position: expected `startpos` or `fen FEN`, found `startpos movesd2d3`",
        ),
        (&["position startpos moves d1d7"], "d1d7"),
        (
            &["position startpos moves c2c3=R"],
            "`c2c3=R` does not say what the move can show: nothing",
        ),
        (&["setoption name Hash value 0"], "Hash is `0`; expected a whole number from 1 to 65536"),
        (&["setoption name Net value none.safetensors"], "none.safetensors"),
        (
            &["setoption name Threads value 257"],
            "Threads is `257`; expected a whole number from 1 to 256",
        ),
        (
            &["setoption name Contempt value 2"],
            "no option `Contempt`; expected Hash, Threads, Net or a rule: ",
        ),
        (&["setoption name quiet_limit value many"], "option `quiet_limit` of flipping: `many`"),
        (
            &["setoption name repetition value maybe"],
            "repetition is `maybe`; expected true or false",
        ),
        (&["setoption Hash"], "setoption: expected `name`"),
    ] {
        let line = answer("flipping", lines);
        assert!(line.starts_with("info string ") && line.contains(fault), "{lines:?}: {line}");
    }
    let lines = answers("flipping", &["go depth x"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[1], "bestmove (none)");
    let over = answers("flipping", &["position fen 3k3/7/7/7/7/7/2K4 w 0 0", "go depth 1"]);
    let expected = ["info string the game is over: bare_kings", "bestmove (none)"];
    assert_eq!(over, expected);
    // A faulty position leaves none.
    let lines = answers("flipping", &["position startpos", "position fen x", "go depth 1"]);
    assert_eq!(lines.last().map(String::as_str), Some("bestmove (none)"));
}

#[test]
fn options_change_the_search_and_the_rules() {
    let lines = ["setoption name hash value 1", "setoption name NET value none", "go depth 2"];
    assert_eq!(best("flipping", &lines).len(), 1);
    let quiet =
        ["setoption name quiet_limit value 1", "position startpos moves c2c3", "go depth 1"];
    let lines = answers("flipping", &quiet);
    assert!(lines[0].starts_with("info string the game is over: "), "{lines:?}");
    assert_eq!(lines[1], "bestmove (none)");
    let names =
        ["setoption name Ranking value HongKong", "setoption name cannon value STEP", "uci"];
    let lines = answers("banqi", &names);
    for expected in ["ranking type combo default hongkong ", "cannon type combo default step "] {
        assert!(lines.iter().any(|line| line.contains(expected)), "{lines:?}");
    }
    for (value, listed) in [("True", "true"), ("OFF", "false"), ("false", "false"), ("on", "true")]
    {
        let lines =
            answers("flipping", &[&format!("setoption name repetition value {value}"), "uci"]);
        let expected = format!("option name repetition type check default {listed}");
        assert!(lines.contains(&expected), "{lines:?}");
    }
    let rules = Options::from([("quiet_limit".to_owned(), Value::Text("7".to_owned()))]);
    let server = Server::new("flipping", rules).expect("the option exists");
    let mut out = Vec::new();
    server.run(Cursor::new("uci\nucinewgame\nquit\nuci\n"), &mut out).expect("it can be written");
    let text = String::from_utf8(out).expect("it is text");
    assert!(text.contains("option name quiet_limit type spin default 7 "), "{text}");
    assert_eq!(text.matches("uciok").count(), 1);
    let error = Server::new("chess", Options::new()).err().expect("there is no such game");
    assert!(error.to_string().starts_with("unknown game `chess`"), "{error}");
}

#[test]
fn any_bytes_are_answered_and_not_obeyed() {
    let server = Server::new("flipping", Options::new()).expect("the game exists");
    let mut out = Vec::new();
    let input: Vec<u8> =
        (0..=u8::MAX).chain(*b"\nposition fen \xff\xfe moves =\ngo depth 1\n").collect();
    server.run(Cursor::new(input), &mut out).expect("it can be written");
    assert!(String::from_utf8(out).expect("it is text").ends_with("bestmove (none)\n"));
}

#[test]
fn every_game_is_played_from_its_fen() {
    for game in darkqi_env::games::names() {
        let deal = darkqi_env::deal(game, &Options::new(), 3).expect("the game exists");
        let moves = best(game, &[&format!("position fen {}", deal.fen()), "go nodes 40"]);
        assert!(deal.legal_moves().contains(&moves[0]), "{game}: {moves:?}");
    }
    assert_eq!(START, darkqi_env::deal("flipping", &Options::new(), 0).expect("it exists").fen());
}
