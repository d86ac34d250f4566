//! The folder of a study, and what is played in it.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Options, Spec};
use darkqi_format::{self as datasets, Dataset, MANIFEST_FILE, Openings};
use twox_hash::XxHash64;

use super::error::Error;
use crate::arena::{self, Match, Results};
use crate::generation::{Config, selfplay};
use crate::openings::{Starts, default_plies};
use crate::reporting::Progress;
use crate::threads::all_threads;

/// The folder of a study's matches.
const MATCHES: &str = "matches";

/// The longest name of a folder, so that file systems take it.
const LONGEST: usize = 120;

/// The common settings of a study's runs and matches.
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
    /// Positions to begin with: [`Openings::lines`].
    pub openings: Vec<String>,
    /// Names of pieces that are taken off: [`Openings::remove`].
    pub remove: Vec<String>,
    /// Uniformly random plies before the agents take over, in runs and matches. The default is that of
    /// [`Match`].
    pub random_plies: Option<u32>,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// The folder, which is created. A run or match that it holds goes on; other settings are refused.
    pub dir: PathBuf,
}

impl Study {
    /// 2,000 games per run and 400 per match, by the default rules, on all cores.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            games: 2000,
            match_games: 400,
            seed: 0,
            openings: Vec::new(),
            remove: Vec::new(),
            random_plies: None,
            threads: all_threads(),
            dir: dir.into(),
        }
    }

    /// Whether it can be played by these agents: tries options, openings and agents.
    ///
    /// # Errors
    /// If it cannot. Nothing is written.
    pub(super) fn check(&self, agents: &[AgentSpec]) -> Result<(), Error> {
        for (field, games) in [("games", self.games), ("match_games", self.match_games)] {
            if games == 0 {
                return Err(Error::config(field, "at least 1", 0));
            }
        }
        if self.dir.join(MANIFEST_FILE).exists() {
            return Err(Error::config("out", "a folder for a study", "that of a dataset"));
        }
        let spec = self.spec()?;
        Starts::new(&spec, &self.starts(&spec)).map_err(crate::Error::from)?;
        for agent in agents {
            agent.make(&spec).map_err(crate::Error::from)?;
        }
        Ok(())
    }

    /// The game.
    ///
    /// # Errors
    /// If it does not exist, or an option does not.
    pub(super) fn spec(&self) -> Result<Spec, Error> {
        Ok(Spec::new(&self.game, &self.options).map_err(crate::Error::from)?)
    }

    /// How its games begin.
    fn starts(&self, spec: &Spec) -> Openings {
        let plies = self.random_plies.unwrap_or_else(|| default_plies(spec, &self.openings));
        let (lines, remove) = (self.openings.clone(), self.remove.clone());
        Openings { lines, remove, random_plies: plies }
    }

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
            openings: self.starts(&self.spec()?),
            threads: self.threads,
            resume: true,
            ..Config::new(&self.game, self.dir.join(name))
        };
        fs::create_dir_all(&self.dir).map_err(|cause| self.io("create", cause))?;
        let summary = match selfplay(&config, progress, stop) {
            Err(crate::Error::Stopped) => return Err(Error::Stopped),
            summary => summary?,
        };
        if summary.complete { Ok(Dataset::open(&config.dir)?) } else { Err(Error::Stopped) }
    }

    /// Plays a match, or what is left of it, which is logged in a folder named after `what` and the
    /// agents.
    ///
    /// # Errors
    /// If the match cannot be played; [`Error::Stopped`] when `stop` becomes true.
    pub(super) fn match_of(
        &self,
        what: &str,
        agents: Vec<AgentSpec>,
        progress: &dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Results, Error> {
        let names: Vec<String> = agents.iter().map(AgentSpec::to_string).collect();
        let name = folder_name(&format!("{what} {}", names.join(" ")));
        let Openings { lines, remove, random_plies } = self.starts(&self.spec()?);
        let config = Match {
            options: self.options.clone(),
            games: self.match_games,
            seed: self.seed,
            openings: lines,
            remove,
            random_plies: Some(random_plies),
            threads: self.threads,
            out: Some(self.dir.join(MATCHES).join(name)),
            ..Match::new(&self.game, agents)
        };
        let results = arena::play(&config, progress, stop)?;
        if results.complete { Ok(results) } else { Err(Error::Stopped) }
    }

    fn io(&self, action: &'static str, cause: std::io::Error) -> Error {
        datasets::Error::Io { action, path: self.dir.clone(), cause }.into()
    }
}

/// A text as the name of a folder: letters, digits and dots stay, all else becomes hyphens. A long one
/// is cut, and ends with a checksum.
pub(super) fn folder_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = text.chars().map(plain).collect();
    match name.len() {
        ..=LONGEST => name,
        _ => format!("{}-{:016x}", &name[..LONGEST - 17], XxHash64::oneshot(0, text.as_bytes())),
    }
}

/// Whether these have names of folders that all file systems tell apart.
///
/// # Errors
/// If two have the same, but for capitals.
pub(super) fn check_folders(field: &'static str, texts: &[String]) -> Result<(), Error> {
    let names: Vec<String> =
        texts.iter().map(|text| folder_name(text).to_ascii_lowercase()).collect();
    for (place, name) in names.iter().enumerate() {
        if names[..place].contains(name) {
            let found = format!("`{}` twice", texts[place]);
            return Err(Error::config(field, "different ones", found));
        }
    }
    Ok(())
}

/// Whether there are at least `least` agents, all different.
///
/// # Errors
/// If not.
pub(super) fn check_agents(agents: &[AgentSpec], least: usize) -> Result<(), Error> {
    if agents.len() < least {
        return Err(Error::config("agents", format!("at least {least}"), agents.len()));
    }
    check_folders("agents", &agents.iter().map(AgentSpec::to_string).collect::<Vec<_>>())
}
