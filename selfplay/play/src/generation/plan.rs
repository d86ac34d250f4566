//! Who plays in which game, and which games make up a shard.

use std::collections::BTreeSet;
use std::ops::Range;

use darkqi_datasets::{Metadata, options_to_json};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{MAX_THREADS, Player, Registered, Spec, game_seed};

use super::config::Config;
use crate::error::Error;

/// The most games in a shard. They take gigabytes; of many more the numbers alone do not fit memory,
/// and the system then ends the process.
const MAX_SHARD_GAMES: u64 = 10_000_000;

/// A checked configuration, and what follows from it for each game.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The agent of each seat in the first game of a deal.
    pub(crate) entrants: Vec<AgentSpec>,
    /// The agents without repetition: one with several seats is asked about all of them at once.
    pub(crate) roster: Vec<AgentSpec>,
    /// By entrant, its place among these.
    places: Vec<usize>,
    /// Number of games that share a deal.
    pub(crate) deal_games: u64,
    /// Number of games in a shard.
    pub(crate) shard_games: u64,
    /// Number of all games.
    pub(crate) games: u64,
    seed: u64,
}

impl Plan {
    /// # Errors
    /// If agents or numbers of games do not fit the game.
    pub(crate) fn new(config: &Config, game: &'static str, seats: usize) -> Result<Self, Error> {
        let entrants = match config.agents.as_slice() {
            [one] => vec![one.clone(); seats],
            agents if agents.len() == seats => agents.to_vec(),
            agents => return Err(Error::Seats { game, seats, agents: agents.len() }),
        };
        let refuse = |field, found, expected| Err(Error::Config { field, found, expected });
        let texts: BTreeSet<String> = entrants.iter().map(AgentSpec::to_string).collect();
        if config.until.is_some() && texts.len() > 1 {
            return Err(Error::Until { agents: texts.into_iter().collect() });
        }
        if config.luck_adjusted && config.until.is_none() {
            return Err(Error::NoHalfWidth);
        }
        let at_least_one = || "at least 1".to_owned();
        let deal_games = if config.duplicate { seats as u64 } else { 1 };
        if config.games == 0 {
            return refuse("games", 0, at_least_one());
        }
        if !config.games.is_multiple_of(deal_games) {
            let expected = format!("a multiple of {deal_games}, the games of each duplicate deal");
            return refuse("games", config.games, expected);
        }
        if config.threads.get() > MAX_THREADS {
            return refuse(
                "threads",
                config.threads.get() as u64,
                format!("at most {MAX_THREADS}"),
            );
        }
        if config.shard_games == 0 {
            return refuse("shard_games", 0, at_least_one());
        }
        let shard_games = config
            .shard_games
            .checked_next_multiple_of(deal_games)
            .map_or(config.games, |games| games.min(config.games));
        if shard_games > MAX_SHARD_GAMES {
            let expected =
                format!("at most {MAX_SHARD_GAMES}, as memory holds the games of a shard");
            return refuse("shard_games", config.shard_games, expected);
        }
        let shards = config.games.div_ceil(shard_games);
        if shards > u64::from(u32::MAX) {
            let least = config.games.div_ceil(u32::MAX.into());
            return refuse("shard_games", config.shard_games, format!("at least {least}"));
        }
        let mut roster: Vec<AgentSpec> = Vec::new();
        let mut places = Vec::new();
        for entrant in &entrants {
            let text = entrant.to_string();
            let found = roster.iter().position(|agent| agent.to_string() == text);
            places.push(found.unwrap_or(roster.len()));
            if found.is_none() {
                roster.push(entrant.clone());
            }
        }
        let (games, seed) = (config.games, config.seed);
        Ok(Self { entrants, roster, places, deal_games, shard_games, games, seed })
    }

    /// What all games of the dataset have in common.
    pub(crate) fn metadata<G: Registered>(&self, rules: &G) -> Metadata {
        Metadata {
            game: G::NAME.into(),
            options: options_to_json(&Spec::of(rules).options_in_force()),
            seed: self.seed,
            agents: self.entrants.iter().map(AgentSpec::to_string).collect(),
            software_version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// The number of shards.
    pub(crate) fn shards(&self) -> u64 {
        self.games.div_ceil(self.shard_games)
    }

    /// The games of a shard. The range is empty beyond the last shard.
    pub(crate) fn shard(&self, shard: u64) -> Range<u64> {
        let first = shard.saturating_mul(self.shard_games).min(self.games);
        first..first.saturating_add(self.shard_games).min(self.games)
    }

    /// The games of a shard after the first `kept`.
    pub(crate) fn missing(&self, shard: u32, kept: u64) -> Range<u64> {
        let ids = self.shard(shard.into());
        ids.start.saturating_add(kept).min(ids.end)..ids.end
    }

    /// The number of a game's deal.
    pub(crate) fn deal(&self, game_id: u64) -> u64 {
        game_id / self.deal_games
    }

    /// The seed of a game's deal.
    pub(crate) fn game_seed(&self, game_id: u64) -> u64 {
        game_seed(self.seed, self.deal(game_id))
    }

    /// By how many seats the agents are rotated in a game.
    pub(crate) fn rotation(&self, game_id: u64) -> usize {
        (game_id % self.deal_games) as usize
    }

    /// The number of the entrant in a seat.
    pub(crate) fn entrant(&self, game_id: u64, seat: Player) -> usize {
        (seat + self.rotation(game_id)) % self.entrants.len()
    }

    /// The place among [`Plan::roster`] of the agent in a seat.
    pub(crate) fn agent(&self, game_id: u64, seat: Player) -> usize {
        self.places[self.entrant(game_id, seat)]
    }

    /// The agent of each seat in a game, as text.
    pub(crate) fn agents(&self, game_id: u64) -> Vec<String> {
        let agent = |seat| self.entrants[self.entrant(game_id, seat)].to_string();
        (0..self.entrants.len()).map(agent).collect()
    }

    /// The number of an agent's random stream. The games of a deal share a seed, so each rotation has
    /// streams of its own: the random numbers of one game must not come back in the next.
    pub(crate) fn stream(&self, game_id: u64, seat: Player) -> u8 {
        (self.rotation(game_id) * self.entrants.len() + seat) as u8
    }
}
