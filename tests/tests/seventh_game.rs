//! A game that is not shipped, `seventh_game/four_camps.rs`, works with the commands and the
//! pictures of any game. The tests of every game include it too: laws, batches, agents, self-play,
//! replay, verification.

use darkqi_env::{Options, Spec, Viewer, deal, render};
use tempfile::tempdir;

/// The output of a command.
fn darkqi(command: &str) -> String {
    let mut out = Vec::new();
    let result = darkqi_cli::run(format!("darkqi {command}").split_whitespace(), &mut out);
    result.unwrap_or_else(|error| panic!("{command}: {error:#}"));
    String::from_utf8(out).expect("text is printed")
}

#[test]
fn its_spec_has_four_armies_in_two_teams() {
    let spec = Spec::new("four_camps", &Options::new()).expect("the game exists");
    let letters: String = spec.armies.iter().map(|army| army.letter).collect();
    assert_eq!((spec.num_players, &*letters), (4, "senw"));
    assert_eq!(spec.teams, [0, 1, 0, 1]);
    assert!(spec.covered_pieces_move && spec.deals_vary && !spec.captures_are_secret);
}

#[test]
fn its_board_is_drawn_with_four_armies() {
    let mut state = deal("four_camps", &Options::new(), 7).expect("the game exists");
    let hidden = render::text(&state.picture(Some(Viewer::Public)));
    for covered in ["sX", "eX", "nX", "wX"] {
        assert_eq!(hidden.matches(covered).count(), 4, "{hidden}");
    }
    let action = state.action_index("b2c2").expect("it is an action");
    let piece = state.reveals(action).expect("it is legal").len();
    assert_eq!(piece, 4);
    let shown = state.event(action, Viewer::Public).expect("it is legal").revealed;
    state.apply(action).expect("it is legal");
    let hidden = render::text(&state.picture(Some(Viewer::Public)));
    assert!(hidden.contains(&shown.expect("a piece is revealed")), "{hidden}");
    assert!(hidden.contains("South-east (seat 1) to move"), "{hidden}");
    let svg = render::svg(&state.picture(Some(Viewer::Public)));
    for army in state.spec().armies {
        assert!(svg.contains(army.ink), "{}", army.name);
    }
}

#[test]
fn its_games_are_logged_checked_and_measured() {
    let folder = tempdir().expect("a folder can be made");
    let data = folder.path().join("games");
    let data = data.to_str().expect("paths here are UTF-8");
    let page = folder.path().join("page.html");
    let page = page.to_str().expect("paths here are UTF-8");

    let played = darkqi(&format!("selfplay four_camps --games 1000 --agents greedy --out {data}"));
    assert!(played.contains("seat 3, greedy") && played.contains("general_captured"), "{played}");
    let verified = darkqi(&format!("verify {data}"));
    assert!(verified.contains("no fault; 1,000 of 1,000 games"), "{verified}");
    let replay = darkqi(&format!("replay {data} 7"));
    assert!(replay.contains("South-west (seat 0) to move, ply 0"), "{replay}");
    assert!(replay.contains("reveals s"), "{replay}");

    // Seats of a team share a victory, so the first revealer's even score is a quarter.
    let reveal = darkqi(&format!("first-reveal {data}"));
    for line in ["K ", "R ", "H ", "P ", "b1 ", "a2 ", "b2 "] {
        assert!(reveal.lines().any(|found| found.starts_with(line)), "{line}: {reveal}");
    }
    assert!(reveal.contains("luck-adjusted score"), "{reveal}");

    let values = darkqi(&format!("values fit {data}"));
    let value = |kind: &str| -> f64 {
        let line = values.lines().find(|line| line.starts_with(kind));
        let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        number.unwrap_or_else(|| panic!("{kind}: {values}"))
    };
    assert!(value("R ") > value("P "), "a chariot is worth more than a soldier: {values}");

    darkqi(&format!("report {data} --out {page}"));
    let page = std::fs::read_to_string(page).expect("the page is written");
    assert!(page.contains("In four_camps, when greedy plays itself"));
}

#[test]
fn its_agents_are_matched() {
    let found = darkqi("arena four_camps --agents greedy,random --games 60 --seed 3");
    let line = found.lines().find(|line| line.starts_with("greedy - random"));
    let score = line.and_then(|line| line.split_whitespace().nth(8)?.parse::<f64>().ok());
    assert!(score.is_some_and(|score| score > 0.6), "{found}");
    assert!(darkqi("bench four_camps --seconds 0.01 --repeats 1").contains("four_camps"));
}
