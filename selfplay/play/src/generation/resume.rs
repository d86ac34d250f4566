//! Resuming an interrupted run: what its dataset already holds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use darkqi_datasets::{
    self as datasets, Dataset, DatasetWriter, GameRecord, Journals, Shard, in_parallel,
    options_from_json,
};
use darkqi_engine::agents::{AgentError, AgentSpec};
use darkqi_env::{Registered, Visitor, games};

use super::config::Config;
use super::journal;
use super::listing;
use super::plan::Plan;
use super::settings::{Description, Settings};
use super::survey::{Found, Survey};
use crate::error::Error;
use crate::openings::Starts;

impl Config {
    /// The configuration that resumes the run of a dataset. Files of agents that are no longer where
    /// they were are read from the dataset's copies.
    ///
    /// # Errors
    /// If the dataset lacks the settings of its run, or one of its agents is unknown.
    pub fn of_dataset(dataset: &Dataset) -> Result<Self, Error> {
        let (dir, metadata) = (dataset.dir(), dataset.metadata());
        let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
        let agent = |text: &String| -> Result<AgentSpec, AgentError> {
            let agent: AgentSpec = text.parse()?;
            Ok(agent.with_copies(&dataset.agent_files(), &run.agent_files))
        };
        Ok(Self {
            options: options_from_json(&metadata.options)?,
            agents: metadata.agents.iter().map(agent).collect::<Result<_, _>>()?,
            games: run.games,
            seed: metadata.seed,
            duplicate: run.duplicate,
            openings: run.openings.clone(),
            shard_games: run.shard_games,
            until: run.until,
            luck_adjusted: run.luck_adjusted,
            resume: true,
            ..Self::new(&metadata.game, dir)
        })
    }
}

/// The number of games that the folder of a run holds: those of its dataset, and those of shards that
/// are not finished. A run that is resumed plays the others.
///
/// # Errors
/// If there is no dataset, it lacks the settings of its run, or files cannot be read.
pub fn kept_games(config: &Config) -> Result<u64, Error> {
    struct Count<'a>(&'a Config);
    impl Visitor for Count<'_> {
        type Output = Result<u64, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let dir = &self.0.dir;
            let plan = Plan::new(self.0, G::NAME, rules.players())?;
            let starts = Starts::new(&rules, &self.0.openings)?;
            let dataset = Dataset::open_unchecked(dir)?;
            let run = dataset.run().ok_or_else(|| Error::NoRun { dir: dir.into() })?;
            let journals = Journals::new(dir, Settings::new(dataset.metadata(), run).bytes());
            let unfinished = journal::read(&journals, &plan, &starts, &rules, |shard| {
                let listed = dataset.shards().iter().find(|listed| listed.shard == shard);
                plan.missing(shard, listed.map_or(0, |listed| listed.games))
            })?;
            Ok(dataset.num_games() + count(&unfinished))
        }
    }
    games::with(&config.game, &config.options, Count(config))?
}

/// A run that is begun or resumed.
pub(super) struct OpenRun {
    pub(super) writer: DatasetWriter,
    /// What the dataset of a resumed run holds.
    pub(super) finished: Option<FinishedShards>,
    pub(super) journals: Journals,
    /// The games of other shards that its journals hold.
    pub(super) unfinished: BTreeMap<u32, Vec<GameRecord>>,
}

impl OpenRun {
    /// The number of games that need not be played.
    pub(super) fn kept_games(&self) -> u64 {
        self.finished.as_ref().map_or(0, FinishedShards::games) + count(&self.unfinished)
    }
}

fn count(shards: &BTreeMap<u32, Vec<GameRecord>>) -> u64 {
    shards.values().map(|games| games.len() as u64).sum()
}

/// Creates the dataset of a run, or opens the one that is to be resumed.
///
/// # Errors
/// If the dataset cannot be written, or belongs to a run with other settings. Nothing is changed
/// then.
pub(super) fn open<G: Registered>(
    config: &Config,
    plan: &Plan,
    starts: &Starts<G>,
    rules: &G,
    stop: &AtomicBool,
) -> Result<OpenRun, Error> {
    let dir = &config.dir;
    let asked = Description::of(config, plan, rules)?;
    let settings = Settings::new(&asked.metadata, &asked.run).bytes();
    if config.resume {
        match DatasetWriter::open(dir) {
            Ok(mut writer) => {
                asked.check_extends(dir, writer.metadata(), writer.run())?;
                let journals = writer.journals(settings);
                let dataset = Dataset::open_unchecked(dir)?;
                let shards = with_unlisted(&dataset, plan, starts, rules, stop)?;
                let finished = FinishedShards::new(dataset.with_shards(shards.clone()), plan)?;
                let unfinished = journal::read(&journals, plan, starts, rules, |shard| {
                    plan.missing(shard, finished.games_of(shard))
                })?;
                if shards != writer.shards() {
                    writer.relist(shards)?;
                }
                writer.resume(Some(asked.run))?;
                writer.keep_agent_files(&asked.agent_files)?;
                return Ok(OpenRun { writer, finished: Some(finished), journals, unfinished });
            }
            Err(datasets::Error::MissingFolder { .. } | datasets::Error::NotADataset { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let writer = DatasetWriter::create_run(dir, asked.metadata, asked.run)?;
    writer.keep_agent_files(&asked.agent_files)?;
    let journals = writer.journals(settings);
    Ok(OpenRun { writer, finished: None, journals, unfinished: BTreeMap::new() })
}

/// The shards that a dataset lists, and the sound ones beside them in its folder: those of processes
/// that play ranges of shards, and one that a killed process had not listed yet.
fn with_unlisted<G: Registered>(
    dataset: &Dataset,
    plan: &Plan,
    starts: &Starts<G>,
    rules: &G,
    stop: &AtomicBool,
) -> Result<Vec<Shard>, Error> {
    let survey = Survey::new(dataset.clone(), plan, starts, rules.clone(), &(), stop);
    let listed: BTreeSet<u32> = dataset.shards().iter().map(|shard| shard.shard).collect();
    let mut numbers = dataset.shards_in_folder()?;
    numbers.retain(|number| !listed.contains(number));
    let found = in_parallel(0..numbers.len(), &|at| survey.shard(numbers[at]))?;
    let sound = found.into_iter().filter_map(|found| match found {
        Found::Sound(shard) => Some(shard),
        Found::Missing | Found::Damaged(_) => None,
    });
    let mut shards: Vec<Shard> = dataset.shards().iter().cloned().chain(sound).collect();
    shards.sort_by_key(|shard| shard.shard);
    Ok(shards)
}

/// The sound shards of a plan that a dataset already holds.
#[derive(Debug)]
pub(crate) struct FinishedShards {
    dataset: Dataset,
    /// By number of a shard, its place in the dataset's list.
    places: BTreeMap<u32, usize>,
    /// Why other shards have to be played again.
    pub(crate) damages: Vec<String>,
}

impl FinishedShards {
    /// Checks all shards that the dataset lists, by their checksums. Missing and damaged files are no
    /// errors: a shard is a function of the configuration, so it can be played again.
    ///
    /// # Errors
    /// If the dataset lists shards of another plan, files cannot be read, or `dataset.json`
    /// contradicts files that are as it lists them.
    fn new(dataset: Dataset, plan: &Plan) -> Result<Self, Error> {
        listing::check(&dataset, plan)?;
        let check = |place| listing::damage(&dataset, place).map(|damage| (place, damage));
        let checked = in_parallel(0..dataset.shards().len(), &check)?;
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

    /// The number of games in a shard, if it is sound.
    fn games_of(&self, shard: u32) -> u64 {
        self.places.get(&shard).map_or(0, |&place| self.dataset.shards()[place].games)
    }

    /// The number of the last sound shard.
    pub(crate) fn last_shard(&self) -> Option<u32> {
        self.places.keys().next_back().copied()
    }

    /// The first games of a shard's `ids`: all of them, fewer if the run then ended within the shard,
    /// or none, with their plies.
    ///
    /// # Errors
    /// If the games are not those of the plan.
    pub(crate) fn shard(
        &self,
        shard: u32,
        ids: Range<u64>,
        plan: &Plan,
    ) -> Result<Vec<GameRecord>, Error> {
        let Some(&place) = self.places.get(&shard) else { return Ok(Vec::new()) };
        let games: Vec<GameRecord> = self.dataset.shard_replays(place).collect::<Result<_, _>>()?;
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
