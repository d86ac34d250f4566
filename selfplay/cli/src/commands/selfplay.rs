//! `darkqi selfplay`: games between agents, as a dataset.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use darkqi_analysis::Doubt;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::shown::shown_name;
use darkqi_format::{Dataset, is_remote};
use darkqi_play::Error;
use darkqi_play::generation::{Job, Standing, Summary, kept_games, selfplay};
use darkqi_play::options::Selfplay;
use darkqi_report::quoted;
use indicatif::{HumanBytes, HumanCount};

use super::format::{
    another_way, counted, rate, settled_text, shards_text, text, write_restarts, write_warnings,
};
use super::interrupt::{self, Interrupted};
use super::location;
use super::output;
use super::rule_options::RuleOptions;
use super::run_options::RunOptions;
use super::table;
use crate::Bar;

/// Play games between agents and log them as a dataset
///
/// With --resume, settings that are not given are those of the run in the folder. Without it, GAME and
/// --games are required.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    #[arg(required_unless_present = "resume")]
    game: Option<String>,
    /// Number of games; with --until, the greatest number
    #[arg(long, short = 'n', value_name = "N", required_unless_present = "resume")]
    games: Option<u64>,
    /// The folder of the dataset, or its URL in object storage
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: PathBuf,
    /// One agent per seat, separated by commas, or one for all seats; see `darkqi agents` [default:
    /// greedy]
    #[arg(long, short)]
    agents: Option<String>,
    #[command(flatten)]
    run: RunOptions<Selfplay>,
    /// Print the summary as one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let job = job(args)?;
    let bar = Bar::new(job.games, !args.quiet);
    let summary = selfplay(&job, &bar, interrupt::watch());
    drop(bar);
    let summary = match summary {
        Err(Error::Stopped) => return Err(interrupted(&job, &args.out)),
        Err(error) => return Err(failed(&job, &args.out, error)),
        Ok(summary) => summary,
    };
    if args.json {
        output::write_json(out, &&summary)?;
    } else {
        write_summary(out, &job, &summary)?;
    }
    if summary.complete { Ok(()) } else { Err(interrupted(&job, &args.out)) }
}

/// The run asked for; with `--resume`, options that are left open are the dataset's.
fn job(args: &Args) -> Result<Job> {
    let asked = args.run.of(Job::default())?;
    let begun = if asked.resume {
        match Dataset::open_unchecked(&args.out) {
            Err(error) if error.is_no_dataset() && args.game.is_some() && args.games.is_some() => {
                None
            }
            dataset => Some(Job::of_selfplay(&dataset?)?),
        }
    } else {
        None
    };
    let mut job = match begun {
        Some(job) => job,
        None => {
            let game = args.game.clone().unwrap_or_default();
            Job { dir: Some(args.out.clone()), ..Job::new(game, AgentSpec::parse_list("greedy")?) }
        }
    };
    if let Some(game) = &args.game
        && *game != job.game
    {
        // Options of another game mean nothing to this one.
        job.options.clear();
        job.game.clone_from(game);
    }
    job.options.extend(args.rule_options.values(&job.game)?);
    if let Some(agents) = &args.agents {
        job.agents = AgentSpec::parse_list(agents)?;
    } else if let Some(agent) = job.agents.iter().find(|agent| agent.starts_a_program()) {
        // The dataset may be a stranger's.
        let dir = args.out.display();
        let agent = agent.to_string();
        let agent = shown_name(&agent);
        bail!("{dir}: agent {agent} starts a program; expected the agents by --agents");
    }
    job.games = args.games.unwrap_or(job.games);
    Ok(args.run.of(job)?)
}

/// A message: what is kept, and how to go on, where there is something to go on with.
fn kept(job: &Job, dir: &Path) -> Option<String> {
    let shown = dir.display();
    let mut command = format!("darkqi selfplay --resume --out {}", quoted(&shown.to_string()));
    if job.agents.iter().any(AgentSpec::starts_a_program) {
        let agents: Vec<String> = job.agents.iter().map(ToString::to_string).collect();
        command += &format!(" --agents {}", quoted(&agents.join(",")));
    }
    if let Some(shards) = &job.shards {
        command += &format!(" --shards {}", shards_text(shards));
    }
    if job.shards.is_some() || is_remote(dir) {
        return Some(format!(
            "the shards that are finished are in {shown}; `{command}` plays the others"
        ));
    }
    let (games, asked) = (HumanCount(kept_games(dir).ok()?), HumanCount(job.games));
    Some(format!("{games} of {asked} games are in {shown}; `{command}` resumes the run"))
}

fn interrupted(job: &Job, dir: &Path) -> anyhow::Error {
    Interrupted::new(kept(job, dir).unwrap_or_else(|| "nothing is kept".to_owned())).into()
}

/// Where games were being played, the error with what is kept.
fn failed(job: &Job, dir: &Path, error: Error) -> anyhow::Error {
    match error.came_in_play().then(|| kept(job, dir)).flatten() {
        Some(kept) => anyhow!("{error}\n{kept}{}", another_way(&error)),
        None => error.into(),
    }
}

fn write_summary(out: &mut dyn Write, job: &Job, summary: &Summary) -> Result<()> {
    writeln!(
        out,
        "{} of {} with seed {} in {}",
        counted(summary.games, "game"),
        job.game,
        job.seed,
        summary.path.display()
    )?;
    if summary.kept_games > 0 {
        writeln!(out, "{} of them were in the dataset already", HumanCount(summary.kept_games))?;
    }
    if let Some(shards) = &job.shards {
        let dir = quoted(&summary.path.display().to_string());
        let shards = shards_text(shards);
        writeln!(out, "shards {shards}; once all are there, `darkqi finish {dir}` lists them")?;
    }
    for damage in &summary.damages {
        writeln!(out, "played again: {damage}")?;
    }
    if summary.games == 0 {
        // Of no games there are no shares.
        return Ok(());
    }
    if job.duplicate {
        writeln!(out)?;
        write_standings(out, "agent", &summary.agents)?;
    }
    writeln!(out)?;
    write_standings(out, "seat", &summary.seats)?;
    let unit = match job.openings.as_ref().map_or(0, Vec::len) {
        2.. => "one observation per opening",
        _ if job.duplicate => "one observation per deal",
        _ => "one per game",
    };
    writeln!(
        out,
        "score: 1 for a win, 1/{} where nobody won; 95 % interval: Wilson's at the observed \
         variance, {unit}",
        summary.seats.len()
    )?;
    // The score that decided has a warning of its own where deals begin alike.
    let mut warnings = summary.warnings.clone();
    warnings.retain(|it| summary.settled.is_none() || matches!(it, Doubt::FewClusters { .. }));
    write_warnings(out, None, &warnings)?;
    writeln!(out)?;
    let share = |count: u64| format!("{:.2} %", 100.0 * count as f64 / summary.games as f64);
    let rows = summary
        .reasons
        .iter()
        .map(|(reason, count)| [reason.clone(), HumanCount(*count).to_string(), share(*count)]);
    table::write(out, ["ending", "games", "share"], rows, |column| column > 0)?;
    if let Some(settled) = &summary.settled {
        writeln!(out, "\n{}", settled_text(settled))?;
    }
    write_restarts(out, &summary.restarts)?;
    let lengths = &summary.lengths;
    writeln!(
        out,
        "\nplies per game: mean {:.1}, median {}, shortest {}, longest {}",
        lengths.mean, lengths.median, lengths.min, lengths.max
    )?;
    // At least a nanosecond, to divide by.
    let seconds = summary.seconds.max(1e-9);
    let rate = |count: u64| rate(count as f64 / seconds);
    writeln!(
        out,
        "{:.2} s, {} games/s, {} plies/s, {} in all",
        seconds,
        rate(summary.games - summary.kept_games),
        rate(summary.plies - summary.kept_plies),
        HumanBytes(summary.bytes)
    )?;
    Ok(())
}

fn write_standings(out: &mut dyn Write, what: &str, standings: &[Standing]) -> Result<()> {
    let header = [what, "wins", "draws", "losses", "cut off", "score", "95 % interval"];
    let rows = standings.iter().map(|standing| {
        [
            standing.name.clone(),
            HumanCount(standing.wins).to_string(),
            HumanCount(standing.draws).to_string(),
            HumanCount(standing.losses).to_string(),
            HumanCount(standing.truncated).to_string(),
            text(standing.score, |score| format!("{:.4}", score.value)),
            text(standing.score, |score| format!("{:.4} to {:.4}", score.low, score.high)),
        ]
    });
    table::write(out, header, rows, |column| column > 0)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use darkqi_engine::agents::AgentSpec;
    use darkqi_play::generation::{Job, selfplay};
    use tempfile::tempdir;

    use super::write_summary;

    #[test]
    fn a_run_without_games_has_no_figures() {
        let folder = tempdir().expect("a folder can be made");
        let agents = AgentSpec::parse_list("random").expect("it exists");
        let dir = Some(folder.path().join("games"));
        let job = Job { dir, ..Job::new("gaiqi", agents) };
        let summary = selfplay(&job, &(), &AtomicBool::new(true)).expect("it stops");
        assert_eq!(summary.games, 0);
        let mut out = Vec::new();
        write_summary(&mut out, &job, &summary).expect("it can be written");
        let text = String::from_utf8(out).expect("it is text");
        assert!(text.starts_with("0 games of gaiqi with seed 0 in "), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
