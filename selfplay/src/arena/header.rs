//! The first line of a journal: all that decides how games go.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use darkqi_datasets::options::options_to_json;
use darkqi_env::{Registered, Spec};
use serde::Serialize;
use serde_json::Value as Json;
use twox_hash::XxHash64;

use super::config::{Match, Plan};
use super::error::Error;
use crate::agents::{self, AgentSpec, BUILT_IN, values};
use crate::search::weights;

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

/// A field in which a journal differs from what is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The field, as in the journal's first line; options as `options.name`.
    pub field: String,
    /// What the journal has, in JSON; `nothing` if it lacks the field.
    pub journal: String,
    /// What is asked for, likewise.
    pub asked: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, journal, asked } = self;
        write!(f, "{field}: {journal} in the journal, {asked} asked for")
    }
}

impl Header {
    /// # Errors
    /// If a file that an agent's option names cannot be read.
    pub(super) fn new<G: Registered>(
        config: &Match,
        rules: &G,
        plan: &Plan,
    ) -> Result<Self, Error> {
        let digest = |bytes: &[u8]| format!("{:016x}", XxHash64::oneshot(0, bytes));
        let mut agent_files: BTreeMap<_, _> =
            [("values", values::TEXT), ("weights", weights::TEXT)]
                .map(|(name, text)| (format!("{BUILT_IN} {name}"), digest(text.as_bytes())))
                .into();
        for agent in &config.agents {
            for (option, file) in files(agent) {
                let bytes = fs::read(file).map_err(|cause| Error::AgentFile {
                    agent: agent.to_string(),
                    file: file.to_owned(),
                    cause,
                })?;
                agent_files.insert(format!("{agent} {option}"), digest(&bytes));
            }
        }
        Ok(Self {
            format: FORMAT,
            software_version: env!("CARGO_PKG_VERSION").to_owned(),
            game: G::NAME.to_owned(),
            options: options_to_json(&Spec::of(rules).options_in_force()),
            agents: config.agents.iter().map(AgentSpec::to_string).collect(),
            agent_files,
            seed: config.seed,
            random_plies: plan.random_plies,
        })
    }

    /// As a line of JSON, its end included.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("a header is plain data") + "\n"
    }

    /// Where a journal's first line differs; None if it is no journal's.
    pub(super) fn differences(&self, line: &[u8]) -> Option<Vec<Difference>> {
        let journal: Json = serde_json::from_slice(line).ok()?;
        journal.get(MARK)?;
        let asked = serde_json::to_value(self).expect("a header is plain data");
        let mut differences = Vec::new();
        compare("", Some(&journal), Some(&asked), &mut differences);
        Some(differences)
    }
}

/// The options of an agent that name files.
fn files(agent: &AgentSpec) -> impl Iterator<Item = (&'static str, &str)> {
    let info = agents::all().iter().find(|info| info.name == agent.name());
    let options = info.into_iter().flat_map(|info| info.options);
    options
        .filter(|option| option.is_file)
        .filter_map(|option| Some((option.name, agent.given(option.name)?)))
        .filter(|(_, value)| *value != BUILT_IN)
}

fn compare(
    field: &str,
    journal: Option<&Json>,
    asked: Option<&Json>,
    differences: &mut Vec<Difference>,
) {
    if let (Some(Json::Object(in_journal)), Some(Json::Object(in_asked))) = (journal, asked) {
        let new = in_asked.keys().filter(|key| !in_journal.contains_key(*key));
        for key in in_journal.keys().chain(new) {
            let field = if field.is_empty() { key.clone() } else { format!("{field}.{key}") };
            compare(&field, in_journal.get(key), in_asked.get(key), differences);
        }
    } else if journal != asked {
        let text = |value: Option<&Json>| value.map_or("nothing".to_owned(), Json::to_string);
        let (journal, asked) = (text(journal), text(asked));
        differences.push(Difference { field: field.to_owned(), journal, asked });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use darkqi_env::games::gaiqi::Gaiqi;
    use darkqi_env::{Value, games};

    use super::Header;
    use crate::agents::AgentSpec;
    use crate::arena::config::{Match, Plan};

    fn header(agents: &str, change: impl Fn(&mut Match)) -> Header {
        let agents = AgentSpec::parse_list(agents).expect("the agents exist");
        let mut config = Match::new("gaiqi", agents);
        change(&mut config);
        let rules: Gaiqi = games::rules(&config.options).expect("the options exist");
        let plan = Plan::new(&config, &rules).expect("it is sound");
        Header::new(&config, &rules, &plan).expect("the files can be read")
    }

    fn differences(one: &Header, other: &Header) -> Vec<String> {
        let differences = other.differences(one.line().as_bytes()).expect("it is a header");
        differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_differs_is_named_with_both_values() {
        let one = header("greedy,random", |_| {});
        assert!(differences(&one, &one).is_empty());
        let other = header("random,greedy", |config| {
            config.seed = 5;
            config.random_plies = Some(2);
            config.options = [("quiet_limit".to_owned(), Value::Int(12))].into();
        });
        let quiet_limit = &one.options["quiet_limit"];
        let mut found = differences(&one, &other);
        found.sort();
        assert_eq!(
            found,
            [
                r#"agents: ["greedy","random"] in the journal, ["random","greedy"] asked for"#
                    .to_owned(),
                format!("options.quiet_limit: {quiet_limit} in the journal, 12 asked for"),
                "random_plies: 0 in the journal, 2 asked for".to_owned(),
                "seed: 0 in the journal, 5 asked for".to_owned(),
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
        assert!(differences(&one, &with("[gaiqi]\nR = 7\n")).is_empty());
        let found = differences(&one, &with("[gaiqi]\nR = 8\n"));
        assert!(found[0].starts_with("agent_files.greedy:values="), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn other_files_are_no_journals() {
        let header = header("greedy,random", |_| {});
        for text in ["", "{}", "[1, 2]", "seven", r#"{"game":"gaiqi"}"#] {
            assert!(header.differences(text.as_bytes()).is_none(), "{text}");
        }
        // Of a later format, which may have other fields.
        let later = header.differences(br#"{"darkqi_arena_journal":2,"colour":1}"#);
        let later = later.expect("it is a journal");
        assert_eq!(later[0].to_string(), "colour: 1 in the journal, nothing asked for");
    }
}
