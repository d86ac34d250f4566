//! Games between people and agents: lines in, texts out, without a terminal.
//!
//! Texts for a person come from pictures, events and names as their seat may know them. Agents are
//! asked by the view of their own seat.
//!
//! - `settings`: what is played, and by whom;
//! - `game`: the position, the plies, and the end;
//! - `command`: what a person types;
//! - `words`: plies, boards and lists in words;
//! - `session`: the game of one terminal.

mod command;
mod game;
mod session;
mod settings;
mod words;

pub use game::{End, Game, Past, PlayError, Settlement};
pub use session::{Reply, Session, Turn};
pub use settings::{HUMAN, People, Settings};
pub use words::event_text;
