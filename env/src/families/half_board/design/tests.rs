//! Designs are played as they say, and usual rules as their games.

use std::sync::Arc;

use super::{HalfBoard, Plan, Variant};
use crate::board::Action;
use crate::game::{Depict, Game, GameExt, Hidden, Notation, Viewer, configure, texts};
use crate::games::{banqi::Banqi, gaiqi::Gaiqi};
use crate::rng::{Rng, Stream};

fn rules<V: Variant>(given: &[(&str, &str)]) -> HalfBoard<V> {
    configure(&texts(given)).expect("the options are valid")
}

/// The rules, played by their plan even where they are usual.
fn planned<V: Variant>(mut rules: HalfBoard<V>) -> HalfBoard<V> {
    let plan = Plan::new(&rules.design, &rules.variant).expect("the options are valid");
    rules.plan = Some(Arc::new(plan));
    rules
}

/// Plays games under two rules side by side. Actions are compared by name, FENs by their first six
/// fields.
fn play_alike<V: Variant, W: Variant>(one: &HalfBoard<V>, other: &HalfBoard<W>, plies: u32) -> u32 {
    let mut rng = Rng::new(7, Stream::Sample);
    let (mut played, mut games) = (0, 0);
    while played < plies {
        let [mut first, mut second] =
            [1, 1].map(|_| games).map(|seed| Rng::new(seed, Stream::Deal));
        let (mut a, mut b) = (one.deal(&mut first), other.deal(&mut second));
        games += 1;
        loop {
            let fen = |fen: String| fen.split(' ').take(6).collect::<Vec<_>>().join(" ");
            assert_eq!(fen(one.fen(&a)), fen(other.fen(&b)));
            assert_eq!(one.outcome(&a), other.outcome(&b), "{}", one.fen(&a));
            if one.outcome(&a).is_some() {
                break;
            }
            let upright = crate::board::Perspective::Upright;
            let name = |action: Action| one.table().name(action, upright);
            let named = |action: Action| other.table().name(action, upright);
            let (legal, same) = (one.actions(&a), other.actions(&b));
            let names: Vec<_> = legal.iter().copied().map(name).collect();
            assert_eq!(names, same.iter().copied().map(named).collect::<Vec<_>>());
            let chosen = rng.below(legal.len() as u32) as usize;
            assert_eq!(one.event(&a, legal[chosen]), other.event(&b, same[chosen]));
            one.play(&mut a, legal[chosen]);
            other.play(&mut b, same[chosen]);
            played += 1;
        }
    }
    games as u32
}

#[test]
fn usual_games_equal_their_plans() {
    check_usual_games(100_000);
}

#[test]
#[ignore = "a million plies of each game"]
fn usual_games_equal_their_plans_for_long() {
    check_usual_games(1_000_000);
}

fn check_usual_games(plies: u32) {
    let settings: &[&[(&str, &str)]] = &[
        &[],
        &[("cannon", "jump")],
        &[("ranking", "hongkong"), ("cannon", "jump"), ("repetition", "off")],
    ];
    for given in settings {
        let usual: Banqi = rules(given);
        assert!(usual.plan.is_none());
        assert!(play_alike(&usual, &planned(usual.clone()), plies) > 100);
    }
    let usual: Gaiqi = rules(&[]);
    assert!(play_alike(&usual, &planned(usual.clone()), plies) > 100);
    // One game as a design of the other.
    let design = [
        ("moves.K", "W"),
        ("moves.A", "W"),
        ("moves.E", "W"),
        ("moves.H", "W"),
        ("moves.R", "W"),
        ("moves.C", "W"),
        ("takes.K", "KAEHRC"),
        ("takes.A", "AEHRCP"),
        ("takes.E", "EHRCP"),
        ("takes.R", "HRCP"),
        ("takes.H", "HCP"),
        ("takes.C", "CP"),
        ("takes.P", "KP"),
        ("covered_captures", "never"),
        ("royal", "no"),
    ];
    assert!(
        play_alike::<_, crate::games::gaiqi::Rules>(&Banqi::default(), &rules(&design), plies)
            > 100
    );
}

#[test]
fn what_is_usual_has_no_plan() {
    let spelled: Gaiqi =
        rules(&[("moves.H", "nN"), ("takes.K", "PCRHEAK"), ("royal", "yes"), ("army.P", "5/5")]);
    assert!(spelled.plan.is_none());
    assert_eq!(spelled, Gaiqi::default());
}

#[test]
fn turns_go_on_after_captures_and_flips() {
    let rules: Banqi = rules(&[
        ("chain", "on"),
        ("flips", "2"),
        ("board", "4x2"),
        ("army.E", "0"),
        ("army.H", "0"),
        ("army.R", "0"),
        ("army.C", "0"),
        ("army.P", "1"),
        ("army.A", "1"),
    ]);
    let state = rules.parse_fen("Kap1/~p3 1 r - 0 8 -").expect_err("two soldiers");
    assert!(state.to_string().contains("`p`"), "{state}");
    let state = rules.parse_fen("Kap1/~P3 1 r - 0 8 -").expect("it is well formed");
    let act = |state: &mut _, name: &str| {
        let action = rules.table().parse(name, crate::board::Perspective::Upright);
        let action = action.unwrap_or_else(|| panic!("{name} is no action"));
        assert!(rules.actions(state).contains(&action), "{name}: {}", rules.fen(state));
        rules.play(state, action);
    };
    let mut state = state;
    act(&mut state, "a2b2");
    // A general takes no soldier, so that the turn is over.
    assert_eq!(rules.fen(&state), "1Kp1/~P3 2 r a 0 9 -");
    let mut state = rules.parse_fen("Kak1/~P3 1 r - 0 8 -").expect("it is well formed");
    act(&mut state, "a2b2");
    assert_eq!(rules.fen(&state), "1Kk1/~P3 1 r a 0 9 b2");
    let names = |state: &_| {
        let name = |action| rules.table().name(action, crate::board::Perspective::Upright);
        rules.actions(state).into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&state), ["b2c2", "pass"]);
    let read = rules.parse_fen(&rules.fen(&state)).expect("it was written");
    assert_eq!(read, state);
    act(&mut state, "pass");
    assert_eq!(rules.fen(&state), "1Kk1/~P3 2 r a 0 10 -");
    act(&mut state, "a1");
    assert_eq!(rules.fen(&state), "1Kk1/P3 1 r a 0 11 -");
    let mut state = rules.parse_fen("~K~a~p1/~P3 1 - - 0 0 -").expect("it is well formed");
    act(&mut state, "a1");
    assert_eq!(rules.fen(&state), "~K~a~p1/P3 1 r - 0 1 1");
    assert_eq!(names(&state), ["a2", "b2", "c2", "pass"]);
    act(&mut state, "b2");
    assert_eq!(rules.fen(&state), "~Ka~p1/P3 2 r - 0 2 -");
}

#[test]
fn attempts_may_fail() {
    let rules: Banqi = rules(&[("covered_captures", "attempt")]);
    let state = rules.parse_fen("8/8/8/A~p~r~K4 1 r - 0 0").expect("it is well formed");
    let after = |fen: &str, name: &str| {
        let mut state = rules.parse_fen(fen).expect("it is well formed");
        let action = rules.table().parse(name, crate::board::Perspective::Upright);
        let action = action.expect("it is an action");
        let event = rules.event(&state, action);
        rules.play(&mut state, action);
        (rules.fen(&state), event.revealed.is_some(), event.captured_covered)
    };
    assert_eq!(rules.count(crate::board::Kind::Advisor), 2);
    let fen = "8/8/8/A~p~r~K4 1 r - 0 0";
    assert_eq!(after(fen, "a1b1"), ("8/8/8/1A~r~K4 2 r p 0 1".to_owned(), false, true));
    let fen = "8/8/8/P~A6 1 r - 0 0";
    assert_eq!(after(fen, "a1b1"), ("8/8/8/PA6 2 r - 0 1".to_owned(), true, false));
    let fen = "8/8/8/P~a6 1 r - 0 0";
    assert_eq!(after(fen, "a1b1"), ("8/8/8/Pa6 2 r - 0 1".to_owned(), true, false));
    let viewer = rules.view(&state, Viewer::Player(0));
    let action = rules.table().parse("a1b1", crate::board::Perspective::Upright);
    let mut odds = 0.0;
    rules.each_reveal(&viewer, action.expect("it is an action"), |_, probability| {
        odds += probability;
    });
    assert!((odds - 1.0).abs() < 1e-12);
}

#[test]
fn designs_that_cannot_be_played_are_refused() {
    for (given, fault) in [
        (
            &[("board", "4x2")][..],
            "option `board` of banqi: `4x2` is not armies that fit on the board: they have 32 pieces, and 8 squares",
        ),
        (
            &[("army.A", "3"), ("army.C", "4/5")],
            "option `army.C` of banqi: `4/5` is not armies that fit on the board: they have 39 pieces",
        ),
        (&[("board", "9x4")], "files x ranks from 2x2 to 8x4"),
        (&[("army.K", "0/1"), ("royal", "yes")], "at least one general in each army"),
        (&[("moves.H", "zN")], "a movement in Betza's notation"),
        (&[("takes.P", "KX")], "letters of kinds such as KAE"),
        (&[("takes.P", "KK")], "letters of kinds such as KAE"),
        (&[("army.P", "-1")], "a number of pieces such as 2"),
    ] {
        let fault_found = configure::<Banqi>(&texts(given)).expect_err(fault).to_string();
        assert!(fault_found.contains(fault), "{fault_found}");
    }
}

#[test]
fn lessons_tell_of_designs() {
    let rules: Banqi = rules(&[
        ("board", "4x4"),
        ("army.P", "2/3"),
        ("army.E", "0"),
        ("army.H", "0"),
        ("army.R", "0"),
        ("moves.C", "mWcpR"),
        ("covered_captures", "attempt"),
        ("chain", "on"),
    ]);
    let lesson = rules.lesson().expect("it is taught");
    let told = format!("{lesson:?}");
    for text in ["board of 4 by 4", "2 Soldier", "3 Soldier", "over exactly one piece", "chain"] {
        assert!(told.contains(text), "{text}: {told}");
    }
    assert_eq!(lesson.pieces.len(), 4);
    let picture = rules.full_picture(&rules.deal(&mut Rng::new(1, Stream::Deal)));
    assert_eq!(picture.pieces.len(), 16);
}
