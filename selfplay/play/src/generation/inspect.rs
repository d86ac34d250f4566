//! A shard of a run in its folder: sound, missing or damaged.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::Spec;
use darkqi_format::{self as datasets, Dataset, GameRecord, Shard, Table, in_parallel};
use serde::{Deserialize, Serialize};

use super::fault::{Fault, Faults};
use super::schedule::Schedule;
use crate::error::Error;
use crate::openings::Starts;
use crate::replay::{Difference, Replayer};
use crate::reporting::Progress;

/// The shards of a run that are in a folder, by number.
#[derive(Default)]
pub(super) struct Survey {
    /// The sound ones, as `dataset.json` lists them or is to list them.
    pub(super) sound: BTreeMap<u32, Shard>,
    /// The faults of the others.
    pub(super) damages: BTreeMap<u32, String>,
}

/// The state of a shard in a folder.
enum Found {
    /// A file or both are not there.
    Missing,
    /// Files that are not those of the run, and why.
    Damaged(String),
    /// The files, as `dataset.json` lists them or is to list them.
    Sound(Shard),
}

/// The result of the replay of a shard.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ShardFindings {
    pub(crate) games: u64,
    pub(crate) plies: u64,
    pub(crate) faults: Faults,
}

/// Looks at shards, for those who resume, list or verify a run. Several threads share it.
pub(crate) struct Inspector<'a> {
    replayer: Replayer,
    dataset: &'a Dataset,
    /// The schedule of the run and where its games begin, if they are known.
    run: Option<(&'a Schedule, &'a Starts)>,
    /// Sees the games that are replayed.
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
}

impl<'a> Inspector<'a> {
    pub(crate) fn new(
        spec: &Spec,
        dataset: &'a Dataset,
        run: Option<(&'a Schedule, &'a Starts)>,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { replayer: Replayer::new(spec), dataset, run, progress, stop }
    }

    /// The state of these shards of the run, which must be known.
    ///
    /// A shard that `dataset.json` lists is sound if its files are those that were listed; where `others`
    /// may have replaced them, also if they pass as those of a shard that is not listed. Such a shard
    /// is not believed: each game must be the one that the run has under its number, as far as a
    /// replay can tell.
    ///
    /// # Errors
    /// If a file cannot be read, or `dataset.json` contradicts a file that is as it lists it;
    /// [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn survey(&self, numbers: &[u32], others: bool) -> Result<Survey, Error> {
        let (schedule, _) = self.run.expect("the run is known");
        let ids = |number: u32| schedule.shard(number.into());
        let inspect = |at: usize| self.inspect(numbers[at], ids(numbers[at]), others);
        let mut survey = Survey::default();
        for (&number, found) in numbers.iter().zip(in_parallel(0..numbers.len(), &inspect)?) {
            match found {
                Found::Sound(shard) => drop(survey.sound.insert(number, shard)),
                Found::Damaged(damage) => drop(survey.damages.insert(number, damage)),
                Found::Missing => {}
            }
        }
        Ok(survey)
    }

    /// The state of the games `ids`, which are the shard of this number.
    fn inspect(&self, number: u32, ids: Range<u64>, others: bool) -> Result<Found, Error> {
        let mut listed_damage = None;
        let listed = self.dataset.shards();
        if let Ok(place) = listed.binary_search_by_key(&number, |listed| listed.shard) {
            match damage_of_listed(self.dataset, place)? {
                None => {
                    if place == 0 {
                        self.check_plan(&listed[0])?;
                    }
                    return Ok(Found::Sound(listed[place].clone()));
                }
                Some(damage) if !others => return Ok(Found::Damaged(damage.to_string())),
                damage => listed_damage = damage.map(|damage| damage.to_string()),
            }
        }
        if ids.is_empty() {
            return Ok(Found::Damaged(format!("shard {number}: the run has no such shard")));
        }
        let shard = match self.dataset.find_shard(number, ids) {
            Ok(shard) => shard,
            Err(datasets::Error::MissingFile { .. }) => {
                return Ok(listed_damage.map_or(Found::Missing, Found::Damaged));
            }
            Err(error) => {
                return damage(error).map(|found| Found::Damaged(listed_damage.unwrap_or(found)));
            }
        };
        let view = self.dataset.with_shards(vec![shard.clone()]);
        let faults = self.replay(&view, 0, 1)?.faults;
        Ok(match faults.named.into_iter().next() {
            None => Found::Sound(shard),
            Some(fault) => {
                let found = || format!("{}: {fault}", self.dataset.dir().display());
                Found::Damaged(listed_damage.unwrap_or_else(found))
            }
        })
    }

    /// Checks that the first games of the first listed shard are those that the run has. Where they are
    /// not, `dataset.json` has other settings than the run that was played.
    fn check_plan(&self, shard: &Shard) -> Result<(), Error> {
        /// Of a pair of games, the second tells whether deals are played twice.
        const GAMES: usize = 2;
        /// Columns that the settings decide, the plainest first.
        const PLANNED: [&str; 4] = ["seed", "deal_id", "agents", "deal"];
        for (id, game) in (shard.first_game_id..).zip(self.dataset.shard_replays(0)).take(GAMES) {
            let differences = self.differences(id, &game?);
            let of = |&name: &&str| differences.iter().find(|one| one.column == name);
            if let Some(difference) = PLANNED.iter().find_map(of) {
                let Difference { column, replayed, logged, .. } = difference;
                let expected = format!("game {id} with {column} {replayed}, as its settings say");
                let (dir, shard, found) = (self.dataset.dir().into(), shard.shard, logged.clone());
                return Err(Error::Listing { dir, shard, expected, found });
            }
        }
        Ok(())
    }

    /// The faults of a listed shard, given by its place: of its files and, where these are as they
    /// were listed, of each game.
    ///
    /// # Errors
    /// If the system does not let a file be read; [`Error::Stopped`] when `stop` becomes true.
    pub(crate) fn verify(&self, place: usize) -> Result<ShardFindings, Error> {
        let shard = &self.dataset.shards()[place];
        let mut found = ShardFindings::default();
        for (table, file) in [(Table::Games, &shard.games_file), (Table::Plies, &shard.plies_file)]
        {
            if let Err(error) = self.dataset.check_file(table, place) {
                found.faults.add(Fault::of_error(error, file)?);
            }
        }
        if found.faults.count > 0 { Ok(found) } else { self.replay(self.dataset, place, u64::MAX) }
    }

    /// Plays the games of a shard again, until there are this many faults.
    fn replay(&self, dataset: &Dataset, place: usize, most: u64) -> Result<ShardFindings, Error> {
        let shard = &dataset.shards()[place];
        let files = [shard.games_file.as_str(), shard.plies_file.as_str()];
        let mut found = ShardFindings::default();
        if let Err(error) = dataset.check_repeated(place) {
            found.faults.add(Fault::of_error(error, files[0])?);
        }
        for (expected, game) in (shard.first_game_id..).zip(dataset.shard_replays(place)) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            if found.faults.count >= most {
                break;
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

    /// How a game differs from its replay, and from the game `id` of the run, if that is known. What
    /// only the agents know is not checked: why they chose their actions, and what made their values
    /// and policies.
    pub(crate) fn differences(&self, id: u64, game: &GameRecord) -> Vec<Difference> {
        let mut differences = self.replayer.replay(game, |_, _| ());
        let mut expect = |column, logged: String, expected: String| {
            let is_known = differences.iter().any(|known| known.column == column);
            if logged != expected && !is_known {
                differences.push(Difference { ply: None, column, logged, replayed: expected });
            }
        };
        expect("game_id", game.game_id.to_string(), id.to_string());
        if let Some((schedule, starts)) = self.run {
            let seed = schedule.game_seed(id);
            let start = match starts.position(seed) {
                Ok(start) => start.fen(),
                Err(error) => error.to_string(),
            };
            expect("deal", game.deal.clone(), start);
            expect("seed", game.seed.to_string(), seed.to_string());
            expect("deal_id", game.deal_id.to_string(), schedule.deal(id).to_string());
            let (agents, names) = (&game.agents, schedule.names(id));
            expect("agents", format!("{agents:?}"), format!("{names:?}"));
        }
        differences
    }
}

/// The games of a sound shard, with their plies.
///
/// # Errors
/// If a file cannot be read, or the games are not those of these numbers and seats.
pub(crate) fn games_of(
    dataset: &Dataset,
    shard: &Shard,
    first: u64,
    seats: usize,
) -> Result<Vec<GameRecord>, Error> {
    let view = dataset.with_shards(vec![shard.clone()]);
    let games: Vec<GameRecord> = view.shard_replays(0).collect::<Result<_, _>>()?;
    for (id, game) in (first..).zip(&games) {
        if game.game_id != id || game.rewards.len() != seats {
            let expected = format!("game {id} with {seats} rewards");
            let found = format!("game {} with {}", game.game_id, game.rewards.len());
            let (dir, shard) = (dataset.dir().into(), shard.shard);
            return Err(Error::Listing { dir, shard, expected, found });
        }
    }
    Ok(games)
}

/// Checks that a dataset lists shards of a run.
///
/// `dataset.json` has no checksum of its own. Where it contradicts the run, or a file that has the
/// listed checksum, it is the list or the settings that are wrong. Such a file is never played again,
/// taken off the list or removed.
///
/// # Errors
/// If it lists more games than the run has, or a shard with other games.
pub(crate) fn check_list(dataset: &Dataset, schedule: &Schedule) -> Result<(), Error> {
    check_last(schedule, dataset.shards().iter().map(|shard| shard.last_game_id).max())?;
    for shard in dataset.shards() {
        let ids = schedule.shard(shard.shard.into());
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

/// Checks that a run has the last of the games that there are.
///
/// # Errors
/// If it has fewer games.
pub(super) fn check_last(schedule: &Schedule, last_game_id: Option<u64>) -> Result<(), Error> {
    let held = last_game_id.map_or(0, |last| last.saturating_add(1));
    if held <= schedule.games {
        return Ok(());
    }
    // Those of a match are counted per pair.
    let pairs = schedule.deal_games() / schedule.block_games;
    let per_pair = if pairs > 1 { " per pair" } else { "" };
    let held = held.div_ceil(pairs);
    let expected = format!("at least {held}, the number of games{per_pair} in the dataset");
    Err(Error::config("games", expected, schedule.games / pairs))
}

/// The fault of a listed shard's files, given by its place in the list: they are missing or
/// have changed since they were listed.
///
/// # Errors
/// If a file cannot be read: it may be sound, so playing its games again would not help.
/// [`Error::Contradiction`] if it is as it was listed and yet is no file of this dataset.
fn damage_of_listed(dataset: &Dataset, place: usize) -> Result<Option<datasets::Error>, Error> {
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

/// The fault of a shard's files.
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
