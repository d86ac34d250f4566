//! Seats of several kingdoms, teams, and shared rewards in seven_kingdoms (RULES.md section 6;
//! 9.18, 9.20, 9.24).

use super::super::{Viewer, start_fen};
use super::open;
use super::seven_kingdoms_board::{Options, after, ending, fen, fields};

/// Whether Qin's chariot on a5 may capture Han's swordsman on a8.
fn captures_han(options: Options) -> bool {
    let start = fen("wQb1 wRa5 oSa8 oQs19 rQs1 bQb18", "w - - 0 0");
    open("seven_kingdoms", &start, options).legal_moves().contains(&"a5a8".to_string())
}

#[test]
fn kingdoms_of_a_seat_and_team_mates_do_not_capture_one_another() {
    assert!(captures_han(&[("seats", "0123---")]));
    assert!(!captures_han(&[("seats", "0101---")]));
    assert!(!captures_han(&[("seats", "0123---"), ("teams", "ABAB")]));
    assert!(captures_han(&[("seats", "0123---"), ("teams", "ABBA")]));
    assert!(!captures_han(&[("seats", "0122---"), ("teams", "GBG")]));
}

#[test]
fn a_friend_blocks_and_is_a_screen() {
    let options = [("seats", "0101---")];
    let start = fen("wQb1 wRa5 wCc5 oSa8 oSc8 rSc12 oQs19 rQs1 bQb18", "w - - 0 0");
    let moves = open("seven_kingdoms", &start, &options).legal_moves();
    for (name, legal) in [("a5a7", true), ("a5a8", false), ("a5a9", false), ("c5c12", true)] {
        assert_eq!(moves.contains(&name.to_string()), legal, "{name}");
    }
}

#[test]
fn a_seat_moves_each_of_its_kingdoms_in_turn() {
    let options = [("seats", "1010-0-")];
    let mut game = open("seven_kingdoms", &start_fen("seven_kingdoms", &options), &options);
    for (player, mover, action) in
        [(1, "w", "a7a6"), (0, "r", "d1d2"), (1, "o", "l1k1"), (0, "b", "x"), (0, "p", "x")]
    {
        assert_eq!(game.current_player(), player);
        assert!(fields(game.as_ref()).starts_with(&format!("{mover} ")));
        let moves = game.legal_moves();
        let action = if moves.contains(&action.to_string()) { action } else { &moves[0] };
        game.apply(action).unwrap();
    }
    assert!(fields(game.as_ref()).starts_with("w "));
}

#[test]
fn every_seat_sees_everything() {
    let options = [("seats", "0101012")];
    let game = open("seven_kingdoms", &start_fen("seven_kingdoms", &options), &options);
    for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Player(2), Viewer::Public] {
        assert_eq!(game.viewer_fen(viewer), game.fen());
    }
}

#[test]
#[should_panic(expected = "no player 3")]
fn there_is_no_seat_beyond_the_last() {
    let options = [("seats", "0101012")];
    let game = open("seven_kingdoms", &start_fen("seven_kingdoms", &options), &options);
    game.viewer_fen(Viewer::Player(3));
}

#[test]
fn a_seat_is_out_when_all_its_kingdoms_are() {
    // Chu falls, Qi of the same seat plays on.
    let options = [("seats", "0101---")];
    let start = fen("wQa1 rQa19 oQs19 bQs1 bSc3", "w - - 0 0");
    let game = after(&start, &options, &["a1a19"]);
    assert_eq!(fields(game.as_ref()), "o rw wr1 0 1");
    assert!(game.outcome().is_none());
    let game = after(&start, &options, &["a1a19", "s19s18"]);
    assert_eq!(game.current_player(), 1);
}

#[test]
fn a_seat_counts_all_its_kingdoms() {
    let options = [("seats", "01012--"), ("capture_limit", "3")];
    let (half, win) = (-0.5, 1.0);
    // Captures of Qin and Han add up, also those of a fallen one.
    let start = fen("oQa1 oSb1 rQa19 rSb2 bQs1 gQs19", "o wb wr1,wg1,ow1 0 0");
    let game = after(&start, &options, &["b1b2"]);
    assert_eq!(ending(game.as_ref()), ("captures", vec![win, half, half]));
    // So do kingdoms brought down.
    let start = fen("oQa1 rQa19 bQs1", "o gw,wb wg1,bw1 0 0");
    let game = after(&start, &options, &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("kingdoms", vec![win, half, half]));
}

#[test]
fn team_mates_do_not_add_up() {
    let options = [("seats", "01234--"), ("teams", "ABACB"), ("capture_limit", "2")];
    let start = fen("wQa1 wSb1 rQa19 rSb2 oQs19 bQs1 gQs10", "w - ob2 0 0");
    let game = after(&start, &options, &["b1b2"]);
    assert!(game.outcome().is_none());
    // Nor do kingdoms; but the team shares the victory of a member, and each losing team a part of
    // the loss.
    let start = fen("wQa1 rQa19 oQs19 bQs1", "w go og1 0 0");
    let game = after(&start, &options, &["a1a19"]);
    assert!(game.outcome().is_none());
    let start = fen("wQa1 wSb1 rQa19 rSb2 oQs19 bQs1", "w go wr2,og1 0 0");
    let game = after(&start, &options, &["b1b2"]);
    assert_eq!(ending(game.as_ref()), ("captures", vec![0.5, -0.25, 0.5, -0.5, -0.25]));
}

#[test]
fn a_team_that_alone_remains_wins_with_those_out() {
    let options = [("seats", "0123456"), ("teams", "ABABABA"), ("kingdoms_to_win", "6")];
    // Three of the team of four are in play, one has fallen; the last enemy falls.
    let start = fen("wQa1 oQs19 gQs1 pQa19", "w rw,bo,dp - 0 0");
    let game = after(&start, &options, &["a1a19"]);
    let (won, lost) = (0.25, -1.0 / 3.0);
    let rewards = vec![won, lost, won, lost, won, lost, won];
    assert_eq!(ending(game.as_ref()), ("last_standing", rewards));
    // With an enemy left the game goes on.
    let start = fen("wQa1 oQs19 bQs10 gQs1 pQa19", "w rw,dp - 0 0");
    assert!(after(&start, &options, &["a1a19"]).outcome().is_none());
}

#[test]
fn a_seat_with_several_kingdoms_alone_is_the_last_one_standing() {
    let options = [("seats", "0101---"), ("kingdoms_to_win", "2")];
    let start = fen("wQa1 oQs19 bQa19", "w ro - 0 0");
    // The second kingdom that the seat brings down counts for the seat.
    let game = after(&start, &options, &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("kingdoms", vec![1.0, -1.0]));
    let start = fen("wQa1 oQs19 bQa19", "w rb - 0 0");
    let game = after(&start, &options, &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("last_standing", vec![1.0, -1.0]));
}
