//! `darkqi perft`: numbers of action sequences.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use darkqi_env::{Action, AnyState, Spec};
use darkqi_format::options_to_json;
use darkqi_play::seeds::parse_seed;
use indicatif::HumanCount;
use serde_json::{Value as Json, json};

use super::output;
use super::rule_options::RuleOptions;
use super::table;

/// Count the action sequences of each length from a position, to test and time move generation
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    /// The greatest length in plies
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
    /// The position, a full FEN
    #[arg(long, conflicts_with = "seed")]
    fen: Option<String>,
    /// The seed that deals the position
    #[arg(long, default_value_t = 0, value_parser = parse_seed)]
    seed: u64,
    /// Count below each action, at the full depth only
    #[arg(long)]
    divide: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

/// The number of action sequences of one length.
struct Count {
    depth: u32,
    count: u64,
    elapsed: Duration,
}

impl Count {
    /// Sequences per second.
    fn rate(&self) -> f64 {
        self.count as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let spec = Spec::new(&args.game, &args.rule_options.values(&args.game)?)?;
    let state = match &args.fen {
        Some(fen) => spec.parse_fen(fen)?,
        None => spec.deal(args.seed),
    };
    if args.json {
        output::write_json(out, &to_json(&*state, args)?)
    } else if args.divide {
        write_divided(&*state, args.depth, out)
    } else {
        write_counts(&*state, args.depth, out)
    }
}

/// Counts one length after another, up to the first that no sequence has.
fn count(
    state: &dyn AnyState,
    depth: u32,
    mut each: impl FnMut(&Count) -> Result<()>,
) -> Result<()> {
    for depth in 1..=depth {
        let started = Instant::now();
        let count = state.perft(depth);
        each(&Count { depth, count, elapsed: started.elapsed() })?;
        if count == 0 {
            break;
        }
    }
    Ok(())
}

/// The counts below each action, by the action's name.
fn divided(state: &dyn AnyState, depth: u32) -> Vec<(String, u64)> {
    let below = |&action: &Action| {
        let mut next = state.boxed_clone();
        next.apply(action).expect("it is legal");
        (state.action_name(action), next.perft(depth - 1))
    };
    state.legal_actions().iter().map(below).collect()
}

fn write_divided(state: &dyn AnyState, depth: u32, out: &mut dyn Write) -> Result<()> {
    let counts = divided(state, depth);
    let total: u64 = counts.iter().map(|&(_, count)| count).sum();
    let rows = counts.into_iter().chain([("total".to_owned(), total)]);
    let rows = rows.map(|(action, count)| [action, count.to_string()]);
    table::write(out, ["action", "count"], rows, |column| column == 1)
}

fn write_counts(state: &dyn AnyState, depth: u32, out: &mut dyn Write) -> Result<()> {
    // Each line is written at once: the last takes longer than all others together.
    writeln!(out, "{:>5} {:>20} {:>12} {:>16}", "depth", "count", "seconds", "counts/s")?;
    count(state, depth, |line| {
        let Count { depth, count, elapsed } = line;
        let (seconds, rate) = (elapsed.as_secs_f64(), HumanCount(line.rate() as u64).to_string());
        writeln!(out, "{depth:>5} {count:>20} {seconds:>12.3} {rate:>16}")?;
        Ok(out.flush()?)
    })?;
    if let Some(outcome) = state.outcome() {
        writeln!(out, "the game is over: {}", outcome.reason.name())?;
    }
    Ok(())
}

fn to_json(state: &dyn AnyState, args: &Args) -> Result<Json> {
    let spec = state.spec();
    let mut json = json!({
        "game": spec.name,
        "options": options_to_json(&spec.options_in_force()),
        "fen": state.fen(),
        "ending": state.outcome().map(|outcome| outcome.reason.name()),
    });
    if args.divide {
        let counts = divided(state, args.depth);
        json["depth"] = args.depth.into();
        json["count"] = counts.iter().map(|&(_, count)| count).sum::<u64>().into();
        let action = |(action, count)| json!({ "action": action, "count": count });
        json["actions"] = counts.into_iter().map(action).collect();
    } else {
        let mut counts = Vec::new();
        count(state, args.depth, |line| {
            counts.push(json!({
                "depth": line.depth,
                "count": line.count,
                "seconds": line.elapsed.as_secs_f64(),
                "counts_per_second": line.rate(),
            }));
            Ok(())
        })?;
        json["counts"] = counts.into();
    }
    Ok(json)
}
