//! Kingdoms that fall in seven_kingdoms (RULES.md section 6, "Being out"; 9.18, 9.19, 9.21).

use super::super::Referee;
use super::open;
use super::seven_kingdoms_board::{Options, after, fen, fields, three};

/// Qin takes a swordsman of Chu by `b1b2`, or Chu's general by `a1a19`.
const PIECES: &str = "wQa1 wSb1 rQa19 rSb2 rSc5 rGd7 oQs19";

/// The board with other pieces named, as it stands in a game.
fn board(pieces: &str) -> String {
    fen(pieces, "").trim_end().to_string()
}

/// The game after one action of Qin.
fn qin_plays(captures: &str, options: Options, action: &str) -> Box<dyn Referee> {
    let start = fen(PIECES, &format!("w - {captures} 3 20"));
    after(&start, &three(options), &[action])
}

#[test]
fn the_captor_of_a_general_takes_over_what_remains() {
    let game = qin_plays("-", &[], "a1a19");
    let expected = board("wQa19 wSb1 wSb2 wSc5 wGd7 oQs19");
    // Chu has no more turns.
    assert_eq!(game.fen(), format!("{expected} o rw wr1 0 21"));
    assert_eq!(game.current_player(), 2);
    assert!(game.outcome().is_none());
}

#[test]
fn a_quiet_ply_and_a_capture_count() {
    assert_eq!(fields(qin_plays("or1", &[], "b1c1").as_ref()), "r - or1 4 21");
    assert_eq!(fields(qin_plays("or1", &[], "b1b2").as_ref()), "r - wr1,or1 0 21");
}

#[test]
fn losses_beyond_the_limit_bring_a_kingdom_down() {
    // Ten losses are not more than ten.
    assert_eq!(fields(qin_plays("wr9", &[], "b1b2").as_ref()), "r - wr10 0 21");
    let game = qin_plays("wr10", &[], "b1b2");
    let expected = board("wQa1 wSb2 wMa19 wSc5 wGd7 oQs19");
    assert_eq!(game.fen(), format!("{expected} o rw wr11 0 21"));
    // Losses to all captors together count.
    let limit = [("loss_limit", "2")];
    assert_eq!(fields(qin_plays("wr1", &limit, "b1b2").as_ref()), "r - wr2 0 21");
    assert_eq!(fields(qin_plays("wr1,or1", &limit, "b1b2").as_ref()), "o rw wr2,or1 0 21");
}

#[test]
fn the_kingdom_that_captured_most_annexes_a_fallen_kingdom() {
    let game = qin_plays("or10", &[], "b1b2");
    let expected = board("wQa1 wSb2 oMa19 oSc5 oGd7 oQs19");
    assert_eq!(game.fen(), format!("{expected} o ro wr1,or10 0 21"));
    // What the others captured of a third kingdom does not count.
    let game = qin_plays("wr5,ow9,or5", &[], "b1b2");
    assert_eq!(fields(game.as_ref()), "o rw wr6,ow9,or5 0 21");
    // Of equals, the kingdom that is moving.
    let game = qin_plays("wr5,or6", &[], "b1b2");
    assert_eq!(fields(game.as_ref()), "o rw wr6,or6 0 21");
}

#[test]
fn of_equal_captors_the_last_to_move_annexes() {
    let options = |seats| [("seats", seats), ("loss_limit", "4")];
    // Back from Qin: Yan, then Han.
    let start = fen("wQa1 wSb1 rQa19 rSb2 oQs19 dQs1", "w - or2,dr2 0 0");
    let game = after(&start, &options("012---3"), &["b1b2"]);
    assert_eq!(fields(game.as_ref()), "o rd wr1,or2,dr2 0 1");
    // Back from Han: Qin comes before Yan. The victim between them is left out.
    let start = fen("oQa1 oSb1 rQa19 rSb2 wQs19 dQs1", "o - wr2,dr2 0 0");
    let game = after(&start, &options("012---3"), &["b1b2"]);
    assert_eq!(fields(game.as_ref()), "d rw wr2,or1,dr2 0 1");
    // Back from Wei: Qi, which captured less, Han, then Qin.
    let start = fen("gQa1 gSb1 rQa19 rSb2 wQs19 oQs1 bQq7", "g - wr2,or2,br1 0 0");
    let game = after(&start, &options("01234--"), &["b1b2"]);
    assert_eq!(fields(game.as_ref()), "w ro wr2,or2,br1,gr1 0 1");
}

#[test]
fn a_fallen_kingdom_is_no_conqueror() {
    let start = fen("wQa1 wSb1 rQa19 rSb2 bQs19 wSc5", "w ow wo1,or10 0 0");
    let game = after(&start, &[("seats", "0123---"), ("kingdoms_to_win", "3")], &["b1b2"]);
    assert_eq!(fields(game.as_ref()), "b ow,rw wr1,wo1,or10 0 1");
}

#[test]
fn a_captured_general_comes_before_losses() {
    let game = qin_plays("or10", &[], "a1a19");
    assert_eq!(fields(game.as_ref()), "o rw wr1,or10 0 21");
}

#[test]
fn losses_are_judged_when_a_piece_is_lost() {
    let start = fen(PIECES, "w - or15 0 0");
    let game = open("seven_kingdoms", &start, &three(&[]));
    assert!(game.outcome().is_none());
    let game = after(&start, &three(&[]), &["b1c1", "a19a18"]);
    assert_eq!(fields(game.as_ref()), "o - or15 2 2");
}

#[test]
fn pieces_taken_over_are_the_new_owners() {
    // Qin has annexed Chu's pieces: Qin moves them, and Han captures them from Qin.
    let start = fen("wQa1 wMa19 wSc5 oQs19 oRc19 bQs1", "w rw wr1 0 0");
    let options = [("seats", "0123---"), ("loss_limit", "1")];
    let game = open("seven_kingdoms", &start, &options);
    for action in ["a19b18", "c5c6", "a19a2"] {
        assert!(game.legal_moves().contains(&action.to_string()), "{action}");
    }
    // A marshal is not royal: its loss is one loss.
    let game = after(&start, &options, &["c5c6", "c19a19"]);
    assert_eq!(fields(game.as_ref()), "b rw wr1,ow1 0 2");
    let game = after(&start, &options, &["c5c6", "c19a19", "s1s2", "a1a2", "a19a2"]);
    assert_eq!(fields(game.as_ref()), "b rw,wo wr1,ow2 0 5");
    let mut game = after(&start, &options, &["c5c6", "c19c6", "s1s2"]);
    assert_eq!(fields(game.as_ref()), "w rw wr1,ow1 1 3");
    // The losses of Chu are not Qin's. Qin falls with its own second loss.
    game.apply("a1a2").unwrap();
    game.apply("s19a19").unwrap();
    assert_eq!(fields(game.as_ref()), "b rw,wo wr1,ow2 0 5");
}

#[test]
fn a_general_annexed_twice_stays_a_marshal() {
    let start = fen("wQa1 wMb5 wGd7 oQa19 bQs1", "o rw wr1 0 0");
    let game = after(&start, &[("seats", "0123---")], &["a19a1"]);
    let expected = board("oMb5 oGd7 oQa1 bQs1");
    assert_eq!(game.fen(), format!("{expected} b rw,wo wr1,ow1 0 1"));
}

#[test]
fn annexed_pieces_count_with_count_annexed() {
    let on = [("count_annexed", "on"), ("loss_limit", "9")];
    // Two swordsmen and a go-between; the captured general is one capture already.
    assert_eq!(fields(qin_plays("-", &on, "a1a19").as_ref()), "o rw wr4 0 21");
    // If the kingdom falls by losses, the conqueror annexes the general too.
    let game = qin_plays("or9", &on, "b1b2");
    assert_eq!(fields(game.as_ref()), "o ro wr1,or12 0 21");
}

#[test]
fn go_betweens_taken_over_stay_uncapturable() {
    let start = fen("wQa1 rQa19 rGc1 oRc5 oQs19", "w - - 0 0");
    let mut game = after(&start, &three(&[]), &["a1a19"]);
    assert!(game.legal_moves().contains(&"c5c2".to_string()));
    assert!(!game.legal_moves().contains(&"c5c1".to_string()));
    game.apply("c5c2").unwrap();
    // And they do not capture.
    assert!(!game.legal_moves().contains(&"c1c2".to_string()));
    assert!(game.legal_moves().contains(&"c1d1".to_string()));
}
