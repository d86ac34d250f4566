//! Verification of one shard.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_datasets::{Dataset, Table};
use darkqi_env::Registered;
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use crate::error::Error;
use crate::generation::{Plan, differences};
use crate::openings::Starts;
use crate::replay::Replayer;
use crate::reporting::Progress;

/// What a verification found in a shard.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ShardFindings {
    pub(super) games: u64,
    pub(super) plies: u64,
    pub(super) faults: Faults,
}

/// Checks shards. Several threads share it.
pub(super) struct Inspector<'a, G: Registered> {
    replayer: Replayer<G>,
    dataset: &'a Dataset,
    /// The plan of the run and where its games begin, if `dataset.json` has its settings.
    plan: Option<(Plan, Starts<G>)>,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<'a, G: Registered> Inspector<'a, G> {
    pub(super) fn new(
        rules: G,
        dataset: &'a Dataset,
        plan: Option<(Plan, Starts<G>)>,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { replayer: Replayer::new(rules), dataset, plan, progress, stop }
    }

    /// # Errors
    /// If the system does not let a file be read; [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn shard(&self, place: usize) -> Result<ShardFindings, Error> {
        let shard = &self.dataset.shards()[place];
        let files = [shard.games_file.as_str(), shard.plies_file.as_str()];
        let mut found = ShardFindings::default();
        for (table, file) in [Table::Games, Table::Plies].into_iter().zip(files) {
            if let Err(error) = self.dataset.check_file(table, place) {
                found.faults.add(Fault::of_error(error, file)?);
            }
        }
        if found.faults.count > 0 {
            return Ok(found);
        }
        if let Err(error) = self.dataset.check_repeated(place) {
            found.faults.add(Fault::of_error(error, files[0])?);
        }
        for (expected, game) in (shard.first_game_id..).zip(self.dataset.shard_replays(place)) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    let mut fault = Fault::of_error(error, files[1])?;
                    fault.fault +=
                        &format!("; game {expected} and those after it were not checked");
                    found.faults.add(fault);
                    break;
                }
            };
            let rows = [found.games, found.plies];
            let plan = self.plan.as_ref().map(|(plan, starts)| (plan, starts));
            for difference in differences(&self.replayer, plan, expected, &game) {
                let fault = Fault::of_difference(difference, game.game_id, files, rows);
                found.faults.add(fault);
            }
            found.games += 1;
            found.plies += u64::from(game.plies);
            self.progress.played(game.plies);
        }
        Ok(found)
    }
}
