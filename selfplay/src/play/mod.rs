//! A game between people and agents: lines in, texts out, without a terminal.
//!
//! What a person reads comes from pictures, events and names as their seat may know them. Agents are
//! asked by the view of their own seat.
//!
//! - `settings`: what is played, and by whom;
//! - `command`: what a person types;
//! - `words`: plies, boards and lists in words;
//! - `session`: the game.

mod command;
mod error;
mod session;
mod settings;
mod words;

pub(crate) use error::PlayError;
pub(crate) use session::{Reply, Session, Turn};
pub(crate) use settings::{People, Settings};
