//! The reveals of an action that a player of jieqi must consider possible. They are computed from
//! the FEN, independently of the engine's code for worlds and odds. RULES.md section 3.

use std::collections::BTreeSet;

use darkqi_env::{Action, AnyState, Options, Player};

/// A covered piece of a FEN.
#[derive(Clone, Copy, Debug)]
struct Covered {
    /// The place of its letter in the text.
    at: usize,
    letter: u8,
    /// Its file letter and its rank; `None` if it is captured.
    square: Option<(u8, u8)>,
}

impl Covered {
    fn owner(&self) -> Player {
        usize::from(self.letter.is_ascii_lowercase())
    }
}

/// The positions after an action, under the default options: one for each reveal that `player`
/// considers possible and will see.
pub fn worlds(
    game: &str,
    state: &dyn AnyState,
    player: Player,
    action: Action,
) -> Vec<Box<dyn AnyState>> {
    let after = |mut state: Box<dyn AnyState>| {
        state.apply(action).expect("covered identities do not change which actions are legal");
        state
    };
    let fen = state.fen();
    if !fen.contains('~') {
        return vec![after(state.boxed_clone())];
    }
    let name = state.action_name(action);
    let to = name.rfind(char::is_alphabetic).expect("these games have only steps");
    let mut fens = identities(&fen, player, square(&name[..to]));
    // A piece that is captured face down is shown to its captor only.
    if state.current_player() == player {
        fens = fens.iter().flat_map(|fen| identities(fen, player, square(&name[to..]))).collect();
    }
    match fens.as_slice() {
        [_] => vec![after(state.boxed_clone())],
        _ => fens
            .iter()
            .map(|fen| {
                darkqi_env::from_fen(game, &Options::new(), fen)
                    .expect("an exchange of identities keeps the FEN valid")
            })
            .map(after)
            .collect(),
    }
}

/// One position for each identity that the piece on a square may have, as far as `player` knows.
/// Only the given position if the square is empty or its piece is revealed.
fn identities(fen: &str, player: Player, square: (u8, u8)) -> Vec<String> {
    let covered = covered(fen);
    let Some(here) = covered.iter().find(|piece| piece.square == Some(square)) else {
        return vec![fen.to_owned()];
    };
    let mut met = BTreeSet::new();
    covered
        .iter()
        .filter(|other| other.owner() == here.owner())
        // The player has seen the pieces that it captured face down, but not its own captured ones.
        .filter(|other| other.square.is_some() || other.owner() == player)
        .filter(|other| met.insert(other.letter))
        .map(|other| {
            let mut fen = fen.as_bytes().to_owned();
            fen.swap(here.at, other.at);
            String::from_utf8(fen).expect("a FEN is ASCII")
        })
        .collect()
}

/// Every covered piece, captured ones included.
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
