//! The rows of a dataset as plain owned values.

use std::borrow::Cow;

use arrayvec::ArrayString;

/// [`GameRecord::winner`] of a game that nobody won: a draw, or a game cut off at its ply limit.
pub const DRAW: i8 = -1;

/// The longest move name in bytes. The longest there is now has six (`s19s18`).
pub const MOVE_NAME_BYTES: usize = 12;

/// A move name such as `b3e3`, `c3` or `pass`, kept in place: a shard holds millions of them.
pub type MoveName = ArrayString<MOVE_NAME_BYTES>;

/// One game: a row of the `games` table and, where they were asked for, its rows of the `plies` table.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The game's number, unique in its dataset and ascending within a shard.
    pub game_id: u64,
    /// The seed of the game's own random stream.
    pub seed: u64,
    /// The full-knowledge FEN of the deal. It and the actions reproduce the game exactly.
    pub deal: String,
    /// The agent in each seat, in seat order.
    pub agents: Vec<String>,
    /// The number of plies played.
    pub plies: u16,
    /// The seat that won, or [`DRAW`]. `rewards` tells all winners where several seats share a victory.
    pub winner: i8,
    /// What each seat got at the end, in seat order.
    pub rewards: Vec<f32>,
    /// Whether the rules ended the game; false when the ply limit cut it off.
    pub terminated: bool,
    /// Why the game ended, by the names of RULES.md section 8.
    pub reason: Cow<'static, str>,
    /// The seat that moved first.
    pub first_player: i8,
    /// The first piece turned over, if any was.
    pub first_reveal: Option<FirstReveal>,
    /// The number that games on the same deal share.
    pub pair_id: u64,
    /// The plies in order, `plies` of them; left empty by [`Dataset::games`](crate::Dataset::games).
    pub moves: Vec<PlyRecord>,
}

/// The first piece that was turned over in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstReveal {
    /// The square on which it lay covered, as in `c3`.
    pub square: String,
    /// Its piece letter, upper case whatever its colour.
    pub kind: char,
    /// Its colour, `r` or `b`.
    pub color: char,
    /// The seat that revealed it.
    pub player: i8,
}

/// One ply: a row of the `plies` table. Its number is its place in [`GameRecord::moves`], from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyRecord {
    /// The seat that moved.
    pub player: i8,
    /// The action index, seen from the mover's side.
    pub action: u16,
    /// The action's name in absolute coordinates; the column `move`.
    pub mv: MoveName,
    /// How many legal actions the mover had.
    pub legal_count: u16,
    /// The letter of the piece this ply turned over: upper case red, lower case black. Games with
    /// other armies give the letter of the kind alone.
    pub revealed: Option<char>,
    /// The letter of the piece this ply captured, as above.
    pub captured: Option<char>,
    /// Whether the captured piece was covered; false where none was captured.
    pub captured_covered: bool,
}
