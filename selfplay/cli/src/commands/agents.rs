//! `darkqi agents`: the agents and their options.

use std::io::Write;

use anyhow::Result;
use darkqi_engine::agents::{COMMON_OPTIONS, agent_options, agents};
use serde_json::{Value as Json, json};

use super::json;
use super::table;

/// List the agents
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    if args.json {
        return Ok(json::write(out, &to_json())?);
    }
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

fn to_json() -> Json {
    let agents = agents().iter().map(|info| {
        let options: Vec<_> = agent_options(info).collect();
        json!({ "name": info.name, "about": info.about, "options": options })
    });
    json!({ "agents": agents.collect::<Vec<_>>() })
}
