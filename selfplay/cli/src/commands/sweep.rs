//! `darkqi sweep`: which rules are the fairest.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use darkqi_analysis::Estimate;
use darkqi_engine::agents::values_of;
use darkqi_play::report::{self, SET_COLUMNS, SKILL_COLUMNS};
use darkqi_play::studies::{
    AgentSweep, Sweep, SweepResults, Variation, check_no_rules_vary, sweep,
};
use indicatif::HumanCount;

use super::format::{counted, share, write_warnings};
use super::interrupt;
use super::output;
use super::study_options::StudyOptions;
use super::table;

/// Find the fairest rules: all combinations of values of some options
///
/// Every agent plays itself under each set of rules, on common deals. Prints for each set the score of
/// the first revealer (where nothing is covered, of the first mover), the share of decisive games,
/// their length, legal actions and lead changes, and which sets no other is better than in all of
/// fair, decisive and short. Then a verdict on each set: fair, not fair or not decided, with the number of
/// games that would decide it. The fairest set is named if all others are shown to be less fair.
/// With several agents, the score of each against the one before it. The page is DIR/report.html.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// An option and its values, as in `--vary quiet_limit=40,60`; given again for other options. A value
    /// with a comma stands in quotes.
    /// The option `remove` takes pieces off, as in `--vary remove=none,R,P+P`; `remove=each` stands
    /// for none and one piece of each kind that the first mover can spare
    #[arg(long, value_name = "OPTION=VALUE,...", required = true, value_parser = variation)]
    vary: Vec<Variation>,
    #[command(flatten)]
    sweep: Box<Sweep>,
    #[command(flatten)]
    pub(super) study: StudyOptions,
}

fn variation(text: &str) -> Result<Variation, String> {
    let (option, values) = text
        .split_once('=')
        .filter(|(option, _)| !option.is_empty())
        .ok_or("expected OPTION=VALUE,VALUE, such as quiet_limit=40,60")?;
    Ok(Variation { option: option.to_owned(), values: values_of(values)? })
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let (study, vary) = (args.study.study()?, args.vary.clone());
    if args.study.rule_options.rules.is_some() {
        check_no_rules_vary(&vary)?;
    }
    let config = Sweep { study, vary, ..Sweep::clone(&args.sweep) };
    let found = args.study.play(|progress| sweep(&config, progress, interrupt::watch()))?;
    let strongest = found.agents.last().expect("there is an agent");
    let datasets: Vec<&Path> = strongest.sets.iter().map(|set| set.path.as_path()).collect();
    let is_timed = args.sweep.minutes.is_some();
    output::print(args.study.json, out, &found, |out, found| write_tables(out, found, is_timed))?;
    let lead = report::lead_of_sweep(&config, &found, command(args, &found));
    let page = args.study.write_page(&datasets, lead)?;
    if !args.study.json {
        writeln!(out, "{}", page.display())?;
    }
    Ok(())
}

/// The commands that play the same games. How many fit into some minutes depends on the machine.
fn command(args: &Args, found: &SweepResults) -> String {
    if args.sweep.minutes.is_none() {
        return args.study.command();
    }
    const TIMED: [&str; 5] = ["--minutes", "--agents", "-a", "--games", "-n"];
    let again = |agent: &AgentSweep| {
        let games = agent.sets.first().map_or(0, |set| set.first_reveal.games);
        let instead = ["--agents", &agent.agent, "--games", &games.to_string()].map(str::to_owned);
        args.study.command_without(&TIMED, &instead)
    };
    found.agents.iter().map(again).collect::<Vec<_>>().join("\n")
}

fn write_tables(out: &mut dyn Write, found: &SweepResults, is_timed: bool) -> Result<()> {
    for agent in &found.agents {
        write_agent(out, agent, is_timed)?;
    }
    for sentence in &found.agreement {
        writeln!(out, "{sentence}")?;
    }
    if !found.skill.is_empty() {
        let rows = found.skill.iter().map(report::skill_row);
        table::write(out, SKILL_COLUMNS, rows, |column| column > 2)?;
        for skill in &found.skill {
            let of = format!("{}: {} - {}", skill.set, skill.agent, skill.opponent);
            write_warnings(out, Some(&of), &skill.warnings)?;
        }
    }
    Ok(())
}

fn write_agent(out: &mut dyn Write, agent: &AgentSweep, is_timed: bool) -> Result<()> {
    writeln!(out, "{} against itself", agent.agent)?;
    let rows = agent.sets.iter().map(report::set_row);
    table::write(out, SET_COLUMNS, rows, |column| (1..6).contains(&column))?;
    writeln!(
        out,
        "score: of the first revealer or, where nothing is covered, mover; front: no other rules are at least as \
         fair, decisive and short, and better in one of these"
    )?;
    for sentence in &agent.verdict {
        writeln!(out, "{sentence}")?;
    }
    write_time(out, agent, is_timed)?;
    write_settled(out, agent)?;
    for set in &agent.sets {
        write_warnings(out, Some(&set.label), &set.first_reveal.warnings)?;
    }
    writeln!(out)?;
    Ok(())
}

/// With `--minutes`, how many games were played; how long those would take that are missing to a verdict, at
/// the speed of this machine.
fn write_time(out: &mut dyn Write, agent: &AgentSweep, is_timed: bool) -> Result<()> {
    if let Some(set) = agent.sets.first().filter(|_| is_timed) {
        writeln!(out, "{} of each set were played", counted(set.first_reveal.games, "game"))?;
    }
    let Some(pace) = agent.pace else { return Ok(()) };
    let more = agent.sets.iter().filter_map(|set| set.fairness.as_ref()?.more_games);
    if let Some(games) = more.max() {
        let minutes = pace.as_secs_f64() * games as f64 / 60.0;
        let time = match minutes {
            ..0.5 => "less than a minute".to_owned(),
            ..=1.0 => "about a minute".to_owned(),
            ..120.0 => format!("about {} minutes", minutes.ceil()),
            _ => format!("about {} hours", (minutes / 60.0).round()),
        };
        writeln!(out, "{} more games of each set take {time} here", HumanCount(games))?;
    }
    Ok(())
}

/// With `--until`, the differences from the fairest set at the stop; from the first one where none is known to
/// be, and the score of a single set.
fn write_settled(out: &mut dyn Write, agent: &AgentSweep) -> Result<()> {
    let Some(settled) = &agent.settled else { return Ok(()) };
    if let Some(score) = settled.score {
        return Ok(writeln!(out, "anytime-valid score: {}", share(score))?);
    }
    let best = agent.fairest.unwrap_or(0);
    let of_best = settled.differences.iter().filter(|one| [one.first, one.second].contains(&best));
    let rows = of_best.map(|one| {
        let Estimate { value, low, high } = one.difference;
        // Of the other set less that of the fairest.
        let (other, difference) = if one.first == best {
            (one.second, one.difference)
        } else {
            (one.first, Estimate { value: -value, low: -high, high: -low })
        };
        [agent.sets[other].label.clone(), difference.signed()]
    });
    let less = format!("score less that of {}", agent.sets[best].label);
    let header = [less.as_str(), "difference (all hold at 95 %)"];
    table::write(out, header, rows, |column| column > 0)
}
