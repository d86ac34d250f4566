//! Searches games of the simple agents for forced wins, and prints them in the format of
//! `tests/forced-wins.toml`:
//! `cargo run --release --package darkqi-tests --example forced_wins -- GAME PLIES FIRST LAST`.
//! It tries the seeds from FIRST up to, not including, LAST.

use std::env;

use darkqi_env::{AnyState, Options, Registered, Session, Visitor, games, rng::game_seed};
use darkqi_tests::ask::{agent, choose};
use darkqi_tests::forced::winning;
use darkqi_tests::test_rng;
use rayon::prelude::*;

/// The agents of red and black.
const PAIRS: [[&str; 2]; 3] = [["greedy", "greedy"], ["greedy", "random"], ["random", "greedy"]];

/// At most one in this many legal actions may win.
const RARE: usize = 5;

struct Find {
    plies: u32,
    seed: u64,
}

impl Visitor for Find {
    type Output = Option<String>;

    /// The first position of a game whose shortest win takes `plies` plies of the mover.
    fn visit<G: Registered>(self, rules: G) -> Self::Output {
        let pair = PAIRS[self.seed as usize % PAIRS.len()];
        let mut agents = pair.map(agent::<G>);
        let rng = &mut test_rng(self.seed);
        let mut game = Session::deal(rules, game_seed(5, self.seed));
        while game.outcome().is_none() {
            let wins = winning(G::NAME, &game, self.plies);
            let rare = !wins.is_empty() && wins.len() * RARE <= game.legal_actions().len();
            if rare && (1..self.plies).all(|fewer| winning(G::NAME, &game, fewer).is_empty()) {
                return Some(format!("fen = \"{}\"\nwins = {wins:?}\n", game.fen()));
            }
            let action = choose(&mut *agents[game.current_player()], &game, rng);
            game.play(action);
        }
        None
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [game, plies, first, last] = words.as_slice() else {
        return Err("expected GAME PLIES FIRST LAST".into());
    };
    let plies = plies.parse()?;
    let seeds = first.parse::<u64>()?..last.parse::<u64>()?;
    seeds.into_par_iter().try_for_each(|seed| {
        let found = games::with(game, &Options::new(), Find { plies, seed })?;
        if let Some(position) = found {
            println!("[[{game}]]\nplies = {plies}\n{position}");
        }
        Ok::<(), darkqi_env::SetupError>(())
    })?;
    Ok(())
}
