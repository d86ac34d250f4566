//! The rows of a dataset as plain owned values.

use std::borrow::Cow;

use arrayvec::ArrayString;
pub use darkqi_env::trajectory::PolicyEntry;
use darkqi_env::{Player, Spec, Square, board::AnyPiece, game::Hides};
use serde::{Deserialize, Serialize};

/// [`GameRecord::winner`] of a game without a winner: a draw, or a game cut off at its ply limit.
pub const DRAW: i8 = -1;

/// The greatest length of a move name in bytes. The longest name in use has six (`s19s18`).
pub const MOVE_NAME_BYTES: usize = 12;

/// A move name such as `b3e3`, `c3` or `pass`, stored without allocation because a shard holds
/// millions of them.
pub type MoveName = ArrayString<MOVE_NAME_BYTES>;

/// The greatest length of a piece name in bytes.
pub const PIECE_NAME_BYTES: usize = 4;

/// A piece name such as `R`, `r` or `gR`.
pub type PieceName = ArrayString<PIECE_NAME_BYTES>;

/// One game: a row of the `games` table and, if requested, its rows of the `plies` table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's number, unique in its dataset and ascending within a shard.
    pub game_id: u64,
    /// The seed of the game's own random stream.
    pub seed: u64,
    /// The full-knowledge FEN of the deal. The deal and the actions reproduce the game exactly.
    pub deal: String,
    /// The agent in each seat, in seat order.
    pub agents: Vec<String>,
    /// The number of plies played.
    pub plies: u16,
    /// The seat that won, or [`DRAW`]. `rewards` shows all winners where several seats share a
    /// victory.
    pub winner: i8,
    /// The reward of each seat at the end, in seat order.
    pub rewards: Vec<f32>,
    /// Whether the rules ended the game; false when the ply limit cut it off.
    pub terminated: bool,
    /// Why the game ended, by the names of RULES.md section 8.
    pub reason: Cow<'static, str>,
    /// The seat that moved first.
    pub first_player: i8,
    /// The first reveal, if there was one.
    pub first_reveal: Option<FirstReveal>,
    /// A number shared by all games on the same deal.
    pub deal_id: u64,
    /// The plies in order, `plies` of them; empty in games from
    /// [`Dataset::games`](crate::Dataset::games).
    pub moves: Vec<PlyRecord>,
}

/// The first reveal of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstReveal {
    /// The square of the covered piece, as in `c3`.
    pub square: String,
    /// The piece letter, upper case for both colours.
    pub kind: char,
    /// The letter of its army: `r` or `b` with a xiangqi set.
    pub color: char,
    /// The seat that revealed the piece.
    pub player: i8,
}

impl FirstReveal {
    /// The reveal of `piece` on `square` by a seat.
    pub fn new(spec: &Spec, square: Square, piece: AnyPiece, player: Player) -> Self {
        Self {
            square: spec.layout.size.name(square),
            kind: spec.kinds[usize::from(piece.kind)],
            color: spec.armies[usize::from(piece.army)].letter,
            player: player as i8,
        }
    }
}

/// One ply: a row of the `plies` table. Its number is its index in [`GameRecord::moves`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The seat that moved.
    pub player: i8,
    /// The action index, from the mover's perspective.
    pub action: u16,
    /// The action's name in absolute coordinates; the column `move`.
    pub mv: MoveName,
    /// The number of legal actions.
    pub legal_count: u16,
    /// The name of the piece that this ply revealed, by [`logged_piece`].
    pub revealed: Option<PieceName>,
    /// The name of the piece that this ply captured, by [`logged_piece`].
    pub captured: Option<PieceName>,
    /// Whether the captured piece was covered; false without a capture.
    pub captured_covered: bool,
    /// The expected result of each seat, as the seat that moved saw it, in seat order; `None` where
    /// its agent gives none.
    pub value: Option<Box<[f32]>>,
    /// The probabilities that the agent gave to actions, ascending by action; those that it leaves
    /// out have probability 0. `None` where the agent gives none.
    pub policy: Option<Box<[PolicyEntry]>>,
}

/// A piece as the columns `revealed` and `captured` name it: by its name in notation, but without
/// the prefix of the army where nothing is hidden, because the board shows the army.
///
/// # Panics
///
/// If the name is longer than [`PIECE_NAME_BYTES`].
pub fn logged_piece(spec: &Spec, piece: AnyPiece) -> PieceName {
    let name = spec.piece_name(piece);
    let letters = match spec.hides {
        Hides::Nothing => &name[name.len() - 1..],
        Hides::Kind | Hides::KindAndArmy => &name,
    };
    PieceName::from(letters).expect("records hold the longest name of a piece")
}
