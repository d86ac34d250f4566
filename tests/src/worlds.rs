//! What may turn up when somebody acts, for what a player of jieqi knows: worked out on the FEN, so
//! that nothing is taken over from how the engine draws worlds and counts odds. RULES.md section 3.

use std::collections::BTreeSet;

use darkqi_env::{Action, AnyState, Options, Player};

/// A covered piece of a FEN.
#[derive(Clone, Copy, Debug)]
struct Covered {
    /// Where its letter stands in the text.
    at: usize,
    letter: u8,
    /// Its file letter and its rank; nothing once it is taken.
    square: Option<(u8, u8)>,
}

impl Covered {
    fn owner(&self) -> Player {
        usize::from(self.letter.is_ascii_lowercase())
    }
}

/// The positions after an action, under the default options: one for everything that `player` takes
/// for possible and will see the action turn over.
pub fn worlds(
    game: &str,
    state: &dyn AnyState,
    player: Player,
    action: Action,
) -> Vec<Box<dyn AnyState>> {
    let after = |mut state: Box<dyn AnyState>| {
        state.apply(action).expect("what is legal does not depend on what is covered");
        state
    };
    let fen = state.fen();
    if !fen.contains('~') {
        return vec![after(state.boxed_clone())];
    }
    let name = state.action_name(action);
    let to = name.rfind(char::is_alphabetic).expect("the games have steps alone");
    let mut fens = identities(&fen, player, square(&name[..to]));
    // A piece that is taken face down is shown to its captor alone.
    if state.current_player() == player {
        fens = fens.iter().flat_map(|fen| identities(fen, player, square(&name[to..]))).collect();
    }
    match fens.as_slice() {
        [_] => vec![after(state.boxed_clone())],
        _ => fens
            .iter()
            .map(|fen| {
                darkqi_env::from_fen(game, &Options::new(), fen).expect("it was legal before")
            })
            .map(after)
            .collect(),
    }
}

/// The position with each identity that the piece on a square may have for what `player` knows; the
/// position alone if the square is empty or its piece revealed.
fn identities(fen: &str, player: Player, square: (u8, u8)) -> Vec<String> {
    let covered = covered(fen);
    let Some(here) = covered.iter().find(|piece| piece.square == Some(square)) else {
        return vec![fen.to_owned()];
    };
    let mut met = BTreeSet::new();
    covered
        .iter()
        .filter(|other| other.owner() == here.owner())
        // What the player has taken face down it has seen; of its own it has not.
        .filter(|other| other.square.is_some() || other.owner() == player)
        .filter(|other| met.insert(other.letter))
        .map(|other| {
            let mut fen = fen.as_bytes().to_owned();
            fen.swap(here.at, other.at);
            String::from_utf8(fen).expect("a FEN is ASCII")
        })
        .collect()
}

/// Every covered piece, those that are taken included.
fn covered(fen: &str) -> Vec<Covered> {
    let mut pieces = Vec::new();
    let (mut file, mut rank) = (b'a', 10);
    let mut on_board = true;
    for (at, letter) in fen.bytes().enumerate() {
        match letter {
            b' ' => on_board = false,
            b'/' => (file, rank) = (b'a', rank - 1),
            b'~' => {}
            // A rank of nine squares has no run of two digits.
            b'1'..=b'9' if on_board => file += letter - b'0',
            _ => {
                if fen.as_bytes()[..at].ends_with(b"~") {
                    pieces.push(Covered { at, letter, square: on_board.then_some((file, rank)) });
                }
                file = file.saturating_add(1);
            }
        }
    }
    pieces
}

/// The file letter and the rank of a square's name.
fn square(name: &str) -> (u8, u8) {
    (name.as_bytes()[0], name[1..].parse().expect("a rank follows the file"))
}
