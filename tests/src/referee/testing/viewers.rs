//! What viewers see, and what a FEN must contain (RULES.md 9.6 and 9.7, DESIGN.md section 4).

use super::super::Viewer;
use super::{fault, open, play};

#[test]
fn half_board_viewers_all_see_the_same() {
    let gaiqi = open("gaiqi", "~p7/8/8/R6~R 1 r pa 0 9 a1x1,-", &[]);
    for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
        assert_eq!(gaiqi.viewer_fen(viewer), "?7/8/8/R6? 1 r pa 0 9 a1x1,-");
    }
    let banqi = open("banqi", "~p7/8/8/R6~R 1 r pk 0 9", &[]);
    assert_eq!(banqi.viewer_fen(Viewer::Public), "?7/8/8/R6? 1 r pk 0 9");
}

#[test]
fn a_covered_capture_is_known_to_the_captor() {
    let fen = "~r3k4/9/9/9/9/9/9/9/9/3K4~C w ~rR~Pc 0 9";
    let board = "x3k4/9/9/9/9/9/9/9/9/3K4X w";
    let game = open("jieqi", fen, &[]);
    for (viewer, captured) in
        [(Viewer::Player(0), "~rRXc"), (Viewer::Player(1), "xR~Pc"), (Viewer::Public, "xRXc")]
    {
        assert_eq!(game.viewer_fen(viewer), format!("{board} {captured} 0 9"));
    }
    let game = open("jieqi", fen, &[("captured", "public")]);
    assert_eq!(game.viewer_fen(Viewer::Public), format!("{board} ~rR~Pc 0 9"));
}

#[test]
fn captures_are_listed_as_they_stood() {
    let fen = "1~r2k4/9/1~p7/9/9/9/9/1~E7/9/3K5 w - 3 0";
    let game = play("jieqi", fen, &[], "b3b10");
    assert_eq!(game.fen(), "1E2k4/9/1~p7/9/9/9/9/9/9/3K5 b ~r 0 1");
    assert!(game.viewer_fen(Viewer::Player(1)).ends_with(" b x 0 1"));
}

#[test]
fn viewers_fens_cannot_be_read_back() {
    for (game, fen) in [
        ("gaiqi", "?7/8/8/R6? 1 r pk 0 9 a1x1,-"),
        ("jieqi", "x3k4/9/9/9/9/9/9/9/9/3K5 w - 0 9"),
        ("jieqi", "4k4/9/9/9/9/9/9/9/9/3K5 w X 0 9"),
    ] {
        assert!(fault(game, fen).contains("viewer"), "{fen}");
    }
}

#[test]
fn malformed_fens_name_the_field() {
    for (game, field, fen) in [
        ("gaiqi", "chase", "8/8/8/R7 1 r - 0 0"),
        ("gaiqi", "chase", "8/8/8/R7 1 r - 0 0 - -"),
        ("banqi", "ply", "8/8/8/R7 1 r - 0 0 -"),
        ("banqi", "mover", "8/8/8/R7  r - 0 0"),
        ("banqi", "mover", "8/8/8/R7 w r - 0 0"),
        ("banqi", "colours", "8/8/8/R7 1 - - 0 0"),
        ("banqi", "colours", "8/8/8/~R7 1 r - 0 0"),
        ("banqi", "colours", "8/8/8/~R7 1 - p 0 0"),
        ("banqi", "colours", "8/8/8/~R7 1 x - 0 0"),
        ("banqi", "captured", "8/8/8/R7 1 r ~p 0 0"),
        ("banqi", "captured", "8/8/8/R7 1 r RR 0 0"),
        ("banqi", "board", "8/8/8/RRR5 1 r - 0 0"),
        ("banqi", "quiet", "8/8/8/R7 1 r - -1 0"),
        ("banqi", "ply", "8/8/8/R7 1 r - 0 00"),
        ("jieqi", "mover", "4k4/9/9/9/9/9/9/9/9/3K5 1 - 0 0"),
        ("jieqi", "captured", "4k4/9/9/9/9/9/9/9/9/3K5 w k 0 0"),
        ("jieqi", "quiet", "4k4/9/9/9/9/9/9/9/9/3K5 w - 0,0,0 0"),
        ("mystery", "quiet", "4k4/9/9/9/9/9/9/9/9/3K5 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/9/9 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/9/2K6 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/9/3KK4 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/9/3~K5 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/9/4K4 w - 0 0"),
        ("jieqi", "board", "R3k4/9/9/9/9/9/9/9/9/3K5 w - 0 0"),
        ("jieqi", "board", "4k4/9/9/9/9/9/9/9/~R8/3K5 w - 0 0"),
        ("jieqi", "board", "~R3k4/9/9/9/9/9/9/9/9/3K5 w - 0 0"),
    ] {
        assert!(fault(game, fen).starts_with(&format!("{field}: ")), "{fen}: {}", fault(game, fen));
    }
}
