//! The fast engine against the slow referee on rules of designers for the half board: boards, armies,
//! movement, captures, turns and ends (RULES.md section 10).

use darkqi_env::board::BoardSize;
use darkqi_env::{AnyState, Rng, Spec, fen};
use darkqi_tests::arbitrary::{pairs, random_design};
use darkqi_tests::duel::{Counts, draw};
use darkqi_tests::{test_rng, texts};

use super::design_duel::{Duels, check_bad, check_even, check_taken, check_texts, refusals, value};

const DUELS: Duels = Duels { games: ["gaiqi", "banqi"], sparse, is_forcing, look };

/// Designs of each of them, and the games of each design.
const DESIGNS: u64 = 400;
const PER_DESIGN: u64 = 4;

/// A check that the three-check rule of gaiqi counts.
fn is_forcing(after: &dyn AnyState) -> bool {
    let fen = after.fen();
    ["x1", "x2", "x3"].into_iter().any(|count| fen.contains(count))
}

fn look(counts: &mut Counts, choice: &[(&str, &str)], state: &dyn AnyState, name: &str) {
    let fen = state.fen();
    let turn = fen.rsplit(' ').next().filter(|_| choice.contains(&("chain", "on")));
    if name == "pass" {
        counts.add("pass");
    } else if turn.is_some_and(|turn| turn.starts_with(char::is_alphabetic)) {
        counts.add("a capture after a capture");
    }
    if name.len() == 4 && choice.contains(&("covered_captures", "attempt")) {
        let action = state.action_index(name).expect("listed names are known");
        if state.reveals(action).expect("it is legal").len() > 1 {
            counts.add("an attempt");
        }
    }
    if fen.contains("x3") {
        counts.add("a third check");
    }
    check_odds(state, &fen, name);
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

#[test]
fn designs_from_deals() {
    DUELS.play(false, DESIGNS, PER_DESIGN).check(&[
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
    DUELS.play_variants().check(&["general_captured"]);
}

/// The position of a deal with pieces taken away and others turned over, perhaps in the middle of a
/// turn.
fn sparse(spec: &Spec, dealt: &str, rng: &mut Rng) -> String {
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
    if spec.name == "gaiqi" {
        text += " -";
    }
    if value(spec, "chain") == "on" || value(spec, "flips") != "1" {
        let square = format!("{}{}", draw(&['a', 'b', 'c', 'd', 'e'], rng), 1 + rng.below(4));
        text += " ";
        text += draw(&["-", "-", "1", "2", "0", &square, &square], rng);
    }
    text
}

#[test]
fn designs_from_sparse_positions() {
    let counts = DUELS.play(true, DESIGNS, PER_DESIGN);
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

/// All armies are dealt, covered, on squares of the board.
#[test]
fn deals_have_the_armies_of_their_options() {
    for game in DUELS.games {
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
    // Four squares for one general, three for the other.
    check_even("gaiqi", &[two_generals(), vec![("board", "2x2")]].concat(), 12);
}

#[test]
fn texts_are_read_as_values_or_refused_by_both() {
    for case in [
        ("moves.P", "WFDANRBKQWFDANRBKQmcnp01239x", 7),
        ("army.P", "0123456789/-+ n", 4),
        ("takes.P", "KAEHRCPk-X", 5),
        ("board", "12489xx", 4),
    ] {
        check_texts("gaiqi", &two_generals(), case);
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
    check_bad(DUELS.games, bad);
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
    for game in DUELS.games {
        for (given, names) in cases {
            let [_, fast] = refusals(game, given);
            assert!(fast.starts_with("option `") && fast.contains(names), "{given:?}: {fast}");
        }
        // A game of one piece each, and one without generals.
        check_taken(game, &two_generals());
        check_taken(game, &[("army.K", "0"), ("royal", "no")]);
    }
}
