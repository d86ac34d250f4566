//! `darkqi completions`: what a shell needs to complete commands and options.

use std::io::Write;

use anyhow::Result;
use clap::Command;
use clap_complete::{Shell, generate};

/// Write a script that completes commands and options in a shell
///
/// For bash: `darkqi completions bash > ~/.local/share/bash-completion/completions/darkqi`
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, mut darkqi: Command, out: &mut dyn Write) -> Result<()> {
    // In memory first: `generate` panics where it cannot write.
    let mut script = Vec::new();
    generate(args.shell, &mut darkqi, "darkqi", &mut script);
    Ok(out.write_all(&script)?)
}
