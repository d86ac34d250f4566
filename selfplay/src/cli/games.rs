//! `darkqi games`: the games and their options.

use std::io::Write;

use anyhow::Result;
use darkqi_env::{Options, Spec, games};

use super::table;

/// List the games
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Describe the rule options too
    #[arg(long, short)]
    verbose: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let specs: Vec<Spec> = games::names()
        .iter()
        .map(|name| Spec::new(name, &Options::new()))
        .collect::<Result<_, _>>()?;
    let header = ["game", "players", "actions", "observation", "about"];
    let rows = specs.iter().map(|spec| {
        [
            spec.name.to_owned(),
            spec.num_players.to_string(),
            spec.num_actions.to_string(),
            spec.layout.plane_shape().map(|length| length.to_string()).join(" x "),
            spec.about.to_owned(),
        ]
    });
    table::write(out, header, rows, |column| (1..=2).contains(&column))?;
    for spec in specs.iter().filter(|_| args.verbose) {
        writeln!(out, "\nOptions of {}", spec.name)?;
        let header = ["option", "type", "default", "values", "about"];
        let rows = spec.options.iter().map(|option| {
            [
                option.name.to_owned(),
                option.type_name.to_owned(),
                option.default.to_string().replace('`', ""),
                option.range.clone(),
                option.about.to_owned(),
            ]
        });
        table::write(out, header, rows, |_| false)?;
    }
    Ok(())
}
