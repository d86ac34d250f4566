//! `darkqi finish`: one dataset of the shards that several processes have played.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use anyhow::{Result, bail};
use indicatif::HumanCount;

use super::format::counted;
use super::interrupt::{self, Interrupted};
use super::json;
use super::shard_range;
use crate::error::Error;
use crate::generation::{Finished, finish};
use crate::reporting::{Bar, Progress};
use darkqi_datasets::location;

/// Make one dataset of the shards that `darkqi selfplay --shards` has played
///
/// Checks the shards in the folder, replays their games and lists them. If all shards of the run are
/// there, the folder is then that of a run without --shards, byte for byte. If not, those that are there
/// are listed, the others are named, and the exit code is 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset's folder, or its URL in object storage
    #[arg(value_parser = location)]
    dir: PathBuf,
    /// Number of threads that check [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    let bar = (!args.quiet).then(|| Bar::new(0));
    let progress: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
    let threads = threads.unwrap_or(NonZeroUsize::MIN);
    let finished = finish(&args.dir, threads, progress, interrupt::watch());
    drop(bar);
    let finished = match finished {
        Err(Error::Stopped) => return Err(Interrupted::new("no shard was listed").into()),
        finished => finished?,
    };
    if args.json {
        json::write(out, &finished)?;
    } else {
        write_finished(out, args, &finished)?;
    }
    let Some(first) = finished.missing.first() else { return Ok(()) };
    let lacking = finished.run_shards - finished.shards;
    let are = if lacking == 1 { "is" } else { "are" };
    bail!(
        "{} of {} {are} missing or damaged: {}; `darkqi selfplay --resume --out {} --shards {}` \
         plays a range of them",
        HumanCount(lacking),
        counted(finished.run_shards, "shard"),
        shard_range::list(&finished.missing),
        args.dir.display(),
        shard_range::text(first)
    )
}

fn write_finished(out: &mut dyn Write, args: &Args, finished: &Finished) -> Result<()> {
    for damage in &finished.damages {
        writeln!(out, "damaged: {damage}")?;
    }
    let [games, plies, shards] = [finished.games, finished.plies, finished.shards].map(HumanCount);
    let state = if finished.complete { "complete" } else { "incomplete" };
    writeln!(
        out,
        "{}: {state}; {games} games with {plies} plies in {shards} of {} listed",
        args.dir.display(),
        counted(finished.run_shards, "shard")
    )?;
    Ok(())
}
