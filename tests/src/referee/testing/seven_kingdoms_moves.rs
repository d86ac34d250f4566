//! How pieces move in seven_kingdoms (RULES.md section 6, "Pieces", "Start").

use super::super::start_fen;
use super::open;
use super::seven_kingdoms_board::reached_from;

/// Generals out of the way: the emperor stands between them.
const GENERALS: &str = "wQa1 rQs19";

fn reached(piece: &str, square: &str, others: &str) -> Vec<String> {
    reached_from(square, format!("{GENERALS} w{piece}{square} {others}").trim_end())
}

/// The number of points that a piece reaches on an empty board but for generals and emperor.
fn count(piece: &str, square: &str) -> usize {
    reached(piece, square, "").len()
}

#[test]
fn each_army_has_the_known_number_of_moves() {
    for setup in ["leventhal", "elephantchess"] {
        let options = [("setup", setup)];
        let start = start_fen("seven_kingdoms", &options);
        let mut counts = Vec::new();
        for mover in ["w", "r", "o", "b", "g", "p", "d"] {
            let fen = start.replace(" w - - 0 0", &format!(" {mover} - - 0 0"));
            counts.push(open("seven_kingdoms", &fen, &options).legal_moves().len());
        }
        if setup == "leventhal" {
            assert_eq!(counts, [96, 96, 90, 90, 90, 90, 96]);
        }
    }
}

#[test]
fn the_start_array_is_that_of_the_table() {
    let start = start_fen("seven_kingdoms", &[]);
    let ranks: Vec<&str> = start.split('/').collect();
    assert_eq!(ranks.len(), 19);
    assert_eq!(ranks[0], "2dNdSdBdQdRdSdN1pNpSpBpQpRpSpN2");
    assert_eq!(ranks[9], "wQwCwWwHwG4*9");
    assert_eq!(ranks[13], "14bGbHbWbCbQ");
    assert_eq!(ranks[17], "3rNrSrCrSrN3oNoSoCoSoN3");
    assert_eq!(ranks[18], "2rNrSrRrQrBrSrN1oNoSoRoQoBoSoN2 w - - 0 0");
    let other = start_fen("seven_kingdoms", &[("setup", "elephantchess")]);
    let (above, southern) = start.rsplit_once('/').unwrap();
    let (above_other, southern_other) = other.rsplit_once('/').unwrap();
    assert_eq!(above, above_other);
    assert_ne!(southern, southern_other);
    assert_eq!(southern_other, "2rNrSrBrQrRrSrN1oNoSoBoQoRoSoN2 w - - 0 0");
}

#[test]
fn a_kingdom_that_is_left_out_is_not_placed() {
    let start = start_fen("seven_kingdoms", &[("seats", "-01----")]);
    assert!(start.ends_with(" r - - 0 0"), "{start}");
    assert!(!start.contains("wQ") && start.contains("rQ") && start.contains("oQ"));
    assert_eq!(start.matches('r').count() + start.matches('o').count(), 2 * 17 + 1);
}

#[test]
fn numbers_of_points_reached_on_an_open_board() {
    // From e5, where the emperor on j10 shortens one diagonal by ten points, and the general on a1
    // another by one.
    for (piece, number) in [
        ("M", 36 + (4 + 3 + 4 + 4)),
        ("G", 36 + (4 + 3 + 4 + 4)),
        ("R", 36),
        ("B", 4 + 3 + 4 + 4),
        ("C", 36),
        ("H", 4 * 4 + (4 + 3 + 4 + 4)),
        ("W", 4 + 4 + 5 + 5 + (4 + 3 + 4 + 4)),
        ("A", 4),
        ("S", 4),
        ("N", 8 * 3),
    ] {
        assert_eq!(count(piece, "e5"), number, "{piece}");
    }
    assert_eq!(count("H", "k8"), 8 * 4);
    assert_eq!(count("H", "k9"), 7 * 4);
    assert_eq!(reached("A", "s1", ""), ["r2"]);
    assert_eq!(reached("S", "s1", ""), ["r1", "s2"]);
    assert_eq!(reached("N", "s1", "").join(" "), "o4 p3 p5 q2 q4 r3");
}

#[test]
fn the_general_is_a_queen() {
    let moves = reached_from("a1", "wQa1 rQs19");
    // Eighteen up, eighteen to the right, eight to the emperor.
    assert_eq!(moves.len(), 18 + 18 + 8);
    assert!(!moves.contains(&"j10".to_string()));
}

#[test]
fn sliders_stop_at_pieces_and_capture_enemies() {
    let chariot = reached("R", "e5", "wSe8 rSg5 rGc5 rSe3");
    assert_eq!(chariot, ["d5", "e3", "e4", "e6", "e7", "f5", "g5"]);
    let archer = reached("H", "e5", "rSe9 rSe10 rSi9 wSi5");
    assert!(archer.contains(&"e9".to_string()) && archer.contains(&"i9".to_string()));
    assert!(!archer.contains(&"e10".to_string()) && !archer.contains(&"i5".to_string()));
    // A piece beyond its reach is not captured.
    assert!(!reached("W", "e5", "rSe11").contains(&"e11".to_string()));
    assert!(reached("W", "e5", "rSe10").contains(&"e10".to_string()));
    // The short pieces capture as they step.
    assert!(reached("A", "e5", "rSf6").contains(&"f6".to_string()));
    assert!(reached("S", "e5", "rSf5").contains(&"f5".to_string()));
    assert_eq!(reached("S", "e5", "wSf5 rGe6"), ["d5", "e4"]);
}

#[test]
fn a_cannon_captures_over_exactly_one_piece_of_any_kind() {
    for screen in ["wSe8", "rSe8", "rGe8", "wGe8"] {
        let up = reached("C", "e5", &format!("{screen} rSe11 rSe12"));
        let up: Vec<&str> =
            up.iter().map(String::as_str).filter(|to| to.starts_with('e')).collect();
        assert_eq!(up, ["e1", "e11", "e2", "e3", "e4", "e6", "e7"], "{screen}");
    }
    // The emperor is a screen, and no target.
    assert!(reached("C", "j5", "rSj12").contains(&"j12".to_string()));
    assert!(!reached("C", "j5", "rSj8 rSj12").contains(&"j10".to_string()));
    assert!(!reached("C", "j5", "rSj8 rSj12").contains(&"j12".to_string()));
    assert!(!reached("C", "e5", "rSe8 rGe11").contains(&"e11".to_string()));
    assert!(!reached("C", "e5", "rSe6").contains(&"e6".to_string()));
}

#[test]
fn a_go_between_neither_captures_nor_is_captured() {
    assert!(!reached("G", "e5", "rSe6").contains(&"e6".to_string()));
    assert!(!reached_from("e1", "wQe1 rQs19 rGe5").contains(&"e5".to_string()));
    for (piece, square) in
        [("M", "e4"), ("R", "e4"), ("B", "d4"), ("H", "d4"), ("W", "d4"), ("A", "d4"), ("S", "e4")]
    {
        assert!(!reached(piece, square, "rGe5").contains(&"e5".to_string()), "{piece}");
    }
    assert!(!reached("N", "d3", "rGe5").contains(&"e5".to_string()));
}

#[test]
fn a_knight_goes_one_to_three_points_outward_from_its_leg() {
    let knight = |others| reached("N", "e5", others);
    let has = |others, to: &str| knight(others).contains(&to.to_string());
    assert_eq!(
        knight("").join(" "),
        "a2 a8 b1 b3 b7 b9 c2 c4 c6 c8 d3 d7 f3 f7 g2 g4 g6 g8 h1 h3 h7 h9 i2 i8"
    );
    // It captures on any of the three, and stops there.
    assert!(has("rSf7", "f7") && !has("rSf7", "g8"));
    assert!(has("rSg8", "f7") && has("rSg8", "g8") && !has("rSg8", "h9"));
    assert!(has("rSh9", "h9"));
    // Nobody stands on the leg, friend or enemy.
    assert!(!has("rSe6", "f7") && !has("wGe6", "d7"));
    assert!(!has("wSg8", "g8") && has("wSg8", "f7"));
}

#[test]
fn there_is_no_check() {
    // Qin's general is attacked and may stay so.
    let pieces = "wQa1 wSs1 rQa19";
    assert!(reached_from("s1", pieces).contains(&"s2".to_string()));
    assert!(reached_from("a1", pieces).contains(&"a18".to_string()));
    assert!(reached_from("a1", pieces).contains(&"a19".to_string()));
}
