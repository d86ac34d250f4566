//! The agent `uci` in games with covered pieces: the dialect of jieqi, and darkqi against itself.

use darkqi_engine::agent::{Agent, NEVER};
use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::{
    Game, Registered, Rng, Stream, Viewer,
    game::{GameExt, Notation},
};

use super::uci_agent::{Fake, build, darkqi, decision};
use super::{arena, config, folder, play, replays};

/// A position in which each side has lost pieces face down.
const LATER: &str = "3k5/9/9/~p7r/9/R8/8~P/9/9/4K4 w ~h~Rc 3 21";

#[test]
fn an_engine_is_told_what_its_seat_knows() {
    let rules = Jieqi::default();
    let deal = rules.deal(&mut Rng::new(1, Stream::Deal));
    let later = rules.parse_fen(LATER).expect("it is a position");
    for (state, position, played, name) in [
        (
            &deal,
            "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w \
             R2A2C2P5N2B2r2a2c2p5n2b2 0 1",
            "a3a4",
            "a4a5",
        ),
        (&later, "3k5/9/9/x7r/9/R8/8X/9/9/4K4 w R1A0C0P1N0B0r0a0c0p1n0b0 3 11", "e0e1", "e1e2"),
    ] {
        let answer = format!("echo 'info score cp 400 pv {played}'; echo 'bestmove {played}'");
        let fake = Fake::answering(&answer);
        let mut agent = build(&fake.spec(",depth=3"), &rules).expect("the agent can be made");
        let decision = decision(&mut *agent, &rules, state, 0, &NEVER).expect("it decides");
        let perspective = rules.perspective(rules.to_move(state));
        assert_eq!(rules.table().name(decision.action, perspective), name);
        assert!(decision.value.is_some_and(|value| (value[0] - 0.6854).abs() < 1e-4));
        let told = [format!("position fen {position}"), "go depth 3".to_owned()];
        assert_eq!(fake.log()[fake.log().len() - 2..], told);
    }
}

/// The leak law, for all that is sent: worlds that a seat cannot tell apart send the same lines.
#[test]
fn an_engine_is_told_nothing_else() {
    fn check<G: Registered>(rules: &G, answer: &str) {
        let state = rules.deal(&mut Rng::new(2, Stream::Deal));
        let view = rules.view(&state, Viewer::Player(0));
        let sent = |state: &G::State| {
            let fake = Fake::answering(answer);
            let mut agent = build(&fake.spec(""), rules).expect("the agent can be made");
            decision(&mut *agent, rules, state, 0, &NEVER).expect("it decides");
            fake.log()
        };
        let truth = sent(&state);
        // Not even a world that it is told as one of many is the true one.
        assert!(!truth.iter().any(|line| line.contains(&rules.fen(&state))), "{truth:?}");
        for seed in 0..3 {
            let other = rules.determinize(&view, &mut Rng::new(seed, Stream::Resample));
            assert_ne!(rules.fen(&other), rules.fen(&state));
            assert_eq!(sent(&other), truth, "{}", G::NAME);
        }
    }
    check(&Jieqi::default(), "echo 'bestmove a3a4'");
    check(&Banqi::default(), "echo 'bestmove a1'");
}

#[test]
fn an_engine_that_fails_in_the_dialect_is_described() {
    let rules = Jieqi::default();
    let deal = rules.deal(&mut Rng::new(1, Stream::Deal));
    let legal = "expected one of 44 legal moves: a0a1 a0a2 a3a4 b0a2 ";
    for (answer, faults) in [
        ("echo 'bestmove (none)'", ["plays `(none)`", legal]),
        ("echo 'bestmove 0000'", ["plays `0000`", legal]),
        ("echo 'bestmove a0a9'", ["plays `a0a9`", legal]),
        ("echo 'bestmove i10i9'", ["plays `i10i9`", legal]),
        ("echo 'bestmove \u{7532}'", ["plays `\u{7532}`", legal]),
    ] {
        let fake = Fake::answering(answer);
        let mut agent = build(&fake.spec(""), &rules).expect("the agent can be made");
        let error = decision(&mut *agent, &rules, &deal, 0, &NEVER).expect_err(answer);
        let told = "position `xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w \
                    R2A2C2P5N2B2r2a2c2p5n2b2 0 1`";
        for part in faults.into_iter().chain([told, "last sent `go nodes 10000`", "engine `sh "]) {
            assert!(error.contains(part), "{answer}: no {part} in {error}");
        }
    }
}

#[test]
fn a_match_ends_where_an_engine_fails() {
    let fake = Fake::answering("exit 3");
    let error = arena::error(&arena::matched("jieqi", &format!("{},random", fake.spec("")), 4));
    assert!(error.contains("ended (exit status: 3), expected `bestmove`"), "{error}");
}

#[test]
fn darkqi_plays_itself_in_every_game_of_two() {
    let folder = folder();
    for game in ["jieqi", "mystery", "banqi", "gaiqi", "flipping"] {
        let options = if game == "flipping" { ",fen=darkqi,nodes=30" } else { ",nodes=30" };
        let agents = [darkqi(game, options), darkqi(game, options)].join(",");
        let run = |name: &str| {
            let dir = folder.path().join(game).join(name);
            assert_eq!(play(&config(game, &agents, 1, &dir)).games, 1);
            replays(&dir)
        };
        let games = run("first");
        assert!(games[0].plies > 10, "{game}: {games:?}");
        assert_eq!(run("again"), games, "{game}");
    }
}

#[test]
fn an_engine_plays_what_darkqi_searches() {
    let rules = Jieqi::default();
    let mut own = build("expectimax:depth=2", &rules).expect("the agent exists");
    let engine = |fen: &str| {
        let spec = darkqi("jieqi", &format!(",depth=2,fen={fen}"));
        build(&spec, &rules).expect("the agent exists")
    };
    let mut engines = ["pikafish", "darkqi"].map(engine);
    let mut state = rules.deal(&mut Rng::new(1, Stream::Deal));
    let mut rng = Rng::new(1, Stream::Sample);
    for ply in 0..50 {
        if ply % 10 == 0 {
            let mover = rules.to_move(&state);
            let value = |agent: &mut dyn Agent<Jieqi>| {
                let decision = decision(agent, &rules, &state, 0, &NEVER).expect("it decides");
                decision.value.expect("it has a value")[mover]
            };
            let expected = value(&mut *own);
            for engine in &mut engines {
                let found = value(&mut **engine);
                // Scores are whole.
                let position = rules.fen(&state);
                assert!((found - expected).abs() < 0.002, "{position}: {found}, {expected}");
            }
        }
        let legal = rules.actions(&state);
        rules.play(&mut state, *rng.choose(&legal));
    }
}
