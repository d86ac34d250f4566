//! Designs are played as they say, and usual rules as their games.

use std::sync::Arc;

use super::super::plan::{Designed, Plan};
use super::super::variant::{CoveredXiangqi, Variant};
use crate::board::{Action, Kind, Move, Perspective};
use crate::game::{Depict, Features, Game, GameExt, Hidden, Notation, Viewer, configure, texts};
use crate::games::{jieqi::Jieqi, mystery::Mystery};
use crate::rng::{Rng, Stream};

fn rules<V: Variant>(given: &[(&str, &str)]) -> CoveredXiangqi<V> {
    configure(&texts(given)).expect("the options are valid")
}

/// The rules, played by a plan even where they are usual.
fn planned<V: Variant>(mut rules: CoveredXiangqi<V>) -> CoveredXiangqi<V> {
    let movement = Some(Designed::new(&rules.design));
    rules.plan = Some(Arc::new(Plan { movement, ..Plan::new(&rules.design) }));
    rules
}

/// Plays games under two rules side by side, at random or often back and forth. Returns how they ended.
fn play_alike<V: Variant>(
    one: &CoveredXiangqi<V>,
    other: &CoveredXiangqi<V>,
    plies: u32,
) -> Vec<&'static str> {
    let mut rng = Rng::new(7, Stream::Sample);
    let (mut played, mut games) = (0, 0);
    let mut reasons = Vec::new();
    while played < plies {
        let [mut first, mut second] =
            [Rng::new(games, Stream::Deal), Rng::new(games, Stream::Deal)];
        let (mut a, mut b) = (one.deal(&mut first), other.deal(&mut second));
        games += 1;
        let is_stubborn = rng.below(2) == 0;
        let mut last = [None; 2];
        loop {
            assert_eq!(one.fen(&a), other.fen(&b));
            let outcome = one.outcome(&a);
            assert_eq!(outcome, other.outcome(&b), "{}", one.fen(&a));
            assert_eq!(one.is_check(&a), other.is_check(&b), "{}", one.fen(&a));
            if let Some(outcome) = outcome {
                reasons.push(outcome.reason.name());
                break;
            }
            let actions = one.actions(&a);
            assert_eq!(actions, other.actions(&b), "{}", one.fen(&a));
            let player = one.to_move(&a);
            let (view, same) =
                (one.view(&a, Viewer::Player(player)), other.view(&b, Viewer::Player(player)));
            assert_eq!(one.activity(&view, player), other.activity(&same, player));
            let back = last[player].filter(|back| is_stubborn && actions.contains(back));
            let action = match back {
                Some(back) if rng.below(8) > 0 => back,
                _ => *rng.choose(&actions),
            };
            assert_eq!(
                one.static_exchange(&view, action, |_| 1.0),
                other.static_exchange(&same, action, |_| 1.0)
            );
            assert_eq!(one.event(&a, action), other.event(&b, action));
            let seen_from = one.perspective(player);
            if let Move::Step { from, to } = one.table().get_move(action, seen_from) {
                let size = one.table().size();
                let back = size.name(to) + &size.name(from);
                last[player] = one.table().parse(&back, seen_from);
            }
            one.play(&mut a, action);
            other.play(&mut b, action);
            played += 1;
        }
    }
    reasons
}

#[test]
fn usual_games_equal_their_plans() {
    check_usual_games(50_000);
}

#[test]
#[ignore = "a million plies of each game"]
fn usual_games_equal_their_plans_for_long() {
    check_usual_games(1_000_000);
}

fn check_usual_games(plies: u32) {
    let mut reasons = Vec::new();
    for given in [&[][..], &[("chase", "on")], &[("covered", "AEHRC"), ("pool.P", "3")]] {
        let usual: Jieqi = rules(given);
        reasons.extend(play_alike(&usual, &planned(usual.clone()), plies));
    }
    let usual: Mystery = rules(&[]);
    reasons.extend(play_alike(&usual, &planned(usual.clone()), 2 * plies));
    // Betza's notation says some of the usual movements, here in other words.
    let betza = [("moves.K", "WW"), ("moves.H", "nNnN"), ("moves.R", "RW"), ("moves.C", "cpRmR")];
    let spelled: Mystery = rules(&betza);
    assert!(spelled.plan.is_some());
    reasons.extend(play_alike(&usual, &spelled, 2 * plies));
    for reason in ["checkmate", "effective_limit", "progress_limit", "repetition"] {
        assert!(reasons.contains(&reason), "{reason}");
    }
}

/// The numbers of lines of play from the start of xiangqi
/// (<https://www.chessprogramming.org/Chinese_Chess_Perft_Results>).
#[test]
fn xiangqi_is_a_design() {
    let xiangqi: Jieqi = rules(&[("covered", "-"), ("moves.A", "xiangqi"), ("moves.E", "xiangqi")]);
    let start = xiangqi.deal(&mut Rng::new(1, Stream::Deal));
    let fen = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - 0 0";
    assert_eq!(xiangqi.fen(&start), fen);
    fn leaves(rules: &Jieqi, state: &<Jieqi as Game>::State, depth: u32) -> u64 {
        let actions = rules.actions(state);
        if depth == 1 {
            return actions.len() as u64;
        }
        let after = |action: Action| {
            let mut state = state.clone();
            rules.play(&mut state, action);
            leaves(rules, &state, depth - 1)
        };
        actions.into_iter().map(after).sum()
    }
    assert_eq!([1, 2, 3].map(|depth| leaves(&xiangqi, &start, depth)), [44, 1920, 79666]);
    // A position of many checks and pins.
    let fen = "r1ea1a3/4kh3/2h1e4/pHp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2EAKAE2 w - 0 0";
    let state = xiangqi.parse_fen(fen).expect("it is well formed");
    assert_eq!([1, 2, 3].map(|depth| leaves(&xiangqi, &state, depth)), [38, 1128, 43929]);
}

#[test]
fn what_is_usual_has_no_plan() {
    let spelled: Mystery = rules(&[
        ("covered", "PCRHEA"),
        ("pool.P", "5/5"),
        ("pool.A", "2"),
        ("moves.K", "W"),
        ("moves.H", "nN"),
        ("moves.R", "xiangqi"),
        ("moves.C", "mRcpR"),
        ("takes.K", "PCRHEAK"),
        ("no_moves", "loss"),
    ]);
    assert!(spelled.plan.is_none());
    assert_eq!(spelled, Mystery::default());
    let counted: Jieqi = rules(&[("covered", "AEHRC"), ("pool.P", "0"), ("pool.A", "2")]);
    assert_eq!(counted, rules(&[("covered", "AEHRC")]));
}

fn act<V: Variant>(rules: &CoveredXiangqi<V>, fen: &str, name: &str) -> String {
    let mut state = rules.parse_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let perspective = rules.perspective(rules.to_move(&state));
    let action = rules.table().parse(name, perspective).expect("it is an action");
    assert!(rules.actions(&state).contains(&action), "{name}: {fen}");
    rules.play(&mut state, action);
    rules.fen(&state)
}

fn names<V: Variant>(rules: &CoveredXiangqi<V>, fen: &str, from: &str) -> Vec<String> {
    let state = rules.parse_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let perspective = rules.perspective(rules.to_move(&state));
    let names = rules.actions(&state).into_iter().map(|it| rules.table().name(it, perspective));
    names.filter_map(|name| name.strip_prefix(from).map(str::to_owned)).collect()
}

#[test]
fn pools_may_leave_pieces_over() {
    let rules: Jieqi = rules(&[("covered", "R"), ("pool.P", "3/0"), ("pool.R", "1/2")]);
    let state = rules.deal(&mut Rng::new(1, Stream::Deal));
    let fen = rules.fen(&state);
    let (rest, unused) = fen.rsplit_once(' ').expect("it has fields");
    let red: Vec<char> = unused.chars().filter(|letter| *letter != '~').collect();
    assert_eq!((red.len(), fen.matches('~').count()), (2, 6), "{fen}");
    for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
        let view = rules.view(&state, viewer);
        let seen = rules.view_fen(&view);
        assert!(seen.ends_with(" 0 0 XX"), "{seen}");
        let dealt = rules.parse_view_fen(&seen, &mut Rng::new(3, Stream::Deal));
        assert_eq!(rules.view_fen(&rules.view(&dealt.expect("it can be dealt"), viewer)), seen);
        // A covered chariot's square holds each of four pieces alike.
        let mut odds = Vec::new();
        let action = rules.table().parse("a1a2", Perspective::Upright).expect("it is an action");
        rules.each_reveal(&view, action, |event, odd| {
            odds.push((event.revealed.map(|piece| piece.kind), odd));
        });
        let [chariot, soldier] =
            [Kind::Chariot, Kind::Soldier].map(|kind| Some(kind.index() as u8));
        assert_eq!(odds, [(chariot, 0.25), (soldier, 0.75)]);
        // The world is arranged by an exchange with a piece that was left over.
        let mut world = rules.determinize(&view, &mut Rng::new(2, Stream::Sample));
        for (kind, _) in odds {
            let event = crate::game::Event {
                revealed: kind.map(|kind| crate::board::AnyPiece { army: 0, kind }),
                ..Default::default()
            };
            rules.arrange(&mut world, viewer, action, &event);
            assert_eq!(rules.event(&world, action).revealed, event.revealed);
            let read = rules.parse_fen(&rules.fen(&world)).expect("it was written");
            assert_eq!(read, world);
        }
    }
    let fault = |fen: String| {
        let error = rules.parse_fen(&fen).expect_err("it is wrong");
        format!("{}: {}", error.field, error)
    };
    for (wrong, field, text) in [
        (rest.to_owned(), "unused", "expected 6 fields"),
        (format!("{rest} P"), "unused", "expected `~` before it"),
        (format!("{rest} ~r"), "unused", "more `r`"),
        (format!("{rest} ~H"), "unused", "more `H`"),
        (
            fen.replace("P1P1P1P1P", "9").replace(" - 0", " ~P~P~P~P 0"),
            "captured",
            "more `~P` than a pool",
        ),
        (fen.replace("1C5C1", "1~P5C1"), "board", "`~P` cannot be covered"),
        (fen.replace("/9/", "/PPPP5/"), "board", "more `P`"),
    ] {
        let found = fault(wrong);
        assert!(found.starts_with(field) && found.contains(text), "{field}, {text}: {found}");
    }
}

#[test]
fn movement_is_that_of_the_options() {
    let rules: Mystery = rules(&[
        ("moves.P", "fWfF"),
        ("moves.A", "W"),
        ("moves.K", "K"),
        ("moves.R", "R2"),
        ("takes.R", "P"),
        ("covered_captures", "never"),
        ("no_moves", "draw"),
    ]);
    let fen = "3k5/9/9/9/4p4/4P4/9/9/9/4K4 w - 0,0,0 0";
    assert_eq!(names(&rules, fen, "e5"), ["d6", "e6", "f6"]);
    assert_eq!(names(&rules, fen, "e1"), ["f1", "e2", "f2"]);
    // Black goes the other way.
    let fen = "4k4/9/9/9/4p4/4P4/9/9/9/4K4 b - 0,0,0 0";
    assert_eq!(names(&rules, fen, "e6"), ["f5", "e5", "d5"]);
    // A covered advisor is bound by no palace, and a general's attack on all eight neighbours by its own.
    let fen = "3k5/9/9/9/9/9/9/9/9/~P2~R1K3 w - 0,0,0 0";
    assert_eq!(names(&rules, fen, "d1"), ["c1", "e1", "d2"]);
    // Chariots take soldiers alone, and no covered piece: they give no check.
    let fen = "3k5/9/9/9/9/2pR1h3/9/9/9/4K4 w - 0,0,0 0";
    assert_eq!(names(&rules, fen, "d5"), ["d3", "d4", "c5", "e5", "d6", "d7"]);
    let fen = "4k4/9/9/9/9/9/4R4/4~p4/9/3K5 w - 0,0,0 0";
    assert!(rules.parse_fen(fen).is_err(), "covered pieces stand on home squares");
    let fen = "3k5/9/9/2~p6/2P6/9/9/9/9/4K4 w - 0,0,0 0";
    assert_eq!(names(&rules, fen, "c6"), ["b7", "d7"]);
    // Stalemate draws.
    let outcome = |rules: &Mystery| {
        let after = act(rules, "3k5/9/9/3P5/9/9/9/9/9/4K4 w - 0,0,0 0", "d7d8");
        let state = rules.parse_fen(&after).expect("it was written");
        let outcome = rules.outcome(&state).expect("black has no move");
        (outcome.reason.name(), outcome.rewards().to_vec())
    };
    assert_eq!(outcome(&rules), ("stalemate", vec![0.0, 0.0]));
    let loss = self::rules(&[("moves.P", "fWfF"), ("moves.K", "K")]);
    assert_eq!(outcome(&loss), ("stalemate", vec![1.0, -1.0]));
}

#[test]
fn designs_that_cannot_be_played_are_refused() {
    for (given, fault) in [
        (&[("covered", "AK")][..], "letters of AEHRCP such as AEHRC"),
        (&[("covered", "")], "letters of AEHRCP such as AEHRC"),
        (&[("covered", "AA")], "letters of AEHRCP such as AEHRC"),
        (&[("pool.R", "16")], "a number of pieces from 0 to 15"),
        (&[("pool.K", "1")], "jieqi has no option `pool.K`"),
        (
            &[("pool.P", "4/5")],
            "option `pool.P` of jieqi: `4/5` is not pools with a piece for each covered square: red's have 14 \
             pieces, and it has 15 covered squares",
        ),
        (&[("covered", "-"), ("pool.P", "16")], "a number of pieces from 0 to 15"),
        (&[("moves.H", "Q")], "at most two squares along a diagonal"),
        (&[("moves.H", "mB3")], "at most two squares along a diagonal"),
        (&[("moves.H", "pB")], "at most two squares along a diagonal"),
        (&[("moves.H", "ffW")], "a movement in Betza's notation"),
        (
            &[("moves.E", "N"), ("moves.P", "fWcpR")],
            "option `moves.P` of jieqi: `fWcpR` is not a movement that attacks no general at the start",
        ),
        (
            &[
                ("moves.K", "cW"),
                ("moves.A", "cW"),
                ("moves.E", "cW"),
                ("moves.H", "cW"),
                ("moves.R", "cW"),
                ("moves.C", "cW"),
                ("moves.P", "cW"),
            ],
            "option `moves.K` of jieqi: `cW` is not a movement by which red can begin the game",
        ),
        (&[("takes.P", "KX")], "letters of kinds such as KAE"),
        (&[("covered_captures", "attempt")], "one of: usual, never"),
    ] {
        let fault_found = configure::<Jieqi>(&texts(given)).expect_err(fault).to_string();
        assert!(fault_found.contains(fault), "{fault_found}");
    }
}

#[test]
fn lessons_tell_of_designs() {
    let told = |given: &[(&str, &str)]| {
        let rules: Mystery = rules(given);
        let lesson = rules.lesson().expect("it is taught");
        assert_eq!(lesson.pieces.len(), Kind::ALL.len());
        for piece in &lesson.pieces {
            assert!(piece.example.is_some(), "{}: {given:?}", piece.letter);
        }
        format!("{lesson:?}")
    };
    let unequal = told(&[("covered", "AEHRC"), ("pool.R", "4/2"), ("no_moves", "draw")]);
    for text in ["where these kinds begin", "red's from: 2 Advisor", "Those left over", "Draw: the"]
    {
        assert!(unequal.contains(text), "{text}: {unequal}");
    }
    let plain = told(&[("covered", "-"), ("moves.A", "xiangqi"), ("moves.E", "xiangqi")]);
    assert!(plain.contains("all of them face up") && plain.contains("never crosses the river"));
    assert!(!plain.contains("turned over"), "{plain}");
    let moved = told(&[("moves.K", "K"), ("moves.P", "fW2"), ("takes.C", "-")]);
    for text in ["stays in its palace", "up to 2 squares straight, only ahead", "captures: Some"] {
        assert!(moved.contains(text), "{text}: {moved}");
    }
}
