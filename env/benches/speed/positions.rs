//! Positions of random games, the same in every run.

use darkqi_env::{AnyState, Registered, Rng, Session, Stream, rng::game_seed};

/// Too many for branch prediction to memorise, and few enough for the caches.
const POSITIONS: usize = 256;

/// Plies between two positions of a game. The positions are from all phases of games.
const EVERY: u16 = 16;

/// Positions of games that are not over.
pub(crate) fn positions<G: Registered>(rules: &G) -> Vec<Session<G>> {
    let mut positions = Vec::new();
    for seed in (0..).map(|game| game_seed(1, game)) {
        let mut session = Session::deal(rules.clone(), seed);
        let mut rng = Rng::new(seed, Stream::Sample);
        while session.outcome().is_none() {
            if session.ply().is_multiple_of(EVERY) {
                positions.push(session.clone());
                if positions.len() == POSITIONS {
                    return positions;
                }
            }
            let legal = session.legal_actions();
            session.play(*rng.choose(legal));
        }
    }
    unreachable!("every game has at least one position")
}
