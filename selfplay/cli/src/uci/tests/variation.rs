//! The principal variation.

use darkqi_env::{Options, Rng, Stream, deal};

use super::{START, answers, field};

/// The moves after `pv`, which end the line.
fn variation(info: &str) -> Vec<&str> {
    let (_, moves) = info.split_once(" pv ").unwrap_or_else(|| panic!("no pv in {info}"));
    moves.split(' ').collect()
}

#[test]
fn the_variation_is_as_long_as_the_search_is_deep() {
    let lines = answers("flipping", &[&format!("position fen {START}"), "go depth 4"]);
    let longest = lines.iter().filter(|line| line.starts_with("info ")).map(|info| {
        let depth: usize = field(info, "depth").parse().expect("it is a number");
        assert!((1..=depth).contains(&variation(info).len()), "{info}");
        variation(info).len()
    });
    assert!(longest.max() >= Some(3), "{lines:?}");
}

#[test]
fn a_mate_ends_the_variation() {
    let lines = answers("flipping", &["position fen 2k4/R6/3E3/7/7/7/3K3 w 0 0", "go depth 5"]);
    assert_eq!(variation(&lines[lines.len() - 2]).len(), 1, "{lines:?}");
}

#[test]
fn variations_can_be_played() {
    let mut longest = 0;
    for game in darkqi_env::games::names() {
        let mut state = deal(game, &Options::new(), 3).expect("the game exists");
        let mut rng = Rng::new(3, Stream::Sample);
        for ply in 0..40 {
            if state.outcome().is_some() {
                break;
            }
            if ply % 10 == 9 {
                let position = format!("position fen {}", state.fen());
                let lines = answers(game, &[&position, "go depth 4 nodes 3000"]);
                for info in lines.iter().filter(|line| line.starts_with("info ")) {
                    let moves = variation(info);
                    longest = longest.max(moves.len());
                    let played = format!("{position} moves {}", moves.join(" "));
                    assert_eq!(answers(game, &[&played]), Vec::<String>::new(), "{game}: {info}");
                }
            }
            let legal = state.legal_actions();
            let action = *rng.choose(legal);
            state.apply(action).expect("it is legal");
        }
    }
    assert!(longest > 2, "{longest}");
}
