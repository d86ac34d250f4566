//! `darkqi verify`: faults of a dataset.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use darkqi_format::Dataset;
use darkqi_play::verify::{Verification, verify};
use indicatif::HumanCount;

use super::checking::CheckArgs;
use super::format::{MAX_NAMED, counted};
use super::output;

/// Look for faults in a dataset: files, numbering, and every game played again
///
/// Names the file and the row of every fault. The exit code is 1 if there is any. A dataset whose
/// writer is at work or was interrupted is sound if all that it lists is sound.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    check: CheckArgs,
}

pub(super) fn run(Args { check }: &Args, out: &mut dyn Write) -> Result<()> {
    let found = check.run("not all games were checked", verify)?;
    let tables = |out: &mut dyn Write, found: &_| write_findings(out, &check.dir, found);
    output::print(check.json, out, &found, tables)?;
    match found.fault_count {
        0 => Ok(()),
        1 => bail!("1 fault in {}", check.dir.display()),
        count => bail!("{} faults in {}", HumanCount(count), check.dir.display()),
    }
}

fn write_findings(out: &mut dyn Write, dir: &Path, found: &Verification) -> Result<()> {
    for fault in &found.faults {
        writeln!(out, "{fault}")?;
    }
    let hidden = found.fault_count - found.faults.len() as u64;
    if hidden > 0 {
        let most = Verification::MAX_PER_SHARD;
        let hidden = HumanCount(hidden);
        writeln!(out, "and {hidden} more: of each shard the first {most} are named")?;
    }
    if !found.complete {
        let how = match Dataset::open_unchecked(dir)?.run() {
            Some(run) if run.all_pairs => "the same `darkqi arena` goes on with it",
            Some(_) => "`darkqi selfplay --resume` resumes it",
            None => {
                "the next env that logs there goes on with it, in Python `darkqi.make(log=...)`"
            }
        };
        writeln!(out, "the run is not complete: a writer is at work, or {how}")?;
    }
    write_files(out, &found.unlisted_files, "is not listed yet", "files are not listed yet")?;
    if !found.unlisted_files.is_empty() {
        writeln!(out, "`darkqi finish` lists those that runs with `--shards` have written")?;
    }
    write_files(
        out,
        &found.missing_observations,
        "is missing: `darkqi selfplay --resume --observations` writes it",
        "files of observations are missing",
    )?;
    for shard in &found.replaced_shards {
        writeln!(out, "shard {shard} was replaced by a writer at work and not checked")?;
    }
    let [games, listed, plies] = [found.games, found.listed_games, found.plies].map(HumanCount);
    let (shards, dir) = (found.shards, dir.display());
    let verdict = if found.fault_count == 0 { "no fault" } else { "not sound" };
    writeln!(
        out,
        "{dir}: {verdict}; {games} of {listed} games with {plies} plies in {} checked",
        counted(shards as u64, "shard")
    )?;
    Ok(())
}

/// Names the first files with a fault, and counts the others.
fn write_files(out: &mut dyn Write, files: &[String], fault: &str, others: &str) -> Result<()> {
    for file in files.iter().take(MAX_NAMED) {
        writeln!(out, "{file} {fault}")?;
    }
    if let Some(count @ 1..) = files.len().checked_sub(MAX_NAMED) {
        writeln!(out, "and {} more {others}", HumanCount(count as u64))?;
    }
    Ok(())
}
