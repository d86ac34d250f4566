//! `darkqi values`: piece values.

mod balance;
mod fit;

use anyhow::Result;
use clap::Subcommand;

use super::screen::Screen;

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

pub(super) fn run(args: &Args, out: &mut Screen<'_>) -> Result<()> {
    match &args.command {
        Command::Fit(args) => fit::run(args, out),
        Command::Balance(args) => balance::run(args, out),
    }
}
