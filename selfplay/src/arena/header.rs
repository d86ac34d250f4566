//! The first line of a journal: all that decides how games go.

use std::collections::BTreeMap;

use darkqi_datasets::options_to_json;
use darkqi_env::{Registered, Spec};
use serde::Serialize;
use serde_json::Value as Json;

use super::config::{Match, Plan};
use super::error::Error;
use crate::agents::{self, AgentSpec};
use crate::mismatch::Mismatch;

/// The format of journals, which counts up when it changes.
const FORMAT: u32 = 1;

/// The field that holds the format, and tells a journal from other JSON.
pub(super) const MARK: &str = "darkqi_arena_journal";

/// The configuration that a journal's blocks were played with. Numbers of games and tests are not
/// part of it: they say how many blocks there are, not how one goes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Header {
    #[serde(rename = "darkqi_arena_journal")]
    format: u32,
    pub(super) software_version: String,
    game: String,
    /// All options in force.
    pub(super) options: BTreeMap<String, Json>,
    agents: Vec<String>,
    /// The XXH64 of the built-in values and weights, and of every file that an agent's option names,
    /// by the agent's text and the option.
    agent_files: BTreeMap<String, String>,
    seed: u64,
    random_plies: u32,
}

impl Header {
    /// # Errors
    /// If a file that an agent's option names cannot be read.
    pub(super) fn new<G: Registered>(
        config: &Match,
        rules: &G,
        plan: &Plan,
    ) -> Result<Self, Error> {
        Ok(Self {
            format: FORMAT,
            software_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: G::NAME.to_owned(),
            options: options_to_json(&Spec::of(rules).options_in_force()),
            agents: config.agents.iter().map(AgentSpec::to_string).collect(),
            agent_files: agents::digests(&config.agents)?,
            seed: config.seed,
            random_plies: plan.random_plies,
        })
    }

    /// As a line of JSON, its end included.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("a header is plain data") + "\n"
    }

    /// Where a journal's first line differs; None if it is no journal's.
    pub(super) fn mismatches(&self, line: &[u8]) -> Option<Vec<Mismatch>> {
        let journal: Json = serde_json::from_slice(line).ok()?;
        journal.get(MARK)?;
        Some(Mismatch::all(&journal, self))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use darkqi_env::Value;
    use darkqi_env::games::gaiqi::Gaiqi;

    use super::Header;
    use crate::agents::AgentSpec;
    use crate::arena::config::{Match, Plan};

    fn header(agents: &str, change: impl Fn(&mut Match)) -> Header {
        let agents = AgentSpec::parse_list(agents).expect("the agents exist");
        let mut config = Match::new("gaiqi", agents);
        change(&mut config);
        let rules: Gaiqi = darkqi_env::configure(&config.options).expect("the options exist");
        let plan = Plan::new(&config, &rules).expect("it is sound");
        Header::new(&config, &rules, &plan).expect("the files can be read")
    }

    fn mismatches(one: &Header, other: &Header) -> Vec<String> {
        let mismatches = other.mismatches(one.line().as_bytes()).expect("it is a header");
        mismatches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_differs_is_named_with_both_values() {
        let one = header("greedy,random", |_| {});
        assert!(mismatches(&one, &one).is_empty());
        let other = header("random,greedy", |config| {
            config.seed = 5;
            config.random_plies = Some(2);
            config.options = [("quiet_limit".to_owned(), Value::Int(12))].into();
        });
        let quiet_limit = &one.options["quiet_limit"];
        let mut found = mismatches(&one, &other);
        found.sort();
        assert_eq!(
            found,
            [
                r#"agents: ["greedy","random"] there, ["random","greedy"] asked for"#.to_owned(),
                format!("options.quiet_limit: {quiet_limit} there, 12 asked for"),
                "random_plies: 0 there, 2 asked for".to_owned(),
                "seed: 0 there, 5 asked for".to_owned(),
            ]
        );
    }

    #[test]
    fn how_many_games_on_how_many_threads_does_not_matter() {
        let one = header("greedy,random", |_| {});
        let other = header("greedy,random", |config| {
            config.games = 7;
            config.threads = std::num::NonZeroUsize::MIN;
            config.random_plies = Some(0);
        });
        assert_eq!(one, other);
    }

    #[test]
    fn files_of_agents_count_by_what_they_hold() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("values.toml");
        let agents = format!("greedy:values={},random", path.display());
        let with = |text| {
            fs::write(&path, text).expect("the file can be written");
            header(&agents, |_| {})
        };
        let one = with("[gaiqi]\nR = 7\n");
        assert!(mismatches(&one, &with("[gaiqi]\nR = 7\n")).is_empty());
        let found = mismatches(&one, &with("[gaiqi]\nR = 8\n"));
        assert!(found[0].starts_with("agent_files.greedy:values="), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn other_files_are_no_journals() {
        let header = header("greedy,random", |_| {});
        for text in ["", "{}", "[1, 2]", "seven", r#"{"game":"gaiqi"}"#] {
            assert!(header.mismatches(text.as_bytes()).is_none(), "{text}");
        }
        // Of a later format, which may have other fields.
        let later = header.mismatches(br#"{"darkqi_arena_journal":2,"colour":1}"#);
        let later = later.expect("it is a journal");
        assert_eq!(later[0].to_string(), "colour: 1 there, nothing asked for");
    }
}
