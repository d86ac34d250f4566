//! The question of a study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use darkqi_engine::agents::AgentSpec;
use darkqi_env::Spec;
use darkqi_format::{option_text, options_from_json};
use darkqi_play::generation::Job;
use darkqi_play::report::quoted;
use darkqi_play::studies::{Study, Sweep, SweepResults, Variation};
use darkqi_play::variants::{self, Variant};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Refusal;
use crate::app::App;

/// The most sets of rules, and agents: each pair of sets is compared in all quantities.
const MAX_SETS: usize = 20;
const MAX_AGENTS: usize = 6;

/// The most games of each set, where a half-width or time ends a study.
const MOST_GAMES: u64 = 1_000_000;

/// The variation of whole rules.
const RULES: &str = "rules";
const USUAL: &str = "usual";

/// The folder of the asker's own rules.
const OWN_RULES: &str = "rules";

/// What is asked: which of some rules are fair.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    game: String,
    /// The options that all sets have.
    #[serde(default)]
    options: BTreeMap<String, Value>,
    /// The options that are compared, with their values; `rules` compares whole rules.
    compare: Vec<Compared>,
    /// Rules of the asker's own, by the names that `compare` uses.
    #[serde(default)]
    own_rules: BTreeMap<String, OwnRules>,
    players: Vec<String>,
    /// How well differences, or the score of a single set, are to be known: the half-width of their intervals.
    until: Option<f64>,
    /// Or how long it may take.
    minutes: Option<f64>,
    margin: f64,
    #[serde(default)]
    seed: u64,
}

/// An option and its values, as the command line takes them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Compared {
    option: String,
    values: Vec<String>,
}

/// Rules of the asker's own: the options that are not as usual.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct OwnRules {
    #[serde(default)]
    about: String,
    options: BTreeMap<String, Value>,
}

impl Question {
    /// The sweep that answers it in a folder, which gets the files of the asker's own rules.
    ///
    /// # Errors
    /// If it cannot be played, or an agent is not for everybody.
    pub(super) fn sweep(&self, app: &App, dir: &Path) -> Result<Sweep, Refusal> {
        if self.until.is_some() == self.minutes.is_some() {
            let expected = "expected one of `until` and `minutes`";
            return Err(Refusal::faulty(format!("{expected}, got both or neither")));
        }
        if self.players.len() > MAX_AGENTS {
            return Err(Refusal::faulty(format!("players: expected at most {MAX_AGENTS}")));
        }
        let agents = self.players.iter().map(|text| harmless(app, text));
        let job = Job {
            options: options_from_json(&self.options).map_err(Refusal::faulty)?,
            games: MOST_GAMES,
            dir: Some(dir.to_owned()),
            seed: self.seed,
            ..Job::new(&self.game, agents.collect::<Result<_, _>>()?)
        };
        self.write_rules(dir)?;
        let vary = self.compare.iter().map(|compared| self.variation(compared, dir));
        // Matches would tell who is stronger, which is not asked.
        let study = Study { job, match_games: 0 };
        let sweep = Sweep {
            until: self.until,
            minutes: self.minutes,
            margin: self.margin,
            ..Sweep::new(study, vary.collect::<Result<_, _>>()?)
        };
        let labels = sweep.labels().map_err(Refusal::faulty)?;
        if labels.len() > MAX_SETS {
            let expected = format!("compare: expected at most {MAX_SETS} sets of rules");
            return Err(Refusal::faulty(format!("{expected}, got {}", labels.len())));
        }
        Ok(sweep)
    }

    /// The question for so many minutes, on top of those that it was asked for.
    ///
    /// # Errors
    /// If they are not positive.
    pub(super) fn go_on_for(&mut self, minutes: f64) -> Result<(), Refusal> {
        if minutes <= 0.0 {
            let reason = format!("minutes: expected a number above 0, got {minutes}");
            return Err(Refusal::faulty(reason));
        }
        self.until = None;
        self.minutes = Some(self.minutes.unwrap_or_default() + minutes);
        Ok(())
    }

    fn variation(&self, compared: &Compared, dir: &Path) -> Result<Variation, Refusal> {
        let value = |value: &String| {
            if compared.option != RULES || value == USUAL || variants::names().any(|it| it == value)
            {
                return Ok(value.clone());
            }
            if self.own_rules.contains_key(value) {
                return Ok(file_of(dir, value).display().to_string());
            }
            Err(Refusal::faulty(format!("compare: rules: there are none named `{value}`")))
        };
        let values = compared.values.iter().map(value).collect::<Result<_, _>>()?;
        Ok(Variation { option: compared.option.clone(), values })
    }

    /// Writes the asker's own rules as files, as `--rules` takes them.
    fn write_rules(&self, dir: &Path) -> Result<(), Refusal> {
        for (name, own) in &self.own_rules {
            if !is_plain(name) {
                let expected = "expected 1 to 40 letters, digits, `-` and `_`";
                return Err(Refusal::faulty(format!("rules: name: {expected}, got `{name}`")));
            }
            if name == USUAL || variants::names().any(|it| it == name) {
                let reason = "comes with the program; expected another name";
                return Err(Refusal::faulty(format!("rules: `{name}` {reason}")));
            }
            let options = options_from_json(&own.options).map_err(Refusal::faulty)?;
            // No two of its options have one place in a file.
            Spec::new(&self.game, &options)
                .map_err(|error| Refusal::faulty(format!("`{name}`: {error}")))?;
            let variant = Variant {
                game: self.game.clone(),
                about: own.about.clone(),
                source: String::new(),
                options,
            };
            let text = variant.to_toml();
            let path = file_of(dir, name);
            let write = || {
                fs::create_dir_all(dir.join(OWN_RULES))?;
                fs::write(&path, text)
            };
            write().map_err(|cause| Refusal::impossible(format!("{}: {cause}", path.display())))?;
        }
        Ok(())
    }

    /// Removes what [`Question::sweep`] has written.
    pub(super) fn remove_rules(&self, dir: &Path) {
        for name in self.own_rules.keys().filter(|name| is_plain(name)) {
            // What was not written need not be removed.
            let _ = fs::remove_file(file_of(dir, name));
        }
        let _ = fs::remove_dir(dir.join(OWN_RULES));
    }

    /// The commands that play the same games: one for each agent, if they have played for some time.
    pub(super) fn commands(&self, sweep: &Sweep, found: Option<&SweepResults>) -> Vec<String> {
        let games = |at: usize| found.map(|found| found.agents[at].sets[0].first_reveal.games);
        match self.until {
            Some(until) => {
                let until = [("until", until.to_string()), ("games", MOST_GAMES.to_string())];
                vec![self.command(sweep, &self.players.join(","), &until)]
            }
            None => {
                let of = |(at, agent): (usize, &String)| match games(at) {
                    Some(games) => self.command(sweep, agent, &[("games", games.to_string())]),
                    None => {
                        let minutes = self.minutes.unwrap_or_default().to_string();
                        self.command(sweep, agent, &[("minutes", minutes)])
                    }
                };
                self.players.iter().enumerate().map(of).collect()
            }
        }
    }

    fn command(&self, sweep: &Sweep, agents: &str, stop: &[(&str, String)]) -> String {
        let mut words = vec!["darkqi".to_owned(), "sweep".to_owned(), self.game.clone()];
        let mut give = |name: &str, value: &str| {
            words.extend([format!("--{name}"), quoted(value)]);
        };
        for Variation { option, values } in &sweep.vary {
            give("vary", &format!("{option}={}", values.join(",")));
        }
        for (name, value) in &self.options {
            give("set", &option_text(name, value));
        }
        give("agents", agents);
        for (name, value) in stop {
            give(name, value);
        }
        give("match-games", "0");
        give("margin", &self.margin.to_string());
        give("seed", &self.seed.to_string());
        give("out", "DIR");
        words.join(" ")
    }
}

/// Whether rules may have this name.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=40).contains(&name.len()) && name.chars().all(is_plain)
}

fn file_of(dir: &Path, name: &str) -> PathBuf {
    dir.join(OWN_RULES).join(name).with_extension("toml")
}

/// An agent whose name tells nothing of this machine, and that reads and starts nothing.
fn harmless(app: &App, text: &str) -> Result<AgentSpec, Refusal> {
    let agent = app.agent(text)?.spec;
    if agent.is_harmless() {
        return Ok(agent);
    }
    let expected = "expected an agent that reads no file and starts no program";
    Err(Refusal::faulty(format!("players: {expected}, got `{text}`")))
}
