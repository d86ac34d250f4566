//! Whether the list of a dataset's shards fits the plan of its run, and the files that it lists.
//!
//! `dataset.json` has no checksum of its own. Where it contradicts the plan, or a file that has the
//! listed checksum, it is the list or the settings that are wrong. Such a file is never played again,
//! taken off the list or removed.

use darkqi_datasets::{self as datasets, Dataset, Table};

use super::plan::Plan;
use crate::error::Error;

/// Checks that a dataset lists shards of the plan.
///
/// # Errors
/// If it lists more games than the plan has, or a shard with other games.
pub(super) fn check(dataset: &Dataset, plan: &Plan) -> Result<(), Error> {
    let held = dataset.shards().iter().map(|shard| shard.last_game_id.saturating_add(1)).max();
    if let Some(held) = held.filter(|&held| held > plan.games) {
        let expected = format!("at least {held}, the number of games in the dataset");
        return Err(Error::Config { field: "games", found: plan.games, expected });
    }
    for shard in dataset.shards() {
        let ids = plan.shard(shard.shard.into());
        let (first, last) = (shard.first_game_id, shard.last_game_id);
        if first != ids.start || !ids.contains(&last) || shard.games != last - first + 1 {
            let expected = format!("games {} to at most {}", ids.start, ids.end.saturating_sub(1));
            let found = format!("{} games, {first} to {last}", shard.games);
            let (dir, shard) = (dataset.dir().into(), shard.shard);
            return Err(Error::Listing { dir, shard, expected, found });
        }
    }
    Ok(())
}

/// What is wrong with the files of a listed shard, given by its place in the list: they are missing or
/// have changed since they were listed.
///
/// # Errors
/// If a file cannot be read: it may be sound, so playing its games again would not help.
/// [`Error::Contradiction`] if it is as it was listed and yet is no file of this dataset.
pub(super) fn damage(dataset: &Dataset, place: usize) -> Result<Option<datasets::Error>, Error> {
    let mut damage = None;
    for table in [Table::Games, Table::Plies] {
        let found = match dataset.check_file(table, place) {
            Ok(()) => continue,
            Err(error @ datasets::Error::Io { .. }) => return Err(error.into()),
            Err(error) if error.is_of_the_system() => return Err(error.into()),
            Err(error) => error,
        };
        let is_gone = matches!(found, datasets::Error::MissingFile { .. });
        if !is_gone && dataset.is_as_listed(table, place)? {
            let dir = dataset.dir().into();
            return Err(Error::Contradiction { dir, cause: Box::new(found) });
        }
        damage = damage.or(Some(found));
    }
    Ok(damage)
}
