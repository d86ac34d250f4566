//! The state that all requests share.

use std::net::IpAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use darkqi_engine::agents::AgentSpec;
use serde::Serialize;

use super::answer::{Answer, Refusal};
use super::error::ServeError;
use super::finished::Reviews;
use super::hosting::{NamedAgent, Registry, Seats, Store};
use super::library::{Folders, Reports};
use super::log::log;
use super::memory;
use super::studies::Studies;
use super::work::{LONGEST, Ration};

/// The folders and games that are served, and where.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folders whose datasets are shown.
    pub folders: Vec<PathBuf>,
    /// The address of this machine that is listened at.
    pub host: IpAddr,
    /// The port; 0 takes any that is free.
    pub port: u16,
    /// Plays and gives hints unless another agent is chosen.
    pub agent: AgentSpec,
    /// Agents that pages may ask for although they read files or start programs.
    pub extra_agents: Vec<AgentSpec>,
    /// Names by which the page may be opened, besides those of this machine.
    pub names: Vec<String>,
    /// Where games are kept.
    pub games: KeptGames,
    /// The path below which a proxy shows the page, such as `/games`; empty for none.
    pub base: String,
}

/// Where games are kept.
#[derive(Clone, Debug)]
pub enum KeptGames {
    /// In memory: they end with the server.
    InMemory,
    /// In this folder, where the next server finds them.
    In(PathBuf),
    /// In this folder, or in memory if it cannot be used. The log says so.
    IfPossible(PathBuf),
}

/// The state that all requests share.
#[derive(Clone)]
pub(super) struct App(Arc<Shared>);

/// What is shared. A ration is asked for once the request has come in whole, so that half of one holds
/// nothing.
pub(super) struct Shared {
    pub(super) folders: Folders,
    pub(super) registry: Registry,
    pub(super) reports: Reports,
    pub(super) reviews: Reviews,
    pub(super) studies: Studies,
    /// Held while a game is saved.
    pub(super) saving: Mutex<()>,
    /// The agents of the command line, the one that plays and gives hints first.
    agents: Vec<NamedAgent>,
    /// To begin games, and to save them.
    pub(super) beginning: Ration,
    /// To let agents think.
    pub(super) thinking: Ration,
    /// To make reports, reviews and files.
    pub(super) reporting: Ration,
    /// To read in the folders.
    pub(super) reading: Ration,
    /// To change a game and to tell what it looks like.
    pub(super) telling: Ration,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// # Errors
    /// If the folder that was asked for cannot keep games.
    pub(super) fn new(settings: Settings) -> Result<Self, ServeError> {
        let Settings { folders, agent, extra_agents, games, .. } = settings;
        let store = match games {
            KeptGames::InMemory => None,
            KeptGames::In(dir) => match Store::open(&dir) {
                Ok(store) => Some(store),
                Err(cause) => return Err(ServeError::Games { dir, cause }),
            },
            KeptGames::IfPossible(dir) => {
                let told = |cause| {
                    let dir = dir.display();
                    log(format_args!(
                        "games end with this server: {dir}: {cause}; `--games` keeps them in another folder"
                    ));
                };
                Store::open(&dir).map_err(told).ok()
            }
        };
        Ok(Self(Arc::new(Shared {
            folders: Folders::new(folders),
            registry: Registry::new(store),
            reports: Reports::default(),
            reviews: Reviews::default(),
            studies: Studies::default(),
            saving: Mutex::default(),
            agents: named([agent].into_iter().chain(extra_agents)),
            beginning: Ration::default(),
            thinking: Ration::default(),
            reporting: Ration::default(),
            reading: Ration::default(),
            telling: Ration::default(),
        })))
    }

    /// The game and the seats that a key opens.
    ///
    /// # Errors
    /// If there is no such key, or the game cannot be opened.
    pub(super) async fn game(&self, key: &str) -> Result<Seats, Refusal> {
        let found = self.registry.find(key)?;
        if let Some(seats) = found.opened() {
            return Ok(seats);
        }
        let app = self.clone();
        // All plies are played again.
        self.telling.wait().await?.run(LONGEST, move |_| app.registry.open(&app, &found)).await
    }

    /// Answers with what a game looks like, once it is the request's turn.
    ///
    /// # Errors
    /// If it waits for too long, or the answer is refused.
    pub(super) async fn tell<T: Serialize>(
        &self,
        compute: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Answer {
        self.telling.wait().await?.answer(LONGEST, move |_| compute()).await
    }

    pub(super) fn default_agent(&self) -> NamedAgent {
        self.agents[0].clone()
    }

    /// The agent that gives hints unless another is chosen.
    pub(super) fn adviser(&self) -> NamedAgent {
        let agent = self.default_agent();
        let adviser = agent.spec.adviser();
        adviser.map_or(agent, |spec| NamedAgent { name: spec.to_string(), spec })
    }

    pub(super) fn extra_agents(&self) -> impl Iterator<Item = String> {
        self.agents[1..].iter().map(|agent| agent.name.clone())
    }

    /// The agent of this name or description.
    ///
    /// # Errors
    /// If there is none, it may take too much memory, or it reads files or starts programs and was not
    /// allowed on the command line.
    pub(super) fn agent(&self, text: &str) -> Result<NamedAgent, Refusal> {
        let allowed = &self.agents;
        if let Some(named) = allowed.iter().find(|allowed| allowed.name == text) {
            return Ok(named.clone());
        }
        let spec: AgentSpec = text.parse().map_err(Refusal::faulty)?;
        let name = spec.to_string();
        let is_it =
            |allowed: &&NamedAgent| allowed.name == name || allowed.spec.to_string() == name;
        if let Some(named) = allowed.iter().find(is_it) {
            return Ok(named.clone());
        }
        memory::check(&spec)?;
        if spec.is_harmless() {
            return Ok(NamedAgent { name, spec });
        }
        Err(Refusal::faulty(format!(
            "agent: `{name}` reads a file or starts a program; expected one that the server was \
             started with (`--allow`)"
        )))
    }
}

/// Agents with names that nobody else has.
fn named(agents: impl Iterator<Item = AgentSpec>) -> Vec<NamedAgent> {
    let mut named: Vec<NamedAgent> = Vec::new();
    for spec in agents {
        if named.iter().any(|other| other.spec.to_string() == spec.to_string()) {
            continue;
        }
        let public = spec.public_name();
        let numbered = (2..).map(|number| format!("{public} ({number})"));
        let is_free = |name: &String| named.iter().all(|other| other.name != *name);
        let name = [public.clone()].into_iter().chain(numbered).find(is_free);
        named.push(NamedAgent { name: name.expect("numbers do not end"), spec });
    }
    named
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn commands_are_not_names() {
        let agents = [
            "greedy",
            "uci:cmd=/opt/secret/engine --key=x,nodes=5",
            "uci:cmd=/other/engine,nodes=5",
            "greedy",
        ];
        let specs = agents.iter().map(|text| text.parse().expect("the agent exists"));
        let names: Vec<String> = named(specs).into_iter().map(|agent| agent.name).collect();
        assert_eq!(names, ["greedy", "uci:cmd=engine,nodes=5", "uci:cmd=engine,nodes=5 (2)"]);
    }
}
