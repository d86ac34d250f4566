//! Endgame tables of banqi: the result of every position with few pieces, all of them face up.
//!
//! - `captures`: which kinds capture which, by the rules in force;
//! - `pattern`: sets of pieces that capture one another alike, which share a table;
//! - `table`: the values of one pattern; `retrograde`: how they are found;
//! - `file`: tables in files; `generate`: the run that writes them; `error`: what may go wrong;
//! - `probe`: the tables of a folder, and what they say of a position.
//!
//! A value is the result under best play with the number of plies to the end (depth to win): the
//! winner takes the shortest way, the loser the longest. It ignores the rules that draw a game by
//! counting; a probe says nothing where they may matter.

mod captures;
mod error;
mod file;
mod generate;
mod pattern;
mod probe;
mod retrograde;
mod table;

pub(crate) use captures::Captures;
pub use error::TablesError;
pub(crate) use file::digest_of_folder;
pub use generate::{GeneratedTables, TablesOfSize, generate_tables};
pub use probe::{TableValue, Tables};
