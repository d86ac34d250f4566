//! Designs are played as they say, and usual rules as their games.

use std::sync::Arc;

use super::super::super::designs::tests::play_alike;
use super::super::plan::Designed;
use super::super::variant::{CoveredXiangqi, Variant};
use crate::board::{Kind, Perspective};
use crate::game::{Depict, Game, Hidden, Notation, Viewer, configure, texts};
use crate::games::{jieqi::Jieqi, mystery::Mystery};
use crate::rng::{Rng, Stream};

fn rules<V: Variant>(given: &[(&str, &str)]) -> CoveredXiangqi<V> {
    configure(&texts(given)).expect("the options are valid")
}

/// The rules, played by a plan even where they are usual.
fn planned<V: Variant>(mut rules: CoveredXiangqi<V>) -> CoveredXiangqi<V> {
    rules.plan = Some(Arc::new(Designed::new(&rules.design)));
    rules
}

#[test]
fn usual_games_equal_their_plans() {
    let plies = 20_000;
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
