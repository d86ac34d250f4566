//! `darkqi values`: piece values.

mod balance;
mod fit;

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;

/// Estimate piece values
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Fit(fit::Args),
    Balance(balance::Args),
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    match &args.command {
        Command::Fit(args) => fit::run(args, out),
        Command::Balance(args) => balance::run(args, out),
    }
}
