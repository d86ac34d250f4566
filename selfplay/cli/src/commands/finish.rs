//! `darkqi finish`: one dataset of the shards that several processes have played.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use darkqi_format::Dataset;
use darkqi_play::generation::{Finished, finish};
use darkqi_report::quoted;
use indicatif::HumanCount;

use super::checking::CheckArgs;
use super::format::{counted, shards_list, shards_text};
use super::output;

/// Make one dataset of the shards that `darkqi selfplay --shards` has played
///
/// Checks the shards in the folder, replays their games and lists them. If all shards of the run
/// are there, the folder is then that of a run without --shards, byte for byte. If not, those that
/// are there are listed, the others are named, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    check: CheckArgs,
}

pub(super) fn run(Args { check }: &Args, out: &mut dyn Write) -> Result<()> {
    let finished = check.run("no shard was listed", finish)?;
    let tables = |out: &mut dyn Write, finished: &_| write_finished(out, &check.dir, finished);
    output::print(check.json, out, &finished, tables)?;
    let Some(first) = finished.missing.first() else { return Ok(()) };
    // Among them may be listed ones that lack games.
    let lacking: u64 = finished.missing.iter().map(|range| range.end - range.start).sum();
    let are = if lacking == 1 { "is" } else { "are" };
    let shards = shards_text(first);
    let dataset = Dataset::open_unchecked(&check.dir)?;
    let command = if dataset.run().is_some_and(|run| run.all_pairs) {
        format!("the same `darkqi arena` with `--shards {shards}`")
    } else {
        let dir = quoted(&check.dir.display().to_string());
        format!("`darkqi selfplay --resume --out {dir} --shards {shards}`")
    };
    bail!(
        "{} of {} {are} missing or damaged: {}; {command} plays a range of them",
        HumanCount(lacking),
        counted(finished.run_shards, "shard"),
        shards_list(&finished.missing)
    )
}

fn write_finished(out: &mut dyn Write, dir: &Path, finished: &Finished) -> Result<()> {
    for damage in &finished.damages {
        writeln!(out, "damaged: {damage}")?;
    }
    let [games, plies, shards] = [finished.games, finished.plies, finished.shards].map(HumanCount);
    let state = if finished.complete { "complete" } else { "incomplete" };
    writeln!(
        out,
        "{}: {state}; {games} games with {plies} plies in {shards} of {} listed",
        dir.display(),
        counted(finished.run_shards, "shard")
    )?;
    Ok(())
}
