//! Tests of where games begin.

use std::collections::BTreeMap;

use darkqi_env::{Options, Spec, Viewer, game::texts, games};
use darkqi_format::Openings;

use super::{Starts, default_plies};
use crate::openings::removal::{cells, piece_names};

fn plies(random_plies: u32) -> Openings {
    Openings { random_plies, ..Openings::default() }
}

fn without(names: &[&str]) -> Openings {
    Openings { remove: names.iter().map(ToString::to_string).collect(), ..Openings::default() }
}

fn from(lines: &[&str]) -> Openings {
    Openings { lines: lines.iter().map(ToString::to_string).collect(), ..Openings::default() }
}

fn spec(game: &str) -> Spec {
    Spec::new(game, &Options::new()).expect("the game exists")
}

fn starts(spec: &Spec, openings: &Openings) -> Starts {
    Starts::new(spec, openings).expect("the openings can be used")
}

/// The FEN of the start with this seed.
fn fen(starts: &Starts, seed: u64) -> String {
    starts.position(seed).expect("there is an opening").fen()
}

fn fault(spec: &Spec, openings: &Openings) -> String {
    Starts::new(spec, openings).map(drop).expect_err("it cannot be used").to_string()
}

#[test]
fn matches_without_chance_begin_with_random_plies() {
    let plies = |game| default_plies(&spec(game), &[]);
    assert_eq!(["banqi", "flipping", "jieqi", "seven_kingdoms"].map(plies), [0, 4, 0, 14]);
    let three = Spec::new("seven_kingdoms", &texts(&[("seats", "01-012-")]))
        .expect("the options are sound");
    assert_eq!(default_plies(&three, &[]), 6);
    let lines = |number| vec![String::new(); number];
    let plies = |number| default_plies(&spec("flipping"), &lines(number));
    assert_eq!([0, 1, 2].map(plies), [4, 4, 0]);
}

#[test]
fn plain_openings_are_the_deal() {
    let jieqi = spec("jieqi");
    let starts = starts(&jieqi, &Openings::default());
    for seed in 0..5 {
        assert_eq!(fen(&starts, seed), jieqi.deal(seed).fen());
    }
}

#[test]
fn random_plies_follow_the_seed() {
    let rules = spec("flipping");
    let starts = starts(&rules, &plies(6));
    assert_eq!(fen(&starts, 1), fen(&starts, 1));
    assert_ne!(fen(&starts, 1), fen(&starts, 2));
    let state = starts.position(1).expect("there is an opening");
    assert_eq!(state.ply(), 6);
    assert!(state.outcome().is_none());
}

#[test]
fn random_plies_that_end_the_game_are_sampled_again() {
    let rules = Spec::new("jieqi", &texts(&[("max_plies", "5")])).expect("the limit is in range");
    fen(&starts(&rules, &plies(4)), 1);
    let expected = "random_plies: expected fewer, got 5: 1000 openings in a row ended the game";
    assert!(fault(&rules, &plies(5)).starts_with(expected));
    // Long random openings often end this game; every seed still finds one.
    let rules = spec("seven_kingdoms");
    let starts = starts(&rules, &plies(40));
    (0..3).for_each(|seed| drop(fen(&starts, seed)));
}

#[test]
fn one_of_the_pieces_with_a_name_is_taken_off() {
    let rules = spec("banqi");
    let starts = starts(&rules, &without(&["R", "k"]));
    let names = piece_names(&rules);
    let board = |fen: &str| {
        let board = fen.split(' ').next().expect("the board is first");
        cells(&rules, board, &names).expect("it is a board")
    };
    let mut first_taken = 0;
    for seed in 0..200 {
        let dealt = board(&rules.deal(seed).fen());
        let start = board(&fen(&starts, seed));
        let taken: Vec<usize> = (0..dealt.len()).filter(|&at| start[at].is_none()).collect();
        let mut texts: Vec<_> = taken.iter().filter_map(|&at| dealt[at].as_deref()).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["~R", "~k"]);
        let is_chariot = |&at: &usize| dealt[at].as_deref() == Some("~R");
        let first = (0..dealt.len()).find(is_chariot).expect("there are two");
        first_taken += u32::from(taken.contains(&first));
    }
    assert!((70..=130).contains(&first_taken), "{first_taken}");
}

#[test]
fn pieces_of_all_games_can_be_taken_off() {
    for game in games::names() {
        let spec = spec(game);
        let names = piece_names(&spec);
        let dealt = spec.deal(3).fen();
        let board = dealt.split(' ').next().expect("the board is first");
        let of_board = names.iter().filter(|name| board.contains(*name)).count();
        let mut removed = 0;
        for name in &names {
            let openings = without(&[name]);
            // Without a general the game is no position or over, which is said.
            match Starts::new(&spec, &openings) {
                Ok(starts) => {
                    let start = fen(&starts, 3);
                    assert!(start.len() < dealt.len() + 2 && start != dealt, "{name}: {start}");
                    removed += 1;
                }
                Err(error) => {
                    let error = error.to_string();
                    let is_known = error.starts_with("remove: cannot take")
                        || error.starts_with("the game is over at its start");
                    assert!(is_known, "{error}");
                }
            }
        }
        assert!(removed + 14 >= of_board && removed > 5, "{game}: {removed} of {of_board}");
    }
}

#[test]
fn names_that_no_piece_has_are_refused() {
    let rules = spec("jieqi");
    let found = fault(&rules, &without(&["Z"]));
    assert_eq!(
        found,
        "remove: `Z` is no piece of jieqi; expected one of K A E H R C P k a e h r c p"
    );
    let found = fault(&rules, &without(&["R", "R", "R"]));
    assert!(found.starts_with("remove: cannot take R off `") && found.ends_with("there is none"));
}

#[test]
fn covered_pieces_of_a_position_are_dealt() {
    let rules = spec("jieqi");
    let line = fen(&starts(&rules, &plies(9)), 7);
    let starts = starts(&rules, &from(&[&line]));
    let seen = |fen: &str| rules.parse_fen(fen).expect("it is a FEN").view_fen(Viewer::Public);
    let found: Vec<String> = (0..5).map(|seed| fen(&starts, seed)).collect();
    assert!(found.iter().all(|start| seen(start) == seen(&line)), "{found:?}");
    assert!(found.windows(2).all(|two| two[0] != two[1]), "{found:?}");
}

#[test]
fn each_line_begins_its_share_of_the_deals() {
    let rules = spec("flipping");
    let names = ["c2c3", "d2d3 d6d5", "e2e3"];
    let openings = from(&names);
    let starts = starts(&rules, &openings);
    let mut counts = BTreeMap::<String, u32>::new();
    for seed in 0..300 {
        *counts.entry(fen(&starts, seed)).or_default() += 1;
        let (line, _) = openings.draw(seed);
        let single = Starts::new(&rules, &from(&[names[line.expect("there are lines")]]));
        let single = single.expect("the line can be used");
        assert_eq!(fen(&single, seed), fen(&starts, seed));
    }
    assert_eq!(counts.len(), names.len());
    assert!(counts.values().all(|&count| count > 60), "{counts:?}");
}

#[test]
fn lines_that_are_no_openings_are_refused() {
    let rules = spec("flipping");
    let found = fault(&rules, &from(&["c2c9"]));
    assert_eq!(
        found,
        "opening `c2c9`: `c2c9` is no move of flipping; expected a full FEN or moves"
    );
    let found = fault(&rules, &from(&["a1/b"]));
    assert!(found.starts_with("opening `a1/b`: "), "{found}");
    let found = fault(&spec("banqi"), &from(&["a1"]));
    assert_eq!(found, "opening `a1`: deals of banqi vary; expected a full FEN");
    let rules = Spec::new("banqi", &texts(&[("max_plies", "5")])).expect("the limit is in range");
    let found = fault(&rules, &from(&["R7/8/8/7k 1 r - 0 5"]));
    let expected = "opening `R7/8/8/7k 1 r - 0 5`: the game is over at its start";
    assert!(found.starts_with(expected), "{found}");
    // Before any random ply, of which fewer would not help.
    let openings = Openings { random_plies: 4, ..from(&["R7/8/8/7k 1 r - 0 5"]) };
    assert_eq!(fault(&rules, &openings), found);
}
