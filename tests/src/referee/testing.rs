//! Helpers for the tests of several files, and the tests of whole games.

mod endings;
mod flipping_games;
mod jieqi_facts;
mod random_games;
mod seven_kingdoms_board;
mod seven_kingdoms_falls;
mod seven_kingdoms_fens;
mod seven_kingdoms_moves;
mod seven_kingdoms_seats;
mod seven_kingdoms_victory;
mod viewers;

use super::{Referee, from_fen};

/// A game from a valid FEN.
pub(super) fn open(game: &str, fen: &str, options: &[(&str, &str)]) -> Box<dyn Referee> {
    from_fen(game, fen, options).unwrap_or_else(|fault| panic!("{game} {fen}: {fault}"))
}

/// The error of an invalid FEN.
pub(super) fn fault(game: &str, fen: &str) -> String {
    match from_fen(game, fen, &[]) {
        Ok(_) => panic!("{game} {fen}: nothing was found wrong"),
        Err(fault) => fault,
    }
}

/// The legal moves of a position.
pub(super) fn moves(game: &str, fen: &str, options: &[(&str, &str)]) -> Vec<String> {
    open(game, fen, options).legal_moves()
}

/// The game after one action.
pub(super) fn play(
    game: &str,
    fen: &str,
    options: &[(&str, &str)],
    action: &str,
) -> Box<dyn Referee> {
    play_all(game, fen, options, &[action])
}

/// The game after several actions.
pub(super) fn play_all(
    game: &str,
    fen: &str,
    options: &[(&str, &str)],
    actions: &[&str],
) -> Box<dyn Referee> {
    let mut state = open(game, fen, options);
    for action in actions {
        if let Err(fault) = state.apply(action) {
            panic!("{}: {fault}", state.fen());
        }
    }
    state
}

/// A linear congruential generator, enough to shuffle a deal and to pick moves.
pub(super) struct Lcg(pub u64);

impl Lcg {
    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).expect("31 bits fit");
        high % bound
    }

    /// Shuffles in place.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The number of lines of play of that many plies.
pub(super) fn perft(game: &dyn Referee, depth: u32) -> usize {
    let plies = game.legal_moves();
    if depth == 1 {
        return plies.len();
    }
    let mut leaves = 0;
    for ply in plies {
        let mut next = game.boxed_clone();
        next.apply(&ply).unwrap();
        leaves += perft(next.as_ref(), depth - 1);
    }
    leaves
}
