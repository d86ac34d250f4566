//! The folder of a run: what it holds, and how shards and parts are written to it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_format::{
    self as datasets, Dataset, DatasetWriter, GameRecord, MANIFEST_FILE, Parts, Shard,
    SharedWriter, in_parallel, is_remote,
};

use super::finish::finish;
use super::inspect::{Inspector, Survey, check_last, check_list};
use super::job::{Description, Job};
use super::schedule::Schedule;
use super::workers::Table;
use crate::error::Error;

/// Opens the folder of a run, where other processes may be at work on it.
pub(super) fn join(job: &Job, dir: &Path, table: &Table) -> Result<(SharedWriter, Parts), Error> {
    let asked = Description::of(job, &table.schedule, &table.spec)?;
    let writer = SharedWriter::join(dir, asked.metadata.clone(), asked.run.clone())?;
    asked.check_is(dir, writer.metadata(), writer.run())?;
    writer.prepare(&asked.agent_files)?;
    let parts = writer.parts(asked.bytes());
    Ok((writer, parts))
}

/// Checks that shards are some of the run's, and that a shard depends on nothing but the settings and
/// its number.
pub(super) fn check_shareable(job: &Job, schedule: &Schedule) -> Result<(), Error> {
    let shards = schedule.shards();
    if let Some(range) = job.shards.as_ref().filter(|range| range.is_empty() || range.end > shards)
    {
        return Err(Error::ShardRange { found: range.clone(), shards });
    }
    let refuse = |what: String| Err(Error::Unshareable { what });
    if let Some(agent) = schedule.roster.iter().find(|agent| agent.starts_a_program()) {
        return refuse(format!("agent {agent} is a program of its own"));
    }
    if let Some(agent) = schedule.roster.iter().find(|agent| AgentSpec::depends_on_the_clock(agent))
    {
        return refuse(format!("agent {agent} plays by the clock"));
    }
    match job.stop_rule() {
        Some(rule) => refuse(format!("{rule} depends on the shards before")),
        None => Ok(()),
    }
}

/// Where a run is written, and what was there before.
pub(super) struct Folder {
    pub(super) dir: PathBuf,
    writer: Writer,
    pub(super) parts: Parts,
    /// The sound shards that were there.
    pub(super) sound: BTreeMap<u32, Shard>,
    /// The games of parts that are in none of these.
    pub(super) ended: BTreeMap<u64, GameRecord>,
    pub(super) damages: Vec<String>,
    /// Sound shards that no finished run has listed: they may be cut where a run is decided.
    pub(super) loose: BTreeSet<u32>,
}

enum Writer {
    /// It holds the folder's lock, and lists each shard.
    Alone(DatasetWriter),
    /// Other processes may write the same shards. A shard is a function of the settings, so the last to
    /// write it replaces it by the same bytes.
    Beside(SharedWriter),
}

impl Folder {
    /// Creates the dataset of a run, opens the one that is to be resumed, or joins one.
    ///
    /// # Errors
    /// If the dataset cannot be written, or belongs to a run with other settings. Nothing is changed
    /// then.
    pub(super) fn open(
        table: &Table,
        job: &Job,
        dir: &Path,
        shards: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        if job.shards.is_some() || is_remote(dir) {
            if job.shards.is_none() && !job.resume {
                refuse_dataset(dir)?;
            }
            check_shareable(job, &table.schedule)?;
            return Self::joined(table, job, dir, shards, stop);
        }
        let asked = Description::of(job, &table.schedule, &table.spec)?;
        let opened = job.resume.then(|| DatasetWriter::open(dir));
        let mut writer = match opened {
            Some(Ok(writer)) => writer,
            Some(Err(error)) if !error.is_no_dataset() => return Err(error.into()),
            None | Some(Err(_)) => {
                let parts = asked.bytes();
                let writer = DatasetWriter::create_run(dir, asked.metadata, asked.run)?;
                writer.keep_agent_files(&asked.agent_files)?;
                let parts = writer.parts(parts);
                return Ok(Self::new(dir, Writer::Alone(writer), parts));
            }
        };
        asked.check_extends(dir, writer.metadata(), writer.run())?;
        let dataset = Dataset::open_unchecked(dir)?;
        check_list(&dataset, &table.schedule)?;
        let numbers = shards_there(&dataset)?;
        let Survey { sound, mut damages } =
            inspector(table, &dataset, stop).survey(&numbers, false)?;
        let parts = writer.parts(asked.bytes());
        let ended = read_parts(table, &dataset, &parts, &sound, 0..table.schedule.shards())?;
        // Besides the shards on the list, those of other processes and one that a killed process had
        // not listed yet. A damaged one stays listed until it is replaced.
        let mut listed: BTreeMap<u32, Shard> =
            dataset.shards().iter().map(|shard| (shard.shard, shard.clone())).collect();
        damages.retain(|number, _| listed.contains_key(number));
        let is_loose = |number: &u32| !dataset.is_complete() || !listed.contains_key(number);
        let loose = sound.keys().copied().filter(is_loose).collect();
        listed.extend(sound.iter().map(|(&number, shard)| (number, shard.clone())));
        let listed: Vec<Shard> = listed.into_values().collect();
        if listed != writer.shards() {
            writer.relist(listed)?;
        }
        writer.resume(Some(asked.run))?;
        writer.keep_agent_files(&asked.agent_files)?;
        let damages = damages.into_values().collect();
        Ok(Self { sound, ended, damages, loose, ..Self::new(dir, Writer::Alone(writer), parts) })
    }

    /// Joins a run, some of whose shards this process plays.
    fn joined(
        table: &Table,
        job: &Job,
        dir: &Path,
        shards: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let (writer, parts) = join(job, dir, table)?;
        let dataset = Dataset::open_unchecked(dir)?;
        check_list(&dataset, &table.schedule)?;
        let is_own = |number: &u32| shards.contains(&u64::from(*number));
        let numbers: Vec<u32> = shards_there(&dataset)?.into_iter().filter(is_own).collect();
        let Survey { sound, damages } = inspector(table, &dataset, stop).survey(&numbers, true)?;
        let ended = read_parts(table, &dataset, &parts, &sound, shards)?;
        let damages = damages.into_values().collect();
        Ok(Self { sound, ended, damages, ..Self::new(dir, Writer::Beside(writer), parts) })
    }

    fn new(dir: &Path, writer: Writer, parts: Parts) -> Self {
        let (sound, ended, damages, loose) = Default::default();
        Self { dir: dir.to_owned(), writer, parts, sound, ended, damages, loose }
    }

    /// The number of games of a shard that were there.
    pub(super) fn held(&self, number: u32) -> u64 {
        self.sound.get(&number).map_or(0, |shard| shard.games)
    }

    /// Games are being played that the dataset lacks.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        match &mut self.writer {
            Writer::Alone(writer) => Ok(writer.mark_incomplete()?),
            Writer::Beside(_) => Ok(()),
        }
    }

    pub(super) fn write(
        &mut self,
        table: &Table,
        number: u32,
        games: &[GameRecord],
    ) -> Result<(), Error> {
        match &mut self.writer {
            // The shard may be listed already, with fewer games or damaged.
            Writer::Alone(writer) => Ok(writer.replace_shard(number, games)?),
            Writer::Beside(writer) => match writer.write_shard(number, games) {
                // Another process has written the shard, and one that found all of them there has
                // removed what was left of this one's files.
                Err(error) => {
                    let dataset = Dataset::open_unchecked(&self.dir)?;
                    let found = inspector(table, &dataset, &NEVER).survey(&[number], true)?;
                    if found.sound.contains_key(&number) { Ok(()) } else { Err(error.into()) }
                }
                Ok(()) => Ok(()),
            },
        }
    }

    /// Ends the writing. Returns the size of the tables of these shards, as far as they are there.
    pub(super) fn close(
        self,
        job: &Job,
        is_complete: bool,
        shards: Range<u64>,
    ) -> Result<u64, Error> {
        let Self { dir, writer, parts, .. } = self;
        drop(parts);
        match writer {
            Writer::Alone(writer) if is_complete => writer.finish()?,
            // It holds the folder's lock.
            Writer::Alone(writer) => drop(writer),
            Writer::Beside(_) if is_complete && job.shards.is_none() => {
                finish(&dir, job.threads, &(), &NEVER)?;
            }
            Writer::Beside(_) => {}
        }
        let dataset = Dataset::open_unchecked(&dir)?;
        let numbers = match job.shards {
            Some(_) => dataset.shards_in_folder()?,
            None => dataset.shards().iter().map(|shard| shard.shard).collect(),
        };
        let own = numbers.into_iter().filter(|&number| shards.contains(&u64::from(number)));
        Ok(own.map(|number| dataset.shard_bytes(number)).sum())
    }
}

/// The numbers of the shards that are listed or whose files are there.
fn shards_there(dataset: &Dataset) -> Result<Vec<u32>, Error> {
    let listed = dataset.shards().iter().map(|shard| shard.shard);
    let there: BTreeSet<u32> = dataset.shards_in_folder()?.into_iter().chain(listed).collect();
    Ok(there.into_iter().collect())
}

/// # Errors
/// If there is a dataset.
fn refuse_dataset(dir: &Path) -> Result<(), Error> {
    match Dataset::open_unchecked(dir) {
        Ok(_) => {
            let found = MANIFEST_FILE.to_owned();
            Err(datasets::Error::AlreadyADataset { dir: dir.to_owned(), found }.into())
        }
        Err(datasets::Error::NotADataset { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn inspector<'a>(table: &'a Table, dataset: &'a Dataset, stop: &'a AtomicBool) -> Inspector<'a> {
    let run = Some((&table.schedule, &table.starts));
    Inspector::new(&table.spec, dataset, run, &(), stop)
}

/// The games in parts of these shards that are in none of the sound ones: what is exactly the game
/// that the run has under its number, as far as a replay can tell.
///
/// # Errors
/// If parts cannot be read, or have games of the run that was longer: they would be lost.
fn read_parts(
    table: &Table,
    dataset: &Dataset,
    parts: &Parts,
    sound: &BTreeMap<u32, Shard>,
    shards: Range<u64>,
) -> Result<BTreeMap<u64, GameRecord>, Error> {
    let inspector = inspector(table, dataset, &NEVER);
    let begun = table.schedule.all_games(dataset.run().map_or(0, |run| run.games));
    let mut ended = BTreeMap::new();
    for number in parts.shards()? {
        let ids = table.schedule.shard(number.into());
        let first = ids.start + sound.get(&number).map_or(0, |shard| shard.games);
        let is_last = u64::from(number) + 1 >= table.schedule.shards();
        let is_asked = shards.contains(&number.into()) && first < ids.end;
        if !is_asked && !is_last {
            continue;
        }
        let games = parts.read(number)?;
        let found = games.iter().map(|game| game.game_id).filter(|&id| id < begun);
        check_last(&table.schedule, found.max())?;
        let is_sound = |at: usize| {
            let (game, id) = (&games[at], games[at].game_id);
            let is_asked = (first..ids.end).contains(&id);
            Ok::<_, Error>(is_asked && inspector.differences(id, game).is_empty())
        };
        let are_sound = in_parallel(0..games.len(), &is_sound)?;
        let games = games.into_iter().zip(are_sound).filter(|&(_, is_sound)| is_sound);
        ended.extend(games.map(|(game, _)| (game.game_id, game)));
    }
    Ok(ended)
}
