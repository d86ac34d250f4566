//! Verification of one shard.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_datasets::{Dataset, GameRecord, Table};
use darkqi_env::{Registered, Rng, Stream};

use super::fault::{Fault, Faults};
use crate::agents::AgentSpec;
use crate::error::Error;
use crate::generation::Plan;
use crate::replay::{Difference, Replayer};
use crate::reporting::Progress;

/// What a verification found in a shard.
#[derive(Debug, Default)]
pub(super) struct ShardFindings {
    pub(super) games: u64,
    pub(super) plies: u64,
    pub(super) faults: Faults,
}

/// Checks shards. Several threads share it.
pub(super) struct Inspector<'a, G> {
    replayer: Replayer<G>,
    dataset: &'a Dataset,
    /// The plan of the run, if `dataset.json` has its settings.
    plan: Option<Plan>,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<'a, G: Registered> Inspector<'a, G> {
    pub(super) fn new(
        rules: G,
        dataset: &'a Dataset,
        plan: Option<Plan>,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { replayer: Replayer::new(rules), dataset, plan, progress, stop }
    }

    /// # Errors
    /// [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn shard(&self, place: usize) -> Result<ShardFindings, Error> {
        let shard = &self.dataset.shards()[place];
        let files = [shard.games_file.as_str(), shard.plies_file.as_str()];
        let mut found = ShardFindings::default();
        for (table, file) in [Table::Games, Table::Plies].into_iter().zip(files) {
            if let Err(error) = self.dataset.check_file(table, place) {
                found.faults.add(Fault::of_error(&error, file));
            }
        }
        if found.faults.count > 0 {
            return Ok(found);
        }
        if let Err(error) = self.dataset.check_repeated(place) {
            found.faults.add(Fault::of_error(&error, files[0]));
        }
        for (expected, game) in (shard.first_game_id..).zip(self.dataset.shard_replays(place)) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    let mut fault = Fault::of_error(&error, files[1]);
                    fault.fault +=
                        &format!("; game {expected} and those after it were not checked");
                    found.faults.add(fault);
                    break;
                }
            };
            let rows = [found.games, found.plies];
            for difference in self.differences(expected, &game) {
                let fault = Fault::of_difference(difference, game.game_id, files, rows);
                found.faults.add(fault);
            }
            found.games += 1;
            found.plies += u64::from(game.plies);
            self.progress.played(game.plies);
        }
        Ok(found)
    }

    /// How a game differs from its replay, and from the game that the plan has in its place.
    fn differences(&self, id: u64, game: &GameRecord) -> Vec<Difference> {
        let mut differences = self.replayer.replay(game, |_, _| ());
        let mut expect = |column, logged: String, expected: String| {
            let is_known = differences.iter().any(|known| known.column == column);
            if logged != expected && !is_known {
                differences.push(Difference { ply: None, column, logged, replayed: expected });
            }
        };
        expect("game_id", game.game_id.to_string(), id.to_string());
        if let Some(plan) = &self.plan {
            let rules = self.replayer.rules();
            let deal = rules.deal(&mut Rng::new(plan.game_seed(id), Stream::Deal));
            expect("deal", game.deal.clone(), rules.fen(&deal));
            expect("seed", game.seed.to_string(), plan.game_seed(id).to_string());
            expect("pair_id", game.pair_id.to_string(), plan.deal(id).to_string());
            let agents =
                (0..plan.entrants.len()).map(|seat| &plan.entrants[plan.entrant(id, seat)]);
            let agents: Vec<_> = agents.map(AgentSpec::to_string).collect();
            expect("agents", format!("{:?}", game.agents), format!("{agents:?}"));
        }
        differences
    }
}
