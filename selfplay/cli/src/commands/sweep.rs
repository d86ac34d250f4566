//! `darkqi sweep`: which rules are the fairest.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use darkqi_analysis::{Difference, Estimate, Quantity};
use darkqi_play::studies::{AgentSweep, OptionSet, Skill, Sweep, SweepResults, Variation, sweep};
use darkqi_report::{Lead, Table};
use indicatif::HumanCount;

use super::format::{elo_text, interval, p_value, share, text, write_warnings};
use super::interrupt;
use super::json;
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
    /// An option and its values, as in `--vary quiet_limit=40,60`; given again for other options.
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
    let values = values.split(',').map(str::to_owned).collect();
    Ok(Variation { option: option.to_owned(), values })
}

const HEADER: [&str; 9] = [
    "rules",
    "score (95 % interval)",
    "decisive",
    "plies",
    "legal actions",
    "lead changes",
    "endings",
    "effective deals",
    "front",
];

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let (study, vary) = (args.study.study()?, args.vary.clone());
    let config = Sweep { study, vary, ..Sweep::clone(&args.sweep) };
    let found = args.study.play(|progress| sweep(&config, progress, interrupt::watch()))?;
    let strongest = found.agents.last().expect("there is an agent");
    let datasets: Vec<&Path> = strongest.sets.iter().map(|set| set.path.as_path()).collect();
    if args.study.json {
        json::write(out, &found)?;
    } else {
        write_tables(out, &found)?;
    }
    let page = args.study.write_page(&datasets, lead(args, &found))?;
    if !args.study.json {
        writeln!(out, "{}", page.display())?;
    }
    Ok(())
}

fn write_tables(out: &mut dyn Write, found: &SweepResults) -> Result<()> {
    for agent in &found.agents {
        write_agent(out, agent)?;
    }
    if !found.skill.is_empty() {
        table::write(out, SKILL_HEADER, found.skill.iter().map(skill_row), |column| column > 2)?;
        for skill in &found.skill {
            let of = format!("{}: {} - {}", skill.set, skill.agent, skill.opponent);
            write_warnings(out, Some(&of), &skill.warnings)?;
        }
    }
    Ok(())
}

fn write_agent(out: &mut dyn Write, agent: &AgentSweep) -> Result<()> {
    writeln!(out, "{} against itself", agent.agent)?;
    table::write(out, HEADER, agent.sets.iter().map(row), |column| (1..6).contains(&column))?;
    writeln!(
        out,
        "score: of the first revealer or, where nothing is covered, mover; front: no other rules are at least as \
         fair, decisive and short, and better in one of these"
    )?;
    for sentence in verdict(agent) {
        writeln!(out, "{sentence}")?;
    }
    write_settled(out, agent)?;
    for set in &agent.sets {
        write_warnings(out, Some(&set.label), &set.first_reveal.warnings)?;
    }
    writeln!(out)?;
    Ok(())
}

/// With `--until`, the differences from the fairest set at the stop.
fn write_settled(out: &mut dyn Write, agent: &AgentSweep) -> Result<()> {
    let (Some(settled), Some(best)) = (&agent.settled, agent.fairest) else { return Ok(()) };
    let of_best = settled.differences.iter().filter(|one| [one.first, one.second].contains(&best));
    let rows = of_best.map(|one| {
        let Estimate { value, low, high } = one.difference;
        // Of the other set less that of the fairest.
        let (other, [value, low, high]) = if one.first == best {
            (one.second, [value, low, high])
        } else {
            (one.first, [-value, -high, -low])
        };
        [agent.sets[other].label.clone(), format!("{value:+.4} ({low:+.4} to {high:+.4})")]
    });
    let less = format!("score less that of {}", agent.sets[best].label);
    let header = [less.as_str(), "difference (all hold at 95 %)"];
    Ok(table::write(out, header, rows, |column| column > 0)?)
}

/// With `--until`, how many games were needed.
fn needed(agent: &AgentSweep) -> Option<String> {
    let settled = agent.settled.as_ref()?;
    let (half_width, games) = (settled.half_width, HumanCount(settled.deals));
    Some(if settled.is_reached {
        format!(
            "every difference in score between two sets is known to ±{half_width} after {games} games of each"
        )
    } else {
        format!(
            "not every difference in score between two sets is known to ±{half_width} after all {games} games \
             of each: the widest interval is ±{:.4}; more games (--games) go on",
            settled.widest
        )
    })
}

fn row(set: &OptionSet) -> [String; 9] {
    let mean = |quantity| set.means[&quantity];
    let number = |quantity| text(mean(quantity), |mean| format!("{:.1}", mean.value));
    let games: u64 = set.endings.values().sum();
    let percent = |(reason, count): (&String, &u64)| {
        format!("{reason} {:.0} %", 100.0 * *count as f64 / games as f64)
    };
    let endings: Vec<String> = set.endings.iter().map(percent).collect();
    [
        set.label.clone(),
        share(set.score),
        text(mean(Quantity::Decisive), |mean| format!("{:.4}", mean.value)),
        number(Quantity::Plies),
        number(Quantity::Branching),
        number(Quantity::LeadChanges),
        endings.join(", "),
        HumanCount(set.first_reveal.effective_deals).to_string(),
        if set.is_on_front { "yes" } else { "" }.to_owned(),
    ]
}

/// Which rules are the fairest, and whether that is more than chance.
fn verdict(agent: &AgentSweep) -> Vec<String> {
    let Some(best) = agent.fairest else {
        let none = "no rules are the fairest: teams share victories".to_owned();
        return [none].into_iter().chain(needed(agent)).collect();
    };
    let label = |place: usize| agent.sets[place].label.as_str();
    let judged = agent.sets.iter().filter_map(|set| Some((set, set.fairness.as_ref()?)));
    let mut sentences: Vec<String> = judged
        .flat_map(|(set, verdict)| {
            let said = [Some(&verdict.sentence), verdict.warning.as_ref()];
            said.into_iter().flatten().map(|text| format!("{}: {text}", set.label))
        })
        .collect();
    sentences.extend(needed(agent));
    match agent.as_fair.len() {
        1 if agent.sets.len() > 1 => sentences.push(format!("fairest: {}", label(best))),
        _ if agent.sets.len() > 1 => {
            sentences.push("no rules are shown to be fairer than all others".to_owned());
        }
        _ => {}
    }
    let others: Vec<&str> =
        agent.as_fair.iter().filter(|&&place| place != best).map(|&place| label(place)).collect();
    let is_other = |one: &&Difference| [one.first, one.second].contains(&best) && one.p_holm < 0.05;
    for one in agent.unfairness.iter().filter(is_other) {
        let other = if one.first == best { one.second } else { one.first };
        let sign = if one.first == best { 1.0 } else { -1.0 };
        let ends = [sign * one.difference.low, sign * one.difference.high];
        sentences.push(format!(
            "less fair: {}, further from even by {:.4} ({:.4} to {:.4}; p {} after Holm)",
            label(other),
            sign * one.difference.value,
            ends[0].min(ends[1]),
            ends[0].max(ends[1]),
            p_value(one.p_holm)
        ));
    }
    // Where nothing is told apart, the sentence above says so.
    if !others.is_empty() && agent.as_fair.len() < agent.sets.len() {
        sentences.push(format!("not told apart from {}: {}", label(best), others.join("; ")));
    }
    sentences
}

const SKILL_HEADER: [&str; 5] =
    ["rules", "agent", "against", "score (95 % interval)", "Elo (95 % interval)"];

fn skill_row(skill: &Skill) -> [String; 5] {
    let Skill { set, agent, opponent, score, elo, .. } = skill;
    [
        set.clone(),
        agent.clone(),
        opponent.clone(),
        text(*score, share),
        text(*elo, |elo| format!("{} ({})", elo_text(elo.value), interval(elo))),
    ]
}

/// The verdict by an agent's games.
fn sentences(agent: &AgentSweep) -> Vec<String> {
    verdict(agent).iter().map(|text| format!("By {}: {text}.", agent.agent)).collect()
}

const DIFFERENCES_HEADER: [&str; 4] =
    ["rules", "compared with", "further from even by (95 % interval)", "p (Holm)"];

fn difference_row(agent: &AgentSweep, one: &Difference) -> [String; 4] {
    let label = |place: usize| agent.sets[place].label.clone();
    let Estimate { value, low, high } = one.difference;
    let difference = format!("{value:+.4} ({low:+.4} to {high:+.4})");
    [label(one.second), label(one.first), difference, p_value(one.p_holm)]
}

/// The beginning of the page.
fn lead(args: &Args, found: &SweepResults) -> Lead {
    let header = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let tables = found.agents.iter().map(|agent| {
        let title = format!("Rules, {} against itself", agent.agent);
        let sets =
            Table::new(&title, header(&HEADER), agent.sets.iter().map(|set| row(set).into()));
        let title = format!("Differences in fairness, {} against itself", agent.agent);
        let rows = agent.unfairness.iter().map(|one| difference_row(agent, one).into());
        let differences = Table::new(&title, header(&DIFFERENCES_HEADER), rows);
        [sets, differences].into_iter().filter(|table| !table.rows.is_empty())
    });
    let tables = tables.flatten();
    let skill = found.skill.iter().map(|skill| skill_row(skill).into());
    let skill = Table::new("Each agent against the one before it", header(&SKILL_HEADER), skill);
    let skill = (!skill.rows.is_empty()).then_some(skill);
    let varied = args
        .vary
        .iter()
        .map(|Variation { option, values }| format!("{option} {}", values.join(", ")));
    Lead {
        title: format!(
            "Rules of {} compared: {}",
            args.study.game,
            varied.collect::<Vec<_>>().join("; ")
        ),
        command: args.study.command(),
        sentences: found.agents.iter().rev().flat_map(sentences).collect(),
        ladder: None,
        tables: tables.chain(skill).collect(),
    }
}
