//! Some shards of a run, while other processes play others.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Instant;

use darkqi_datasets::{Dataset, GameRecord, SharedWriter};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::Registered;

use super::config::Config;
use super::listing;
use super::pipeline::while_writing;
use super::plan::Plan;
use super::settings::Description;
use super::shard::Generator;
use super::summary::{Summary, SummaryTally};
use super::survey::{Found, Survey};
use crate::driver::Interrupt;
use crate::error::Error;

/// Plays the shards of a range that the folder lacks, and writes each under its final name.
///
/// Other processes may play other shards there, or the same. A shard is a function of the settings, so
/// the last to write it replaces it by the same bytes. For that reason there are no journals, either:
/// two processes would write the same one.
pub(super) fn run<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
    range: Range<u64>,
) -> Result<Summary, Error> {
    let Generator { plan, starts, rules, progress, stop, .. } = generator;
    check(config, plan, &range)?;
    let mut writer = join(generator, config)?;
    let dataset = Dataset::open_unchecked(&config.dir)?;
    listing::check(&dataset, plan)?;
    let survey = Survey::new(dataset, plan, starts, rules.clone(), &(), stop);
    let games = plan.shard(range.start).start..plan.shard(range.end - 1).end;
    progress.begin(games.end - games.start, 0);
    let started = Instant::now();
    let mut results =
        Results { tally: SummaryTally::new(plan), damages: Vec::new(), shards: Vec::new() };
    let (played, written) = while_writing(
        &generator.unwritable,
        |(shard, games): (u32, Vec<GameRecord>)| match writer.write_shard(shard, &games) {
            // Another process has written the shard, and one that found all of them there has removed
            // what was left of this one's files.
            Err(_) if matches!(survey.shard(shard), Ok(Found::Sound(_))) => Ok(()),
            written => written,
        },
        |write| play(generator, &survey, range, &mut results, write),
    )?;
    written?;
    let complete = match played {
        Ok(()) => true,
        Err(Interrupt::Stopped) => false,
        Err(Interrupt::Failed(error)) => return Err(error),
    };
    let Results { tally, damages, shards } = results;
    let bytes = shards.iter().map(|&shard| survey.bytes(shard)).sum();
    Ok(Summary { damages, ..tally.finish(config, complete, started, bytes) })
}

/// Makes the folder ready for a run of several processes, as [`run`] does, and gives the number of its
/// shards.
pub(super) fn prepare<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
) -> Result<u64, Error> {
    let shards = generator.plan.shards();
    check(config, &generator.plan, &(0..shards))?;
    join(generator, config)?;
    Ok(shards)
}

/// Opens the folder, where other processes may be at work on the same run.
fn join<G: Registered>(
    generator: &Generator<'_, G>,
    config: &Config,
) -> Result<SharedWriter, Error> {
    let asked = Description::of(config, &generator.plan, &generator.rules)?;
    let (metadata, run) = (asked.metadata.clone(), asked.run.clone());
    let writer = SharedWriter::join(&config.dir, metadata, run)?;
    asked.check_is(&config.dir, writer.metadata(), writer.run())?;
    writer.prepare(&asked.agent_files)?;
    Ok(writer)
}

/// Checks that the shards are some of the run's, and that a shard depends on nothing but the settings
/// and its number.
fn check(config: &Config, plan: &Plan, range: &Range<u64>) -> Result<(), Error> {
    let shards = plan.shards();
    if range.is_empty() || range.end > shards {
        return Err(Error::ShardRange { found: range.clone(), shards });
    }
    let refuse = |what: String| Err(Error::Unshareable { what });
    if let Some(agent) = plan.roster.iter().find(|agent| agent.starts_a_program()) {
        return refuse(format!("agent {agent} is a program of its own"));
    }
    if let Some(agent) = plan.roster.iter().find(|agent| AgentSpec::depends_on_the_clock(agent)) {
        return refuse(format!("agent {agent} plays by the clock"));
    }
    if let Some(half_width) = config.until {
        return refuse(format!("until={half_width} depends on the shards before"));
    }
    if config.observations {
        return refuse("observations are written once all shards are there".to_owned());
    }
    Ok(())
}

/// What is known of the shards that are there.
struct Results {
    tally: SummaryTally,
    damages: Vec<String>,
    /// Their numbers.
    shards: Vec<u32>,
}

fn play<G: Registered>(
    generator: &Generator<'_, G>,
    survey: &Survey<'_, G>,
    range: Range<u64>,
    results: &mut Results,
    write: &dyn Fn((u32, Vec<GameRecord>)) -> bool,
) -> Result<(), Interrupt<Error>> {
    let plan = &generator.plan;
    for number in range {
        let shard = u32::try_from(number).expect("a plan has at most 2^32 shards");
        if generator.is_stopped() {
            return Err(Interrupt::Stopped);
        }
        match survey.shard(shard) {
            Ok(Found::Sound(found)) => {
                let games = survey.games(&found)?;
                games.iter().for_each(|game| generator.progress.played(game.plies));
                let before: HashSet<u64> = games.iter().map(|game| game.game_id).collect();
                results.tally.add(plan, &games, &before);
                results.shards.push(shard);
                continue;
            }
            Ok(Found::Damaged(damage)) => results.damages.push(damage),
            Ok(Found::Missing) => {}
            Err(Error::Stopped) => return Err(Interrupt::Stopped),
            Err(error) => return Err(error.into()),
        }
        let ids: Vec<u64> = plan.shard(number).collect();
        let (mut games, played) = generator.play(&ids, None, shard);
        played?;
        games.sort_unstable_by_key(|game| game.game_id);
        results.tally.add(plan, &games, &HashSet::new());
        results.shards.push(shard);
        if !write((shard, games)) {
            // The writer gives the reason.
            break;
        }
    }
    Ok(())
}
