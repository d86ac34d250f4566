//! Designs are played as they say, and usual rules as their games.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::super::designs::tests::play_alike;
use super::{HalfBoard, Plan, Variant};
use crate::game::{Depict, Format, Game, Hidden, Notation, Observe, Viewer, configure, texts};
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

#[test]
fn usual_games_equal_their_plans() {
    let plies = 20_000;
    let settings: &[&[(&str, &str)]] = &[
        &[],
        &[("cannon", "jump")],
        &[("ranking", "hongkong"), ("cannon", "jump"), ("repetition", "off")],
    ];
    for given in settings {
        let usual: Banqi = rules(given);
        assert!(usual.plan.is_none());
        assert!(play_alike(&usual, &planned(usual.clone()), plies).len() > 20);
    }
    let usual: Gaiqi = rules(&[]);
    assert!(play_alike(&usual, &planned(usual.clone()), plies).len() > 20);
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
    let design: Gaiqi = rules(&design);
    assert!(play_alike(&Banqi::default(), &design, plies).len() > 20);
}

#[test]
fn what_is_usual_has_no_plan() {
    let spelled: Gaiqi =
        rules(&[("moves.H", "nN"), ("takes.K", "PCRHEAK"), ("royal", "yes"), ("army.P", "5/5")]);
    assert!(spelled.plan.is_none());
    assert_eq!(spelled, Gaiqi::default());
}

#[test]
fn designs_that_cannot_be_played_are_refused() {
    for (given, fault) in [
        (
            &[("board", "4x2")][..],
            "option `board` of banqi: `4x2` is not large enough: the armies have 32 pieces, and the board 8 squares",
        ),
        (
            &[("army.A", "3"), ("army.C", "4/5")],
            "option `army.C` of banqi: `4/5` is not small enough: the armies have 39 pieces",
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

#[test]
fn observations_tell_what_is_left_of_a_turn() {
    let rules: Banqi = rules(&[("chain", "on"), ("flips", "4")]);
    let format = Format::Tokens;
    let mut rows = HashSet::new();
    for turn in ["-", "a1", "1", "2", "3"] {
        let state = rules.parse_fen(&format!("8/8/p1p5/R1R4~p 1 r p 0 4 {turn}"));
        let state = state.unwrap_or_else(|error| panic!("{turn}: {error}"));
        let mut row = vec![0; format.len(&Banqi::LAYOUT)];
        format.write(&rules, &rules.view(&state, Viewer::Player(0)), &mut row);
        let scalars = Banqi::LAYOUT.scalars.len();
        for (value, most) in row.iter().rev().zip(rules.value_maxima().iter().rev()).take(scalars) {
            assert!(value <= most, "{turn}");
        }
        assert!(rows.insert(row), "{turn}: another turn looks the same");
    }
}
