//! What to play: a run of self-play, and what follows from it for each game.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::thread;

use darkqi_datasets::Metadata;
use darkqi_datasets::options_to_json;
use darkqi_env::MAX_THREADS;
use darkqi_env::{Options, Player, Registered, Spec, game_seed};

use crate::agents::AgentSpec;
use crate::error::Error;

/// Games per shard without being told otherwise: some tens of megabytes in memory.
pub const SHARD_GAMES: u64 = 5000;

/// A run of self-play.
#[derive(Clone, Debug)]
pub struct Config {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// One agent per seat, or one for all seats.
    pub agents: Vec<AgentSpec>,
    /// Number of games, at least 1; with `until`, at most.
    pub games: u64,
    /// The seed of the run. Game k depends on the configuration and k, and on nothing else.
    pub seed: u64,
    /// Whether every deal is played once per rotation of the agents over the seats, so that the
    /// luck of the deal cancels out. Such games share a `pair_id`; `games` counts each of them
    /// and must be a multiple of the number of seats.
    pub duplicate: bool,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// Number of games in a shard, at least 1; rounded up to whole deals.
    pub shard_games: u64,
    /// Ends the run after the first shard with which the score of whoever makes the first reveal
    /// (where nothing is covered, the first move) is known to this half-width, by a 95 % interval
    /// that holds however often it is looked at. The agent must play itself.
    pub until: Option<f64>,
    /// Whether to go on with the run in the dataset's folder, if there is one. Its settings must be
    /// these, apart from `threads`, and from `games` and `until` as long as the result is what a run
    /// with these would have given.
    pub resume: bool,
    /// The dataset's folder, which is made. Unless the run is to go on, it must not hold a dataset.
    pub dir: PathBuf,
}

impl Config {
    /// A run of a thousand random games with default options on all cores.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agents: vec!["random".parse().expect("the random agent is registered")],
            games: 1000,
            seed: 0,
            duplicate: false,
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            shard_games: SHARD_GAMES,
            until: None,
            resume: false,
            dir: dir.into(),
        }
    }

    /// What all games of the dataset have in common.
    pub(crate) fn metadata<G: Registered>(&self, rules: &G, plan: &Plan) -> Metadata {
        Metadata {
            game: G::NAME.into(),
            options: options_to_json(&Spec::of(rules).options_in_force()),
            seed: self.seed,
            agents: plan.entrants.iter().map(AgentSpec::to_string).collect(),
            software_version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

/// Who plays what in which game.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// One agent per seat of the first game of a deal.
    pub(crate) entrants: Vec<AgentSpec>,
    /// Games that share a deal.
    pub(crate) deal_games: u64,
    /// Games in a shard.
    pub(crate) shard_games: u64,
    /// Games in all.
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
        let agents: BTreeSet<String> = entrants.iter().map(AgentSpec::to_string).collect();
        if config.until.is_some() && agents.len() > 1 {
            return Err(Error::Until { agents: agents.into_iter().collect() });
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
        let shards = config.games.div_ceil(shard_games);
        if shards > u64::from(u32::MAX) {
            let least = config.games.div_ceil(u32::MAX.into());
            return refuse("shard_games", config.shard_games, format!("at least {least}"));
        }
        Ok(Self { entrants, deal_games, shard_games, games: config.games, seed: config.seed })
    }

    /// The games of a shard: none of one that is beyond the last.
    pub(crate) fn shard(&self, shard: u64) -> Range<u64> {
        let first = shard.saturating_mul(self.shard_games).min(self.games);
        first..first.saturating_add(self.shard_games).min(self.games)
    }

    /// The number of the deal that a game is played on.
    pub(crate) fn deal(&self, game_id: u64) -> u64 {
        game_id / self.deal_games
    }

    /// The seed that deals a game.
    pub(crate) fn seed(&self, game_id: u64) -> u64 {
        game_seed(self.seed, self.deal(game_id))
    }

    /// By how many seats the agents have moved on in a game.
    pub(crate) fn rotation(&self, game_id: u64) -> usize {
        (game_id % self.deal_games) as usize
    }

    /// Which of the entrants sits in a seat.
    pub(crate) fn entrant(&self, game_id: u64, seat: Player) -> usize {
        (seat + self.rotation(game_id)) % self.entrants.len()
    }

    /// The number of an agent's random stream. Games on the same deal share a seed, so each
    /// rotation has streams of its own: what one agent drew must not come back in the next game.
    pub(crate) fn stream(&self, game_id: u64, seat: Player) -> u8 {
        (self.rotation(game_id) * self.entrants.len() + seat) as u8
    }
}
