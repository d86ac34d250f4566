//! `darkqi solve`: the command, and what it refuses.

use super::cli::{error, printed, run};
use super::cli_json::json;

#[test]
fn the_start_is_worth_its_best_flip() {
    let found = json("solve banqi --size 3x2 --army KRP --json --threads 1");
    assert_eq!(found["size"], serde_json::json!([3, 2]));
    assert_eq!(found["board"], "???/???");
    assert_eq!(found["covered"], "KRPkrp");
    assert_eq!(found["options"]["repetition"], false);
    let value = |json: &serde_json::Value| json["value"].as_f64().expect("a number");
    let actions = found["actions"].as_array().expect("a list");
    assert_eq!(actions.len(), 6);
    assert!(actions.is_sorted_by(|better, worse| value(better) >= value(worse)));
    assert_eq!(value(&found), value(&actions[0]));
    for action in actions {
        let reveals = action["reveals"].as_array().expect("a list");
        let pieces: Vec<_> = reveals.iter().map(|one| &one["piece"]).collect();
        assert_eq!(pieces, ["K", "R", "P"]);
        let mean = reveals.iter().map(|one| value(one) / 3.0).sum::<f64>();
        assert!((mean - value(action)).abs() < 1e-12, "{action}");
    }
    let text = run("solve banqi --size 3x2 --army KRP").expect("it succeeds");
    let first = format!("???/???, covered KRPkrp: {:+.6} for the mover; ", value(&found));
    assert!(text.starts_with(&first), "{text}");
    assert_eq!(text.lines().count(), 8);
}

/// Compares the figures of `docs/research/solved.md`.
fn compare_with_the_page(game: &str) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/research/solved.md");
    let page = std::fs::read_to_string(page).expect("the page can be read");
    let found = json(&format!("solve {game} --size 4x2 --army KRCP --json"));
    for (place, squares) in [(0, "b1, b2, c1, c2"), (4, "a1, a2, d1, d2")] {
        let action = &found["actions"][place];
        assert!(squares.contains(action["action"].as_str().expect("a name")));
        let mut row = format!("| {squares} | {:.6} |", action["value"].as_f64().expect("a number"));
        for reveal in action["reveals"].as_array().expect("a list") {
            row += &format!(" {:.4} |", reveal["value"].as_f64().expect("a number"));
        }
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn the_figures_of_the_page_are_those_of_the_command() {
    compare_with_the_page("banqi");
}

#[test]
#[ignore = "takes a minute: `scripts/test-long.sh` runs it"]
fn the_figures_of_gaiqi_are_those_of_the_command() {
    compare_with_the_page("gaiqi");
}

#[test]
fn one_pair_of_games_has_no_standard_error() {
    let found = |games| {
        json(&format!("solve banqi --size 2x2 --army KR --agents random -n {games} --json"))
    };
    assert!(found(2)[0]["error"].is_null());
    assert!(found(4)[0]["error"].is_number());
    let text = run("solve banqi --size 2x2 --army KR --agents random -n 2").expect("it succeeds");
    assert!(text.trim_end().ends_with(" -"), "{text}");
}

#[test]
fn losses_that_do_not_vary_have_no_standard_error() {
    let line = "solve banqi --size 2x2 --army KR --agents expectimax:depth=2 -n 4";
    let found = &json(&format!("{line} --json"))[0];
    assert!(found["error"].is_null(), "{found}");
    assert!(found["per_game"].as_f64().is_some_and(|loss| loss == 0.0 && loss.is_sign_positive()));
    assert!(run(line).expect("it succeeds").trim_end().ends_with(" 0.0000  -"));
}

#[test]
fn the_losses_of_others_are_told_where_an_agent_fails() {
    let line = "solve banqi --size 2x2 --army KR --agents random,uci:cmd=false,greedy -n 4";
    let (text, failed) = printed(line.split(' '));
    assert!(failed.is_err_and(|error| error.contains("uci:cmd=false")));
    let agents: Vec<_> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(agents.contains(&"random") && agents.contains(&"greedy"), "{text}");
}

#[test]
fn what_cannot_be_solved_is_named() {
    for (line, fault) in [
        ("jieqi", "small boards are solved for banqi and gaiqi, not for jieqi"),
        ("banqi --size 9x4", "size: expected 2 to 32 squares, got 9x4"),
        ("banqi --size 27x1", "expected FILESxRANKS, such as 4x2, of at most 26 files"),
        ("banqi --size 1x1", "size: expected 2 to 32 squares, got 1x1"),
        (
            "gaiqi --size 4x1 --army KP --agents greedy",
            "option `board` of gaiqi: `4x1` is not files x ranks from 2x2 to 8x4",
        ),
        ("banqi --set repetition=on", "repetition: expected off on a small board"),
        ("banqi --set max_plies=9", "max_plies: expected its default on a small board"),
        ("banqi --set quiet_limit=0", "quiet_limit: expected at least 1 on a small board"),
        ("banqi --size 3x3", "army: expected an even number of squares, a piece on each, got 9"),
        ("banqi --army KR", "army: expected 4 pieces of each colour for 8 squares, found 2"),
        ("banqi --army KKRR", "army: more `K` than a set has"),
        (
            "banqi --size 8x4 --army KAAEEHHRRCCPPPPP",
            "more than 50000000 positions: expected fewer pieces, or a smaller board",
        ),
    ] {
        let found = error(&format!("solve {line}"));
        assert!(found.contains(fault), "{line}: {found}");
    }
    let solve = |fen| printed(["solve", "banqi", "--size", "2x2", "--fen", fen]).1;
    assert_eq!(solve("K~p/2 1 r"), Ok(()));
    for (fen, fault) in [
        ("K~p/2 1", "expected 3 fields"),
        ("K~p/3 1 r", "has more than 2 squares"),
        ("K1/2 1 r", "expected a piece of each colour"),
        ("Kk/K1 1 r", "board"),
        ("Kk/2 1 -", "nothing face up"),
        ("~K~p/2 1 -", "the same pieces of both colours"),
        ("K1/1k 1 r - 60 60", "field `quiet`: expected less than 60"),
        ("K1/1k 1 r !! 0 9", "field `captured`: `!` is no piece letter"),
        ("K1/1k 1 r - 0 xyz", "field `ply`: `xyz` is not a number"),
        ("K1/1k 1 r - 65535 60", "field `quiet`: expected less than 60"),
        ("Kk/2 3 r", "`3` is not `1` or `2`"),
        ("Kk/2 1 x", "`x` is not `r`, `b` or `-`"),
    ] {
        let found = solve(fen).expect_err(fen);
        assert!(found.contains(fault), "{fen}: {found}");
    }
}
