//! `darkqi perft`: numbers of action sequences.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Registered, Rng, Spec, Stream,
    game::GameExt,
    perft::{divide, perft},
};
use darkqi_format::options_to_json;
use darkqi_play::seeds::parse_seed;
use indicatif::HumanCount;
use serde_json::{Value as Json, json};

use super::json;
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
    struct Perft<'a> {
        args: &'a Args,
        out: &'a mut dyn Write,
    }
    impl Visitor for Perft<'_> {
        type Output = Result<()>;
        fn visit<G: Registered>(self, rules: G) -> Result<()> {
            let Self { args, out } = self;
            let state = match &args.fen {
                Some(fen) => rules.parse_fen(fen)?,
                None => rules.deal(&mut Rng::new(args.seed, Stream::Deal)),
            };
            if args.json {
                Ok(json::write(out, &to_json(&rules, &state, args)?)?)
            } else if args.divide {
                write_divided(&rules, &state, args.depth, out)
            } else {
                write_counts(&rules, &state, args.depth, out)
            }
        }
    }
    games::with(&args.game, &args.rule_options.values(&args.game)?, Perft { args, out })?
}

/// Counts one length after another, up to the first that no sequence has.
fn count<G: Registered>(
    rules: &G,
    state: &G::State,
    depth: u32,
    mut each: impl FnMut(&Count) -> Result<()>,
) -> Result<()> {
    for depth in 1..=depth {
        let started = Instant::now();
        let count = perft(rules, state, depth);
        each(&Count { depth, count, elapsed: started.elapsed() })?;
        if count == 0 {
            break;
        }
    }
    Ok(())
}

/// The counts below each action, by the action's name.
fn divided<G: Registered>(rules: &G, state: &G::State, depth: u32) -> Vec<(String, u64)> {
    let name = |action| rules.table().name(action, rules.perspective(rules.to_move(state)));
    let counts = divide(rules, state, depth).into_iter();
    counts.map(|(action, count)| (name(action), count)).collect()
}

fn write_divided<G: Registered>(
    rules: &G,
    state: &G::State,
    depth: u32,
    out: &mut dyn Write,
) -> Result<()> {
    let counts = divided(rules, state, depth);
    let total: u64 = counts.iter().map(|&(_, count)| count).sum();
    let rows = counts.into_iter().chain([("total".to_owned(), total)]);
    let rows = rows.map(|(action, count)| [action, count.to_string()]);
    Ok(table::write(out, ["action", "count"], rows, |column| column == 1)?)
}

fn write_counts<G: Registered>(
    rules: &G,
    state: &G::State,
    depth: u32,
    out: &mut dyn Write,
) -> Result<()> {
    // Each line is written at once: the last takes longer than all others together.
    writeln!(out, "{:>5} {:>20} {:>12} {:>16}", "depth", "count", "seconds", "counts/s")?;
    count(rules, state, depth, |line| {
        let Count { depth, count, elapsed } = line;
        let (seconds, rate) = (elapsed.as_secs_f64(), HumanCount(line.rate() as u64).to_string());
        writeln!(out, "{depth:>5} {count:>20} {seconds:>12.3} {rate:>16}")?;
        Ok(out.flush()?)
    })?;
    if let Some(outcome) = rules.outcome(state) {
        writeln!(out, "the game is over: {}", outcome.reason.name())?;
    }
    Ok(())
}

fn to_json<G: Registered>(rules: &G, state: &G::State, args: &Args) -> Result<Json> {
    let mut json = json!({
        "game": G::NAME,
        "options": options_to_json(&Spec::of(rules).options_in_force()),
        "fen": rules.fen(state),
        "ending": rules.outcome(state).map(|outcome| outcome.reason.name()),
    });
    if args.divide {
        let counts = divided(rules, state, args.depth);
        json["depth"] = args.depth.into();
        json["count"] = counts.iter().map(|&(_, count)| count).sum::<u64>().into();
        let action = |(action, count)| json!({ "action": action, "count": count });
        json["actions"] = counts.into_iter().map(action).collect();
    } else {
        let mut counts = Vec::new();
        count(rules, state, args.depth, |line| {
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
