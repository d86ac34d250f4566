//! Which shards of a run lie in its folder.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_datasets::{self as datasets, Dataset, GameRecord, Shard};
use darkqi_env::Registered;

use super::check::differences;
use super::listing;
use super::plan::Plan;
use crate::error::Error;
use crate::openings::Starts;
use crate::replay::Replayer;
use crate::reporting::Progress;

/// What a folder holds of a shard.
pub(super) enum Found {
    /// A file or both are not there.
    Missing,
    /// Files that are not those of the plan, and why.
    Damaged(String),
    /// The files, as `dataset.json` lists them or is to list them.
    Sound(Shard),
}

/// Looks for the shards of a plan, which fits the dataset's list ([`listing::check`]), in a folder.
/// Several threads share it.
pub(super) struct Survey<'a, G: Registered> {
    dataset: Dataset,
    plan: &'a Plan,
    starts: &'a Starts<G>,
    replayer: Replayer<G>,
    /// Sees the games that are replayed.
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<'a, G: Registered> Survey<'a, G> {
    pub(super) fn new(
        dataset: Dataset,
        plan: &'a Plan,
        starts: &'a Starts<G>,
        rules: G,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { dataset, plan, starts, replayer: Replayer::new(rules), progress, stop }
    }

    /// What the folder holds of a shard of the plan.
    ///
    /// A shard that `dataset.json` lists is sound if its files are those that were listed. Others
    /// are not believed: each game must be the one that the plan has under its number, as far as a
    /// replay can tell.
    ///
    /// # Errors
    /// If a file cannot be read, or `dataset.json` contradicts a file that is as it lists it;
    /// [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn shard(&self, number: u32) -> Result<Found, Error> {
        let ids = self.plan.shard(number.into());
        if ids.is_empty() {
            let shards = self.plan.shards();
            return Ok(Found::Damaged(format!("shard {number}: the run has {shards} shards")));
        }
        let listed = self.dataset.shards();
        if let Ok(place) = listed.binary_search_by_key(&number, |listed| listed.shard)
            && listing::damage(&self.dataset, place)?.is_none()
        {
            return Ok(Found::Sound(listed[place].clone()));
        }
        let shard = match self.dataset.find_shard(number, ids.clone()) {
            Ok(shard) => shard,
            Err(datasets::Error::MissingFile { .. }) => return Ok(Found::Missing),
            Err(error) => return damage(error).map(Found::Damaged),
        };
        Ok(match self.fault(&shard, ids)? {
            None => Found::Sound(shard),
            Some(fault) => Found::Damaged(fault),
        })
    }

    /// The bytes of a shard's files.
    pub(super) fn bytes(&self, shard: u32) -> u64 {
        self.dataset.shard_bytes(shard)
    }

    /// The games of a sound shard, with their plies.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn games(&self, shard: &Shard) -> Result<Vec<GameRecord>, Error> {
        let view = self.dataset.with_shards(vec![shard.clone()]);
        Ok(view.shard_replays(0).collect::<Result<_, _>>()?)
    }

    /// The first game of a shard that is not that of the plan, and how it differs.
    fn fault(&self, shard: &Shard, ids: Range<u64>) -> Result<Option<String>, Error> {
        let view = self.dataset.with_shards(vec![shard.clone()]);
        if let Err(error) = view.check_repeated(0) {
            return damage(error).map(Some);
        }
        for (id, game) in (ids.start..).zip(view.shard_replays(0)) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let game = match game {
                Ok(game) => game,
                Err(error) => return damage(error).map(Some),
            };
            let differences =
                differences(&self.replayer, Some((self.plan, self.starts)), id, &game);
            if let Some(first) = differences.first() {
                let file = self.dataset.dir().join(&shard.games_file);
                return Ok(Some(format!("{}, game {id}: {first}", file.display())));
            }
            self.progress.played(game.plies);
        }
        Ok(None)
    }
}

/// What is wrong with the files of a shard.
///
/// # Errors
/// If they could not be read: they may be sound, so playing the games again would not help.
fn damage(error: datasets::Error) -> Result<String, Error> {
    match error {
        // What is no regular file is left alone, too.
        error @ datasets::Error::Io { .. } => Err(error.into()),
        error if error.is_of_the_system() => Err(error.into()),
        error => Ok(error.to_string()),
    }
}
