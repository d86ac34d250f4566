//! Runs that go on where they were interrupted: what their datasets hold already.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use darkqi_datasets::options_from_json;
use darkqi_datasets::{
    self as datasets, Dataset, DatasetWriter, GameRecord, Metadata, RunSettings, Table,
};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use crate::agents;
use crate::config::{Config, Plan};
use crate::error::Error;
use crate::mismatch::Mismatch;

impl Config {
    /// The configuration of the run that the dataset in `dir` comes from, to go on with it.
    ///
    /// # Errors
    /// If there is no dataset, or none that says how to go on, or an agent of it is unknown here.
    pub fn of_dataset(dir: &Path) -> Result<Self, Error> {
        let dataset = Dataset::open_unchecked(dir)?;
        let metadata = dataset.metadata();
        let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
        Ok(Self {
            options: options_from_json(&metadata.options)?,
            agents: metadata.agents.iter().map(|agent| agent.parse()).collect::<Result<_, _>>()?,
            games: run.games,
            seed: metadata.seed,
            duplicate: run.duplicate,
            shard_games: run.shard_games,
            until: run.until,
            resume: true,
            ..Self::new(&metadata.game, dir)
        })
    }
}

/// Begins the dataset of a run or, if it is to go on and there is one, opens that.
///
/// # Errors
/// If the dataset cannot be written, or is of a run with other settings; nothing is changed then.
pub(crate) fn open(
    config: &Config,
    plan: &Plan,
    metadata: Metadata,
) -> Result<(DatasetWriter, Option<Kept>), Error> {
    let dir = &config.dir;
    let run = RunSettings {
        games: config.games,
        shard_games: config.shard_games,
        duplicate: config.duplicate,
        until: config.until,
        agent_files: agents::digests(&config.agents)?,
    };
    if config.resume {
        match DatasetWriter::open(dir) {
            Ok(mut writer) => {
                check_settings(dir, &writer, &metadata, &run)?;
                let kept = Kept::new(Dataset::open_unchecked(dir)?, plan)?;
                writer.resume(run)?;
                return Ok((writer, Some(kept)));
            }
            Err(datasets::Error::MissingFolder { .. } | datasets::Error::NotADataset { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok((DatasetWriter::create_run(dir, metadata, run)?, None))
}

/// What decides how a game goes and which shard it is in. Numbers of games are not part of it: they
/// say how many there are.
#[derive(Serialize)]
struct Settings<'a> {
    #[serde(flatten)]
    metadata: &'a Metadata,
    shard_games: u64,
    duplicate: bool,
    agent_files: &'a BTreeMap<String, String>,
}

impl<'a> Settings<'a> {
    fn new(metadata: &'a Metadata, run: &'a RunSettings) -> Self {
        let RunSettings { shard_games, duplicate, ref agent_files, .. } = *run;
        Self { metadata, shard_games, duplicate, agent_files }
    }
}

fn check_settings(
    dir: &Path,
    writer: &DatasetWriter,
    metadata: &Metadata,
    run: &RunSettings,
) -> Result<(), Error> {
    let kept = writer.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
    let kept = Settings::new(writer.metadata(), kept);
    let mismatches = Mismatch::all(&kept, &Settings::new(metadata, run));
    match mismatches.is_empty() {
        true => Ok(()),
        false => Err(Error::OtherRun { dir: dir.into(), mismatches }),
    }
}

/// The shards of a plan that a dataset holds, all of which are sound.
#[derive(Debug)]
pub(crate) struct Kept {
    dataset: Dataset,
    /// The places of shards in the dataset's list, by number.
    places: BTreeMap<u32, usize>,
    /// Why others have to be played again.
    pub(crate) damages: Vec<String>,
}

impl Kept {
    /// Checks all shards that the dataset lists, by their checksums. Missing and damaged files are
    /// no errors: a shard follows from the configuration, so it can be played again.
    ///
    /// # Errors
    /// If the dataset lists shards that are not of this plan, or files cannot be read.
    fn new(dataset: Dataset, plan: &Plan) -> Result<Self, Error> {
        let there = dataset.shards().iter().map(|shard| shard.last_game_id.saturating_add(1)).max();
        if let Some(there) = there.filter(|&there| there > plan.games) {
            let expected = format!("at least {there}, the number of games there");
            return Err(Error::Config { field: "games", found: plan.games, expected });
        }
        for shard in dataset.shards() {
            let ids = plan.shard(shard.shard.into());
            let (first, last) = (shard.first_game_id, shard.last_game_id);
            if first != ids.start || !ids.contains(&last) || shard.games != last - first + 1 {
                let expected = format!("games from {} on, at most to {}", ids.start, ids.end - 1);
                let found = format!("{} from {first} to {last}", shard.games);
                let (dir, shard) = (dataset.dir().into(), shard.shard);
                return Err(Error::Listing { dir, shard, expected, found });
            }
        }
        let check = |place| {
            let sound = dataset
                .check_file(Table::Games, place)
                .and_then(|()| dataset.check_file(Table::Plies, place));
            match sound {
                // The file may be sound: playing its games again would not help.
                Err(error @ datasets::Error::Io { .. }) => Err(error),
                sound => Ok((place, sound.err())),
            }
        };
        let checked: Vec<_> =
            (0..dataset.shards().len()).into_par_iter().map(check).collect::<Result<_, _>>()?;
        let mut kept = Self { places: BTreeMap::new(), damages: Vec::new(), dataset };
        for (place, damage) in checked {
            match damage {
                None => drop(kept.places.insert(kept.dataset.shards()[place].shard, place)),
                Some(damage) => kept.damages.push(damage.to_string()),
            }
        }
        Ok(kept)
    }

    /// The number of games in sound shards.
    pub(crate) fn games(&self) -> u64 {
        self.places.values().map(|&place| self.dataset.shards()[place].games).sum()
    }

    /// The number of the last sound shard.
    pub(crate) fn last_shard(&self) -> Option<u32> {
        self.places.keys().next_back().copied()
    }

    /// The first games of a shard's `ids`: all of them, or as many as there were when fewer were
    /// asked for, or none. They come without their plies if these need not be looked at.
    ///
    /// # Errors
    /// If they are not those of the plan.
    pub(crate) fn shard(
        &self,
        shard: u32,
        ids: Range<u64>,
        plan: &Plan,
        with_plies: bool,
    ) -> Result<Vec<GameRecord>, Error> {
        let Some(&place) = self.places.get(&shard) else { return Ok(Vec::new()) };
        let is_short = self.dataset.shards()[place].games < ids.end - ids.start;
        let games: Vec<GameRecord> = if with_plies || is_short {
            self.dataset.shard_replays(place).collect::<Result<_, _>>()?
        } else {
            self.dataset.shard_games(place).collect::<Result<_, _>>()?
        };
        for (id, game) in ids.zip(&games) {
            if game.game_id != id || game.rewards.len() != plan.entrants.len() {
                let expected = format!("game {id} with {} rewards", plan.entrants.len());
                let found = format!("game {} with {}", game.game_id, game.rewards.len());
                let dir = self.dataset.dir().into();
                return Err(Error::Listing { dir, shard, expected, found });
            }
        }
        Ok(games)
    }
}
