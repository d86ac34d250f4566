//! The configuration of a match.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Options, Spec};
use darkqi_format::Openings;

use super::sprt::Sprt;
use crate::error::Error;
use crate::generation::{Job, SHARD_GAMES, Seating};
use crate::openings::default_plies;
use crate::threads::all_threads;

/// A match: all pairs of agents play the same duplicate deals.
#[derive(Clone, Debug)]
pub struct Match {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// At least two agents, all different as text. Ratings are relative to the first.
    pub agents: Vec<AgentSpec>,
    /// Games per pair of agents, at least 1. They are rounded up to whole blocks.
    pub games: u64,
    /// The seed of the match. A game depends on it and on the game's number.
    pub seed: u64,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// Positions to begin with, one of which is drawn per block: [`Openings::lines`]. None: the deal.
    ///
    /// [`Openings::lines`]: darkqi_format::Openings::lines
    pub openings: Vec<String>,
    /// Names of pieces that are taken off: [`Openings::remove`].
    ///
    /// [`Openings::remove`]: darkqi_format::Openings::remove
    pub remove: Vec<String>,
    /// Uniformly random plies before the agents take over, the same in all games of a block. The
    /// default is 0 where deals or openings differ, otherwise 2 per seat.
    pub random_plies: Option<u32>,
    /// A sequential test of the first of exactly two agents against the second. The match ends once it
    /// is decided, at the latest after `games`.
    pub sprt: Option<Sprt>,
    /// The folder of a dataset in which the match is logged, or its URL in object storage. If it holds
    /// the match, the match is resumed; `threads` and `sprt` may differ then, and `games` may be more.
    pub out: Option<PathBuf>,
    /// Number of games in a shard of that dataset, at least 1. It is rounded up to whole deals.
    pub shard_games: u64,
    /// Play only these shards of the match, counted from 0. Other processes, on this machine or others,
    /// may play shards in the same folder at the same time; [`finish`](crate::generation::finish()) then makes one
    /// dataset of them, of which the same match without `shards` gives the results. Not possible with
    /// `sprt`, and with agents that play by the clock or are programs.
    pub shards: Option<Range<u64>>,
}

impl Match {
    /// A match of a thousand games per pair with default options on all cores.
    pub fn new(game: impl Into<String>, agents: Vec<AgentSpec>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agents,
            games: 1000,
            seed: 0,
            threads: all_threads(),
            openings: Vec::new(),
            remove: Vec::new(),
            random_plies: None,
            sprt: None,
            out: None,
            shard_games: SHARD_GAMES,
            shards: None,
        }
    }

    /// The job of this match, whose agents read their files again.
    ///
    /// # Errors
    /// If the test, or the shards, cannot be played.
    pub(super) fn job(&self, spec: &Spec) -> Result<Job, Error> {
        if let Some(sprt) = self.sprt {
            if self.agents.len() != 2 {
                let found = format!("{} agents", self.agents.len());
                return Err(Error::config("sprt", "exactly two agents", found));
            }
            sprt.check()?;
        }
        if self.shards.is_some() && self.out.is_none() {
            return Err(Error::config("shards", "a folder beside them", "none"));
        }
        let (lines, remove) = (self.openings.clone(), self.remove.clone());
        let random_plies = self.random_plies.unwrap_or_else(|| default_plies(spec, &lines));
        Ok(Job {
            game: self.game.clone(),
            options: self.options.clone(),
            agents: self.agents.iter().map(AgentSpec::afresh).collect(),
            games: self.games,
            seed: self.seed,
            seating: Seating::Pairs,
            openings: Openings { lines, remove, random_plies },
            threads: self.threads,
            shard_games: self.shard_games,
            until: None,
            luck_adjusted: false,
            sprt: self.sprt.map(|Sprt { elo0, elo1, alpha, beta }| [elo0, elo1, alpha, beta]),
            is_timed: true,
            resume: true,
            shards: self.shards.clone(),
            dir: self.out.clone(),
        })
    }
}
