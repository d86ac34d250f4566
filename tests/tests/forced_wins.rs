//! The forced wins of `forced-wins.toml`: proved again by exhaustive search, and played by agents.

use std::collections::BTreeMap;

use darkqi_env::{AnyState, Options, Registered, Session, Visitor, games};
use darkqi_tests::ask::{agent, choose};
use darkqi_tests::forced::winning;
use darkqi_tests::{for_every_position, read_toml, test_rng};
use serde::Deserialize;

/// The least number of positions of each game and length.
const LEAST: usize = 20;

/// How often an agent is asked. It chooses among equal actions at random.
const SEEDS: u64 = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    /// The number of its own plies that the player to move needs.
    plies: u32,
    fen: String,
    /// All actions that win.
    wins: Vec<String>,
}

/// The positions of the file, by game.
fn positions() -> BTreeMap<String, Vec<Position>> {
    read_toml("forced-wins.toml")
}

fn open(game: &str, position: &Position) -> Box<dyn AnyState> {
    darkqi_env::from_fen(game, &Options::new(), &position.fen).expect("a valid FEN")
}

#[test]
fn there_are_enough_of_each_sort() {
    let games = positions();
    assert!(games.keys().eq(["flipping", "jieqi"]), "{:?}", games.keys());
    for (game, positions) in &games {
        for plies in 1..=2 {
            let count = positions.iter().filter(|position| position.plies == plies).count();
            assert!(count >= LEAST, "{count} wins in {plies} at {game}");
        }
    }
    let covered = games["jieqi"].iter().filter(|position| position.fen.contains('~')).count();
    assert!(covered >= LEAST, "{covered} positions have covered pieces");
}

#[test]
fn the_wins_are_forced_and_the_others_are_not() {
    for_every_position(&positions(), |game, position| {
        let state = open(game, position);
        for plies in 1..position.plies {
            assert!(winning(game, &*state, plies).is_empty(), "shorter: {}", position.fen);
        }
        assert_eq!(winning(game, &*state, position.plies), position.wins, "{}", position.fen);
        assert!(position.wins.len() < state.legal_actions().len(), "{}", position.fen);
    });
}

/// Asks an agent for its choice, by name.
struct Ask<'a> {
    spec: &'a str,
    fen: &'a str,
    seed: u64,
}

impl Visitor for Ask<'_> {
    type Output = String;
    fn visit<G: Registered>(self, rules: G) -> String {
        let session = Session::from_fen(rules, self.fen).expect("a valid FEN");
        let mut agent = agent::<G>(self.spec);
        session.action_name(choose(&mut *agent, &session, &mut test_rng(self.seed)))
    }
}

/// How often the agent of this spec plays a winning action, out of [`SEEDS`] times.
fn hits(spec: &str, game: &str, position: &Position) -> usize {
    let choices = (0..SEEDS).map(|seed| {
        let ask = Ask { spec, fen: &position.fen, seed };
        games::with(game, &Options::new(), ask).expect("the game exists")
    });
    choices.filter(|choice| position.wins.contains(choice)).count()
}

#[test]
fn a_search_as_deep_as_the_win_finds_it() {
    for_every_position(&positions(), |game, position| {
        // The winner's plies and the replies between them.
        let plies = 2 * position.plies - 1;
        // A reveal of an unknown piece is a layer of its own.
        let layers = if position.fen.contains('~') { 2 * plies } else { plies };
        let spec = format!("expectimax:depth={layers}");
        let count = hits(&spec, game, position);
        assert_eq!(count, SEEDS as usize, "{spec} misses the win of {}", position.fen);
    });
}

#[test]
fn an_agent_without_search_misses_most_wins() {
    let games = positions();
    let all = games.iter().flat_map(|(game, all)| all.iter().map(move |one| (game, one)));
    let counts: Vec<usize> = all.map(|(game, position)| hits("greedy", game, position)).collect();
    let (found, asked) = (counts.iter().sum::<usize>(), counts.len() * SEEDS as usize);
    assert!(found * 2 < asked, "greedy finds {found} of {asked}");
}
