//! A game as data: what sets it up again, in the same position and for the same keys.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use darkqi_engine::agent::Decision;
use darkqi_env::{
    Player,
    batch::{DecisionFault, check_decision},
    trajectory::PolicyEntry,
};
use darkqi_format::{options_from_json, options_to_json};
use darkqi_play::play::{Game, Past, Settlement};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::agreements::Offers;
use super::clock::{Clock, ClockJson};
use super::table::{NamedAgent, Saved, Table};
use crate::answer::Refusal;
use crate::app::App;

/// The version of the format.
const FORMAT: u32 = 1;

/// The greatest number of a version: a game has as many as it has had changes.
const MAX_TURN: u64 = 1 << 20;

/// A key and the seats that it opens; none for an onlooker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyOfSeats {
    pub(crate) key: String,
    pub(crate) seats: Vec<Player>,
}

/// A game as data. Agents are named as in answers, so that no command is in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    format: u32,
    game: String,
    options: BTreeMap<String, Json>,
    seed: u64,
    fen: Option<String>,
    agents: Vec<Option<String>>,
    adviser: String,
    is_shared: bool,
    pub(super) keys: Vec<KeyOfSeats>,
    /// The number of the version, so that pages tell new ones from those that they have.
    turn: u64,
    plies: Vec<Ply>,
    settled: Option<Settlement>,
    pub(super) is_over: bool,
    clock: Option<ClockJson>,
    offers: Offers,
    /// The keys of the rematch, if there is one.
    rematch: Vec<KeyOfSeats>,
    /// Who has asked for one that has not begun.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    rematch_wanted_by: BTreeSet<Player>,
    saved: Option<Saved>,
}

/// A ply, with what its agent has said of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ply {
    #[serde(rename = "move")]
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Vec<f32>>,
    /// Actions and their probabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<Vec<(u16, f32)>>,
}

impl Ply {
    fn new(past: &Past) -> Self {
        let decision = &past.decision;
        let pair = |entry: &PolicyEntry| (entry.action, entry.probability);
        Self {
            name: past.before.action_name(decision.action),
            value: decision.value.as_ref().map(|value| value.to_vec()),
            policy: decision.policy.as_ref().map(|policy| policy.iter().map(pair).collect()),
        }
    }

    /// The decision in the position that the game has reached.
    fn decision(&self, game: &Game) -> Result<Decision, String> {
        let state = game.state();
        let action = state.action_index(&self.name).map_err(|error| error.to_string())?;
        let entry = |&(action, probability)| PolicyEntry { action, probability };
        let policy: Option<Box<[PolicyEntry]>> =
            self.policy.as_ref().map(|policy| policy.iter().map(entry).collect());
        let seats = game.spec().num_players;
        let is_legal = |index| state.legal_actions().iter().any(|action| action.0 == index);
        check_decision(self.value.as_deref(), policy.as_deref(), seats, is_legal).map_err(
            |DecisionFault { part, expected, found }| {
                format!("{part}: expected {expected}, got {found}")
            },
        )?;
        let mut decision = Decision::from(action);
        decision.value = self.value.as_ref().map(|value| value.iter().copied().collect());
        decision.policy = policy;
        Ok(decision)
    }
}

impl Record {
    /// A game as it is now.
    pub(super) fn of(table: &Table, keys: &[KeyOfSeats]) -> Self {
        let game = &table.game;
        let spec = game.spec();
        let name = |agent: &NamedAgent| agent.name.clone();
        Self {
            format: FORMAT,
            game: spec.name.to_owned(),
            options: options_to_json(&spec.options_in_force()),
            seed: game.seed(),
            fen: table.fen.clone(),
            agents: table.agents.iter().map(|agent| agent.as_ref().map(name)).collect(),
            adviser: table.adviser.name.clone(),
            is_shared: table.is_shared,
            keys: keys.to_vec(),
            turn: table.turn(),
            plies: game.past().iter().map(Ply::new).collect(),
            settled: game.settled(),
            is_over: game.end().is_some(),
            clock: table.clock.as_ref().map(|clock| clock.json(Instant::now())),
            offers: table.offers.clone(),
            rematch: table.rematch.keys.clone(),
            rematch_wanted_by: table.rematch.open_wishes(),
            saved: table.saved.clone(),
        }
    }

    /// Sets the game up again.
    ///
    /// # Errors
    /// If an agent is not allowed any more, or the data are of no game.
    pub(super) fn table(&self, app: &App) -> Result<Table, Refusal> {
        let fault = |text: String| Refusal::impossible(format!("this game cannot go on: {text}"));
        let options = options_from_json(&self.options).map_err(|error| fault(error.to_string()))?;
        let mut game = Game::new(&self.game, &options, self.seed, self.fen.as_deref())
            .map_err(|error| fault(error.to_string()))?;
        for (number, ply) in self.plies.iter().enumerate() {
            let at = |cause: String| fault(format!("ply {}: {cause}", number + 1));
            let decision = ply.decision(&game).map_err(at)?;
            game.play(decision).map_err(|error| at(error.to_string()))?;
        }
        let seats = game.spec().num_players;
        if self.agents.len() != seats {
            let found = self.agents.len();
            return Err(fault(format!(
                "agents: expected one for each of {seats} seats, got {found}"
            )));
        }
        let Offers { made, declined } = &self.offers;
        let loser = self.settled.and_then(Settlement::loser);
        let held = self.keys.iter().flat_map(|key| &key.seats).chain(made).chain(declined);
        if let Some(seat) = held.copied().chain(loser).find(|&seat| seat >= seats) {
            return Err(fault(format!("seat {seat}: there are {seats}")));
        }
        if let Some(settlement) = self.settled {
            game.settle(settlement);
        }
        if let Some(found) = self.clock.as_ref().map(|clock| clock.left.len())
            && found != seats
        {
            return Err(fault(format!(
                "clock.left: expected one for each of {seats} seats, got {found}"
            )));
        }
        let clock = self.clock.as_ref().map(Clock::kept).transpose();
        let clock = clock.map_err(|refusal| fault(refusal.to_string()))?;
        let agent = |name: &String| app.agent(name).map_err(|refusal| fault(refusal.to_string()));
        let agents = self.agents.iter().map(|name| name.as_ref().map(agent).transpose());
        // Pages have seen the plies of versions before otherwise, for all that is known.
        let mut versions = vec![0; self.turn.min(MAX_TURN) as usize];
        versions.push(game.past().len());
        // Who gives hints does not matter to the game.
        let adviser = app.agent(&self.adviser).unwrap_or_else(|_| app.adviser());
        let mut table = Table::new(game, agents.collect::<Result<_, _>>()?, adviser);
        table.fen.clone_from(&self.fen);
        table.versions = versions;
        table.saved.clone_from(&self.saved);
        table.is_shared = self.is_shared;
        table.offers = self.offers.clone();
        table.rematch.keys.clone_from(&self.rematch);
        table.rematch.wanted_by.clone_from(&self.rematch_wanted_by);
        table.clock = clock;
        Ok(table)
    }

    /// Reads a game. Whether it can be set up is found out when somebody opens it.
    ///
    /// # Errors
    /// If the text is not that of a game.
    pub(super) fn read(text: &[u8]) -> Result<Self, String> {
        let record: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if record.format != FORMAT {
            return Err(format!("format: expected {FORMAT}, got {}", record.format));
        }
        if record.turn > MAX_TURN {
            return Err(format!("turn: expected at most {MAX_TURN}, got {}", record.turn));
        }
        if record.keys.is_empty() {
            return Err("keys: expected at least one".to_owned());
        }
        let is_key =
            |key: &str| key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !record.keys.iter().all(|entry| is_key(&entry.key)) {
            return Err("keys: expected 32 hexadecimal digits each".to_owned());
        }
        Ok(record)
    }
}
