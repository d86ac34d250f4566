//! Endings of hand-made positions (RULES.md sections 1, 3, 4, 7 and 8).

use super::super::Referee;
use super::{open, play, play_all};

/// Reason, rewards, truncated.
fn ending(game: &dyn Referee) -> (&'static str, Vec<f64>, bool) {
    let outcome = game.outcome().expect("the game is over");
    assert!(game.legal_moves().is_empty());
    (outcome.reason, outcome.rewards, outcome.truncated)
}

fn red_loses() -> Vec<f64> {
    vec![-1.0, 1.0]
}

fn black_loses() -> Vec<f64> {
    vec![1.0, -1.0]
}

fn nobody_loses() -> Vec<f64> {
    vec![0.0, 0.0]
}

/// The plies, twice.
fn twice<'a>(plies: &[&'a str]) -> Vec<&'a str> {
    plies.repeat(2)
}

#[test]
fn a_captured_general_ends_gaiqi() {
    let own = play("gaiqi", "8/8/8/R~K4k1 1 r - 0 3 -", &[], "a1b1");
    assert_eq!(ending(own.as_ref()), ("own_general_captured", red_loses(), false));
    assert_eq!(own.fen(), "8/8/8/1R4k1 2 r K 0 4 b1x1,-");
    let enemy = play("gaiqi", "8/8/8/R~k4K1 1 r - 0 3 -", &[], "a1b1");
    assert_eq!(ending(enemy.as_ref()), ("general_captured", black_loses(), false));
    for (fen, expected) in [
        ("8/8/8/R7 2 r K 0 4 -", ("own_general_captured", red_loses(), false)),
        ("8/8/8/R7 2 r k 0 4 -", ("general_captured", black_loses(), false)),
        ("8/8/8/R7 1 r k 0 4 -", ("own_general_captured", black_loses(), false)),
        ("8/8/8/R7 1 b K 0 4 -", ("own_general_captured", black_loses(), false)),
        ("8/8/8/R7 2 r kK 0 4 -", ("own_general_captured", red_loses(), false)),
    ] {
        assert_eq!(ending(open("gaiqi", fen, &[]).as_ref()), expected, "{fen}");
    }
}

#[test]
fn gaiqi_draws_and_truncation() {
    let shuttle = twice(&["a1a2", "h4h3", "a2a1", "h3h4"]);
    let fen = "7p/8/8/P7 1 r - 0 8 -";
    let game = play_all("gaiqi", fen, &[], &shuttle);
    assert_eq!(ending(game.as_ref()), ("repetition", nobody_loses(), false));
    let free = [("repetition", "off"), ("quiet_limit", "9")];
    let mut game = play_all("gaiqi", fen, &free, &shuttle);
    assert!(game.outcome().is_none());
    game.apply("a1b1").unwrap();
    assert_eq!(ending(game.as_ref()), ("quiet_limit", nobody_loses(), false));
    let short = open("gaiqi", fen, &[("max_plies", "8")]);
    assert_eq!(ending(short.as_ref()), ("max_plies", nobody_loses(), true));
}

#[test]
fn the_first_flip_gives_the_colours() {
    let game = play("gaiqi", "~p7/8/8/7~R 1 - - 0 0 -", &[], "a4");
    assert_eq!(game.fen(), "p7/8/8/7~R 2 b - 0 1 -");
    assert_eq!(game.legal_moves(), ["h1"]);
    let game = play("banqi", "~p7/8/8/7~R 1 - - 0 0", &[], "h1");
    assert_eq!(game.fen(), "~p7/8/8/7R 2 r - 0 1");
}

#[test]
fn mate_and_stalemate_lose() {
    let mate = play("jieqi", "3k5/1R7/9/9/9/9/9/9/9/R3K4 w - 79 0", &[], "a1a10");
    assert_eq!(ending(mate.as_ref()), ("checkmate", black_loses(), false));
    let still = play("jieqi", "3k5/9/1R7/9/9/9/9/9/9/4K4 w - 0 0", &[], "b8b9");
    assert_eq!(ending(still.as_ref()), ("stalemate", black_loses(), false));
}

#[test]
fn perpetual_check_loses() {
    let fen = "4k4/9/9/9/9/9/9/9/9/R2K5 w - 0 0";
    let cycle = ["e10e9", "a10a9", "e9e10", "a9a10"];
    let mut plies = vec!["a1a10"];
    plies.extend(twice(&cycle));
    let game = play_all("jieqi", fen, &[], &plies);
    assert_eq!(ending(game.as_ref()), ("perpetual_check", red_loses(), false));
    let game = play_all("jieqi", fen, &[("repetition", "off")], &plies);
    assert!(game.outcome().is_none());
    // Without check it is a draw by repetition, also if the quiet limit falls on the same ply.
    let quiet = twice(&["a1a2", "e10e9", "a2a1", "e9e10"]);
    let game = play_all("jieqi", fen, &[("quiet_limit", "8")], &quiet);
    assert_eq!(ending(game.as_ref()), ("repetition", nobody_loses(), false));
}

#[test]
fn perpetual_chase_loses_if_the_option_is_on() {
    let cycle = twice(&["b1a1", "a5b6", "a1b1", "b6a5"]);
    let alone = "4k4/9/9/9/9/a8/9/9/9/1R1K5 w -";
    let jieqi = format!("{alone} 0 0");
    let mystery = format!("{alone} 0,0,0 0");
    let game = play_all("jieqi", &jieqi, &[], &cycle);
    assert_eq!(ending(game.as_ref()), ("repetition", nobody_loses(), false));
    let game = play_all("jieqi", &jieqi, &[("chase", "on")], &cycle);
    assert_eq!(ending(game.as_ref()), ("perpetual_chase", red_loses(), false));
    let game = play_all("mystery", &mystery, &[], &cycle);
    assert_eq!(ending(game.as_ref()), ("perpetual_chase", red_loses(), false));
    // On one of its squares the advisor is protected.
    let protected = "r3k4/9/9/9/9/a8/9/9/9/1R1K5 w - 0,0,0 0";
    let game = play_all("mystery", protected, &[], &cycle);
    assert_eq!(ending(game.as_ref()), ("repetition", nobody_loses(), false));
}

#[test]
fn a_reveal_begins_a_new_history() {
    // The position after the reveal is its first occurrence, whatever came before.
    let fen = "4k4/9/9/9/9/9/~P8/9/9/R2K5 w - 0 0";
    let mut plies = vec!["a1a2", "e10e9", "a2a1", "e9e10", "a4a5", "e10e9"];
    plies.extend(["a1a2", "e9e10", "a2a1", "e10e9"]);
    let game = play_all("jieqi", fen, &[], &plies);
    assert!(game.outcome().is_none());
    assert!(game.fen().ends_with(" - 10 10"), "a reveal keeps the quiet counter");
}

#[test]
fn mystery_counts_progress_and_effective_moves() {
    let fen = "4k4/9/9/9/9/a8/9/9/9/1R1K5 w - 0,0,0 0";
    let mut game = open("mystery", fen, &[]);
    for (ply, quiet) in [
        // Leaves the advisor chased; had a piece chased; neither; neither.
        ("b1a1", " 1,0,0 1"),
        ("a5b6", " 2,0,0 2"),
        ("a1a2", " 3,1,0 3"),
        ("e10e9", " 4,1,1 4"),
        // Gives check; made in check.
        ("a2e2", " 5,1,1 5"),
        ("e9f9", " 6,1,1 6"),
    ] {
        game.apply(ply).unwrap();
        assert!(game.fen().ends_with(quiet), "{ply}: {}", game.fen());
    }
    let soldiers = "4k4/9/9/9/2P6/6P2/~P8/9/9/3K5 w - 7,0,0 20";
    for (ply, progress) in
        [("c6c7", " 0,1,0 21"), ("c6d6", " 8,1,0 21"), ("g5g6", " 8,1,0 21"), ("a4a5", " 8,1,0 21")]
    {
        let game = play("mystery", soldiers, &[], ply);
        assert!(game.fen().ends_with(progress), "{ply}: {}", game.fen());
    }
}

#[test]
fn mystery_draws_in_the_order_of_the_rules() {
    let reason = |quiet: &str, options: &[(&str, &str)]| {
        let fen = format!("4k4/9/9/9/9/9/9/9/9/R2K5 w - {quiet} 599");
        let game = play("mystery", &fen, options, "a1b1");
        game.outcome().map(|outcome| outcome.reason)
    };
    assert_eq!(reason("59,119,120", &[]), Some("progress_limit"));
    assert_eq!(reason("58,119,120", &[]), Some("effective_limit"));
    assert_eq!(reason("58,119,119", &[]), Some("moves_limit"));
    let off = [("progress_limit", "0"), ("effective_limit", "0"), ("moves_limit", "0")];
    assert_eq!(reason("59,119,120", &off), None);
    let short = [("moves_limit", "0"), ("max_plies", "600")];
    assert_eq!(reason("0,0,0", &short), Some("max_plies"));
}
