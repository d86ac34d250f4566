//! Whole games and FENs of flipping xiangqi (RULES.md sections 5 and 7, 9.6, 9.9 and 9.17).

use super::super::{Referee, Viewer, start_fen};
use super::{fault, open, perft, play, play_all};

/// Reason and rewards.
fn ending(game: &dyn Referee) -> (&'static str, Vec<f64>) {
    let outcome = game.outcome().expect("the game is over");
    assert!(game.legal_moves().is_empty());
    assert_eq!(outcome.truncated, outcome.reason == "max_plies");
    (outcome.reason, outcome.rewards)
}

fn start() -> Box<dyn Referee> {
    open("flipping", &start_fen("flipping", &[]), &[])
}

#[test]
fn the_start_has_the_known_leaves() {
    for (depth, leaves) in [(1, 7), (2, 49), (3, 567), (4, 6325), (5, 79889)] {
        assert_eq!(perft(start().as_ref(), depth), leaves, "depth {depth}");
    }
}

#[test]
fn everything_is_public() {
    let game = start();
    for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
        assert_eq!(game.viewer_fen(viewer), "1efkfe1/2sss2/7/7/7/2SSS2/1EFKFE1 w 0 0");
    }
    assert_eq!(game.current_player(), 0);
}

#[test]
fn mate_and_stalemate_lose() {
    let mate = play("flipping", "3k3/5R1/2E4/7/7/7/2K4 w 0 0", &[], "c5a7");
    assert_eq!(ending(mate.as_ref()), ("checkmate", vec![1.0, -1.0]));
    let still = play("flipping", "3k3/2R4/7/7/6E/7/2K4 w 0 0", &[], "g3e5");
    assert_eq!(ending(still.as_ref()), ("stalemate", vec![1.0, -1.0]));
    // A chariot that gives mate before its flip does not after it.
    let flipped = play("flipping", "3k3/5R1/R6/7/7/7/2K4 w 0 0", &[], "a5a7");
    assert!(flipped.outcome().is_none());
}

#[test]
fn two_kings_alone_draw() {
    let taken = play("flipping", "3k3/7/7/7/7/2s4/2K4 w 0 399", &[], "c1c2");
    assert_eq!(ending(taken.as_ref()), ("bare_kings", vec![0.0, 0.0]));
    let alone = "3k3/7/7/7/7/7/2K4 w 5 9";
    assert_eq!(ending(open("flipping", alone, &[]).as_ref()).0, "bare_kings");
    let quiet = open("flipping", alone, &[("quiet_limit", "5")]);
    assert_eq!(ending(quiet.as_ref()).0, "quiet_limit");
}

/// A red piece, in turn a horse and a soldier, that gives check with all its plies in a cycle of
/// eight.
const HUNT: &str = "3k3/7/1H5/7/7/7/2K4 w 0 0";
const CHECKS: [&str; 8] = ["b5c7", "d7d6", "c7b7", "d6d5", "b7c5", "d5d6", "c5b5", "d6d7"];
/// From the same position, back and forth without check.
const SHUFFLE: [&str; 4] = ["c1c2", "d7e7", "c2c1", "e7d7"];

#[test]
fn perpetual_check_loses() {
    let game = play_all("flipping", HUNT, &[], &CHECKS.repeat(2)[..15]);
    assert!(game.outcome().is_none());
    let game = play_all("flipping", HUNT, &[], &CHECKS.repeat(2));
    assert_eq!(ending(game.as_ref()), ("perpetual_check", vec![-1.0, 1.0]));
    let game = play_all("flipping", HUNT, &[("repetition", "off")], &CHECKS.repeat(3));
    assert!(game.outcome().is_none());
}

#[test]
fn other_repetition_goes_on_and_is_judged_anew() {
    let game = play_all("flipping", HUNT, &[], &SHUFFLE.repeat(5));
    assert!(game.outcome().is_none());
    // The cycle of a later verdict is the plies after the previous occurrence.
    let plies = [SHUFFLE.repeat(2), CHECKS.to_vec()].concat();
    let game = play_all("flipping", HUNT, &[], &plies);
    assert_eq!(ending(game.as_ref()), ("perpetual_check", vec![-1.0, 1.0]));
    let plies = [CHECKS.to_vec(), SHUFFLE.to_vec()].concat();
    let game = play_all("flipping", HUNT, &[], &plies);
    assert!(game.outcome().is_none());
}

#[test]
fn limits_end_a_game_if_they_are_on() {
    let limit = [("quiet_limit", "8"), ("max_plies", "8")];
    let game = play_all("flipping", HUNT, &limit, &SHUFFLE.repeat(2));
    assert_eq!(ending(game.as_ref()), ("quiet_limit", vec![0.0, 0.0]));
    let game = play_all("flipping", HUNT, &limit[1..], &SHUFFLE.repeat(2));
    assert_eq!(ending(game.as_ref()), ("max_plies", vec![0.0, 0.0]));
    let long = open("flipping", &HUNT.replace(" 0 0", " 0 400"), &[]);
    assert_eq!(ending(long.as_ref()).0, "max_plies");
}

#[test]
fn malformed_fens_name_the_field() {
    for (field, fen) in [
        ("ply", "3k3/7/7/7/7/7/2K4 w 0"),
        ("ply", "3k3/7/7/7/7/7/2K4 w 0 0 0"),
        ("mover", "3k3/7/7/7/7/7/2K4 r 0 0"),
        ("quiet", "3k3/7/7/7/7/7/2K4 w - 0"),
        ("board", "3k3/7/7/7/7/7 w 0 0"),
        ("board", "3k3/7/7/7/7/7/7 w 0 0"),
        ("board", "3k3/7/7/7/7/7/1K5 w 0 0"),
        ("board", "7/7/7/3k3/7/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/7/7/2K1K2 w 0 0"),
        // The side not to move is in check, by a piece and by facing.
        ("board", "3k2R/7/7/7/7/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/7/7/3K3 w 0 0"),
        // Counted by pair of forms.
        ("board", "3k3/7/7/7/SSHH3/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/FFC4/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/ERE4/7/2K4 w 0 0"),
        // Letters of the other games.
        ("board", "3k3/7/7/7/P6/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/A6/7/2K4 w 0 0"),
        ("board", "3k3/7/7/7/~S6/7/2K4 w 0 0"),
    ] {
        let fault = fault("flipping", fen);
        assert!(fault.starts_with(&format!("{field}: ")), "{fen}: {fault}");
    }
}
