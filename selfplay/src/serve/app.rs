//! What all requests share.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::answer::Refusal;
use super::hosting::Registry;
use super::library::{Folders, Reports};
use super::work::{Ration, Work};
use crate::agents::{AgentInfo, AgentSpec, agents};
use crate::threads::all_threads;

/// MiB of the transposition table of an agent that a page may ask for: there may be one for each
/// seat of hundreds of games.
const MOST_HASH: usize = 16;

/// What is served, and where.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The folders whose datasets are shown.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) host: IpAddr,
    /// The port; 0 takes any that is free.
    pub(crate) port: u16,
    /// Plays and gives hints unless another agent is chosen.
    pub(crate) agent: AgentSpec,
    /// Agents that pages may ask for although they read files or start programs.
    pub(crate) extra_agents: Vec<AgentSpec>,
}

/// What all requests share.
#[derive(Clone)]
pub(super) struct App(Arc<Shared>);

struct Shared {
    settings: Settings,
    folders: Folders,
    registry: Registry,
    reports: Reports,
    ration: Ration,
}

impl App {
    pub(super) fn new(settings: Settings) -> Self {
        let folders = Folders::new(settings.folders.clone());
        let (registry, reports) = (Registry::default(), Reports::default());
        let ration = Ration::default();
        Self(Arc::new(Shared { settings, folders, registry, reports, ration }))
    }

    pub(super) fn folders(&self) -> &Folders {
        &self.0.folders
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub(super) fn reports(&self) -> &Reports {
        &self.0.reports
    }

    /// The right to do what a request asks for. It is asked for once the request has come in whole, so
    /// that half of one holds nothing.
    ///
    /// # Errors
    /// If too much was asked for.
    pub(super) fn work(&self) -> Result<Work, Refusal> {
        self.0.ration.take(Instant::now())
    }

    pub(super) fn default_agent(&self) -> AgentSpec {
        self.0.settings.agent.clone()
    }

    pub(super) fn extra_agents(&self) -> impl Iterator<Item = String> {
        self.0.settings.extra_agents.iter().map(ToString::to_string)
    }

    /// The agent of this description.
    ///
    /// # Errors
    /// If there is none, or it reads files or starts programs and was not allowed on the command line.
    pub(super) fn agent(&self, text: &str) -> Result<AgentSpec, Refusal> {
        let agent: AgentSpec = text.parse().map_err(Refusal::faulty)?;
        let Settings { agent: default, extra_agents, .. } = &self.0.settings;
        let text = agent.to_string();
        if [default].into_iter().chain(extra_agents).any(|allowed| allowed.to_string() == text) {
            return Ok(agent);
        }
        let info = agents().iter().find(|info| info.name == agent.name());
        for option in info.map_or(&[][..], |info| info.options) {
            let most = match option.name {
                "hash" => MOST_HASH,
                "threads" => all_threads().get(),
                _ => continue,
            };
            if let Some(given) = agent.given(option.name)
                && given.parse().is_ok_and(|given: usize| given > most)
            {
                let reason =
                    format!("agent: {}: expected at most {most}, got {given}", option.name);
                return Err(Refusal::faulty(reason));
            }
        }
        // What starts a program or computes a net of the caller's needs an option that says which.
        if info.is_some_and(AgentInfo::stands_alone) && agent.files().is_empty() {
            return Ok(agent);
        }
        Err(Refusal::faulty(format!(
            "agent: `{text}` reads a file or starts a program; expected one that the server was \
             started with (`--allow`)"
        )))
    }
}
