//! The options of the commands that play studies.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use darkqi_engine::agents::AgentSpec;
use darkqi_play::generation::Job;
use darkqi_play::report::{self, Page};
use darkqi_play::reporting::Progress;
use darkqi_play::studies::{STUDY_PAGE, Study};
use darkqi_play::{Error, options};
use darkqi_report::{Lead, quoted};

use super::format::another_way;
use super::interrupt::{self, Interrupted};
use super::location;
use super::output;
use super::rule_options::RuleOptions;
use super::run_options::RunOptions;
use crate::Bar;

/// The options that `strength` and `sweep` have in common.
#[derive(Debug, Args)]
pub(super) struct StudyOptions {
    /// The game
    pub(super) game: String,
    /// The agents, separated by commas, from the weakest to the strongest; see `darkqi agents`
    #[arg(long, short)]
    agents: String,
    /// Games of each agent against itself, in a sweep under each set of rules
    #[arg(long, short = 'n', value_name = "N", default_value_t = Study::GAMES)]
    games: u64,
    /// The folder of the study: its datasets, matches and page. A study that it holds is resumed
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: PathBuf,
    #[command(flatten)]
    run: RunOptions<options::Study>,
    #[command(flatten)]
    study: Box<Study>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    pub(super) rule_options: RuleOptions,
    /// The words of the command line, the program's name first.
    #[arg(skip)]
    pub(super) words: Vec<String>,
}

impl StudyOptions {
    /// # Errors
    /// If an agent does not exist, or a rule option is set twice.
    pub(super) fn study(&self) -> Result<Study> {
        let job = self.run.of(Job {
            options: self.rule_options.values(&self.game)?,
            games: self.games,
            dir: Some(self.out.clone()),
            ..Job::new(&self.game, AgentSpec::parse_list(&self.agents)?)
        })?;
        Ok(Study { job, ..Study::clone(&self.study) })
    }

    /// The command that plays the study and makes its page anywhere else: without what changes neither.
    pub(super) fn command(&self) -> String {
        self.command_without(&[], &[])
    }

    /// The command without some more options, each by its names, and with others in their places.
    pub(super) fn command_without(&self, left_out: &[&str], instead: &[String]) -> String {
        const CHANGES_NOTHING: [&str; 4] = ["--out", "-o", "--threads", "-t"];
        let left_out = [&CHANGES_NOTHING, left_out].concat();
        // `-q` has no value, and may stand before another letter in one word.
        let apart = |word: &String| match word.strip_prefix("-q") {
            Some(rest) if !rest.is_empty() => format!("-{rest}"),
            _ => word.clone(),
        };
        let given: Vec<String> = self.words.iter().skip(1).map(apart).collect();
        let mut words = given.iter().map(String::as_str);
        let mut kept = vec!["darkqi".to_owned()];
        while let Some(word) = words.next() {
            let is_joined = |name: &&str| match word.strip_prefix(*name) {
                Some(rest) if name.starts_with("--") => rest.starts_with('='),
                rest => rest.is_some(),
            };
            match word {
                word if left_out.contains(&word) => drop(words.next()),
                "--json" | "--quiet" | "-q" => {}
                _ if left_out.iter().any(is_joined) => {}
                word => kept.push(quoted(word)),
            }
        }
        kept.extend(instead.iter().map(|word| quoted(word)));
        kept.extend(["--out", "DIR"].map(str::to_owned));
        kept.join(" ")
    }

    /// Plays a study, with a progress bar of each of its runs.
    ///
    /// # Errors
    /// That of the study; where it was stopped, how it goes on.
    pub(super) fn play<R>(
        &self,
        play: impl FnOnce(&dyn Progress) -> Result<R, Error>,
    ) -> Result<R> {
        let bar = Bar::new(self.games, !self.quiet);
        let played = play(&bar);
        drop(bar);
        match played {
            Err(Error::Stopped) => Err(self.interrupted()),
            Err(error) if error.came_in_play() => {
                Err(anyhow!("{error}\n{}{}", self.kept(), another_way(&error)))
            }
            played => Ok(played?),
        }
    }

    fn interrupted(&self) -> anyhow::Error {
        Interrupted::new(self.kept()).into()
    }

    /// A message: what is kept, and how to go on.
    fn kept(&self) -> String {
        let dir = self.out.display();
        format!("what was played is in {dir}; the same command goes on")
    }

    /// Writes the page about these datasets into the study's folder, and returns its path.
    ///
    /// # Errors
    /// If the datasets cannot be measured or the page cannot be written.
    pub(super) fn write_page(&self, datasets: &[impl AsRef<Path>], lead: Lead) -> Result<PathBuf> {
        let path = self.out.join(STUDY_PAGE);
        let Page { html, .. } = match report::page_of_study(datasets, lead, interrupt::watch()) {
            Err(Error::Stopped) => return Err(self.interrupted()),
            page => page?,
        };
        output::write_file(&path, html.as_bytes())?;
        Ok(path)
    }
}
