//! The `darkqi` command.
//!
//! - `commands`: one file per subcommand;
//! - `uci`: the search behind UCI;
//! - `bench`: how fast batches step;
//! - `bar`: progress as a bar in a terminal.

mod bar;
mod bench;
mod commands;
mod uci;

pub use bar::Bar;
pub use commands::{main, run};
