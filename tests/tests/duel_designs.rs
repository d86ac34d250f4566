//! The fast engine against the slow referee on rules of designers for the half board: boards, armies,
//! movement, captures, turns and ends (RULES.md section 10).

use std::collections::BTreeMap;
use std::path::Path;

use darkqi_env::board::BoardSize;
use darkqi_env::{AnyState, Registered, Rng, Session, Spec, Visitor, fen, games};
use darkqi_play::variants::{self, Variant};
use darkqi_tests::arbitrary::{Named, fits, pairs, random_design};
use darkqi_tests::duel::{compare, draw, play_out};
use darkqi_tests::{random_action, referee, test_rng, texts};

use super::duel::stubborn;
use super::duel_seven_kingdoms::hungry;

/// The games that designers may change.
const GAMES: [&str; 2] = ["gaiqi", "banqi"];

/// Designs of each of them, and the games of each design.
const DESIGNS: u64 = 400;
const PER_DESIGN: u64 = 4;

/// Some games without limits are very long. They are compared up to this ply.
const PLIES: usize = 150;

/// How often something came up.
#[derive(Default, Debug)]
pub(super) struct Counts {
    pub(super) games: u32,
    pub(super) plies: u32,
    pub(super) refused: u32,
    found: BTreeMap<&'static str, u32>,
}

impl Counts {
    pub(super) fn add(&mut self, what: &'static str) {
        *self.found.entry(what).or_insert(0) += 1;
    }

    /// Looks at a position and the action that is played next.
    fn look(&mut self, given: &[Named], state: &dyn AnyState, name: &str) {
        self.plies += 1;
        let fen = state.fen();
        let has = |option, value| given.iter().any(|(name, set)| *name == option && set == value);
        let turn = fen.rsplit(' ').next().filter(|_| has("chain", "on"));
        if name == "pass" {
            self.add("pass");
        } else if turn.is_some_and(|turn| turn.starts_with(char::is_alphabetic)) {
            self.add("a capture after a capture");
        }
        if name.len() == 4 && has("covered_captures", "attempt") {
            let action = state.action_index(name).expect("listed names are known");
            if state.reveals(action).expect("it is legal").len() > 1 {
                self.add("an attempt");
            }
        }
        if fen.contains("x3") {
            self.add("a third check");
        }
        check_odds(state, &fen, name);
    }

    /// Asserts that all of these came up.
    pub(super) fn check(&self, all: &[&str]) {
        println!("{self:?}");
        for what in all {
            assert!(self.found.contains_key(what), "{what} never came up: {self:?}");
        }
    }
}

/// Each covered piece is as likely to be the one that an action shows.
fn check_odds(state: &dyn AnyState, fen: &str, name: &str) {
    let action = state.action_index(name).expect("listed names are known");
    let covered = fen.matches('~').count() as f64;
    let mut shown = 0;
    for reveal in state.reveals(action).expect("it is legal") {
        let taken = reveal.captured.filter(|_| reveal.captured_covered);
        let Some(piece) = reveal.revealed.or(taken) else { continue };
        let alike = fen.matches(&format!("~{piece}")).count();
        let odds = alike as f64 / covered;
        assert!((reveal.probability - odds).abs() < 1e-9, "{piece} by {name}: {fen}");
        shown += alike;
    }
    assert!(shown == 0 || shown as f64 == covered, "{name} shows {shown} of {covered}: {fen}");
    assert!(shown > 0 || name.len() == 4 || name == "pass", "{name}: {fen}");
}

/// An action: random, or often a capture, and seldom a pass.
fn pick(state: &dyn AnyState, is_hungry: bool, rng: &mut Rng) -> String {
    let random = |rng: &mut Rng| state.action_name(random_action(state, rng));
    let name = if is_hungry { hungry(state, rng) } else { random(rng) };
    if name == "pass" { random(rng) } else { name }
}

/// Games of one design, in the engine and with the referee.
struct Duel<'a> {
    game: &'static str,
    given: &'a [Named],
    seed: u64,
    /// From positions with few pieces, not from deals.
    is_sparse: bool,
    counts: &'a mut Counts,
}

impl Visitor for Duel<'_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Self { game, given, seed, is_sparse, counts } = self;
        let choice = pairs(given);
        for number in PER_DESIGN * seed..PER_DESIGN * (seed + 1) {
            let mut rng = test_rng(number);
            let dealt = Session::deal(rules.clone(), number).fen();
            let fen = if is_sparse { sparse(&rules, &dealt, &mut rng) } else { dealt };
            let read = |fen: &str| {
                let fast = Session::from_fen(rules.clone(), fen);
                match (fast, referee::from_fen(game, fen, &choice)) {
                    (Ok(fast), Ok(slow)) => Some((fast, slow)),
                    (Err(_), Err(_)) => None,
                    (Err(error), Ok(_)) => panic!("{choice:?}: the engine refuses {fen}: {error}"),
                    (Ok(_), Err(error)) => panic!("{choice:?}: the referee refuses {fen}: {error}"),
                }
            };
            let Some((mut fast, mut slow)) = read(&fen) else {
                assert!(is_sparse, "{fen}");
                counts.refused += 1;
                continue;
            };
            let mut last = [None, None];
            let is_stubborn = is_sparse && rng.below(3) > 0;
            let is_hungry = !is_sparse && rng.below(2) > 0;
            let reason = play_out(&mut fast, slow.as_mut(), PLIES, |state| {
                let name = if is_stubborn {
                    let is_forcing = |after: &dyn AnyState| {
                        let fen = after.fen();
                        ["x1", "x2", "x3"].into_iter().any(|count| fen.contains(count))
                    };
                    stubborn(state, &mut last, is_forcing, &mut rng)
                } else {
                    pick(state, is_hungry, &mut rng)
                };
                counts.look(given, state, &name);
                name
            });
            counts.games += 1;
            counts.add(reason);
            // Without its history the last position is judged alike, too.
            let (fast, slow) = read(&slow.fen()).expect("it was written");
            compare(&fast, slow.as_ref());
        }
    }
}

fn duels(is_sparse: bool) -> Counts {
    let mut counts = Counts::default();
    for game in GAMES {
        for seed in 0..DESIGNS {
            let given = random_design(game, &mut test_rng(seed));
            // If it fails, this tells in which game.
            println!("{game} {given:?}");
            let duel = Duel { game, given: &given, seed, is_sparse, counts: &mut counts };
            games::with(game, &texts(&pairs(&given)), duel).expect("the options are valid");
        }
    }
    counts
}

#[test]
fn designs_from_deals() {
    duels(false).check(&[
        "pass",
        "a capture after a capture",
        "an attempt",
        "general_captured",
        "own_general_captured",
        "no_pieces",
        "no_moves",
        "quiet_limit",
        "max_plies",
    ]);
}

#[test]
fn variants_that_come_with_the_program() {
    for name in variants::names() {
        let variant = Variant::find(Path::new(name)).expect("it comes with the program");
        let Some(&game) = GAMES.iter().find(|game| **game == variant.game) else { continue };
        let spec = Spec::new(game, &variant.options).expect("the options are valid");
        let changed = spec.options.iter().filter(|info| variant.options.contains_key(info.name));
        let given: Vec<Named> = changed.map(|info| (info.name, value(&spec, info.name))).collect();
        let mut counts = Counts::default();
        for seed in 0..5 {
            let (given, counts) = (&given, &mut counts);
            let duel = Duel { game, given, seed, is_sparse: false, counts };
            games::with(game, &variant.options, duel).expect("the options are valid");
        }
        println!("{name}: {counts:?}");
    }
}

/// The position of a deal with pieces taken away and others turned over, perhaps in the middle of a
/// turn.
fn sparse<G: Registered>(rules: &G, dealt: &str, rng: &mut Rng) -> String {
    let removed = 1 + rng.below(7);
    let mut any_revealed = false;
    let board = dealt.split(' ').next().expect("a FEN has a board");
    let rows: Vec<String> = board
        .split('/')
        .map(|row| {
            let mut cells = Vec::new();
            for letter in row.chars().filter(|letter| *letter != '~') {
                match letter.to_digit(10) {
                    Some(empty) => cells.extend((0..empty).map(|_| None)),
                    None if rng.below(8) < removed => cells.push(None),
                    None if rng.below(3) > 0 => {
                        any_revealed = true;
                        cells.push(Some(letter.to_string()));
                    }
                    None => cells.push(Some(format!("~{letter}"))),
                }
            }
            let size = BoardSize { files: cells.len(), ranks: 1 };
            fen::write_board(size, |square| cells[square.index()].clone())
        })
        .collect();
    let colours = if any_revealed { draw(&["r", "b"], rng) } else { "-" };
    let [mover, quiet] = [1 + rng.below(2), draw(&[0, 0, 0, 1, 2], rng)];
    let mut text = format!("{} {mover} {colours} - {quiet} 40", rows.join("/"));
    if G::NAME == "gaiqi" {
        text += " -";
    }
    let spec = Spec::of(rules);
    if value(&spec, "chain") == "on" || value(&spec, "flips") != "1" {
        let square = format!("{}{}", draw(&['a', 'b', 'c', 'd', 'e'], rng), 1 + rng.below(4));
        text += " ";
        text += draw(&["-", "-", "1", "2", "0", &square, &square], rng);
    }
    text
}

#[test]
fn designs_from_sparse_positions() {
    let counts = duels(true);
    assert!(counts.games > 2 * counts.refused);
    counts.check(&[
        "pass",
        "a capture after a capture",
        "an attempt",
        "a third check",
        "general_captured",
        "no_pieces",
        "no_moves",
        "repetition",
        "quiet_limit",
    ]);
}

/// The value of an option.
pub(super) fn value(spec: &Spec, name: &str) -> String {
    let option = spec.options.iter().find(|option| option.name == name);
    option.expect("the game has it").value.to_string().trim_matches('`').to_owned()
}

/// All armies are dealt, covered, on squares of the board.
#[test]
fn deals_have_the_armies_of_their_options() {
    for game in GAMES {
        for seed in 0..200 {
            let given = random_design(game, &mut test_rng(seed));
            let options = texts(&pairs(&given));
            let spec = Spec::new(game, &options).expect("they are valid");
            let state = darkqi_env::deal(game, &options, seed).expect("it can be dealt");
            let fen = state.fen();
            let board = fen.split(' ').next().expect("a FEN has a board");
            for kind in "KAEHRCP".chars() {
                let army = value(&spec, &format!("army.{kind}"));
                let (red, black) = army.split_once('/').unwrap_or((&army, &army));
                for (letter, pieces) in [(kind, red), (kind.to_ascii_lowercase(), black)] {
                    let found = board.matches(&format!("~{letter}")).count();
                    assert_eq!(found.to_string(), pieces, "{letter} of {given:?}: {fen}");
                }
            }
            let letters = board.matches(char::is_alphabetic).count();
            assert_eq!(letters, board.matches('~').count(), "{fen}");
        }
    }
}

/// A general on each side, and nothing else.
fn two_generals() -> Vec<(&'static str, &'static str)> {
    let others = ["army.A", "army.E", "army.H", "army.R", "army.C", "army.P"];
    others.map(|name| (name, "0")).to_vec()
}

#[test]
fn every_choice_of_squares_is_as_likely() {
    struct Deals;
    impl Visitor for Deals {
        type Output = BTreeMap<String, u32>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let mut found = BTreeMap::new();
            for seed in 0..6000 {
                *found.entry(Session::deal(rules.clone(), seed).fen()).or_insert(0) += 1;
            }
            found
        }
    }
    let given = [two_generals(), vec![("board", "2x2")]].concat();
    let found = games::with("gaiqi", &texts(&given), Deals).expect("they are valid");
    // Four squares for one general, three for the other.
    assert_eq!(found.len(), 12, "{found:?}");
    assert!(found.values().all(|&deals| (400..600).contains(&deals)), "{found:?}");
}

/// What the referee has against options.
pub(super) fn refusal(game: &str, given: &[(&str, &str)]) -> Option<String> {
    // No FEN is empty, so that there always is an error.
    let error = referee::from_fen(game, "", given).err().expect("no position is given");
    error.starts_with("option ").then_some(error)
}

#[test]
fn texts_are_read_as_values_or_refused_by_both() {
    for (name, letters, longest) in [
        ("moves.P", "WFDANRBKQWFDANRBKQmcnp01239x", 7),
        ("army.P", "0123456789/-+ n", 4),
        ("takes.P", "KAEHRCPk-X", 5),
        ("board", "12489xx", 4),
    ] {
        let letters: Vec<char> = letters.chars().collect();
        let mut taken = 0;
        for seed in 0..1500 {
            let mut rng = test_rng(seed);
            let length = rng.below(longest + 1);
            let text: String = (0..length).map(|_| draw(&letters, &mut rng)).collect();
            let mut given = two_generals();
            given.push((name, &text));
            let refused = refusal("gaiqi", &given);
            let fits = fits("gaiqi", &given);
            assert_eq!(fits, refused.is_none(), "{name}: {text:?} {refused:?}");
            taken += u32::from(fits);
        }
        println!("{name}: {taken} texts are values");
        assert!(taken > 10, "{name}: only {taken} texts are values");
    }
}

#[test]
fn both_refuse_bad_values_by_the_name_of_their_option() {
    let bad: &[(&str, &[&str])] = &[
        ("board", &["", "8", "1x4", "9x4", "8x5", "4x1", "4 x 2", "4x2x", "04x2", "usual"]),
        ("army.K", &["", "-1", "+1", "x", "1/", "/1", "1/1/1", "1.5", "1 / 1", "33", "256", "01"]),
        (
            "moves.A",
            &[
                "", "X", "w", "m", "Wm", "nW", "pW", "nR", "pD", "mcW", "W0", "R03", "pR3", "N2",
                "D3",
            ],
        ),
        ("takes.P", &["", "k", "X", "K-", "--", "KK", "all"]),
        ("covered_captures", &["", "sometimes", "on"]),
        ("royal", &["", "on", "true", "maybe"]),
        ("no_moves", &["", "win", "usual"]),
        ("chain", &["", "yes", "1", "usual"]),
        ("flips", &["", "0", "5", "-1", "two", "usual"]),
    ];
    for game in GAMES {
        for (name, values) in bad {
            for value in *values {
                let given = [(*name, *value)];
                let slow = refusal(game, &given);
                let slow = slow.unwrap_or_else(|| panic!("the referee takes {name}={value}"));
                assert!(slow.starts_with(&format!("option {name}: ")), "{slow}");
                let fast = Spec::new(game, &texts(&given)).err();
                let fast = fast.unwrap_or_else(|| panic!("the engine takes {name}={value}"));
                let fast = fast.to_string();
                assert!(fast.starts_with(&format!("option `{name}` of {game}: ")), "{fast}");
            }
        }
    }
}

/// Values that are fine alone.
#[test]
fn both_refuse_options_that_contradict_one_another() {
    let no_black = ["army.K", "army.A", "army.E", "army.H", "army.R", "army.C", "army.P"];
    let no_black = no_black.map(|name| (name, "1/0"));
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("board", "4x4")], "board"),
        (&[("board", "8x3")], "board"),
        (&[("army.P", "6")], "34 pieces"),
        (&[("army.K", "0"), ("royal", "yes")], "army.K"),
        (&[("army.K", "1/0"), ("royal", "yes")], "army.K"),
        (
            &[
                ("royal", "no"),
                no_black[0],
                no_black[1],
                no_black[2],
                no_black[3],
                no_black[4],
                no_black[5],
                no_black[6],
            ],
            "army.",
        ),
    ];
    for game in GAMES {
        for (given, names) in cases {
            assert!(refusal(game, given).is_some(), "the referee takes {given:?}");
            let fast = Spec::new(game, &texts(given)).err();
            let fast = fast.unwrap_or_else(|| panic!("the engine takes {given:?}")).to_string();
            assert!(fast.starts_with("option `") && fast.contains(names), "{given:?}: {fast}");
        }
        // A game of one piece each, and one without generals.
        assert_eq!(refusal(game, &two_generals()), None);
        assert!(fits(game, &two_generals()));
        let without = [("army.K", "0"), ("royal", "no")];
        assert_eq!((refusal(game, &without), fits(game, &without)), (None, true));
    }
}
