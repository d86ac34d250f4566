//! `darkqi values`: what each piece is worth.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Subcommand;
use darkqi_datasets::Dataset;
use darkqi_datasets::analysis::{
    Error, Estimate, HeldOut, POSITIONS_PER_GAME, PieceValues, piece_values,
};
use indicatif::HumanCount;

use super::figures::{NONE, elo_text, interval, text};
use super::interrupt::{self, Interrupted};
use super::set::Set;
use super::table;
use crate::arena::{Decision, Results, Sprt};
use crate::balance::{self, Balance, Round, Scaled};
use crate::progress::{Bar, Progress};

/// Estimate what each piece is worth
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Fit(Fit),
    Balance(Loop),
}

/// Fit piece values to the results of a dataset of an agent against itself
///
/// A logistic regression of final results (draws 1/2) on differences of piece counts in quiet
/// positions, with 95 % intervals clustered by deal, beside an ordered logit, and judged on deals that
/// were held out. docs/analysis.md explains the figures.
#[derive(Debug, clap::Args)]
struct Fit {
    /// The dataset
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Positions drawn from a game, at most
    #[arg(long, value_name = "N", default_value_t = POSITIONS_PER_GAME)]
    positions: usize,
    /// Write the values to this TOML file, for the `values` option of agents
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the log odds per unit to this TOML file, for the `weights` option of agents
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Play, fit values, play with these, until they stop moving; then test them
///
/// The test is a match on duplicate deals of the fitted values against those that the loop began with,
/// until it is decided whether they are ELO0 (H0) or ELO1 (H1) better: by default whether they are 20
/// Elo worse or at least as good.
#[derive(Debug, clap::Args)]
struct Loop {
    /// The game
    game: String,
    /// The folder, which is made, for the rounds' datasets and values; the last are values.toml
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// The agent that plays itself, one that reads piece values
    #[arg(long, short, default_value = "greedy")]
    agent: String,
    /// Games of a round
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10_000)]
    games: u64,
    /// The most rounds
    #[arg(long, value_name = "N", default_value_t = 8)]
    rounds: u32,
    /// Values have stopped moving when each has changed by less than this part of itself, or lies in
    /// the interval of its successor
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    tolerance: f64,
    /// Positions drawn from a game, at most
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
    /// The most games of the test
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    test_games: u64,
    /// The seed of the rounds and of the test
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many threads play [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    set: Set,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    match &args.command {
        Command::Fit(args) => fit(args, out),
        Command::Balance(args) => run_loop(args, out),
    }
}

fn fit(args: &Fit, out: &mut dyn Write) -> Result<()> {
    let stop = interrupt::watch();
    let values = match piece_values(&Dataset::open(&args.dir)?, args.positions, stop) {
        Err(Error::Stopped) => return Err(Interrupted("nothing was fitted".to_owned()).into()),
        fitted => fitted.with_context(|| args.dir.display().to_string())?,
    };
    let scaled = Scaled::of(&values);
    if let Some(path) = &args.output {
        save(path, &scaled.toml(&values))?;
    }
    if let Some(path) = &args.weights {
        let weights = scaled.weights_toml(&values);
        save(path, &weights.context("the games do not tell what a unit is worth")?)?;
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&values)?)?;
    } else {
        write_values(out, &values)?;
    }
    Ok(())
}

fn save(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn run_loop(args: &Loop, out: &mut dyn Write) -> Result<()> {
    let &[elo0, elo1] = args.sprt.as_slice() else {
        let expected = "two Elo differences, ELO0,ELO1";
        let found = format!("{} of them", args.sprt.len());
        return Err(balance::Error::Config { field: "sprt", expected, found }.into());
    };
    let defaults = Balance::new(&args.game, &args.out);
    let config = Balance {
        options: args.set.options(),
        agent: args.agent.parse()?,
        games: args.games,
        rounds: args.rounds,
        tolerance: args.tolerance,
        positions: args.positions,
        seed: args.seed,
        threads: args.threads.unwrap_or(defaults.threads),
        sprt: Sprt::new(elo0, elo1),
        test_games: args.test_games,
        ..defaults
    };
    let bar = (!args.quiet).then(|| Bar::new(args.games));
    let progress: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
    let mut rounds = Vec::new();
    let balanced = balance::balance(&config, progress, interrupt::watch(), &mut |round| {
        progress.standing(&format!("round {}", rounds.len() + 1));
        rounds.push(round.clone());
    });
    drop(bar);
    write_rounds(out, &rounds)?;
    let balanced = match balanced {
        Err(error @ balance::Error::Stopped { .. }) => {
            let kept = format!("{error}; they are in {}", args.out.display());
            return Err(Interrupted(kept).into());
        }
        balanced => balanced?,
    };
    let settled = if balanced.is_settled { "have stopped moving" } else { "still move" };
    let file = args.out.join("values.toml");
    writeln!(out, "after {} rounds the values {settled}: {}", rounds.len(), file.display())?;
    write_test(out, &balanced.test)
}

/// A row per kind, with what was fitted in each round.
fn write_rounds(out: &mut dyn Write, rounds: &[Round]) -> Result<()> {
    for (number, round) in (1..).zip(rounds) {
        writeln!(out, "round {number}, {} positions", HumanCount(round.fitted.positions))?;
        let rows = round.values.iter().map(|&(kind, before, Estimate { value, low, high })| {
            [
                kind.to_string(),
                format!("{before:.2}"),
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
        "against the values begun with: {} games, Elo {} ({}); test of {elo0} against {elo1}: {decision}",
        HumanCount(pair.games),
        text(pair.elo, |elo| elo_text(elo.value)),
        text(pair.elo, interval),
    )?;
    Ok(())
}

fn write_values(out: &mut dyn Write, values: &PieceValues) -> Result<()> {
    let count = |count: u64| HumanCount(count).to_string();
    writeln!(
        out,
        "{}, {} against itself: {} positions of {} games on {} deals",
        values.game,
        values.agent,
        count(values.positions),
        count(values.games),
        count(values.deals)
    )?;
    let unit: Vec<_> = values.unit.iter().map(char::to_string).collect();
    writeln!(out, "unit: {} = {}\n", unit.join(" and "), values.unit_value)?;
    let figure = |places: usize| {
        move |estimate: Option<Estimate>| {
            text(estimate, |Estimate { value, low, high }| {
                if low.is_finite() && high.is_finite() {
                    format!("{value:.places$} ({low:.places$} to {high:.places$})")
                } else {
                    format!("{value:.places$} (anything)")
                }
            })
        }
    };
    let (odds, value) = (figure(4), figure(2));
    let header = ["", "value (95 % interval)", "by ordered logit", "log odds (95 % interval)", ""];
    let rows = values.terms.iter().map(|term| {
        let why = term.left_out.as_ref().map_or_else(String::new, |why| format!("left out: {why}"));
        [term.name.clone(), value(term.value), value(term.ordered_value), odds(term.log_odds), why]
    });
    table::write(out, header, rows, |column| (1..4).contains(&column))?;
    if !values.forms.is_empty() {
        let form = |form: &darkqi_datasets::analysis::Form| {
            format!("{}{} {}", form.kinds[0], form.kinds[1], value(Some(form.value)))
        };
        let forms: Vec<_> = values.forms.iter().map(form).collect();
        writeln!(out, "means of forms: {}", forms.join(", "))?;
    }
    if let Some(HeldOut { deals, quality, without_values }) = &values.held_out {
        writeln!(
            out,
            "\non {} deals held out: log-loss {:.4}, {:.4} without values; Brier {:.4}, {:.4}\n",
            count(*deals),
            quality.log_loss.value,
            without_values.log_loss.value,
            quality.brier.value,
            without_values.brier.value
        )?;
        let header = ["predicted", "games", "mean predicted", "observed", "excess (95 % interval)"];
        let rows = quality.bins.iter().map(|bin| {
            let excess = bin.excess.estimate();
            [
                format!("{:.1} to {:.1}", bin.from, bin.to),
                format!("{:.1}", bin.weight),
                format!("{:.4}", bin.predicted),
                format!("{:.4}", bin.observed.value),
                match excess.low.is_finite() {
                    true => {
                        format!("{:+.4} ({:+.4} to {:+.4})", excess.value, excess.low, excess.high)
                    }
                    false => NONE.to_owned(),
                },
            ]
        });
        table::write(out, header, rows, |column| column > 0)?;
    }
    Ok(())
}
