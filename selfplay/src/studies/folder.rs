//! The folder of a study, and what is played in it.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_datasets::{self as datasets, Dataset, Openings};
use darkqi_env::Options;

use super::error::Error;
use crate::agents::AgentSpec;
use crate::arena::{self, Match, Results};
use crate::generation::{Config, selfplay};
use crate::reporting::Progress;

/// The folder of a study's matches.
const MATCHES: &str = "matches";

/// What the runs and matches of a study have in common.
#[derive(Clone, Debug)]
pub struct Study {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// Games per run, at least 1.
    pub games: u64,
    /// Games per match of two agents, at least 1.
    pub match_games: u64,
    /// The seed of all runs and matches: their deals are common.
    pub seed: u64,
    /// How games begin, besides the deal.
    pub openings: Openings,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// The folder, which is created. A run or match that it holds goes on; other settings are refused.
    pub dir: PathBuf,
}

impl Study {
    /// Plays the run in a folder of the study, or what is left of it.
    ///
    /// # Errors
    /// If the run cannot be played; [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn run(
        &self,
        name: &str,
        agent: &AgentSpec,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Dataset, Error> {
        let config = Config {
            options: self.options.clone(),
            agents: vec![agent.clone()],
            games: self.games,
            seed: self.seed,
            openings: self.openings.clone(),
            threads: self.threads,
            resume: true,
            ..Config::new(&self.game, self.dir.join(name))
        };
        fs::create_dir_all(&self.dir).map_err(|cause| self.io("create", cause))?;
        let summary = match selfplay(&config, progress, stop) {
            Err(crate::Error::Stopped) => return Err(Error::Stopped),
            summary => summary?,
        };
        match summary.complete {
            true => Ok(Dataset::open(&config.dir)?),
            false => Err(Error::Stopped),
        }
    }

    /// Plays a match, or what is left of it.
    ///
    /// # Errors
    /// If the match cannot be played; [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn match_of(
        &self,
        name: &str,
        agents: Vec<AgentSpec>,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Results, Error> {
        let folder = self.dir.join(MATCHES);
        fs::create_dir_all(&folder).map_err(|cause| self.io("create", cause))?;
        let Openings { lines, remove, random_plies } = self.openings.clone();
        let config = Match {
            options: self.options.clone(),
            games: self.match_games,
            seed: self.seed,
            openings: lines,
            remove,
            random_plies: (random_plies > 0).then_some(random_plies),
            threads: self.threads,
            journal: Some(folder.join(format!("{name}.jsonl"))),
            ..Match::new(&self.game, agents)
        };
        let results = arena::play(&config, progress, stop)?;
        if results.complete { Ok(results) } else { Err(Error::Stopped) }
    }

    fn io(&self, action: &'static str, cause: std::io::Error) -> Error {
        datasets::Error::Io { action, path: self.dir.clone(), cause }.into()
    }
}

/// A text as the name of a folder: letters, digits and dots stay, all else becomes hyphens.
pub(super) fn folder_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    text.chars().map(plain).collect()
}

/// Agents that are all different, at least `least` of them.
///
/// # Errors
/// If they are fewer, or two have the same name of a folder.
pub(super) fn check_agents(agents: &[AgentSpec], least: usize) -> Result<(), Error> {
    let refuse = |expected: &str, found| {
        Err(Error::Config { field: "agents", expected: expected.to_owned(), found })
    };
    if agents.len() < least {
        return refuse(&format!("at least {least}"), agents.len().to_string());
    }
    let names: Vec<String> = agents.iter().map(|agent| folder_name(&agent.to_string())).collect();
    for (place, name) in names.iter().enumerate() {
        if names[..place].contains(name) {
            return refuse("agents with different names of folders", format!("{name} twice"));
        }
    }
    Ok(())
}
