//! Victory, draws and limits in seven_kingdoms (RULES.md section 6, "Victory" and "No action"; 8,
//! 9.20 to 9.24).

use super::open;
use super::seven_kingdoms_board::{Options, after, ending, fen, fields, filled_fen, three, two};

/// Qin takes a swordsman of Chu by `b1b2`, or Chu's general by `a1a19`.
const PIECES: &str = "wQa1 wSb1 rQa19 rSb2 rSc5 oQs19";

fn first_wins() -> Vec<f64> {
    vec![1.0, -0.5, -0.5]
}

fn third_wins() -> Vec<f64> {
    vec![-0.5, -0.5, 1.0]
}

/// How the game of three ends by one action of Qin.
fn qin_ends(captures: &str, options: Options, action: &str) -> (&'static str, Vec<f64>) {
    let start = fen(PIECES, &format!("w - {captures} 0 0"));
    ending(after(&start, &three(options), &[action]).as_ref())
}

/// How a game ends that is over when read.
fn read_ends(pieces: &str, rest: &str, options: Options) -> (&'static str, Vec<f64>) {
    ending(open("seven_kingdoms", &fen(pieces, rest), options).as_ref())
}

#[test]
fn enough_kingdoms_win() {
    let one = [("kingdoms_to_win", "1")];
    assert_eq!(qin_ends("-", &one, "a1a19"), ("kingdoms", first_wins()));
    // If it falls by losses, its conqueror brought it down, not the mover.
    assert_eq!(qin_ends("or10", &one, "b1b2"), ("kingdoms", third_wins()));
    // Two are needed by default; the second one here leaves one army, which comes after.
    let second = fen("wQa1 wMb5 oQa19", "w rw wr1 0 0");
    assert_eq!(ending(after(&second, &three(&[]), &["a1a19"]).as_ref()).0, "kingdoms");
}

#[test]
fn no_more_kingdoms_are_needed_than_there_are_enemies() {
    let start = fen("wQa1 rQa19", "w - - 0 0");
    let game = after(&start, &two(&[("kingdoms_to_win", "6")]), &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("kingdoms", vec![1.0, -1.0]));
    // Han is of Qin's team, so Chu is its only enemy, and two of the others' are.
    let teams = three(&[("teams", "ABA")]);
    let by_qin = after(&fen(PIECES, "w - - 0 0"), &teams, &["a1a19"]);
    assert_eq!(ending(by_qin.as_ref()), ("kingdoms", vec![0.5, -1.0, 0.5]));
    let by_chu = after(&fen(PIECES, "r - - 0 0"), &teams, &["a19a1"]);
    assert!(by_chu.outcome().is_none());
}

#[test]
fn more_captures_than_the_limit_win() {
    let limits = [("capture_limit", "2"), ("loss_limit", "50")];
    assert_eq!(qin_ends("wo2", &limits, "b1b2"), ("captures", first_wins()));
    let start = fen(PIECES, "w - wo1,or2 0 0");
    let game = after(&start, &three(&limits), &["b1b2"]);
    assert!(game.outcome().is_none());
}

#[test]
fn kingdoms_come_before_captures_and_captures_before_the_last_standing() {
    // Qin captures beyond its limit, Han takes over Chu.
    let options = [("kingdoms_to_win", "1"), ("capture_limit", "10")];
    assert_eq!(qin_ends("wo10,or10", &options, "b1b2"), ("kingdoms", third_wins()));
    // Qin and Han, as conqueror, beyond their limit: the mover first.
    let annexed = [("count_annexed", "on"), ("capture_limit", "11")];
    assert_eq!(qin_ends("wo11,or10", &annexed, "b1b2"), ("captures", first_wins()));
    assert_eq!(qin_ends("wo10,or10", &annexed, "b1b2"), ("captures", third_wins()));
    // The last one standing is also beyond its limit.
    let last = fen("wQa1 oQa19", "w ro wo2,or1 0 0");
    let game = after(&last, &three(&[("capture_limit", "2")]), &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("captures", first_wins()));
}

#[test]
fn the_last_one_standing_wins() {
    let start = fen("wQa1 oQa19", "w ro or1 0 0");
    let game = after(&start, &three(&[]), &["a1a19"]);
    assert_eq!(ending(game.as_ref()), ("last_standing", first_wins()));
    // Only the winner is left to move.
    assert_eq!(fields(game.as_ref()), "w ro,ow wo1,or1 0 1");
    assert_eq!(game.current_player(), 0);
}

#[test]
fn victories_are_judged_on_reading() {
    let part = -1.0 / 3.0;
    let won = |seat: usize| {
        let mut rewards = vec![part; 4];
        rewards[seat] = 1.0;
        ("captures", rewards)
    };
    // The seat of the kingdom in play before the mover; then the latest conqueror's; then the
    // lowest.
    let limit = [("seats", "0123---"), ("capture_limit", "2")];
    let four = "wQa1 rQb19 oQs19 bQs1";
    assert_eq!(read_ends(four, "b - wr3,or3 0 0", &limit), won(2));
    assert_eq!(read_ends(four, "w - wr3,or3 0 0", &limit), won(0));
    assert_eq!(read_ends("wQa1 rQb19 oQs19", "w bo wr3,or3,ob3 0 0", &limit), won(2));
    assert_eq!(read_ends("wQa1 rQb19 oQs19", "r bo rb3,ob3 0 0", &limit), won(2));
    assert_eq!(read_ends("wQa1 rQb19 oQs19", "r br rb3,ob3 0 0", &limit), won(1));
    assert_eq!(read_ends("wQa1 rQb19 oQs19", "r bo wo3,rb3,ob3 0 0", &limit), won(0));
    // Of several with enough kingdoms the lowest.
    let one = [("seats", "01234--"), ("kingdoms_to_win", "1")];
    let lowest = read_ends("wQa1 rQb19 oQs19", "o gr,bo - 0 0", &one);
    assert_eq!(lowest, ("kingdoms", vec![-0.25, 1.0, -0.25, -0.25, -0.25]));
    let alone = read_ends("wQa1 wMb5", "w ro,ow - 0 0", &three(&[]));
    assert_eq!(alone, ("last_standing", first_wins()));
    // The limits on plies come last.
    let old = read_ends(PIECES, "w - - 9 2000", &three(&[("quiet_limit", "9")]));
    assert_eq!(old, ("quiet_limit", vec![0.0; 3]));
}

#[test]
fn a_game_without_a_winner_goes_on() {
    let game = open("seven_kingdoms", &fen(PIECES, "w - wr30,ro30 0 0"), &three(&[]));
    assert!(game.outcome().is_none());
}

/// A full board of Qin's go-betweens, where only the cannon on a1 can do anything: capture a3.
const STUCK: &str = "wCa1 wAa2 wAb1 wSb2 rNa3 wQg7 rQm13";

#[test]
fn a_kingdom_without_a_move_passes() {
    let options = two(&[]);
    let start = filled_fen("wG", STUCK, "r - - 3 8");
    let game = open("seven_kingdoms", &start, &options);
    assert!(game.outcome().is_none());
    assert_eq!(game.legal_moves(), ["pass"]);
    let game = after(&start, &options, &["pass"]);
    assert_eq!(fields(game.as_ref()), "w - - 4 9");
    assert_eq!(game.legal_moves(), ["a1a3"]);
    let mut game = game;
    assert!(game.apply("pass").is_err());
    // Passes count for the limits.
    let options = two(&[("quiet_limit", "4")]);
    let game = after(&start, &options, &["pass"]);
    assert_eq!(ending(game.as_ref()), ("quiet_limit", vec![0.0, 0.0]));
}

#[test]
fn it_is_a_draw_as_soon_as_nobody_has_a_move() {
    let start = filled_fen("wG", STUCK, "w - - 3 8");
    let options = two(&[("max_plies", "9")]);
    let game = after(&start, &options, &["a1a3"]);
    assert_eq!(ending(game.as_ref()), ("no_moves", vec![0.0, 0.0]));
    let read = open("seven_kingdoms", &game.fen(), &options);
    assert_eq!(ending(read.as_ref()).0, "no_moves");
    // A victory comes first.
    let options = two(&[("capture_limit", "1")]);
    let start = filled_fen("wG", STUCK, "w - wr1 3 8");
    assert_eq!(ending(after(&start, &options, &["a1a3"]).as_ref()).0, "captures");
}

/// Two generals move back and forth.
const SHUTTLE: [&str; 8] = ["a1a2", "s19s18", "a2a1", "s18s19", "a1a2", "s19s18", "a2a1", "s18s19"];

#[test]
fn repetition_and_quiet_plies_draw_if_the_options_are_on() {
    let start = fen("wQa1 rQs19", "w - - 0 0");
    let draw = |reason| (reason, vec![0.0, 0.0]);
    let ends = |options: Options| {
        after(&start, &two(options), &SHUTTLE)
            .outcome()
            .map(|outcome| (outcome.reason, outcome.rewards))
    };
    assert_eq!(ends(&[]), None);
    assert_eq!(ends(&[("repetition", "on")]), Some(draw("repetition")));
    assert_eq!(ends(&[("quiet_limit", "8")]), Some(draw("quiet_limit")));
    assert_eq!(ends(&[("quiet_limit", "9")]), None);
    let both = [("repetition", "true"), ("quiet_limit", "8"), ("max_plies", "8")];
    assert_eq!(ends(&both), Some(draw("repetition")));
    assert_eq!(ends(&both[1..]), Some(draw("quiet_limit")));
    assert_eq!(ends(&both[2..]), Some(draw("max_plies")));
    // A capture begins a new history.
    let start = fen("wQa1 rQs19 wSb1 rSb2", "w - - 0 0");
    let plies = [&SHUTTLE[..4], &["b1b2", "s19s18", "a1a2", "s18s19", "a2a1"]].concat();
    let options = two(&[("repetition", "on")]);
    let mut game = after(&start, &options, &plies);
    for action in ["s19s18", "a1a2", "s18s19"] {
        assert!(game.outcome().is_none());
        game.apply(action).unwrap();
    }
    assert!(game.outcome().is_none());
    game.apply("a2a1").unwrap();
    assert_eq!(ending(game.as_ref()), draw("repetition"));
}

#[test]
fn too_many_plies_truncate() {
    let start = fen("wQa1 rQs19", "w - - 0 1399");
    let game = after(&start, &two(&[]), &["a1a2"]);
    assert_eq!(ending(game.as_ref()), ("max_plies", vec![0.0, 0.0]));
}
