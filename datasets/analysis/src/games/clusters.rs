//! Which games depend on one another besides those of a deal.

use std::collections::{BTreeMap, HashMap};

use crate::Result;
use darkqi_format::{Dataset, GameRecord, Openings};

/// Which games of a dataset depend on one another: those of a deal, and more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    openings: Openings,
    /// By seed, the first `deal_id` of games on that deal, where there are others. So it is where an env
    /// that logs is reset to the same seed: each of its games has a `deal_id` of its own.
    repeated: BTreeMap<u64, u64>,
}

/// What a cluster is where it is more than the games of a deal: those of an opening, or of deals alike.
pub(crate) fn cluster_name(openings: &Openings) -> &'static str {
    if openings.lines.len() > 1 { "opening" } else { "deal" }
}

impl Clusters {
    /// The clusters of a dataset. Of one that is not of self-play, the table of games is read.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn of(dataset: &Dataset) -> Result<Self> {
        if let Some(run) = dataset.run() {
            // Its deals have seeds of their own.
            return Ok(Self { openings: run.openings.clone(), repeated: BTreeMap::new() });
        }
        let mut deals = HashMap::new();
        let mut repeated = BTreeMap::new();
        for game in dataset.games() {
            let game = game?;
            let first = *deals.entry(game.seed).or_insert(game.deal_id);
            if first != game.deal_id {
                repeated.insert(game.seed, first);
            }
        }
        Ok(Self { openings: Openings::default(), repeated })
    }

    /// How the games begin.
    pub(crate) fn openings(&self) -> &Openings {
        &self.openings
    }

    /// The opening that a game shares with those of other deals: its number, where there are
    /// several, or of the first deal from its seed.
    pub(crate) fn of_game(&self, game: &GameRecord) -> Option<u64> {
        let repeated = || self.repeated.get(&game.seed).copied();
        self.openings.cluster(game.seed).or_else(repeated)
    }
}
