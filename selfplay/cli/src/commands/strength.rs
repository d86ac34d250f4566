//! `darkqi strength`: the answers at rising strength.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use darkqi_analysis::statistics::Trend;
use darkqi_analysis::{Equality, Estimate, Quantity, SIGNIFICANT};
use darkqi_play::studies::{Rung, StrengthResults, strength};
use darkqi_report::{Ladder, Lead, Rung as Point, Table};
use indicatif::HumanCount;

use super::format::{capitalised, elo_text, interval, p_value, share, text, write_warnings};
use super::interrupt;
use super::output;
use super::study_options::StudyOptions;
use super::table;

/// Measure what the first reveal is worth at rising strength
///
/// Every agent plays itself, and all play one another for their Elo. Prints the score of the first
/// revealer (where nothing is covered, of the first mover), the share of decisive games and their
/// length for each agent, a line through them against Elo, and how many games a half-width needs. The
/// page DIR/report.html begins with the score against strength.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) study: StudyOptions,
}

const HEADER: [&str; 7] = [
    "agent",
    "Elo",
    "score (95 % interval)",
    "decisive (95 % interval)",
    "plies",
    "effective deals",
    "games for ± 0.01",
];

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let study = args.study.study()?;
    let found = args.study.play(|progress| strength(&study, progress, interrupt::watch()))?;
    let datasets: Vec<&Path> = found.rungs.iter().map(|rung| rung.path.as_path()).collect();
    output::print(args.study.json, out, &found, write_tables)?;
    let page = args.study.write_page(&datasets, lead(args, &found))?;
    if !args.study.json {
        writeln!(out, "{}", page.display())?;
    }
    Ok(())
}

fn write_tables(out: &mut dyn Write, found: &StrengthResults) -> Result<()> {
    table::write(out, HEADER, found.rungs.iter().map(row), |column| column > 0)?;
    writeln!(
        out,
        "score: of the first revealer or, where nothing is covered, mover; luck-adjusted where that is narrower"
    )?;
    for sentence in sentences(found) {
        writeln!(out, "{sentence}")?;
    }
    for rung in &found.rungs {
        write_warnings(out, Some(&rung.agent), &rung.first_reveal.warnings)?;
    }
    for pair in &found.ladder.pairs {
        write_warnings(out, Some(&format!("{} - {}", pair.first, pair.second)), &pair.warnings)?;
    }
    Ok(())
}

fn row(rung: &Rung) -> [String; 7] {
    let one = &rung.first_reveal;
    let needed = rung.games_needed.iter().find(|(half_width, _)| *half_width == 0.01);
    [
        rung.agent.clone(),
        rung_elo(rung),
        share(rung.score),
        share(one.decisive),
        format!("{:.1}", one.plies.mean.value),
        HumanCount(one.effective_deals).to_string(),
        text(needed, |(_, games)| HumanCount(*games).to_string()),
    ]
}

/// The rating of an agent with its interval.
fn rung_elo(rung: &Rung) -> String {
    text(rung.elo, |elo| {
        // That of the agent which others are relative to is exact.
        let interval =
            if elo.low < elo.high { format!(" ({})", interval(elo)) } else { String::new() };
        elo_text(elo.value) + &interval
    })
}

/// The lines, and the figures of the last agent.
fn sentences(found: &StrengthResults) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(last) = found.rungs.last() {
        sentences.push(format!(
            "the last agent, {} (Elo {}), scores {}",
            last.agent,
            text(last.elo, |elo| elo_text(elo.value)),
            share(last.score)
        ));
    }
    for (quantity, trend) in &found.trends {
        let name = quantity.name();
        sentences.push(match trend {
            None => format!(
                "{name}: no line, which needs three agents with finite intervals and different Elo"
            ),
            Some(trend) => slope(name, *quantity, trend),
        });
    }
    for (quantity, test) in &found.equality {
        sentences.extend(test.map(|test| equality(quantity.name(), test)));
    }
    sentences
}

/// Whether a figure is the same of all agents.
fn equality(name: &str, test: Equality) -> String {
    let Equality { statistic, freedom, p_value: p } = test;
    let verdict = if p < SIGNIFICANT { "it differs" } else { "no difference is shown" };
    format!(
        "{name} of all agents equal: Q {statistic:.2} on {freedom} degree{} of freedom, p {}: {verdict}",
        if freedom == 1 { "" } else { "s" },
        p_value(p)
    )
}

fn slope(name: &str, quantity: Quantity, trend: &Trend) -> String {
    let Estimate { value, low, high } = trend.slope.estimate();
    let places = if quantity.is_share() { 4 } else { 1 };
    let per_100 = |slope: f64| format!("{:+.places$}", 100.0 * slope);
    let verdict = if low > 0.0 {
        "rises"
    } else if high < 0.0 {
        "falls"
    } else {
        "shows no trend"
    };
    format!(
        "{name} per 100 Elo: {} ({} to {}): it {verdict} with strength",
        per_100(value),
        per_100(low),
        per_100(high)
    )
}

/// The beginning of the page.
fn lead(args: &Args, found: &StrengthResults) -> Lead {
    let point = |rung: &Rung| {
        Some(Point { agent: rung.agent.clone(), elo: rung.elo?.value, score: rung.score })
    };
    let rows = found.rungs.iter().map(|rung| row(rung).into());
    Lead {
        title: format!("Scores in {} at rising strength", args.study.game),
        command: args.study.command(),
        sentences: sentences(found).iter().map(|text| capitalised(text)).collect(),
        ladder: Some(Ladder {
            points: found.rungs.iter().filter_map(point).collect(),
            trend: found.trends[&Quantity::Score],
        }),
        tables: vec![Table::new("At rising strength", HEADER.map(str::to_owned).into(), rows)],
    }
}
