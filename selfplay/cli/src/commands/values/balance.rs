//! `darkqi values balance`: values by self-play.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use darkqi_analysis::Estimate;
use darkqi_analysis::piece_values::POSITIONS_PER_GAME;
use darkqi_play::arena::{Decision, Results, Sprt};
use darkqi_play::balance::{self, Balance, Round, RoundValue};
use darkqi_play::reporting::Progress;
use darkqi_play::seeds::parse_seed;
use indicatif::HumanCount;

use crate::Bar;
use crate::commands::format::{counted, elo_text, interval, text};
use crate::commands::interrupt::{self, Interrupted};
use crate::commands::rule_options::RuleOptions;
use crate::commands::{json, table};

/// Play, fit values, play with these, until they converge; then test them
///
/// The test is a match on duplicate deals of the fitted values against the initial ones, until it is
/// decided whether they are ELO0 (H0) or ELO1 (H1) better: by default 20 Elo worse, or equally good.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    /// The folder for the datasets and values of the rounds; it must not exist. The final values are
    /// values.toml
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// The agent that plays itself, one that reads piece values
    #[arg(long, short, default_value = "greedy")]
    agent: String,
    /// Games per round
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10_000)]
    games: u64,
    /// Greatest number of rounds
    #[arg(long, value_name = "N", default_value_t = 8)]
    rounds: u32,
    /// The values have converged when the games show that none changes by more than this fraction of
    /// itself or, for those below the mean of all kinds, of that mean
    #[arg(long, value_name = "FRACTION", default_value_t = 0.2)]
    margin: f64,
    /// Greatest number of positions sampled from a game
    #[arg(long, value_name = "N", default_value_t = POSITIONS_PER_GAME)]
    positions: usize,
    /// The Elo differences that the test decides between
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_delimiter = ',',
        allow_hyphen_values = true,
        num_args = 1,
        default_value = "-20,0"
    )]
    sprt: Vec<f64>,
    /// Greatest number of games of the test
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    test_games: u64,
    /// The seed of the rounds and of the test
    #[arg(long, default_value_t = 0, value_parser = parse_seed)]
    seed: u64,
    /// Number of threads that play [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let &[elo0, elo1] = args.sprt.as_slice() else {
        let expected = "two Elo differences, ELO0,ELO1";
        let found = format!("{} of them", args.sprt.len());
        return Err(balance::Error::Config { field: "sprt", expected, found }.into());
    };
    let defaults = Balance::new(&args.game, &args.out);
    let config = Balance {
        options: args.rule_options.values()?,
        agent: args.agent.parse()?,
        games: args.games,
        rounds: args.rounds,
        margin: args.margin,
        positions: args.positions,
        seed: args.seed,
        threads: args.threads.unwrap_or(defaults.threads),
        sprt: Sprt::new(elo0, elo1),
        test_games: args.test_games,
        ..defaults
    };
    let bar = (!args.quiet).then(|| Bar::new(args.games));
    let mut rounds = Vec::new();
    let balanced = balance::balance(&config, &bar, interrupt::watch(), &mut |round| {
        bar.standing(&format!("round {}", rounds.len() + 1));
        rounds.push(round.clone());
    });
    drop(bar);
    if !args.json {
        write_rounds(out, &rounds)?;
    }
    let balanced = match balanced {
        Err(error @ balance::Error::Stopped { .. }) => {
            let kept = format!("{error}; they are in {}", args.out.display());
            return Err(Interrupted::new(kept).into());
        }
        Err(error) if error.came_in_play() => {
            let (dir, rounds) =
                (args.out.display(), counted(rounds.len() as u64, "finished round"));
            return Err(anyhow!("{error}\nthe values and games of {rounds} are in {dir}"));
        }
        balanced => balanced?,
    };
    if args.json {
        return Ok(json::write(out, &balanced)?);
    }
    let state = if balanced.has_converged {
        "have converged".to_owned()
    } else {
        format!("are not shown to be within {:.0} % of those played", 100.0 * args.margin)
    };
    let file = balanced.file.display();
    if let Some(why) = &balanced.undetermined {
        let round = rounds.len() + 1;
        writeln!(
            out,
            "the games of round {round} do not determine the values ({why}): those of round {} are kept",
            rounds.len()
        )?;
    }
    writeln!(out, "after round {} the values {state}: {file}", rounds.len())?;
    write_test(out, &balanced.test)
}

/// A row per kind, with what was fitted in each round.
fn write_rounds(out: &mut dyn Write, rounds: &[Round]) -> Result<()> {
    for (number, round) in (1..).zip(rounds) {
        writeln!(out, "round {number}, {} positions", HumanCount(round.fit.positions))?;
        let rows = round.values.iter().map(|&RoundValue { kind, played_by, fitted }| {
            let Estimate { value, low, high } = fitted;
            [
                kind.to_string(),
                format!("{played_by:.2}"),
                format!("{value:.2}"),
                format!("{low:.2} to {high:.2}"),
            ]
        });
        table::write(out, ["", "played by", "fitted", "95 % interval"], rows, |column| column > 0)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_test(out: &mut dyn Write, test: &Results) -> Result<()> {
    let (Some(pair), Some(verdict)) = (test.pairs.first(), &test.sprt) else { return Ok(()) };
    let Sprt { elo0, elo1, .. } = verdict.test;
    let decision = match verdict.decision {
        Decision::H0 => format!("better by {elo0} rather than {elo1}"),
        Decision::H1 => format!("better by {elo1} rather than {elo0}"),
        Decision::Undecided => "undecided".to_owned(),
    };
    writeln!(
        out,
        "against the initial values: {} games, Elo {} ({}); test of {elo0} against {elo1}: {decision}",
        HumanCount(pair.games),
        text(pair.elo, |elo| elo_text(elo.value)),
        text(pair.elo, interval),
    )?;
    Ok(())
}
