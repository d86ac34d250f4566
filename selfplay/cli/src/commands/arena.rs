//! `darkqi arena`: matches between agents.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};
use darkqi_analysis::Estimate;
use darkqi_engine::agents::AgentSpec;
use darkqi_play::Error;
use darkqi_play::arena::{
    self, Cycle, Decision, Pairing, Ranking, RatingKind, Results, Sprt, Verdict,
};
use darkqi_play::generation::Job;
use darkqi_play::options::Match;
use indicatif::HumanCount;

use super::format::{
    NONE, another_way, counted, elo_text, interval, p_value, percent, rate, shards_text, text,
    write_restarts, write_warnings,
};
use super::interrupt::{self, Interrupted};
use super::location;
use super::output;
use super::rule_options::RuleOptions;
use super::run_options::RunOptions;
use super::table;
use crate::Bar;

/// Play agents against one another on duplicate deals and rate them
///
/// Every pair of agents plays the same deals. A block is one deal with every way of seating the pair:
/// two games with two seats, two games per seat with an odd number of seats. A team has one agent and
/// counts as one seat. A block is one observation: all intervals come from the variance of block
/// scores. docs/arena.md has the formulae, docs/reference/results.md the keys of the JSON.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    /// Two agents or more, separated by commas; see `darkqi agents`
    #[arg(long, short)]
    agents: String,
    /// Games per pair, rounded up to whole blocks; with a test, the greatest number
    #[arg(long, short = 'n', value_name = "N")]
    games: u64,
    /// Log the match as a dataset in this folder, or at its URL in object storage; if it holds the match,
    /// resume it
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunOptions<Match>,
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
        dir: args.out.clone(),
        ..Job::new(&args.game, AgentSpec::parse_list(&args.agents)?)
    })?;
    let bar = Bar::new(args.games, !args.quiet);
    let played = arena::play(&job, &bar, interrupt::watch());
    drop(bar);
    let (results, failure) = match played {
        Ok(results) => (results, None),
        Err(arena::Failed { cause, so_far: Some(so_far), .. }) => (*so_far, Some(cause)),
        Err(arena::Failed { cause, .. }) if matches!(*cause, Error::Stopped) => {
            return Err(Interrupted::new("nothing was played".to_owned()).into());
        }
        Err(failed) => return Err(failed.into()),
    };
    output::print(args.json, out, &results, |out, results| write_results(out, &job, results))?;
    let (games, asked) = (HumanCount(results.played()), HumanCount(results.asked()));
    let kept = match &args.out {
        Some(dir) => format!("the same command goes on with {}", dir.display()),
        None => "nothing was kept, as there is no --out".to_owned(),
    };
    let counted = format!("{games} of {asked} games are counted; {kept}");
    // Those of other shards are not asked for.
    let is_complete =
        results.complete || job.shards.is_some() && !interrupt::watch().load(Ordering::Relaxed);
    match failure {
        Some(cause) if matches!(*cause, Error::Beyond { .. }) => Err((*cause).into()),
        Some(cause) => Err(anyhow!("{cause}\n{counted}{}", another_way(&cause))),
        None if is_complete => Ok(()),
        None => Err(Interrupted::new(counted).into()),
    }
}

fn write_results(out: &mut dyn Write, job: &Job, results: &Results) -> Result<()> {
    let Results { game, seed, random_plies, games_per_block, games_per_pair, .. } = results;
    let Results { openings, remove, .. } = results;
    write!(
        out,
        "{} games of {game} with seed {seed}, {games_per_block} per deal",
        HumanCount(results.played())
    )?;
    if !openings.is_empty() {
        write!(out, ", begun with {}", counted(openings.len() as u64, "opening"))?;
    }
    if !remove.is_empty() {
        write!(out, ", without {}", remove.join(","))?;
    }
    if *random_plies > 0 {
        write!(out, ", each deal begun with {random_plies} random plies")?;
    }
    writeln!(out)?;
    if *games_per_pair != job.games {
        let games = HumanCount(*games_per_pair);
        writeln!(out, "games per pair: {} rounded up to {games}", HumanCount(job.games))?;
    }
    write_warnings(out, None, &results.warnings)?;
    for pair in &results.pairs {
        write_warnings(out, Some(&format!("{} - {}", pair.first, pair.second)), &pair.warnings)?;
    }
    if results.resumed_games > 0 {
        let games = HumanCount(results.resumed_games);
        writeln!(out, "the dataset held {games} games already")?;
    }
    if let (Some(shards), Some(dir)) = (&job.shards, &job.dir) {
        let (dir, shards) = (dir.display(), shards_text(shards));
        writeln!(out, "shards {shards}; once all are there, `darkqi finish {dir}` lists them")?;
    }
    writeln!(out)?;
    write_pairs(out, &results.pairs)?;
    writeln!(out)?;
    write_agents(out, results)?;
    write_cycles(out, &results.cycles)?;
    write_restarts(out, &results.restarts)?;
    if let Some(verdict) = &results.sprt {
        writeln!(out)?;
        let is_scaled = results.pairs.iter().any(|pair| !pair.warnings.is_empty());
        write_verdict(out, verdict, is_scaled)?;
    }
    write!(out, "\n{:.2} s", results.seconds)?;
    let new = results.played().saturating_sub(results.resumed_games);
    if new > 0 {
        write!(out, ", {} games/s", rate(new as f64 / results.seconds.max(1e-9)))?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_pairs(out: &mut dyn Write, pairs: &[Pairing]) -> Result<()> {
    let header = ["pair", "games", "wins", "draws", "losses", "cut off", "score", "95 % interval"];
    let rows = pairs.iter().map(|pair| {
        let count = |count: u64| HumanCount(count).to_string();
        let Pairing { first, second, .. } = pair;
        [
            format!("{first} - {second}"),
            count(pair.games),
            count(pair.wins),
            count(pair.draws),
            count(pair.losses),
            count(pair.truncated),
            text(pair.score, |score| format!("{:.4}", score.value)),
            text(pair.score, |score| format!("{:.4} to {:.4}", score.low, score.high)),
        ]
    });
    table::write(out, header, rows, |column| column > 0)?;
    writeln!(out)?;
    let header =
        ["pair", "Elo", "95 % interval", "normalised", "95 % interval", "LOS", "blocks", "plies"];
    let rows = pairs.iter().map(|pair| {
        let Pairing { first, second, .. } = pair;
        [
            format!("{first} - {second}"),
            text(pair.elo, |elo| elo_text(elo.value)),
            text(pair.elo, interval),
            text(pair.normalized_elo, |elo| elo_text(elo.value)),
            text(pair.normalized_elo, interval),
            text(pair.los, percent),
            blocks(pair),
            text(pair.mean_plies, |plies| format!("{plies:.1}")),
        ]
    });
    table::write(out, header, rows, |column| column > 0)?;
    writeln!(out, "score: 1 for a win, 1/2 where nobody won; one observation per block")?;
    if pairs.iter().any(|pair| pair.pentanomial.is_some()) {
        writeln!(out, "blocks: pairs of games in which the first scored 0, 1/2, 1, 3/2 and 2")?;
    }
    write_adjusted(out, pairs)
}

/// The scores without the luck of reveals, where there are any.
fn write_adjusted(out: &mut dyn Write, pairs: &[Pairing]) -> Result<()> {
    if pairs.iter().all(|pair| pair.adjusted.is_none()) {
        return Ok(());
    }
    writeln!(out)?;
    let header =
        ["pair", "luck-adjusted score", "95 % interval", "Elo", "95 % interval", "variance saved"];
    let rows = pairs.iter().map(|pair| {
        let (Pairing { first, second, .. }, adjusted) = (pair, pair.adjusted);
        [
            format!("{first} - {second}"),
            text(adjusted, |one| format!("{:.4}", one.score.value)),
            text(adjusted, |one| format!("{:.4} to {:.4}", one.score.low, one.score.high)),
            text(adjusted, |one| elo_text(one.elo.value)),
            text(adjusted, |one| interval(one.elo)),
            text(adjusted, |one| format!("{:.2} %", 100.0 * one.reduction)),
        ]
    });
    table::write(out, header, rows, |column| column > 0)
}

/// The number of blocks, by score if there are two sides.
fn blocks(pair: &Pairing) -> String {
    match pair.pentanomial {
        Some(counts) => counts.map(|count| count.to_string()).join(" "),
        None => HumanCount(pair.blocks).to_string(),
    }
}

fn write_agents(out: &mut dyn Write, results: &Results) -> Result<()> {
    let Results { agents, reference, .. } = results;
    let header = ["agent", "rating", "95 % interval", "points", "games", "score", "decisions/s"];
    let rows = agents.iter().map(|agent| {
        let rating = match agent.elo_kind {
            RatingKind::Finite => text(agent.elo, |elo| elo_text(elo.value)),
            RatingKind::PlusInfinity => elo_text(f64::INFINITY),
            RatingKind::MinusInfinity => elo_text(f64::NEG_INFINITY),
            RatingKind::Unknown => NONE.to_owned(),
        };
        [
            agent.agent.clone(),
            rating,
            text(agent.elo.filter(is_known), interval),
            points(agent.points),
            HumanCount(agent.games).to_string(),
            text(agent.score, |score| format!("{score:.4}")),
            text(agent.decisions_per_second, |rate| HumanCount(rate as u64).to_string()),
        ]
    });
    table::write(out, header, rows, |column| column > 0)?;
    writeln!(out, "rating: Elo above {reference}, fitted to all games")?;
    write_groups(out, agents)
}

/// The ratings among agents that no results link both ways to those with finite ratings.
fn write_groups(out: &mut dyn Write, agents: &[Ranking]) -> Result<()> {
    for group in 1.. {
        let own = || agents.iter().filter(|agent| agent.group == group);
        if own().next().is_none() {
            break;
        }
        let rated = own().filter_map(|agent| {
            let elo = agent.group_elo?;
            let interval =
                if is_known(&elo) { format!(" ({})", interval(elo)) } else { String::new() };
            Some(format!("{} {}{interval}", agent.agent, elo_text(elo.value)))
        });
        let rated: Vec<String> = rated.collect();
        if !rated.is_empty() {
            writeln!(out, "rated among themselves: {}", rated.join(", "))?;
        }
    }
    Ok(())
}

/// Whether a rating has an interval: that of the agent which others are relative to has none.
fn is_known(elo: &Estimate) -> bool {
    elo.low < elo.high
}

fn write_cycles(out: &mut dyn Write, cycles: &[Cycle]) -> Result<()> {
    for Cycle { agents: [one, two, three], p_holm } in cycles {
        let p = p_value(*p_holm);
        writeln!(
            out,
            "no rating orders {one} > {two} > {three} > {one}: each beats the next, p (Holm) {p}"
        )?;
    }
    Ok(())
}

fn write_verdict(out: &mut dyn Write, verdict: &Verdict, is_scaled: bool) -> Result<()> {
    let Verdict { test: Sprt { elo0, elo1, alpha, beta }, lower, upper, llr, .. } = verdict;
    let decision = match verdict.decision {
        Decision::H0 => "H0 accepted",
        Decision::H1 => "H1 accepted",
        Decision::Undecided => "undecided",
    };
    writeln!(
        out,
        "SPRT of Elo {elo0} (H0) against {elo1} (H1), alpha {alpha}, beta {beta}: {decision}\n\
         LLR {llr:.3}, bounds {lower:.3} and {upper:.3}"
    )?;
    if is_scaled {
        writeln!(
            out,
            "blocks that begin alike count as few: the LLR is that of their effective number"
        )?;
    }
    if verdict.decision != Decision::Undecided {
        writeln!(out, "the figures above are not corrected for stopping at the decision")?;
    }
    Ok(())
}

/// Points: whole or half ones, unless several winners shared a game.
fn points(points: f64) -> String {
    let places = if (2.0 * points).fract() == 0.0 { 1 } else { 2 };
    format!("{points:.places$}")
}
