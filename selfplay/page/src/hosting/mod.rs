//! Games between people at browsers and agents. A game lives here; pages only show it.
//!
//! Who creates a game gets keys to hand out. A key stands for seats: it shows what they may know and
//! plays for them. No answer to a key is made from more than the views of its seats.
//!
//! - `table`: a game and its players;
//! - `clock`: how much time they have;
//! - `agreements`: draws and rematches;
//! - `position`: what a key is shown, also of the plies before;
//! - `hosted_game`: a game shared by requests and agents;
//! - `record`: a game as data;
//! - `store`: the folder in which games are kept;
//! - `registry`: games by key.

mod agreements;
mod clock;
mod hosted_game;
mod position;
mod record;
mod registry;
mod store;
mod table;
#[cfg(test)]
mod tests;

pub(super) use agreements::next_seats;
pub(super) use clock::Limits;
pub(super) use hosted_game::refusal;
pub(super) use position::Position;
pub(super) use registry::{Registry, Seats};
pub(super) use store::Store;
pub(super) use table::{NamedAgent, Saved, Table};
