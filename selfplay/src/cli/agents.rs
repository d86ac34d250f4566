//! `darkqi agents`: the agents and their options.

use std::io::Write;

use anyhow::Result;

use super::table;
use crate::agents::{COMMON_OPTIONS, agents};

/// List the agents
#[derive(Debug, clap::Args)]
pub(super) struct Args;

pub(super) fn run(_: &Args, out: &mut dyn Write) -> Result<()> {
    let rows = agents().iter().map(|info| [info.name.to_owned(), info.about.to_owned()]);
    table::write(out, ["agent", "about"], rows, |_| false)?;
    writeln!(out, "\nOptions, given as AGENT:OPTION=VALUE,...")?;
    let own = agents().iter().map(|info| (info.name, info.options));
    let rows = own.chain([("any", COMMON_OPTIONS)]).flat_map(|(agent, options)| {
        options.iter().map(move |option| {
            [agent, option.name, option.default, option.about].map(str::to_owned)
        })
    });
    table::write(out, ["agent", "option", "default", "about"], rows, |_| false)?;
    Ok(())
}
