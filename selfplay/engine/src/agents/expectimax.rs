//! The agent `expectimax`: alpha-beta search with exact odds.

use std::time::Duration;

use darkqi_env::Registered;

use super::info::{AgentInfo, AgentOption, Built, RegisteredAgent};
use super::options::{AgentOptions, NET, TABLES, VALUES, WEIGHTS};
use crate::agent::{Agent, AgentFailure, Decided, Decision, Request};
use crate::evaluation::share;
pub(super) use crate::search::Expectimax;
use crate::search::Limits;

/// Layers, if no limit is given.
const DEFAULT_DEPTH: u32 = 2;

impl RegisteredAgent for Expectimax {
    const INFO: AgentInfo = AgentInfo {
        name: "expectimax",
        about: "Alpha-beta search with exact odds at reveals, to a depth or another limit, then \
                quiescence search by captures.",
        argument: None,
        options: &[
            AgentOption::plain(
                "depth",
                "Layers: a ply is one, a reveal on the way another. 1 to 64.",
                "2, or 64 with another limit",
            ),
            AgentOption::plain(
                "nodes",
                "Positions searched for a decision, and at most as many more for the value of a reveal.",
                "no limit",
            ),
            AgentOption::plain(
                "time",
                "Milliseconds for a decision. Games are then not reproducible.",
                "no limit",
            ),
            AgentOption::plain("hash", "Size of the transposition table in MiB, 1 to 65536.", "2"),
            AgentOption::plain(
                "threads",
                "Threads that search one decision, 1 to 256; more than 1 with time= alone.",
                "1",
            ),
            NET,
            TABLES,
            VALUES,
            WEIGHTS,
        ],
    };

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        let nodes = options.number("nodes", 1..=Limits::MAX_NODES)?;
        let time = options.number("time", 1..=Limits::MAX_MILLISECONDS)?;
        let depth = options.number("depth", 1..=Limits::MAX_DEPTH)?;
        let unlimited = nodes.is_none() && time.is_none();
        let default = if unlimited { DEFAULT_DEPTH } else { Limits::MAX_DEPTH };
        let limits = Limits {
            depth: depth.unwrap_or(default),
            nodes,
            time: time.map(Duration::from_millis),
        };
        let hash = options.number("hash", 1..=Self::MAX_HASH)?.unwrap_or(Self::DEFAULT_HASH);
        let threads = options.number("threads", 1..=Self::MAX_THREADS)?.unwrap_or(1);
        if threads > 1 && (limits.time.is_none() || nodes.is_some() || depth.is_some()) {
            // Which thread is faster would decide what is played.
            let expected = "1 unless `time` is the only limit".to_owned();
            return Err(options.refuse("threads", &threads.to_string(), expected));
        }
        let evaluation = options
            .evaluation::<G>()?
            .with_net(options.net(rules)?)
            .with_tables(options.tables(rules)?);
        Ok(Box::new(Self::new(evaluation, limits).with_hash(hash).with_threads(threads)))
    }
}

impl<G: Registered> Agent<G> for Expectimax {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        let Request { game, view, legal, rng, stop } = request;
        if let [only] = **legal {
            return Ok(only.into());
        }
        self.in_game(*game);
        let found = self.search_until(rules, view, rng, stop, &mut |_, _| {});
        if self.has_no_table() {
            let cause = format!("hash: there is no memory for {} MiB", self.hash());
            return Err(AgentFailure::new(0, cause));
        }
        if let Some(cause) = self.unhelped() {
            return Err(AgentFailure::new(0, cause.clone()));
        }
        let value = (found.depth > 0).then(|| share(rules, G::view_to_move(view), found.value));
        Ok(Decision { value, ..found.action.into() })
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
