//! The first line of a journal: the settings that determine its games.

use std::collections::BTreeMap;

use darkqi_datasets::{Openings, options_to_json};
use darkqi_engine::agents::{AgentError, AgentFiles, AgentSpec};
use darkqi_env::{Registered, Spec};
use serde::Serialize;
use serde_json::Value as Json;

use super::config::Match;
use super::schedule::Schedule;
use crate::reporting::Mismatch;

/// The version of the journal format.
const FORMAT: u32 = 1;

/// The field that holds the version, and distinguishes a journal from other JSON.
const MARK: &str = "darkqi_arena_journal";

/// The settings of a journal's match. The number of games and the test are not part of them: no block
/// depends on these.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Header {
    #[serde(rename = "darkqi_arena_journal")]
    format: u32,
    pub(super) software_version: String,
    pub(super) game: String,
    /// All options in force.
    pub(super) options: BTreeMap<String, Json>,
    pub(super) agents: Vec<String>,
    /// The XXH64 of the built-in values and weights, and of every file that an agent's option names,
    /// by the agent's text and the option.
    agent_files: BTreeMap<String, String>,
    pub(super) seed: u64,
    pub(super) random_plies: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) openings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) remove: Vec<String>,
}

impl Header {
    /// # Errors
    /// If a file that an agent's option names cannot be read.
    pub(super) fn new<G: Registered>(
        config: &Match,
        rules: &G,
        schedule: &Schedule,
    ) -> Result<Self, AgentError> {
        let Openings { lines, remove, random_plies } = schedule.openings.clone();
        Ok(Self {
            format: FORMAT,
            software_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: G::NAME.to_owned(),
            options: options_to_json(&Spec::of(rules).options_in_force()),
            agents: config.agents.iter().map(AgentSpec::to_string).collect(),
            agent_files: AgentFiles::read(&config.game, &config.agents)?.checksums,
            seed: config.seed,
            random_plies,
            openings: lines,
            remove,
        })
    }

    /// The header as a line of JSON, with its line end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("a header is plain data") + "\n"
    }

    /// The settings in which a journal's first line differs. None if it is no journal's.
    pub(super) fn mismatches(&self, line: &[u8]) -> Option<Vec<Mismatch>> {
        let journal: Json = serde_json::from_slice(line).ok()?;
        journal.get(MARK)?;
        Some(Mismatch::all(&journal, self))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use darkqi_engine::agents::AgentSpec;
    use darkqi_env::Value;
    use darkqi_env::games::gaiqi::Gaiqi;

    use super::Header;
    use crate::arena::config::Match;
    use crate::arena::schedule::Schedule;

    fn header(agents: &str, change: impl Fn(&mut Match)) -> Header {
        let agents = AgentSpec::parse_list(agents).expect("the agents exist");
        let mut config = Match::new("gaiqi", agents);
        change(&mut config);
        let rules: Gaiqi = darkqi_env::configure(&config.options).expect("the options exist");
        let schedule = Schedule::new(&config, &rules).expect("it is sound");
        Header::new(&config, &rules, &schedule).expect("the files can be read")
    }

    fn mismatches(one: &Header, other: &Header) -> Vec<String> {
        let mismatches = other.mismatches(one.line().as_bytes()).expect("it is a header");
        mismatches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn differences_are_named_with_both_values() {
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
    fn numbers_of_games_and_threads_do_not_matter() {
        let one = header("greedy,random", |_| {});
        let other = header("greedy,random", |config| {
            config.games = 7;
            config.threads = std::num::NonZeroUsize::MIN;
            config.random_plies = Some(0);
        });
        assert_eq!(one, other);
    }

    #[test]
    fn files_of_agents_are_compared_by_content() {
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
        // The header of a later version may have other fields.
        let later = header.mismatches(br#"{"darkqi_arena_journal":2,"colour":1}"#);
        let later = later.expect("it is a journal");
        assert_eq!(later[0].to_string(), "colour: 1 there, nothing asked for");
    }
}
