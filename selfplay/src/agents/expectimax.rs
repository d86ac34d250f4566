//! The agent `expectimax`: alpha-beta search with exact odds.

use std::time::Duration;

use arrayvec::ArrayVec;
use darkqi_env::{MAX_PLAYERS, Player, Registered};

use super::error::AgentError;
use super::info::{AgentInfo, AgentOption};
use super::options::{AgentOptions, VALUES, WEIGHTS};
use super::registered_agent::RegisteredAgent;
use crate::driver::{Agent, Decision, Request};
pub(super) use crate::search::Expectimax;
use crate::search::Limits;

/// Layers, if no limit is given.
const DEFAULT_DEPTH: u32 = 2;

const MOST_NODES: u64 = 1_000_000_000_000;
/// A day.
const MOST_MILLISECONDS: u64 = 86_400_000;

impl RegisteredAgent for Expectimax {
    const INFO: AgentInfo = AgentInfo {
        name: "expectimax",
        about: "Alpha-beta search with exact odds at reveals, to a depth or another limit, then \
                quiescence search by captures.",
        options: &[
            AgentOption {
                name: "depth",
                about: "Layers: a ply is one, a reveal on the way another. 1 to 64.",
                default: "2, or 64 with another limit",
                is_file: false,
            },
            AgentOption {
                name: "nodes",
                about: "Positions searched for a decision.",
                default: "no limit",
                is_file: false,
            },
            AgentOption {
                name: "time",
                about: "Milliseconds for a decision. Games are then not reproducible.",
                default: "no limit",
                is_file: false,
            },
            VALUES,
            WEIGHTS,
        ],
    };

    fn build<G: Registered>(options: &AgentOptions) -> Result<Box<dyn Agent<G>>, AgentError> {
        let nodes = options.number("nodes", 1..=MOST_NODES)?;
        let time = options.number("time", 1..=MOST_MILLISECONDS)?;
        let depth = options.number("depth", 1..=Limits::MAX_DEPTH)?;
        let unlimited = nodes.is_none() && time.is_none();
        let default = if unlimited { DEFAULT_DEPTH } else { Limits::MAX_DEPTH };
        let limits = Limits {
            depth: depth.unwrap_or(default),
            nodes,
            time: time.map(Duration::from_millis),
        };
        Ok(Box::new(Self::new(options.evaluation::<G>()?, limits)))
    }
}

/// What each seat is expected to get if `value`, from -1 to 1, is what the mover's team wins: shared
/// within teams, and the loss among the other teams (RULES.md 9.24).
fn share<G: Registered>(rules: &G, mover: Player, value: f32) -> ArrayVec<f32, MAX_PLAYERS> {
    let seats = 0..rules.players();
    let members = |seat| seats.clone().filter(|&other| rules.allied(seat, other)).count() as f32;
    let teams: f32 = seats.clone().map(|seat| 1.0 / members(seat)).sum();
    let result = |seat| match rules.allied(mover, seat) {
        true => value / members(seat),
        false => -value / ((teams - 1.0) * members(seat)),
    };
    seats.clone().map(result).collect()
}

impl<G: Registered> Agent<G> for Expectimax {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decision {
        let Request { view, legal, rng } = request;
        if let [only] = **legal {
            return only.into();
        }
        let found = self.search(rules, view, rng);
        let value = (found.depth > 0).then(|| share(rules, G::view_to_move(view), found.value));
        Decision { value, ..found.action.into() }
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(self.clone())
    }
}
