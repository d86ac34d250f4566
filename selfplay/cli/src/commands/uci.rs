//! `darkqi uci`: the search `expectimax` for programs that speak UCI.

use std::io::{self, BufReader, Write};

use anyhow::Result;

use super::rule_options::RuleOptions;
use crate::uci::Server;

/// Play by UCI, the protocol of chess engines, on standard input and output
///
/// docs/arena.md has the commands. `quit` or the end of the input ends the program.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let server = Server::new(&args.game, args.rule_options.values(&args.game)?)?;
    Ok(server.run(BufReader::new(io::stdin()), out)?)
}
