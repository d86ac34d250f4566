//! The search `expectimax` behind UCI, the protocol of chess engines: `darkqi uci`.
//!
//! - `server`: the loop that reads commands and writes answers, and what it waits for;
//! - `command`: commands as text; `position`: what they say of the position;
//! - `settings`: the options, as UCI lists and sets them;
//! - `thinking`: a search on a thread of its own.

mod command;
mod position;
mod server;
mod settings;
#[cfg(test)]
mod tests;
mod thinking;

pub(crate) use server::Server;
