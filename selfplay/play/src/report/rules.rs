//! The beginning of the page about a sweep, and the rows of its tables.

use darkqi_analysis::{Difference, Quantity, count};
use darkqi_report::{Lead, Table};

use crate::reporting::figures::{elo_text, interval, p_value, share, text};
use crate::studies::{AgentSweep, OptionSet, Skill, Sweep, SweepResults, Variation};

/// The columns of a table of option sets.
pub const SET_COLUMNS: [&str; 9] = [
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

/// The row of an option set.
pub fn set_row(set: &OptionSet) -> [String; 9] {
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
        count(set.first_reveal.effective_deals),
        if set.is_on_front { "yes" } else { "" }.to_owned(),
    ]
}

/// The columns of a table of matches.
pub const SKILL_COLUMNS: [&str; 5] =
    ["rules", "agent", "against", "score (95 % interval)", "Elo (95 % interval)"];

/// The row of a match.
pub fn skill_row(skill: &Skill) -> [String; 5] {
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
    agent.verdict.iter().map(|text| format!("By {}: {text}.", agent.agent)).collect()
}

const DIFFERENCES_HEADER: [&str; 4] =
    ["rules", "compared with", "further from even by (95 % interval)", "p (Holm)"];

fn difference_row(agent: &AgentSweep, one: &Difference) -> [String; 4] {
    let label = |place: usize| agent.sets[place].label.clone();
    [label(one.second), label(one.first), one.difference.signed(), p_value(one.p_holm)]
}

/// The beginning of the page about a sweep, which this command plays.
pub fn lead_of_sweep(sweep: &Sweep, found: &SweepResults, command: String) -> Lead {
    let header = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let tables = found.agents.iter().map(|agent| {
        let title = format!("Rules, {} against itself", agent.agent);
        let sets = Table::new(
            &title,
            header(&SET_COLUMNS),
            agent.sets.iter().map(|set| set_row(set).into()),
        );
        let title = format!("Differences in fairness, {} against itself", agent.agent);
        let rows = agent.unfairness.iter().map(|one| difference_row(agent, one).into());
        let differences = Table::new(&title, header(&DIFFERENCES_HEADER), rows);
        [sets, differences].into_iter().filter(|table| !table.rows.is_empty())
    });
    let tables = tables.flatten();
    let skill = found.skill.iter().map(|skill| skill_row(skill).into());
    let skill = Table::new("Each agent against the one before it", header(&SKILL_COLUMNS), skill);
    let skill = (!skill.rows.is_empty()).then_some(skill);
    let agreement = found.agreement.iter().map(|text| format!("{text}."));
    let varied = sweep
        .vary
        .iter()
        .map(|Variation { option, values }| format!("{option} {}", values.join(", ")));
    Lead {
        title: format!(
            "Rules of {} compared: {}",
            sweep.study.job.game,
            varied.collect::<Vec<_>>().join("; ")
        ),
        command,
        sentences: found.agents.iter().rev().flat_map(sentences).chain(agreement).collect(),
        ladder: None,
        tables: tables.chain(skill).collect(),
    }
}
