//! `darkqi values balance`: values by self-play.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use darkqi_analysis::Estimate;
use darkqi_play::arena::{Decision, Results, Sprt};
use darkqi_play::balance::{self, Balance, Round, RoundValue};
use darkqi_play::generation::Job;
use darkqi_play::options;
use darkqi_play::reporting::Progress;
use indicatif::HumanCount;

use crate::Bar;
use crate::commands::format::{counted, elo_text, interval, text};
use crate::commands::interrupt::{self, Interrupted};
use crate::commands::rule_options::RuleOptions;
use crate::commands::run_options::RunOptions;
use crate::commands::{location, output, table};

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
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: PathBuf,
    /// The agent that plays itself, one that reads piece values
    #[arg(long, short, default_value = "greedy")]
    agent: String,
    /// Games per round
    #[arg(long, short = 'n', value_name = "N", default_value_t = Balance::GAMES)]
    games: u64,
    #[command(flatten)]
    run: RunOptions<options::Balance>,
    #[command(flatten)]
    balance: Box<Balance>,
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
    let job = args.run.of(Job {
        options: args.rule_options.values(&args.game)?,
        games: args.games,
        dir: Some(args.out.clone()),
        ..Job::new(&args.game, vec![args.agent.parse()?])
    })?;
    let config = Balance { job, ..Balance::clone(&args.balance) };
    let bar = Bar::new(args.games, !args.quiet);
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
        return output::write_json(out, &balanced);
    }
    let state = if balanced.has_converged {
        "have converged".to_owned()
    } else {
        format!("are not shown to be within {:.0} % of those played", 100.0 * config.margin)
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
        writeln!(out, "round {number}, {} positions", HumanCount(round.fit.basis.positions))?;
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
