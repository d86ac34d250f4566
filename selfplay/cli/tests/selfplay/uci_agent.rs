//! The agent `uci`, with shell scripts as engines.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use darkqi_engine::agent::{Agent, Decision, NEVER, Request};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::flipping::Flipping;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::games::seven_kingdoms::SevenKingdoms;
use darkqi_env::{
    Action, AnyState, Registered, Rng, Session, Stream, Viewer,
    game::{GameExt, Notation},
};
use tempfile::TempDir;

use super::cli::run;
use super::{config, folder, folder_with, play, replays};

/// What an engine does with a line, where a test says nothing else.
const POLITE: &str = "uci) echo 'id name fake'; echo uciok;; isready) echo readyok;;";

/// The start, and a position of changed forms.
const START: &str = "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0";
const LATER: &str = "1efkfe1/2s1s2/3h3/7/3H3/2S1S2/1EFKFE1 w 2 2";
const LATER_FAIRY: &str = "1efkfe1/2s1s2/3+s3/7/3+S3/2S1S2/1EFKFE1 w - - 2 2";

/// A script in a folder of its own, whose name has a space.
pub(crate) struct Fake {
    folder: TempDir,
}

impl Fake {
    /// An engine that writes what it is sent to a file and does this with each line: branches of
    /// a shell's `case`.
    pub(crate) fn new(branches: &str) -> Self {
        let fake = Self { folder: folder() };
        let script = format!(
            "echo $$ > '{}'\nwhile read -r line; do\n  echo \"$line\" >> '{}'\n  case \"$line\" in \
             {branches} esac\ndone\n",
            fake.path("pid").display(),
            fake.path("log").display(),
        );
        fs::write(fake.path("an engine.sh"), script).expect("the file can be written");
        fake
    }

    /// An engine that answers `go` with this.
    pub(crate) fn answering(answer: &str) -> Self {
        Self::new(&format!("{POLITE} go*) {answer};;"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn spec(&self, options: &str) -> String {
        format!("uci:cmd=sh '{}'{options}", self.path("an engine.sh").display())
    }

    fn agent(&self, options: &str) -> Box<dyn Agent<Flipping>> {
        build(&self.spec(options), &Flipping::default()).expect("the agent can be made")
    }

    /// What the engine was sent.
    pub(crate) fn log(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("log")).expect("the engine was started");
        log.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn build<G: Registered>(spec: &str, rules: &G) -> Result<Box<dyn Agent<G>>, String> {
    let spec: AgentSpec = spec.parse().expect("it is well formed");
    spec.build(rules).map_err(|error| error.to_string())
}

/// The decision in a position, or the error.
fn decide(agent: &mut dyn Agent<Flipping>, fen: &str) -> Result<Decision, String> {
    decide_in(agent, 0, fen, &NEVER)
}

/// The same in the game of this number, with a flag that stops the agent.
fn decide_in(
    agent: &mut dyn Agent<Flipping>,
    game: u64,
    fen: &str,
    stop: &AtomicBool,
) -> Result<Decision, String> {
    let rules = Flipping::default();
    let state = rules.parse_fen(fen).expect("the FEN is well formed");
    decision(agent, &rules, &state, game, stop)
}

/// The decision of the mover in a state of the game of this number, or the error.
pub(crate) fn decision<G: Registered>(
    agent: &mut dyn Agent<G>,
    rules: &G,
    state: &G::State,
    game: u64,
    stop: &AtomicBool,
) -> Result<Decision, String> {
    let legal = rules.actions(state);
    let view = rules.view(state, Viewer::Player(rules.to_move(state)));
    let rng = &mut Rng::new(0, Stream::Sample);
    let decision = agent.decide(rules, &mut Request { game, view, legal: &legal, rng, stop });
    decision.map_err(|failure| failure.cause.to_string())
}

/// White's move of this name.
fn action(name: &str) -> Action {
    let rules = Flipping::default();
    let session = Session::from_fen(rules, START).expect("the FEN is well formed");
    session.action_index(name).expect("the move exists")
}

#[test]
fn an_engine_is_told_the_position_in_its_words() {
    let fake = Fake::answering(
        "echo 'info depth 1 score cp 400'; echo 'info depth 2 score cp -400 pv d3e5-'; \
         echo 'bestmove d3e5- ponder c6c5+'",
    );
    fs::write(fake.path("variants.ini"), "[flipping]\n").expect("the file can be written");
    let file = fake.path("variants.ini").display().to_string();
    let mut agent = fake.agent(&format!(",nodes=7,depth=3,variant=flipping,file={file}"));
    let decision = decide(&mut *agent, LATER).expect("it decides");
    assert_eq!(decision.action, action("d3e5"));
    let value = decision.value.expect("it has a score");
    assert!((value[0] + 0.6854).abs() < 1e-4 && value[1] == -value[0], "{value:?}");
    let expected = [
        "uci".to_owned(),
        format!("setoption name VariantPath value {file}"),
        "setoption name UCI_Variant value flipping".to_owned(),
        "isready".to_owned(),
        "ucinewgame".to_owned(),
        "isready".to_owned(),
        format!("position fen {LATER_FAIRY}"),
        "go nodes 7 depth 3".to_owned(),
    ];
    assert_eq!(fake.log(), expected);
}

#[test]
fn limits_have_a_default() {
    for (options, go) in [
        ("", "go nodes 10000"),
        (",time=5", "go movetime 5"),
        (",depth=4", "go depth 4"),
        (",nodes=9,time=5", "go nodes 9 movetime 5"),
    ] {
        let fake = Fake::answering("echo 'bestmove d2d3+'");
        let decision = decide(&mut *fake.agent(options), START).expect("it decides");
        assert_eq!((decision.action, decision.value), (action("d2d3"), None));
        assert_eq!(fake.log().last().map(String::as_str), Some(go));
    }
}

#[test]
fn positions_may_be_written_as_darkqi_does() {
    let fake = Fake::answering("echo 'bestmove d2d3'");
    decide(&mut *fake.agent(",fen=darkqi"), START).expect("it decides");
    assert!(fake.log().contains(&format!("position fen {START}")));
}

#[test]
fn an_engine_forgets_unless_it_plays_by_the_clock() {
    let new_games = |options: &str, decisions: &[(u64, &str)]| {
        let fake = Fake::answering("echo 'bestmove c2c3'");
        let mut agent = fake.agent(options);
        for &(game, fen) in decisions {
            decide_in(&mut *agent, game, fen, &NEVER).expect("it decides");
        }
        let log = fake.log();
        assert_eq!(log.iter().filter(|line| *line == "uci").count(), 1);
        log.iter().filter(|line| *line == "ucinewgame").count()
    };
    let decisions = [(0, START), (0, LATER), (0, START)];
    assert_eq!(new_games(",nodes=5", &decisions), 3);
    // The third position does not come after the second: it is of another game.
    assert_eq!(new_games(",time=5", &decisions), 2);
    // Games that are played at the same time.
    assert_eq!(new_games(",time=5", &[(1, START), (2, LATER), (1, LATER)]), 3);
}

#[test]
fn a_copy_has_a_process_of_its_own_and_ends_with_its_agent() {
    let fake = Fake::answering("echo 'bestmove d2d3'");
    let mut agent = fake.agent("");
    let mut copy = agent.boxed_clone();
    let mut pids = Vec::new();
    for agent in [&mut agent, &mut copy] {
        decide(&mut **agent, START).expect("it decides");
        pids.push(fs::read_to_string(fake.path("pid")).expect("the engine was started"));
    }
    assert_ne!(pids[0], pids[1]);
    let lives = |pid: &str| {
        let mut kill = Command::new("kill");
        kill.args(["-0", pid.trim()]).stderr(Stdio::null());
        kill.status().expect("there is a `kill`").success()
    };
    assert!(lives(&pids[0]) && lives(&pids[1]));
    drop(agent);
    assert!(!lives(&pids[0]) && lives(&pids[1]));
    drop(copy);
    assert!(!lives(&pids[1]));
}

#[test]
fn what_an_engine_has_started_ends_with_its_agent() {
    // In its group of processes, in one of its own, and where its parent has ended besides.
    let mut ways = vec!["sh"];
    if cfg!(target_os = "linux") {
        ways.extend(["setsid sh", "setsid -f sh"]);
    }
    for way in ways {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("there is a `mkfifo`");
        assert!(made.success());
        // A process that goes on after the script, and says so.
        let script = folder.path().join("late.sh");
        let late = format!("exec 9<> '{}'; sleep 30; echo late >&9", pipe.display());
        fs::write(&script, late).expect("the file can be written");
        let fake = Fake::answering(&format!(
            "{way} '{}' < /dev/null > /dev/null & echo 'bestmove d2d3'",
            script.display()
        ));
        let mut agent = fake.agent("");
        decide(&mut *agent, START).expect("it decides");
        // Opened as soon as the process has done so.
        let mut said = File::open(&pipe).expect("the pipe can be opened");
        drop(agent);
        let mut text = String::new();
        said.read_to_string(&mut text).expect("it can be read");
        assert_eq!(text, "", "{way}");
    }
}

#[test]
fn an_engine_that_ends_after_its_answer_is_described() {
    // Nobody reads what is sent to it once it has answered.
    let fake = Fake::answering("exec <&-; echo 'bestmove d2d3'; exit 0");
    for (options, expected) in [("", "readyok"), (",time=5", "bestmove")] {
        let mut agent = fake.agent(options);
        decide(&mut *agent, START).expect("it decides");
        let error = decide(&mut *agent, LATER).expect_err("it has ended");
        let fault = format!("ended (exit status: 0), expected `{expected}`; ");
        assert!(error.contains(&fault), "{error}");
    }
}

#[test]
fn a_line_without_an_end_is_refused() {
    let fake = Fake::answering("head -c 3000000 /dev/zero | tr '\\000' x; echo 'bestmove d2d3'");
    let error = decide(&mut *fake.agent(""), START).expect_err("the line is too long");
    let fault =
        "cannot be read from: expected lines of at most 1048576 bytes, found a longer one; ";
    assert!(error.contains(fault), "{error}");
    let fake =
        Fake::answering("head -c 1000000 /dev/zero | tr '\\000' x; echo; echo 'bestmove d2d3'");
    decide(&mut *fake.agent(""), START).expect("it decides");
}

#[test]
fn the_last_words_of_an_engine_are_told() {
    let branches = format!(
        "{POLITE} position*) echo 'info string read'; echo ' info  string the game is over: stalemate ';; \
         go*) echo 'info depth 1'; echo 'bestmove (none)';;"
    );
    let error = decide(&mut *Fake::new(&branches).agent(""), START).expect_err("it plays nothing");
    let end = "last received `bestmove (none)`, last info string `the game is over: stalemate`";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn an_engine_that_fails_is_described() {
    let position = "position `1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w - - 0 1`";
    for (answer, faults) in [
        ("exit 3", ["ended (exit status: 3), expected `bestmove`", "last received `readyok`"]),
        ("echo 'info depth 1'", ["no answer within 1500 ms", "last received `info depth 1`"]),
        ("while :; do echo 'info depth 1'; done", ["no answer within 1500 ms", "`bestmove`"]),
        (
            "echo 'bestmove (none)'",
            ["plays `(none)`, expected one of 7 legal moves: c1b2 ", " e2f2;"],
        ),
        ("echo 'bestmove d2d7'", ["plays `d2d7`", "last received `bestmove d2d7`"]),
        ("echo bestmove", ["plays ``", "last received `bestmove`"]),
    ] {
        let fake = Fake::answering(answer);
        let mut agent = fake.agent(",timeout=1500");
        let error = decide(&mut *agent, START).expect_err(answer);
        for part in
            faults.into_iter().chain([position, "last sent `go nodes 10000`", "engine `sh "])
        {
            assert!(error.contains(part), "{answer}: no {part} in {error}");
        }
        // The next decision starts the engine anew, and it fails as before.
        assert!(decide(&mut *agent, START).is_err());
        assert_eq!(fake.log().iter().filter(|line| *line == "uci").count(), 2, "{answer}");
    }
}

#[test]
fn an_engine_is_started_again_and_asked_the_same() {
    // Dies at its second and third `go`, by a count that it keeps.
    let fake = Fake::new(&format!(
        "{POLITE} go*) echo >> \"$0.asked\"; case $(wc -l < \"$0.asked\") in \
         2|3) exit 1;; esac; echo 'bestmove c2c3';;"
    ));
    let mut agent = fake.agent(",restart=2,timeout=3000");
    decide(&mut *agent, START).expect("it decides");
    let mut copy = agent.boxed_clone();
    assert_eq!(decide(&mut *copy, LATER).map(|decision| decision.action), Ok(action("c2c3")));
    // Those of all copies are counted.
    assert_eq!((agent.restarts(), copy.restarts()), (2, 2));
    let positions = fake.log().iter().filter(|line| line.contains(LATER_FAIRY)).count();
    assert_eq!(positions, 3);
}

#[test]
fn an_engine_is_started_again_as_often_as_it_may() {
    let fake = Fake::answering("exit 3");
    let mut agent = fake.agent(",restart=2");
    let error = decide(&mut *agent, START).expect_err("it always fails");
    assert!(error.contains("ended (exit status: 3)"), "{error}");
    assert_eq!(fake.log().iter().filter(|line| *line == "uci").count(), 3);
    assert!(decide(&mut *agent, START).is_err());
    assert_eq!(fake.log().iter().filter(|line| *line == "uci").count(), 4);
    // A program that is not there is not looked for again.
    let mut none = build("uci:cmd=there-is-no-such-engine,restart=9", &Flipping::default());
    let agent = none.as_mut().expect("it is not started yet");
    assert!(decide(&mut **agent, START).is_err());
    assert_eq!(agent.restarts(), 0);
}

#[test]
fn an_engine_that_does_not_introduce_itself_is_described() {
    for (branches, faults) in [
        ("uci) exit 4;;", ["ended (exit status: 4), expected `uciok`", "last received `nothing`"]),
        ("uci) ;;", ["no answer within 1500 ms, expected `uciok`", "last sent `uci`"]),
        ("uci) echo uciok;;", ["expected `readyok`", "last received `uciok`"]),
    ] {
        let error = decide(&mut *Fake::new(branches).agent(",timeout=1500"), START);
        let error = error.expect_err(branches);
        for part in faults {
            assert!(error.contains(part), "{branches}: no {part} in {error}");
        }
    }
    let spec = "uci:cmd=there-is-no-such-engine";
    let mut agent = build(spec, &Flipping::default()).expect("it is not started yet");
    let error = decide(&mut *agent, START).expect_err("there is no such program");
    assert!(error.starts_with("engine `there-is-no-such-engine`: cannot be started: "), "{error}");
}

#[test]
fn an_engine_is_waited_for_until_the_agent_is_stopped() {
    let writes = format!("{POLITE} go*) while :; do echo 'info depth 1'; done;;");
    for branches in ["uci) ;;", "uci) echo uciok;;", &format!("{POLITE} go*) ;;"), &writes] {
        let fake = Fake::new(branches);
        let mut agent = fake.agent(",timeout=30000");
        let error = decide_in(&mut *agent, 0, START, &AtomicBool::new(true)).expect_err(branches);
        assert!(error.contains("stopped"), "{branches}: {error}");
    }
}

#[test]
fn the_only_move_needs_no_engine() {
    let mut agent = build("uci:cmd=none", &Flipping::default()).expect("it is not started yet");
    // The king is in check and has one way out.
    let decision = decide(&mut *agent, "4k2/7/7/7/7/r6/2rK3 w 0 0");
    assert_eq!(decision.map(|decision| decision.action), Ok(action("d1c1")));
}

#[test]
fn what_cannot_be_played_is_refused() {
    let flipping = |spec| build(spec, &Flipping::default()).err().expect(spec);
    assert_eq!(
        flipping("uci"),
        "agent uci: expected `uci:cmd=...`, with the command that starts the engine"
    );
    for (spec, fault) in [
        ("uci:cmd= ", "option `cmd` is ` `; expected a program"),
        ("uci:cmd=a,fen=uci", "option `fen` is `uci`; expected fairy, pikafish or darkqi"),
        ("uci:cmd=a,nodes=0", "option `nodes` is `0`; expected a whole number from 1"),
        ("uci:cmd=a,depth=x", "option `depth` is `x`; expected a whole number from 1 to 1000"),
        ("uci:cmd=a,timeout=0", "option `timeout` is `0`; expected a whole number from 1"),
    ] {
        let error = flipping(spec);
        assert!(error.contains(fault), "{spec}: {error}");
    }
    for (spec, fault) in [
        ("uci:cmd=sh 'a,nodes=5", "a quote is not closed in sh 'a,nodes=5"),
        ("uci:cmd=sh a\\", "nothing follows the last backslash of sh a\\"),
    ] {
        let error = spec.parse::<AgentSpec>().expect_err(spec).to_string();
        assert!(error.contains(fault), "{error}");
    }
    let jieqi = |spec| build(spec, &Jieqi::default()).err();
    let expected = "agent uci cannot play jieqi: expected `fen=pikafish`, not `fen=fairy`";
    assert_eq!(jieqi("uci:cmd=a,fen=fairy").as_deref(), Some(expected));
    assert_eq!(jieqi("uci:cmd=a"), None);
    let error = build("uci:cmd=a,fen=pikafish", &Banqi::default()).err();
    let expected = "agent uci cannot play banqi: expected `fen=darkqi`, not `fen=pikafish`";
    assert_eq!(error.as_deref(), Some(expected));
    let error = build("uci:cmd=a", &SevenKingdoms::default()).err();
    let expected = "agent uci cannot play seven_kingdoms: expected a game of two";
    assert_eq!(error.as_deref(), Some(expected));
}

/// darkqi as an engine of its own.
pub(crate) fn darkqi(game: &str, options: &str) -> String {
    format!("uci:cmd='{}' uci {game}{options}", env!("CARGO_BIN_EXE_darkqi"))
}

#[test]
fn an_engine_plays_what_darkqi_searches() {
    let rules = Flipping::default();
    let mut own = build("expectimax:depth=3", &rules).expect("the agent exists");
    let engine = darkqi("flipping", ",fen=darkqi,depth=3");
    let mut engine = build(&engine, &rules).expect("the agent exists");
    let value = |agent: &mut dyn Agent<Flipping>, fen: &str| {
        let decision = decide(agent, fen).expect("it decides");
        decision.value.expect("it has a value")[0]
    };
    // Equal actions may be chosen between at random, but not values.
    for fen in [LATER, "2k4/R6/3E3/7/7/7/3K3 w 0 0"] {
        let (own, engine) = (value(&mut *own, fen), value(&mut *engine, fen));
        // Scores are whole, and a result that is certain has the greatest.
        let expected = if own > 0.9 { 1.0 } else { own };
        assert!((engine - expected).abs() < 0.002, "{fen}: {engine} instead of {expected}");
    }
}

#[test]
fn a_dataset_starts_no_program_by_itself() {
    let (_folder, dir) = folder_with("games");
    let engine = darkqi("flipping", ",fen=darkqi,nodes=60");
    play(&config("flipping", &format!("{engine},random"), 2, &dir));
    let resume = format!("selfplay --resume --games 4 --out {}", dir.display());
    let error = run(&resume).expect_err("the agents are not named");
    assert!(error.contains("starts a program; expected the agents by --agents"), "{error}");
    assert_eq!(replays(&dir).len(), 2);
}
