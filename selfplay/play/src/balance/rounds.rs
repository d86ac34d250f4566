//! Piece values by self-play: play, fit, play with the fitted values, until they converge.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_analysis as analysis;
use darkqi_analysis::{Estimate, PieceValues as FittedValues, piece_values};
use darkqi_engine::agents::{AgentSpec, BUILT_IN};
use darkqi_engine::evaluation::PieceValues;
use darkqi_env::{Spec, rng::run_seed};
use darkqi_format::{Dataset, is_remote, with_threads};
use serde::Serialize;

use super::config::Balance;
use super::error::Error;
use super::scaled::Scaled;
use crate::arena::{self, Results, Sprt};
use crate::generation::{Job, check_games, selfplay};
use crate::reporting::{Progress, as_text};

/// The option of agents that names a file of piece values.
const VALUES: &str = "values";

/// The result of a balancing run. The keys of the JSON are the names of the fields.
#[derive(Clone, Debug, Serialize)]
pub struct Balanced {
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Whether the values have converged.
    pub has_converged: bool,
    /// Why the games of a further round did not determine the values, where that ended the rounds: the
    /// final values are those of the last round that did.
    pub undetermined: Option<String>,
    /// The file of the final values, for the `values` option of agents.
    #[serde(serialize_with = "as_text")]
    pub file: PathBuf,
    /// The match of the fitted values, first, against the initial ones.
    pub test: Results,
}

/// One round.
#[derive(Clone, Debug, Serialize)]
pub struct Round {
    /// The kinds whose values the games determine.
    pub values: Vec<RoundValue>,
    /// The fit.
    pub fit: FittedValues,
    /// The file of the fitted values.
    #[serde(serialize_with = "as_text")]
    pub file: PathBuf,
}

/// The value of a kind in a round, in the units of the built-in values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct RoundValue {
    /// The letter of the kind.
    pub kind: char,
    /// The value that the agent played by.
    pub played_by: f64,
    /// The value fitted to the games.
    pub fitted: Estimate,
}

/// Plays rounds until the values converge, then the test. `watch` sees each round as it ends.
///
/// # Errors
/// If a setting is faulty (nothing is written then), a round cannot be played, fitted or written, or
/// `stop` becomes true.
pub fn balance(
    config: &Balance,
    progress: &dyn Progress,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Round),
) -> Result<Balanced, Error> {
    let (agent, dir) = check(config)?;
    let mut rounds: Vec<Round> = Vec::new();
    let mut playing = agent.clone();
    let mut undetermined = None;
    let has_converged = loop {
        let round =
            match play_round(config, dir, &playing, rounds.len() as u32 + 1, progress, stop)? {
                Played::Stopped => return Err(Error::Stopped { rounds: rounds.len() }),
                Played::Undetermined(why) if rounds.is_empty() => {
                    return Err(Error::Undetermined { why });
                }
                Played::Undetermined(why) => {
                    undetermined = Some(why);
                    break false;
                }
                Played::Round(round) => *round,
            };
        playing = agent.with(VALUES, &round.file.display().to_string())?;
        watch(&round);
        let has_converged = round.has_converged(config.margin);
        rounds.push(round);
        if has_converged || rounds.len() as u32 == config.rounds {
            break has_converged;
        }
    };
    let last = &rounds.last().expect("there is a round").file;
    let file = dir.join("values.toml");
    make(&file, |path| fs::copy(last, path).map(|_| ()))?;
    let test = Job {
        agents: vec![agent.with(VALUES, &file.display().to_string())?, agent.clone()],
        games: config.test_games,
        // Rounds count from 1. The values must not be tested on the deals that they were fitted to.
        seed: run_seed(config.job.seed, 0),
        sprt: Some(config.sprt),
        dir: None,
        ..config.job.clone()
    };
    let test = arena::play(&test, progress, stop)?;
    if !test.complete {
        return Err(Error::Stopped { rounds: rounds.len() });
    }
    Ok(Balanced { rounds, has_converged, undetermined, file, test })
}

/// The agent and the folder.
///
/// # Errors
/// If a setting is faulty.
fn check(config: &Balance) -> Result<(&AgentSpec, &Path), Error> {
    let refuse = |field, expected, found: String| Err(Error::Config { field, expected, found });
    if config.rounds == 0 {
        return refuse("rounds", "at least 1", "0".to_owned());
    }
    if config.positions == 0 {
        return refuse("positions", "at least 1", "0".to_owned());
    }
    if !(config.margin > 0.0 && config.margin <= 1.0) {
        return refuse("margin", "a number above 0 and at most 1", config.margin.to_string());
    }
    for (field, games) in [("games", config.job.games), ("test_games", config.test_games)] {
        check_games(field, games)?;
    }
    let [agent] = config.job.agents.as_slice() else {
        return refuse("agent", "one agent", config.job.agents.len().to_string());
    };
    let dir = match &config.job.dir {
        Some(dir) if !dir.exists() && !is_remote(dir) => dir,
        dir => {
            let found = dir.as_ref().map_or("none".to_owned(), |dir| dir.display().to_string());
            return refuse("out", "a folder that does not exist yet", found);
        }
    };
    if dir.to_str().is_none() {
        // Its files are options of agents, which are text.
        return refuse("out", "a path in UTF-8", format!("{dir:?}"));
    }
    let [elo0, elo1] = config.sprt;
    Sprt::new(elo0, elo1).check()?;
    agent.with(VALUES, "")?;
    let spec = Spec::new(&config.job.game, &config.job.options).map_err(crate::Error::from)?;
    agent.make(&spec)?;
    Ok((agent, dir))
}

/// The end of a round.
enum Played {
    Round(Box<Round>),
    /// Its games do not determine the values, and why.
    Undetermined(String),
    Stopped,
}

/// Plays a round and fits values to it.
fn play_round(
    config: &Balance,
    dir: &Path,
    agent: &AgentSpec,
    number: u32,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Played, Error> {
    let games = Job {
        agents: vec![agent.clone()],
        seed: run_seed(config.job.seed, u64::from(number)),
        dir: Some(dir.join(format!("round-{number:02}"))),
        ..config.job.clone()
    };
    let summary = selfplay(&games, progress, stop)?;
    if !summary.complete {
        return Ok(Played::Stopped);
    }
    let fault = |cause| Error::Fit { round: number, cause };
    let dataset = Dataset::open(summary.path).map_err(|cause| fault(cause.into()))?;
    let fit = || piece_values(&dataset, config.positions, stop);
    let fitted =
        with_threads(Some(config.job.threads.get()), fit).map_err(|cause| fault(cause.into()))?;
    let fitted = match fitted {
        Err(analysis::Error::Stopped) => return Ok(Played::Stopped),
        Err(why) if why.is_inconclusive() => return Ok(Played::Undetermined(why.to_string())),
        fitted => fitted.map_err(fault)?,
    };
    let played_by = match agent.given(VALUES).filter(|&file| file != BUILT_IN) {
        Some(file) => PieceValues::read(Path::new(file))?,
        None => PieceValues::built_in(),
    };
    let file = dir.join(format!("values-{number:02}.toml"));
    let scaled = match Scaled::of(&fitted) {
        Err(Error::NoValues { why }) => return Ok(Played::Undetermined(why)),
        scaled => scaled?,
    };
    make(&file, |path| fs::write(path, scaled.toml(&fitted)))?;
    let played_by = played_by.by_letter(&config.job.game).unwrap_or_default();
    let value = |&(kind, fitted): &(char, Estimate)| {
        Some(RoundValue { kind, played_by: *played_by.get(&kind)?, fitted })
    };
    let values = scaled.values.iter().filter_map(value).collect();
    Ok(Played::Round(Box::new(Round { values, fit: fitted, file })))
}

impl Round {
    /// Whether every value is shown to be equivalent to the one that was played, within this
    /// fraction of it or of the mean of all: two one-sided tests at 2.5 % each, which is whether
    /// the 95 % interval lies within (Schuirmann, "A comparison of the two one-sided tests
    /// procedure", 1987). Few games have wide intervals, and show nothing.
    fn has_converged(&self, margin: f64) -> bool {
        let sum: f64 = self.values.iter().map(|value| value.played_by).sum();
        let mean = sum / self.values.len() as f64;
        self.values.iter().all(|&RoundValue { played_by, fitted, .. }| {
            // Negative values are played as 0.
            let Estimate { low, high, .. } = fitted;
            let [low, high] = [low, high].map(|end| end.max(0.0));
            let reach = margin * played_by.max(mean);
            played_by - reach <= low && high <= played_by + reach
        })
    }
}

fn make(path: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<(), Error> {
    make(path).map_err(|cause| Error::Write { path: path.to_owned(), cause })
}
