//! `darkqi selfplay`: games by the million.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};

use super::figures::settled_text;
use super::interrupt::{self, Interrupted};
use super::set::Set;
use super::table;
use crate::agents::AgentSpec;
use crate::config::{Config, SHARD_GAMES};
use crate::generate::selfplay;
use crate::progress::{Bar, Progress};
use crate::summary::{Standing, Summary};

/// Play games between agents and log them as a dataset
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    /// How many games to play; with --until, at most
    #[arg(long, short = 'n', value_name = "N")]
    games: u64,
    /// Stop after the first file with which the score of whoever makes the first reveal (where
    /// nothing is covered, the first move) is known to this half-width, by a 95 % interval that holds
    /// however often it is looked at
    #[arg(long, value_name = "HALF_WIDTH")]
    until: Option<f64>,
    /// The folder of the new dataset
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// One agent per seat, separated by commas, or one for all seats; see `darkqi agents`
    #[arg(long, short, default_value = "greedy")]
    agents: String,
    /// The seed: game k depends on it, on k and on the other settings, not on threads or shards
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many threads play [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// How many games go into one file
    #[arg(long, value_name = "N", default_value_t = SHARD_GAMES)]
    shard_games: u64,
    /// Play every deal once per seat of each agent; N counts all these games
    #[arg(long)]
    duplicate: bool,
    /// Show neither progress nor summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    set: Set,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let config = Config {
        options: args.set.options(),
        agents: AgentSpec::parse_list(&args.agents)?,
        games: args.games,
        seed: args.seed,
        duplicate: args.duplicate,
        threads: args
            .threads
            .or_else(|| thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN),
        shard_games: args.shard_games,
        until: args.until,
        ..Config::new(&args.game, &args.out)
    };
    let bar = (!args.quiet).then(|| Bar::new(args.games));
    let progress: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
    let summary = selfplay(&config, progress, interrupt::watch());
    drop(bar);
    let summary = summary?;
    if !args.quiet {
        write_summary(out, &config, &summary)?;
    }
    if !summary.complete {
        let (games, asked) = (HumanCount(summary.games), HumanCount(args.games));
        let kept = format!("{games} of {asked} games are in {}", args.out.display());
        return Err(Interrupted(kept).into());
    }
    Ok(())
}

fn write_summary(out: &mut dyn Write, config: &Config, summary: &Summary) -> Result<()> {
    writeln!(
        out,
        "{} games of {} with seed {} in {}",
        HumanCount(summary.games),
        config.game,
        config.seed,
        config.dir.display()
    )?;
    if config.duplicate {
        writeln!(out)?;
        write_standings(out, "agent", &summary.agents)?;
    }
    writeln!(out)?;
    write_standings(out, "seat", &summary.seats)?;
    let unit = if config.duplicate { "one observation per deal" } else { "one per game" };
    writeln!(
        out,
        "score: 1 for a win, 1/2 where nobody won; 95 % interval: Wilson's at the observed \
         variance, {unit}\n"
    )?;
    let share = |count: u64| format!("{:.2} %", 100.0 * count as f64 / summary.games as f64);
    let rows = summary
        .reasons
        .iter()
        .map(|(reason, count)| [reason.clone(), HumanCount(*count).to_string(), share(*count)]);
    table::write(out, ["ending", "games", "share"], rows, |column| column > 0)?;
    if let Some(settled) = &summary.settled {
        writeln!(out, "\n{}", settled_text(settled))?;
    }
    let lengths = &summary.lengths;
    writeln!(
        out,
        "\nplies per game: mean {:.1}, median {}, shortest {}, longest {}",
        lengths.mean, lengths.median, lengths.min, lengths.max
    )?;
    let rate = |count: u64| HumanCount((count as f64 / seconds(summary.elapsed)) as u64);
    writeln!(
        out,
        "{:.2} s, {} games/s, {} plies/s, {} written",
        seconds(summary.elapsed),
        rate(summary.games),
        rate(summary.plies),
        HumanBytes(summary.bytes)
    )?;
    Ok(())
}

fn write_standings(out: &mut dyn Write, what: &str, standings: &[Standing]) -> Result<()> {
    let header = [what, "wins", "draws", "losses", "cut off", "score", "95 % interval"];
    let rows = standings.iter().map(|standing| {
        let score = &standing.score;
        [
            standing.name.clone(),
            HumanCount(standing.wins).to_string(),
            HumanCount(standing.draws).to_string(),
            HumanCount(standing.losses).to_string(),
            HumanCount(standing.truncated).to_string(),
            format!("{:.4}", score.mean),
            format!("{:.4} to {:.4}", score.low, score.high),
        ]
    });
    Ok(table::write(out, header, rows, |column| column > 0)?)
}

/// At least a nanosecond, to divide by.
fn seconds(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64().max(1e-9)
}
