//! The folder of a study, and what is played in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::Spec;
use darkqi_format::{self as datasets, Dataset, MANIFEST_FILE, Openings, checksum, is_remote};

use crate::arena::{self, Failed, Results};
use crate::error::Error;
use crate::generation::{Job, Seating, check_games, selfplay};
use crate::openings::Starts;
use crate::options;
use crate::reporting::Progress;

/// The folder of a study's matches, in its own.
pub const MATCHES: &str = "matches";

/// The page of a study, in its folder.
pub const STUDY_PAGE: &str = "report.html";

/// The longest name of a folder, so that file systems take it.
const LONGEST: usize = 120;

/// The common part of a study's runs and matches.
#[derive(Clone, Debug, Args)]
pub struct Study {
    /// The job whose options all runs and matches have. Its agents are those of the study, from the weakest
    /// to the strongest; its games are those of a run of one of them against itself; its folder is that of
    /// the study, which is created. A run or match that it holds goes on; other settings are refused.
    #[arg(skip)]
    pub job: Job,
    /// Games of each match of two agents, at least 1; a sweep with 0 plays no matches
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub match_games: u64,
}

impl Default for Study {
    fn default() -> Self {
        options::defaults()
    }
}

impl Study {
    /// The default number of games of a run.
    pub const GAMES: u64 = 2000;

    /// 2,000 games per run and 400 per match, by the default rules, on all cores.
    pub fn new(game: impl Into<String>, agents: Vec<AgentSpec>, dir: impl Into<PathBuf>) -> Self {
        let job = Job { games: Self::GAMES, dir: Some(dir.into()), ..Job::new(game, agents) };
        Self { job, ..Self::default() }
    }

    /// Whether it can be played: tries options, openings and agents.
    ///
    /// # Errors
    /// If it cannot. Nothing is written.
    pub(super) fn check(&self) -> Result<(), Error> {
        check_games("games", self.job.games)?;
        if self.match_games > 0 {
            check_games("match_games", self.match_games)?;
        }
        let dir = self.dir()?;
        if dir.exists() && !dir.is_dir() {
            return Err(Error::config("out", "a folder for a study", dir.display()));
        }
        if dir.join(MANIFEST_FILE).exists() {
            return Err(Error::config("out", "a folder for a study", "that of a dataset"));
        }
        let spec = self.spec()?;
        Starts::new(&spec, &self.starts(&spec))?;
        for agent in &self.job.agents {
            agent.make(&spec)?;
        }
        Ok(())
    }

    /// Checks that the folder is not that of another kind of study, by what the agents' folders hold: each
    /// kind has its own page there, of one name.
    ///
    /// # Errors
    /// If it is.
    pub(super) fn check_kind(
        &self,
        other: &str,
        is_of_other: impl Fn(&Path) -> bool,
    ) -> Result<(), Error> {
        let dir = self.dir()?;
        let folder = |agent: &AgentSpec| dir.join(folder_name(&agent.to_string()));
        if self.job.agents.iter().map(folder).any(|folder| is_of_other(&folder)) {
            let expected = "a folder of its own for each study";
            return Err(Error::config("out", expected, format!("that of {other}")));
        }
        Ok(())
    }

    /// The game.
    ///
    /// # Errors
    /// If it does not exist, or an option does not.
    pub(super) fn spec(&self) -> Result<Spec, Error> {
        Ok(Spec::new(&self.job.game, &self.job.options)?)
    }

    /// How its games begin, those of runs as those of matches.
    fn starts(&self, spec: &Spec) -> Openings {
        self.job.all_openings(spec, Seating::Pairs)
    }

    /// Its folder.
    ///
    /// # Errors
    /// If there is none, or it lies in object storage: the page is written beside its datasets.
    pub(super) fn dir(&self) -> Result<&Path, Error> {
        match self.job.dir.as_deref() {
            Some(dir) if !is_remote(dir) => Ok(dir),
            dir => {
                let found = dir.map_or("none".into(), Path::to_string_lossy);
                Err(Error::config("out", "a folder of this machine", found))
            }
        }
    }

    /// Its job in a folder of the study.
    fn job_in(&self, name: &Path) -> Result<Job, Error> {
        Ok(Job {
            random_plies: Some(self.starts(&self.spec()?).random_plies),
            dir: Some(self.dir()?.join(name)),
            resume: true,
            ..self.job.clone()
        })
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
        let job = Job { agents: vec![agent.clone()], ..self.job_in(Path::new(name))? };
        let dir = self.dir()?;
        let fault = |cause| datasets::Error::Io { action: "create", path: dir.into(), cause };
        fs::create_dir_all(dir).map_err(fault)?;
        let summary = selfplay(&job, progress, stop)?;
        if summary.complete { Ok(Dataset::open(summary.path)?) } else { Err(Error::Stopped) }
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
        let job = self.job_in(&Path::new(MATCHES).join(name))?;
        let job = Job { agents, games: self.match_games, ..job };
        let results = arena::play(&job, progress, stop).map_err(Failed::into_error)?;
        if results.complete { Ok(results) } else { Err(Error::Stopped) }
    }
}

/// A text as the name of a folder: letters, digits and dots stay, all else becomes hyphens. One that is long,
/// or has other characters, ends with a checksum.
pub(super) fn folder_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let mut name: String = text.chars().map(plain).collect();
    // Hyphens stand for what separates the parts of agents and option sets, and for nothing else.
    let is_told = |c: char| plain(c) == c && c != '-' || ":=,_+ ".contains(c);
    if name.len() > LONGEST || !text.chars().all(is_told) {
        name.truncate(LONGEST - 17);
        name += &format!("-{}", checksum(text.as_bytes()));
    }
    name
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
            let expected = "different ones, not by capitals alone";
            return Err(Error::config(field, expected, format!("`{}` twice", texts[place])));
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
