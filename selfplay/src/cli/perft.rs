//! `darkqi perft`: numbers of action sequences.

use std::io::Write;
use std::time::Instant;

use anyhow::Result;
use darkqi_env::games::{self, Visitor};
use darkqi_env::{GameExt, Registered, Rng, Stream};
use darkqi_env::{divide, perft};
use indicatif::HumanCount;

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
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Count below each action, at the full depth only
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    struct Count<'a> {
        args: &'a Args,
        out: &'a mut dyn Write,
    }
    impl Visitor for Count<'_> {
        type Output = Result<()>;
        fn visit<G: Registered>(self, rules: G) -> Result<()> {
            let state = match &self.args.fen {
                Some(fen) => rules.parse_fen(fen)?,
                None => rules.deal(&mut Rng::new(self.args.seed, Stream::Deal)),
            };
            if self.args.divide {
                write_divided(&rules, &state, self.args.depth, self.out)
            } else {
                write_counts(&rules, &state, self.args.depth, self.out)
            }
        }
    }
    games::with(&args.game, &args.rule_options.values(), Count { args, out })?
}

fn write_divided<G: Registered>(
    rules: &G,
    state: &G::State,
    depth: u32,
    out: &mut dyn Write,
) -> Result<()> {
    let counts = divide(rules, state, depth);
    let total: u64 = counts.iter().map(|&(_, count)| count).sum();
    let name = |action| rules.table().name(action, rules.perspective(state));
    let rows = counts.iter().map(|&(action, count)| [name(action), count.to_string()]);
    let rows = rows.chain([["total".to_owned(), total.to_string()]]);
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
    for depth in 1..=depth {
        let started = Instant::now();
        let count = perft(rules, state, depth);
        let seconds = started.elapsed().as_secs_f64();
        let rate = HumanCount((count as f64 / seconds.max(1e-9)) as u64).to_string();
        writeln!(out, "{depth:>5} {count:>20} {seconds:>12.3} {rate:>16}")?;
        out.flush()?;
        if count == 0 {
            break;
        }
    }
    if let Some(outcome) = rules.outcome(state) {
        writeln!(out, "the game is over: {}", outcome.reason.name())?;
    }
    Ok(())
}
