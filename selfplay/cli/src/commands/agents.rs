//! `darkqi agents`: the agents and their options.

use std::io::Write;

use anyhow::Result;
use darkqi_engine::agents::{COMMON_OPTIONS, Level, agent_options, agents, levels};
use darkqi_env::games;
use serde_json::{Value as Json, json};

use super::output;
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
        return output::write_json(out, &to_json());
    }
    let rows = agents().iter().map(|info| [info.name.to_owned(), info.about.to_owned()]);
    table::write(out, ["agent", "about"], rows, |_| false)?;
    writeln!(
        out,
        "\nLevels, given as level:NAME, with their advantage over the one before in Elo"
    )?;
    let rows = games::names().iter().flat_map(|game| {
        levels(game).map(|Level { name, agent, elo }| {
            let elo = elo.map_or_else(String::new, |elo| format!("{elo:+}"));
            [(*game).to_owned(), name.to_owned(), agent.to_owned(), elo]
        })
    });
    table::write(out, ["game", "level", "agent", "Elo"], rows, |column| column == 3)?;
    writeln!(out, "\nOptions, given as AGENT:OPTION=VALUE,...")?;
    let own = agents().iter().map(|info| (info.name, info.options));
    let rows = own.chain([("any", COMMON_OPTIONS)]).flat_map(|(agent, options)| {
        options.iter().map(move |option| {
            [agent, option.name, option.default, option.about].map(str::to_owned)
        })
    });
    table::write(out, ["agent", "option", "default", "about"], rows, |_| false)
}

fn to_json() -> Json {
    let agents = agents().iter().map(|info| {
        let options: Vec<_> = agent_options(info).collect();
        json!({ "name": info.name, "about": info.about, "options": options })
    });
    let levels = games::names().iter().map(|game| ((*game).to_owned(), json!(levels(game))));
    let levels: serde_json::Map<_, _> = levels.collect();
    json!({ "agents": agents.collect::<Vec<_>>(), "levels": levels })
}
