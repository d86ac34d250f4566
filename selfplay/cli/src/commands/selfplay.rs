//! `darkqi selfplay`: games between agents, as a dataset.

use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::shown_name;
use darkqi_format::Error::{MissingFolder, NotADataset};
use darkqi_format::{Dataset, is_remote};
use darkqi_play::Error;
use darkqi_play::generation::{Config, SHARD_GAMES, Standing, Summary, kept_games, selfplay};
use darkqi_play::seeds::parse_seed;
use indicatif::{HumanBytes, HumanCount};

use super::format::{counted, rate, settled_text, text, write_warnings};
use super::interrupt::{self, Interrupted};
use super::json;
use super::location::location;
use super::opening_options::OpeningOptions;
use super::restarts;
use super::rule_options::RuleOptions;
use super::shard_range;
use super::table;
use crate::Bar;

/// Play games between agents and log them as a dataset
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    #[arg(required_unless_present = "resume")]
    game: Option<String>,
    /// Number of games; with --until, the greatest number
    #[arg(long, short = 'n', value_name = "N", required_unless_present = "resume")]
    games: Option<u64>,
    /// Stop after the first file that brings the 95 % interval of the first revealer's score (where
    /// nothing is covered, the first mover's) down to this half-width. The interval is anytime-valid
    #[arg(long, value_name = "HALF_WIDTH")]
    until: Option<f64>,
    /// Let --until count by the luck-adjusted score, which needs fewer games where the luck of reveals
    /// decides much
    #[arg(long)]
    luck_adjusted: bool,
    /// The folder of the dataset, or its URL in object storage
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: PathBuf,
    /// Resume the run in DIR, with its settings. Settings given here must be the same, apart from N
    /// and HALF_WIDTH, which may ask for more games. Without a run in DIR, begin it
    #[arg(long)]
    resume: bool,
    /// Play only the shards (files) from A to B - 1 of the run, counted from 0, while others
    /// may play other ones in DIR; `darkqi finish DIR` then makes one dataset of them. Shards that are
    /// there are not played again
    #[arg(long, value_name = "A..B", value_parser = shard_range::parse)]
    shards: Option<Range<u64>>,
    /// One agent per seat, separated by commas, or one for all seats; see `darkqi agents` [default:
    /// greedy]
    #[arg(long, short)]
    agents: Option<String>,
    /// The seed: game k depends on it, on k and on the other settings, not on threads or shards
    /// [default: 0]
    #[arg(long, value_parser = parse_seed)]
    seed: Option<u64>,
    /// Number of threads that play [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[arg(long, value_name = "N", help = format!("Number of games per file [default: {SHARD_GAMES}]"))]
    shard_games: Option<u64>,
    /// Play every deal once per rotation of the agents over the seats; N counts all these games
    #[arg(long)]
    duplicate: bool,
    #[command(flatten)]
    openings: OpeningOptions,
    /// Write the observation and mask of every ply to observations/*.parquet, too, once all games are
    /// played: for readers without darkqi
    #[arg(long)]
    observations: bool,
    /// Print the summary as one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Show neither progress nor, without --json, a summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let config = config(args)?;
    let bar = (!args.quiet).then(|| Bar::new(config.games));
    let summary = selfplay(&config, &bar, interrupt::watch());
    drop(bar);
    let summary = match summary {
        Err(Error::Stopped) => return Err(interrupted(&config)),
        Err(error) => return Err(failed(&config, error)),
        Ok(summary) => summary,
    };
    if args.json {
        json::write(out, &&summary)?;
    } else if !args.quiet {
        write_summary(out, &config, &summary)?;
    }
    if summary.complete { Ok(()) } else { Err(interrupted(&config)) }
}

/// The run asked for; with `--resume`, options that are left open are the dataset's.
fn config(args: &Args) -> Result<Config> {
    let begun = if args.resume {
        match Dataset::open_unchecked(&args.out) {
            Err(NotADataset { .. } | MissingFolder { .. })
                if args.game.is_some() && args.games.is_some() =>
            {
                None
            }
            dataset => Some(Config::of_dataset(&dataset?)?),
        }
    } else {
        None
    };
    let mut config = match begun {
        Some(config) => config,
        None => Config {
            agents: AgentSpec::parse_list("greedy")?,
            resume: args.resume,
            ..Config::new(args.game.clone().unwrap_or_default(), &args.out)
        },
    };
    if let Some(game) = &args.game
        && *game != config.game
    {
        // Options of another game mean nothing to this one.
        config.options.clear();
        config.game.clone_from(game);
    }
    config.options.extend(args.rule_options.values()?);
    if let Some(agents) = &args.agents {
        config.agents = AgentSpec::parse_list(agents)?;
    } else if let Some(agent) = config.agents.iter().find(|agent| agent.starts_a_program()) {
        // The dataset may be a stranger's.
        let dir = config.dir.display();
        let agent = agent.to_string();
        let agent = shown_name(&agent);
        bail!("{dir}: agent {agent} starts a program; expected the agents by --agents");
    }
    config.games = args.games.unwrap_or(config.games);
    config.seed = args.seed.unwrap_or(config.seed);
    config.threads = args.threads.unwrap_or(config.threads);
    config.shard_games = args.shard_games.unwrap_or(config.shard_games);
    config.duplicate |= args.duplicate;
    let openings = &mut config.openings;
    let lines = args.openings.lines()?;
    if !lines.is_empty() {
        openings.lines = lines;
    }
    if !args.openings.remove.is_empty() {
        openings.remove.clone_from(&args.openings.remove);
    }
    openings.random_plies = args.openings.random_plies.unwrap_or(openings.random_plies);
    config.observations = args.observations;
    config.until = args.until.or(config.until);
    config.luck_adjusted |= args.luck_adjusted;
    config.shards.clone_from(&args.shards);
    Ok(config)
}

/// A message: what is kept, and how to go on, where there is something to go on with.
fn kept(config: &Config) -> Option<String> {
    if let Some(shards) = &config.shards {
        let (dir, shards) = (config.dir.display(), shard_range::text(shards));
        let how =
            format!("`darkqi selfplay --resume --out {dir} --shards {shards}` plays the others");
        return Some(format!("the shards that are finished are in {dir}; {how}"));
    }
    if is_remote(&config.dir) {
        let dir = config.dir.display();
        let how = format!("`darkqi selfplay --resume --out {dir}` plays the others");
        return Some(format!("the shards that are finished are in {dir}; {how}"));
    }
    let (games, asked) = (HumanCount(kept_games(&config.dir).ok()?), HumanCount(config.games));
    let dir = config.dir.display();
    let how = format!("`darkqi selfplay --resume --out {dir}` resumes the run");
    Some(format!("{games} of {asked} games are in {dir}; {how}"))
}

fn interrupted(config: &Config) -> anyhow::Error {
    Interrupted::new(kept(config).unwrap_or_else(|| "nothing is kept".to_owned())).into()
}

/// Where games were being played, the error with what is kept.
fn failed(config: &Config, error: Error) -> anyhow::Error {
    match error.came_in_play().then(|| kept(config)).flatten() {
        Some(kept) => anyhow!("{error}\n{kept}"),
        None => error.into(),
    }
}

fn write_summary(out: &mut dyn Write, config: &Config, summary: &Summary) -> Result<()> {
    writeln!(
        out,
        "{} of {} with seed {} in {}",
        counted(summary.games, "game"),
        config.game,
        config.seed,
        config.dir.display()
    )?;
    if summary.kept_games > 0 {
        writeln!(out, "{} of them were in the dataset already", HumanCount(summary.kept_games))?;
    }
    if let Some(shards) = &config.shards {
        let (dir, shards) = (config.dir.display(), shard_range::text(shards));
        writeln!(out, "shards {shards}; once all are there, `darkqi finish {dir}` lists them")?;
    }
    for damage in &summary.damages {
        writeln!(out, "played again: {damage}")?;
    }
    if summary.games == 0 {
        // Of no games there are no shares.
        return Ok(());
    }
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
         variance, {unit}"
    )?;
    if summary.settled.is_none() {
        write_warnings(out, None, &summary.warnings)?;
    }
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
    restarts::write(out, &summary.restarts)?;
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
    Ok(table::write(out, header, rows, |column| column > 0)?)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use darkqi_play::generation::{Config, selfplay};
    use tempfile::tempdir;

    use super::write_summary;

    #[test]
    fn a_run_without_games_has_no_figures() {
        let folder = tempdir().expect("a folder can be made");
        let config = Config::new("gaiqi", folder.path().join("games"));
        let summary = selfplay(&config, &(), &AtomicBool::new(true)).expect("it stops");
        assert_eq!(summary.games, 0);
        let mut out = Vec::new();
        write_summary(&mut out, &config, &summary).expect("it can be written");
        let text = String::from_utf8(out).expect("it is text");
        assert!(text.starts_with("0 games of gaiqi with seed 0 in "), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
