//! What a FEN of seven_kingdoms must contain (RULES.md section 6, 9.23 to 9.25,
//! DESIGN.md section 4).

use super::super::from_fen;
use super::open;
use super::seven_kingdoms_board::{fen, three};

const PIECES: &str = "wQa1 rQs19 oQs1";

fn fault(fen: &str) -> String {
    match from_fen("seven_kingdoms", fen, &three(&[])) {
        Ok(_) => panic!("{fen}: nothing was found wrong"),
        Err(fault) => fault,
    }
}

#[test]
fn fens_read_back() {
    for (pieces, rest) in [
        (PIECES, "w - - 0 0"),
        (PIECES, "o - wr1,wo10,rw2,or3 7 19"),
        ("wQa1 wMs19 wMs18 wGb9 oQs1", "o rw wr1 0 5"),
        // A conqueror that fell later.
        ("wQa1 wMs19", "w ro,ow - 0 5"),
        // No kind is too many.
        ("wQa1 rQs19 oQs1 wRb1 wRb2 wRb3 wMb4 wMb5", "w - - 0 0"),
    ] {
        let fen = fen(pieces, rest);
        assert_eq!(open("seven_kingdoms", &fen, &three(&[])).fen(), fen);
    }
}

#[test]
fn malformed_fields_are_named() {
    for (field, rest) in [
        ("ply", "w - - 0"),
        ("ply", "w - - 0 0 0"),
        ("ply", "w - - 0 -1"),
        ("quiet", "w - - 00 0"),
        ("mover", "W - - 0 0"),
        ("mover", "wr - - 0 0"),
        ("mover", "b - - 0 0"),
        ("out", "w  - 0 0"),
        ("out", "w r - 0 0"),
        ("out", "w rw, - 0 0"),
        ("out", "w rr - 0 0"),
        ("out", "w rx - 0 0"),
        ("out", "w bw - 0 0"),
        ("out", "w rb - 0 0"),
        ("out", "w rwo - 0 0"),
        ("out", "w rw,ro - 0 0"),
        ("out", "w rw,or - 0 0"),
        ("captures", "w -  0 0"),
        ("captures", "w - w 0 0"),
        ("captures", "w - wr 0 0"),
        ("captures", "w - wr0 0 0"),
        ("captures", "w - wr01 0 0"),
        ("captures", "w - wr+1 0 0"),
        ("captures", "w - ww1 0 0"),
        ("captures", "w - wx1 0 0"),
        ("captures", "w - wé1 0 0"),
        ("captures", "w - wb1 0 0"),
        ("captures", "w - bw1 0 0"),
        ("captures", "w - wr1,wr1 0 0"),
        ("captures", "w - wo1,wr1 0 0"),
        ("captures", "w - rw1,wr1 0 0"),
        ("captures", "w - wr1, 0 0"),
    ] {
        let fen = fen(PIECES, rest);
        let fault = fault(&fen);
        assert!(fault.starts_with(&format!("{field}: ")), "{rest}: {fault}");
    }
}

#[test]
fn bad_boards_are_named() {
    for (pieces, rest) in [
        // A kingdom in play has exactly one general.
        ("wQa1 rQs19", "w - - 0 0"),
        ("wQa1 rQs19 oMs1", "w - - 0 0"),
        ("wQa1 rQs19 oQs1 oQs2", "w - - 0 0"),
        // Fallen and absent kingdoms own nothing.
        (PIECES, "w rw - 0 0"),
        ("wQa1 rSs19 oQs1", "w rw - 0 0"),
        ("wQa1 rQs19 oQs1 bSb5", "w - - 0 0"),
    ] {
        let fen = fen(pieces, rest);
        let fault = fault(&fen);
        assert!(fault.starts_with("board: "), "{pieces} {rest}: {fault}");
    }
    let good = fen(PIECES, "w - - 0 0");
    for (from, to) in [
        // The emperor stands on j10 and only there.
        ("9*9", "19"),
        ("9*9", "8*10"),
        ("9*9", "9*8*"),
        // Letters, runs and ranks.
        ("wQ", "wK"),
        ("wQ", "wq"),
        ("wQ", "XQ"),
        ("wQ", "Qw"),
        ("wQ", "*w"),
        ("wQ17oQ", "wQ17o"),
        ("wQ17oQ", "wQ16oQ"),
        ("wQ17oQ", "wQ18oQ"),
        ("wQ17oQ", "wQ017oQ"),
        ("/19/", "/wS018/"),
        ("19/", ""),
    ] {
        let fen = good.replacen(from, to, 1);
        assert_ne!(fen, good);
        assert!(fault(&fen).starts_with("board: "), "{fen}");
    }
}

#[test]
fn a_fallen_mover_is_an_error() {
    let fen = fen("wQa1 wMs19 oQs1", "r rw - 0 0");
    assert!(fault(&fen).starts_with("mover: "));
}
