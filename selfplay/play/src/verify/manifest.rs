//! Verification of `dataset.json`: it lists shards and games without gaps and duplicates, and all
//! files of the folder. Verification of the copies of files that agents read.

use darkqi_format::{Dataset, Shard, Table};

use crate::error::Error;
use crate::generation::{Fault, Faults, Schedule};

/// Checks the list. Gives the files that a writer, at work or interrupted, has not listed yet.
///
/// # Errors
/// If the folder cannot be read.
pub(super) fn check(
    dataset: &Dataset,
    schedule: Option<&Schedule>,
    faults: &mut Faults,
) -> Result<Vec<String>, Error> {
    let mut next = (0, 0);
    for shard in dataset.shards() {
        if schedule.is_some() && !dataset.is_complete() {
            // A run whose shards are played apart may list later ones first.
            next = (next.0.max(shard.shard), next.1.max(shard.first_game_id));
        }
        check_shard(shard, next, faults);
        next = (shard.shard.saturating_add(1), shard.last_game_id.saturating_add(1));
    }
    if let Some(schedule) = schedule {
        check_schedule(dataset, schedule, faults);
    }
    let mut unlisted = dataset.unlisted_files()?;
    if !unlisted.is_empty() {
        // Since `dataset.json` was read, a writer may have listed them, or begun to extend the run.
        let now = Dataset::open_unchecked(dataset.dir())?;
        unlisted = now.unlisted_files()?;
        if !dataset.is_complete() || !now.is_complete() {
            return Ok(unlisted);
        }
    }
    for file in unlisted {
        let fault = "expected no such file, as `dataset.json` does not list it; programs that read \
                     all files of the folder read it too";
        faults.add(Fault::of_file(&file, fault));
    }
    Ok(Vec::new())
}

/// Checks a shard against the expected number and first game.
fn check_shard(shard: &Shard, (number, first): (u32, u64), faults: &mut Faults) {
    let Shard { shard: found, first_game_id, last_game_id, games, .. } = *shard;
    let mut add = |fault: String| faults.add(Fault::of_manifest(fault));
    if found != number {
        let what = if found > number { "is missing" } else { "is listed twice or out of order" };
        let which = number.min(found);
        add(format!("shard {which} {what}: expected shard {number}, found shard {found}"));
    }
    if first_game_id != first {
        let what =
            if first_game_id > first { "games are missing" } else { "games are listed twice" };
        add(format!("shard {found}: {what}: expected {first} first, found {first_game_id}"));
    }
    if last_game_id.checked_sub(first_game_id).and_then(|span| span.checked_add(1)) != Some(games) {
        add(format!(
            "shard {found}: expected as many games as there are ids from {first_game_id} to \
             {last_game_id}, found {games}"
        ));
    }
    for (table, file) in [(Table::Games, &shard.games_file), (Table::Plies, &shard.plies_file)] {
        let expected = table.file_name(found);
        if *file != expected {
            add(format!("shard {found}: expected the file {expected}, found {file}"));
        }
    }
}

/// Checks that all shards but the last are full, and that a complete run has all its games.
fn check_schedule(dataset: &Dataset, schedule: &Schedule, faults: &mut Faults) {
    let shards = dataset.shards();
    for shard in &shards[..shards.len().saturating_sub(1)] {
        let expected = schedule.shard(shard.shard.into());
        // A run that goes on may have begun with fewer games.
        if dataset.is_complete() && shard.games != expected.end - expected.start {
            let Shard { shard, games, .. } = shard;
            let expected = expected.end - expected.start;
            let fault = format!("shard {shard}: expected {expected} games, found {games}");
            faults.add(Fault::of_manifest(fault));
        }
    }
    let (games, found) = (schedule.games, dataset.num_games());
    // With a rule to stop, a run may end with fewer games.
    let plays_all = dataset.run().is_some_and(|run| run.until.is_none() && run.sprt.is_none());
    if found > games || (dataset.is_complete() && plays_all && found != games) {
        faults.add(Fault::of_manifest(format!("expected the run's {games} games, found {found}")));
    }
}

/// Checks that the copies are there, and are what was written.
///
/// # Errors
/// If they cannot be read.
pub(super) fn check_agent_files(dataset: &Dataset, faults: &mut Faults) -> Result<(), Error> {
    for (file, fault) in dataset.damaged_agent_files()? {
        faults.add(Fault::of_file(&file, fault));
    }
    for (key, checksum) in dataset.run().into_iter().flat_map(|run| &run.agent_files) {
        if has_copy(key) && !dataset.has_agent_file(checksum)? {
            let fault = format!("is missing: expected a copy of the file of `{key}`");
            faults.add(Fault::of_file(&format!("agents/{checksum}"), fault));
        }
    }
    Ok(())
}

/// Whether a file has a copy that `dataset.json` lists by this key, an agent and one of its options: not
/// what comes with darkqi, and not tables, of which only a digest is kept.
fn has_copy(key: &str) -> bool {
    match key.rsplit_once(' ') {
        Some((agent, option)) => agent != "built-in" && option != "tables",
        None => false,
    }
}
