//! Times the search of `expectimax`: nodes, milliseconds and thousands of nodes per second, from the
//! start and from positions of random games.
//!
//! ```text
//! cargo run --release --package darkqi-engine --example search -- flipping 10 banqi 4
//! ```

use std::error::Error;
use std::time::Instant;

use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::search::{Expectimax, Limits};
use darkqi_env::{AnyState, Options, Registered, Rng, Session, Stream, Viewer, Visitor, games};

/// Random games after the start, each searched once.
const GAMES: u64 = 4;

/// Random plies before the search, in the first of these games; twice as many in the second.
const PLIES: u64 = 14;

/// Searches of a game to a depth.
struct Search {
    depth: u32,
}

impl Visitor for Search {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        for game in 0..=GAMES {
            let mut session = Session::deal(rules.clone(), game);
            let mut rng = Rng::new(game, Stream::Sample);
            for _ in 0..game * PLIES {
                let legal = session.legal_actions();
                if session.outcome().is_none() {
                    session.play(*rng.choose(legal));
                }
            }
            if session.outcome().is_some() {
                continue;
            }
            let view = rules.view(session.state(), Viewer::Player(session.current_player()));
            let mut search =
                Expectimax::new(Evaluation::built_in::<G>(), Limits::depth(self.depth));
            let start = Instant::now();
            let found = search.search(&rules, &view, &mut rng);
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{} ply {:3} depth {:2} {:>10} nodes {:>9.1} ms {:>6.0} knps {:>8} {:+.3}",
                G::NAME,
                session.ply(),
                found.depth,
                found.nodes,
                seconds * 1e3,
                found.nodes as f64 / seconds / 1e3,
                session.action_name(found.action),
                found.value,
            );
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let [game, depth] = pair else { return Err("expected pairs of GAME DEPTH".into()) };
        games::with(game, &Options::new(), Search { depth: depth.parse()? })?;
    }
    Ok(())
}
