//! Random games: every one ends, and every position reads back.

use super::super::{Referee, start_fen};
use super::{Lcg, open};

const HOME: &str = "RHEAAEHRCCPPPPP";
const FULL: &str = "KAAEEHHRRCCPPPPP";

fn shuffled(letters: &str, lcg: &mut Lcg) -> Vec<String> {
    let mut pieces: Vec<String> = letters.chars().map(|letter| format!("~{letter}")).collect();
    lcg.shuffle(&mut pieces);
    pieces
}

fn half_board_deal(fields: &str, lcg: &mut Lcg) -> String {
    let both = format!("{FULL}{}", FULL.to_lowercase());
    let ranks: Vec<String> = shuffled(&both, lcg).chunks(8).map(<[String]>::concat).collect();
    format!("{} {fields}", ranks.join("/"))
}

fn covered_xiangqi_deal(fields: &str, lcg: &mut Lcg) -> String {
    let r = shuffled(HOME, lcg);
    let b = shuffled(&HOME.to_lowercase(), lcg);
    let back = |p: &[String], king: &str| p[..4].concat() + king + &p[4..8].concat();
    let cannons = |p: &[String]| format!("1{}5{}1", p[8], p[9]);
    let soldiers = |p: &[String]| p[10..].join("1");
    format!(
        "{}/9/{}/{}/9/9/{}/{}/9/{} {fields}",
        back(&b, "k"),
        cannons(&b),
        soldiers(&b),
        soldiers(&r),
        cannons(&r),
        back(&r, "K"),
    )
}

/// Plays a game out with random actions; returns how it ended.
fn play_out(
    name: &str,
    mut game: Box<dyn Referee>,
    options: &[(&str, &str)],
    lcg: &mut Lcg,
) -> &'static str {
    loop {
        let fen = game.fen();
        let read = open(name, &fen, options);
        assert_eq!(read.fen(), fen);
        assert!(game.apply("z9").is_err());
        if let Some(outcome) = game.outcome() {
            // An ending that needs no history is judged on reading too (RULES.md 9.4).
            if !["repetition", "perpetual_check", "perpetual_chase"].contains(&outcome.reason) {
                assert_eq!(read.outcome(), Some(outcome.clone()), "{fen}");
            }
            assert!(game.legal_moves().is_empty());
            return outcome.reason;
        }
        let plies = game.legal_moves();
        assert_eq!(plies, read.legal_moves(), "{fen}");
        assert!(plies.is_sorted() && !plies.is_empty(), "{fen}");
        game.apply(&plies[lcg.below(plies.len())]).unwrap();
    }
}

#[test]
fn random_games_end() {
    let mut lcg = Lcg(7);
    for (name, fields) in [("gaiqi", "1 - - 0 0 -"), ("banqi", "1 - - 0 0")] {
        for _ in 0..20 {
            let deal = half_board_deal(fields, &mut lcg);
            play_out(name, open(name, &deal, &[]), &[], &mut lcg);
        }
    }
    for (name, fields) in [("jieqi", "w - 0 0"), ("mystery", "w - 0,0,0 0")] {
        for _ in 0..3 {
            let deal = covered_xiangqi_deal(fields, &mut lcg);
            play_out(name, open(name, &deal, &[]), &[], &mut lcg);
        }
    }
}

#[test]
fn random_games_of_flipping_end() {
    let mut lcg = Lcg(8);
    let start = start_fen("flipping", &[]);
    for _ in 0..20 {
        play_out("flipping", open("flipping", &start, &[]), &[], &mut lcg);
    }
}

#[test]
fn random_games_of_seven_kingdoms_end() {
    let mut lcg = Lcg(9);
    let name = "seven_kingdoms";
    let elephantchess = [
        ("loss_limit", "9"),
        ("capture_limit", "29"),
        ("count_annexed", "true"),
        ("setup", "elephantchess"),
    ];
    let mut reasons = Vec::new();
    for options in [
        &[][..],
        &elephantchess,
        &[("seats", "0120120"), ("loss_limit", "3"), ("kingdoms_to_win", "6")],
        &[("teams", "ABABABA"), ("loss_limit", "2"), ("kingdoms_to_win", "6")],
        &[("seats", "01-----"), ("repetition", "on"), ("quiet_limit", "30")],
    ] {
        let start = start_fen(name, options);
        for _ in 0..4 {
            let reason = play_out(name, open(name, &start, options), options, &mut lcg);
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    assert!(reasons.contains(&"kingdoms") && reasons.contains(&"captures"), "{reasons:?}");
}
