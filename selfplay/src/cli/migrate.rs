//! `darkqi migrate`: datasets of an older schema, written anew.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use darkqi_datasets::{Dataset, SCHEMA_VERSION, migrate};
use serde_json::json;

use super::format::counted;
use super::json;

/// Rewrite a dataset of schema version 1 as one of version 2, in its folder
///
/// Games and plies stay as they are. If it is interrupted, the folder holds one version or the other
/// completely, and the command can be repeated.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder
    dir: PathBuf,
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let changed = migrate(&args.dir)?;
    let dataset = Dataset::open(&args.dir)?;
    let (games, shards) = (dataset.num_games(), dataset.shards().len());
    let dir = args.dir.display();
    if args.json {
        let migrated = json!({
            "path": dir.to_string(),
            "schema_version": SCHEMA_VERSION,
            "changed": changed,
            "games": games,
            "shards": shards,
        });
        json::write(out, &migrated)?;
    } else if changed {
        writeln!(
            out,
            "{dir}: {} in {}, now of schema version {SCHEMA_VERSION}",
            counted(games, "game"),
            counted(shards as u64, "shard")
        )?;
    } else {
        writeln!(out, "{dir} has schema version {SCHEMA_VERSION} already")?;
    }
    Ok(())
}
