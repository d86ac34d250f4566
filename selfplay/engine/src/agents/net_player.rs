//! The common part of agents that play by a net: their options, and how a policy or visits become a
//! decision.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use darkqi_env::{Action, Registered, Rng, game::MAX_PLAYERS};
use darkqi_format::PolicyEntry;

use super::error::AgentError;
use super::info::{AgentOption, Built};
use super::options::AgentOptions;
use crate::agent::{Agent, AgentFailure, Decided, Decision, Request, decide_one};
use crate::nets::{
    Block, Evaluations, Net, OnnxNet, Provider, check_rows, policy, positions, seat_values,
};
use crate::search::{Found, Gumbel, Improved, NetSearch, Root, Visits};

const MAX_SIMULATIONS: u32 = 1_000_000;
const MAX_CONSIDERED: u32 = 65_536;
/// Simulations of a search for each action that it begins with, by default: more actions with few
/// visits each play worse.
const SIMULATIONS_PER_ACTION: u32 = 4;
const DEFAULT_CONSIDERED: RangeInclusive<u32> = 2..=16;

pub(super) const TEMPERATURE: AgentOption = AgentOption::plain(
    "temperature",
    "0 plays the most probable action, with search the most visited one; above 0 it samples \
            by probabilities or visits to the power of 1/temperature. With root=gumbel it scales the \
            noise.",
    "0",
);

pub(super) const SIMULATIONS: AgentOption = AgentOption::plain(
    "sims",
    "Simulations of a search for a decision; 0 for the policy alone.",
    "0",
);

/// AlphaZero's constant.
pub(super) const EXPLORATION: AgentOption = AgentOption::plain(
    "c",
    "Exploration constant of PUCT: weight of the policy against values.",
    "1.25",
);

pub(super) const ROOT: AgentOption = AgentOption::plain(
    "root",
    "How a search selects at its root: `puct`, or `gumbel` for Gumbel-Top-k and sequential \
            halving, which improve the policy by few simulations.",
    "puct",
);

pub(super) const CONSIDERED: AgentOption = AgentOption::plain(
    "considered",
    "Actions that root=gumbel begins with.",
    "sims/4, from 2 to 16",
);

pub(super) const SCALE: AgentOption =
    AgentOption::plain("scale", "Weight of values against the policy with root=gumbel.", "1");

pub(super) const BATCH: AgentOption = AgentOption::plain(
    "batch",
    "Rows that are computed together, and games in flight per thread.",
    "64",
);

pub(super) const PROVIDER: AgentOption = AgentOption::plain(
    "provider",
    "`cpu`, or `cuda` with a library of ONNX Runtime that has it (untested).",
    "cpu",
);

/// The values of these options.
pub(super) struct NetSettings {
    temperature: f64,
    simulations: u32,
    exploration: f32,
    root: Root,
    pub(super) rows: Option<usize>,
    pub(super) provider: Provider,
}

impl NetSettings {
    /// # Errors
    /// If one is out of its range.
    pub(super) fn read(options: &AgentOptions) -> Result<Self, AgentError> {
        let provider = match options.get(PROVIDER.name) {
            None | Some("cpu") => Provider::Cpu,
            Some("cuda") => Provider::Cuda,
            Some(other) => {
                let expected = "cpu or cuda".to_owned();
                return Err(options.refuse(PROVIDER.name, other, expected));
            }
        };
        let exploration = options.number_or_default(&EXPLORATION, 0.0..=1000.0)?;
        let temperature = options.number_or_default(&TEMPERATURE, 0.0..=100.0)?;
        let simulations = options.number_or_default(&SIMULATIONS, 0..=MAX_SIMULATIONS)?;
        if let (0, Some(given)) = (simulations, options.get(EXPLORATION.name)) {
            let expected = "none, since `sims` is 0".to_owned();
            return Err(options.refuse(EXPLORATION.name, given, expected));
        }
        Ok(Self {
            temperature,
            simulations,
            exploration,
            root: root(options, simulations, temperature)?,
            rows: options.number(BATCH.name, 1..=Block::MAX_ROWS)?,
            provider,
        })
    }

    /// The agent that plays by a net with these settings.
    ///
    /// # Errors
    /// If the net has no values and a search needs them, cannot be computed, or computes a row by its
    /// place or by other rows.
    pub(super) fn agent<G: Registered>(
        self,
        rules: &G,
        options: &AgentOptions,
        mut net: OnnxNet,
    ) -> Built<G> {
        let Self { temperature, simulations, exploration, root, .. } = self;
        if simulations > 0 && !net.gives_value() {
            let expected = "0, since the net has no output `value`".to_owned();
            return Err(options.refuse(SIMULATIONS.name, &simulations.to_string(), expected));
        }
        let block = positions(rules, net.format(), net.rows());
        check_rows(&mut net, block.clone())
            .map_err(|cause| AgentError::Net { net: net.name().to_owned(), cause })?;
        let net = Box::new(net);
        Ok(match simulations {
            0 => {
                Box::new(NetPolicy { net, temperature, block, evaluations: Evaluations::default() })
            }
            _ => {
                let search = NetSearch::new(net, simulations, exploration, root, block);
                Box::new(NetPlayer { search, temperature })
            }
        })
    }
}

/// How a search selects at its root.
///
/// # Errors
/// If there is no such way, or no search of this kind for an option to change.
fn root(options: &AgentOptions, simulations: u32, temperature: f64) -> Result<Root, AgentError> {
    let refuse = |option, value: &str, expected: &str| {
        Err(options.refuse(option, value, expected.to_owned()))
    };
    match options.get(ROOT.name) {
        Some(given @ "gumbel") if simulations == 0 => {
            refuse(ROOT.name, given, "puct, since `sims` is 0")
        }
        Some("gumbel") => {
            let (fewest, most) = DEFAULT_CONSIDERED.into_inner();
            let considered = options.number(CONSIDERED.name, 1..=MAX_CONSIDERED)?;
            let default = (simulations / SIMULATIONS_PER_ACTION).clamp(fewest, most);
            Ok(Root::Gumbel(Gumbel {
                temperature,
                considered: considered.unwrap_or(default) as usize,
                scale: options.number_or_default(&SCALE, 0.0..=1000.0)?,
            }))
        }
        None | Some("puct") => {
            let given = [CONSIDERED, SCALE]
                .into_iter()
                .find_map(|option| Some((option.name, options.get(option.name)?)));
            match given {
                Some((option, value)) => refuse(option, value, "none without root=gumbel"),
                None => Ok(Root::Puct),
            }
        }
        Some(other) => refuse(ROOT.name, other, "puct or gumbel"),
    }
}

/// Expected results as they are logged: a net whose last layer has no bounds may expect a little more
/// than there is.
fn logged(values: impl IntoIterator<Item = f32>) -> ArrayVec<f32, MAX_PLAYERS> {
    values.into_iter().map(|value| value.clamp(-1.0, 1.0)).collect()
}

/// Samples by probabilities to the power of 1/temperature; at 0 the first of the greatest.
fn sample(entries: &[PolicyEntry], temperature: f64, rng: &mut Rng) -> Action {
    let greatest = entries.iter().map(|entry| entry.probability).fold(0.0, f32::max);
    if temperature == 0.0 {
        let best = entries.iter().find(|entry| entry.probability == greatest);
        return Action(best.expect("a policy has entries").action);
    }
    // By logarithms: powers of small probabilities would vanish.
    let weight = |entry: &PolicyEntry| {
        libm::exp(libm::log(f64::from(entry.probability / greatest)) / temperature)
    };
    let all: f64 = entries.iter().map(weight).sum();
    let mut left = rng.uniform() * all;
    let drawn = entries.iter().find(|entry| {
        left -= weight(entry);
        left < 0.0
    });
    // Rounding may leave a little.
    Action(drawn.or(entries.last()).expect("a policy has entries").action)
}

/// Plays by a net's policy.
struct NetPolicy {
    net: Box<dyn Net>,
    temperature: f64,
    block: Block,
    evaluations: Evaluations,
}

impl<G: Registered> Agent<G> for NetPolicy {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        decide_one(self, rules, request)
    }

    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        let Self { net, temperature, block, evaluations } = self;
        decisions.extend(block.decide(
            rules,
            requests,
            evaluations,
            |block, evaluations| {
                net.evaluate(block, evaluations).map_err(|cause| AgentFailure::new(0, cause))
            },
            |block, evaluations, row, request| {
                let entries = policy(evaluations.logits(row, block), request.legal)?;
                let value = match evaluations.values(row, block) {
                    [] => None,
                    values => {
                        let mover = G::view_to_move(&request.view);
                        Some(logged(seat_values(rules, mover, values)?))
                    }
                };
                let action = sample(&entries, *temperature, request.rng);
                Ok::<_, String>(Decision { action, value, policy: Some(entries.into()) })
            },
        )?);
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.block.rows()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self {
            net: self.net.boxed_clone(),
            temperature: self.temperature,
            block: self.block.clone(),
            evaluations: Evaluations::default(),
        })
    }
}

/// Plays by a search that a net guides.
struct NetPlayer {
    search: NetSearch,
    temperature: f64,
}

impl<G: Registered> Agent<G> for NetPlayer {
    fn decide(&mut self, rules: &G, request: &mut Request<'_, G>) -> Decided {
        decide_one(self, rules, request)
    }

    fn decide_batch(
        &mut self,
        rules: &G,
        requests: &mut [Request<'_, G>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), AgentFailure> {
        let mut results = Vec::with_capacity(requests.len());
        self.search.search(rules, requests, &mut results)?;
        let entries = |policy: Vec<(Action, f32)>| {
            let known = policy.into_iter().filter(|&(_, probability)| probability > 0.0);
            known
                .map(|(action, probability)| PolicyEntry { action: action.0, probability })
                .collect()
        };
        for (request, found) in requests.iter_mut().zip(results) {
            let (action, values, policy): (_, _, Box<[_]>) = match found {
                Found::Puct(Visits { values, shares, .. }) => {
                    let policy: Box<[_]> = entries(shares);
                    (sample(&policy, self.temperature, request.rng), values, policy)
                }
                Found::Gumbel(Improved { action, values, policy }) => {
                    (action, values, entries(policy))
                }
            };
            let value = Some(logged(values.into_iter().take(rules.players())));
            decisions.push(Decision { action, value, policy: Some(policy) });
        }
        Ok(())
    }

    fn batch_size(&self) -> usize {
        self.search.rows()
    }

    fn boxed_clone(&self) -> Box<dyn Agent<G>> {
        Box::new(Self { search: self.search.another(), temperature: self.temperature })
    }
}
