//! `darkqi first-reveal`: the value of the first reveal.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use darkqi_analysis as analysis;
use darkqi_analysis::{
    Comparison, DEALS_PER_COVARIATE, Difference, Effects, Error, Estimate, FirstRevealValue,
    Outcomes, Quantity, Revealer, Settled, count, first_reveal_judged, labels, settled_scores,
};
use darkqi_env::shown::shown_name;
use darkqi_format::{Dataset, with_pool};
use darkqi_play::luck::reveal_judge;
use serde::Serialize;

use super::format::{NONE, elo_text, interval, p_value, settled_text, share, text, write_warnings};
use super::interrupt::{self, Interrupted};
use super::location;
use super::output;
use super::table;

/// Measure what the first reveal is worth in datasets of agents against themselves
///
/// Prints the score (win 1, draw 1/2) of the player who makes the first reveal with its 95 %
/// interval, apart from the advantage of the seat that moves first, and by the piece that came up
/// and where it lay. Errors are clustered by deal. docs/statistics.md explains the figures.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Datasets, one per agent; several are compared side by side
    #[arg(required = true, value_name = "DIR", value_parser = location())]
    dirs: Vec<PathBuf>,
    /// Add the anytime-valid 95 % intervals for this half-width, of the score and of the luck-adjusted
    /// one: those for datasets that `darkqi selfplay --until` stopped by one of them
    #[arg(long, value_name = "HALF_WIDTH")]
    until: Option<f64>,
    /// Adjust the score by a search's opinion of each reveal as well (AIVAT): a narrower interval, in up
    /// to two minutes of a processor for a thousand games
    #[arg(long)]
    aivat: bool,
    /// Print a JSON list with an object per dataset instead of tables; `differences` has those from the
    /// datasets before it
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let stop = interrupt::watch();
    let interrupted = || anyhow::Error::from(Interrupted::new("nothing was measured"));
    let measure = |dataset: &Dataset| -> Result<Measured> {
        let settled = args.until.map(|half_width| settled_scores(dataset, half_width, stop));
        let judge = args.aivat.then(|| reveal_judge(dataset.metadata())).transpose()?;
        let measured = settled.transpose().and_then(|settled| {
            let first_reveal = first_reveal_judged(dataset, judge.as_deref(), stop)?;
            Ok(Measured {
                first_reveal: first_reveal.with_settled(settled),
                luck_adjusted: dataset.run().is_some_and(|run| run.luck_adjusted),
                is_complete: dataset.is_complete(),
                differences: BTreeMap::new(),
            })
        });
        match measured {
            Err(Error::Stopped) => Err(interrupted()),
            measured => measured.with_context(|| dataset.dir().display().to_string()),
        }
    };
    let datasets: Vec<_> = args.dirs.iter().map(Dataset::open).collect::<Result<_, _>>()?;
    let (mut measured, comparison) = with_pool(|| -> Result<_> {
        let measured: Vec<_> = datasets.iter().map(measure).collect::<Result<_>>()?;
        let comparison = match datasets.len() {
            1 => None,
            _ => match Comparison::new(&datasets, stop) {
                Err(Error::Stopped) => return Err(interrupted()),
                comparison => Some(comparison?),
            },
        };
        Ok((measured, comparison))
    })??;
    if args.json {
        if let Some(comparison) = &comparison {
            add_differences(&mut measured, comparison)?;
        }
        return output::write_json(out, &measured);
    }
    let first_reveals: Vec<_> = measured.iter().map(|one| &one.first_reveal).collect();
    let labels = labels(&first_reveals);
    write_comparison(out, &first_reveals, &labels)?;
    if let Some(comparison) = &comparison {
        write_differences(out, &labels, comparison)?;
    }
    for (dir, one) in args.dirs.iter().zip(&measured) {
        writeln!(out)?;
        write_details(out, &dir.display().to_string(), one)?;
    }
    Ok(())
}

/// The measurement of a dataset.
#[derive(Debug, Serialize)]
struct Measured {
    #[serde(flatten)]
    first_reveal: FirstRevealValue,
    /// Whether the run was to stop by that one.
    #[serde(skip)]
    luck_adjusted: bool,
    /// Whether all games of the run were there.
    #[serde(skip)]
    is_complete: bool,
    /// By quantity, this dataset less each one before it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    differences: BTreeMap<Quantity, Vec<Difference>>,
}

/// Adds to each dataset its differences from those before it.
fn add_differences(measured: &mut [Measured], comparison: &Comparison) -> Result<()> {
    for (quantity, found) in comparison.all_differences()? {
        for (place, one) in measured.iter_mut().enumerate() {
            let own = found.iter().filter(|one| one.second == place).cloned().collect();
            one.differences.insert(quantity, own);
        }
    }
    Ok(())
}

impl Measured {
    /// The one that decides: the one by which the run was to stop.
    fn decisive(&self) -> Option<&Settled> {
        let one = &self.first_reveal;
        one.settled_adjusted.as_ref().filter(|_| self.luck_adjusted).or(one.settled.as_ref())
    }
}

fn write_comparison(
    out: &mut dyn Write,
    measured: &[&FirstRevealValue],
    labels: &[String],
) -> Result<()> {
    let rows = measured.iter().copied().zip(labels).flat_map(|(one, label)| {
        let revealer = one.revealer.as_ref().map(|revealer| &revealer.outcomes);
        [("first reveal", revealer), ("first move", Some(&one.first_mover))]
            .into_iter()
            .filter_map(move |(who, outcomes)| Some(row(one, label, who, outcomes?)))
    });
    let header = [
        "game",
        "agent",
        "who",
        "games",
        "wins",
        "draws",
        "losses",
        "cut off",
        "score (95 % interval)",
        "Elo",
        "95 % interval",
    ];
    table::write(out, header, rows, |column| column > 2)?;
    write_luck(out, measured, labels)?;
    writeln!(
        out,
        "score: 1 for a win, shared among several winners; of a draw each seat gets an even share; cut off: draws \
         at the ply limit; standard errors are clustered by deal"
    )?;
    if measured.iter().any(|one| one.clusters < one.deals) {
        writeln!(
            out,
            "where games share openings or deals, these are the clusters, counted as deals"
        )?;
    }
    Ok(())
}

/// The luck, and how much the revealed piece and its square matter, where pieces are
/// covered.
fn write_luck(
    out: &mut dyn Write,
    measured: &[&FirstRevealValue],
    labels: &[String],
) -> Result<()> {
    let covered = measured.iter().zip(labels);
    let covered = covered.filter_map(|(one, label)| Some((*one, label, one.revealer.as_ref()?)));
    let rows = covered.map(|(one, label, revealer)| {
        let adjusted = revealer.adjusted.as_ref();
        [
            one.game.clone(),
            label.clone(),
            count(one.clusters),
            text(adjusted, |adjusted| share(adjusted.score)),
            text(adjusted, |adjusted| format!("{:.2} %", 100.0 * adjusted.reduction)),
            text(revealer.kinds.spread, |spread| format!("{:.4}", spread.deviation)),
            text(revealer.squares.spread, |spread| format!("{:.4}", spread.deviation)),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        writeln!(out)?;
        let header = [
            "game",
            "agent",
            "deals",
            "luck-adjusted score",
            "variance saved",
            "sd by piece",
            "sd by square",
        ];
        table::write(out, header, rows, |column| column > 1)?;
        let is_left_out = |one: &&FirstRevealValue| {
            one.revealer.as_ref().is_some_and(|revealer| revealer.adjusted.is_none())
        };
        if measured.iter().any(is_left_out) {
            writeln!(
                out,
                "no luck-adjusted score: it needs {DEALS_PER_COVARIATE} deals for each covariate of luck"
            )?;
        }
    }
    Ok(())
}

fn row(one: &FirstRevealValue, label: &str, who: &str, outcomes: &Outcomes) -> [String; 11] {
    let games = outcomes.wins + outcomes.draws + outcomes.losses;
    [
        one.game.clone(),
        label.to_owned(),
        who.to_owned(),
        count(games),
        count(outcomes.wins),
        count(outcomes.draws),
        count(outcomes.losses),
        count(outcomes.cut_off),
        share(outcomes.score),
        text(outcomes.elo, |elo| elo_text(elo.value)),
        text(outcomes.elo, interval),
    ]
}

fn write_details(out: &mut dyn Write, dir: &str, measured: &Measured) -> Result<()> {
    let one = &measured.first_reveal;
    writeln!(out, "{dir}: {}, {} against itself", one.game, shown_name(&one.agent))?;
    writeln!(out, "{}", headline(one, measured.decisive()))?;
    if !measured.is_complete {
        let games = count(one.games);
        writeln!(out, "the dataset is not complete: these are the {games} games that it lists")?;
    }
    write_warnings(out, None, &one.warnings)?;
    for settled in [&one.settled, &one.settled_adjusted].into_iter().flatten() {
        writeln!(out, "{}", settled_text(settled))?;
    }
    let analysis::GameLengths { mean, p5, median, p95, .. } = one.plies;
    writeln!(
        out,
        "decisive games: {}; plies per game: mean {:.1}, median {median}, 5th to 95th percentile {p5} to {p95}",
        share(one.decisive),
        mean.value
    )?;
    let ended = |(reason, games): (&String, &u64)| format!("{reason} {}", count(*games));
    let endings: Vec<_> = one.endings.iter().map(ended).collect();
    writeln!(out, "ended by: {}", endings.join(", "))?;
    if let Some(revealer) = &one.revealer {
        write_revealer(out, one, revealer)?;
    }
    Ok(())
}

fn write_revealer(out: &mut dyn Write, one: &FirstRevealValue, revealer: &Revealer) -> Result<()> {
    writeln!(
        out,
        "the seat that moved first made the first reveal in {} of the games",
        share(revealer.moved_first)
    )?;
    if let Some(effect) = revealer.design_effect.filter(|_| one.deals < one.games) {
        writeln!(
            out,
            "design effect of shared deals: the score has {effect:.3} times the variance of independent games"
        )?;
    }
    if revealer.without_reveal > 0 {
        writeln!(out, "games without a reveal, not counted: {}", count(revealer.without_reveal))?;
    }
    writeln!(out)?;
    write_effects(out, "piece", &revealer.kinds)?;
    writeln!(out)?;
    write_effects(out, "square", &revealer.squares)
}

/// The result in one sentence. If play was stopped by an interval, that interval decides.
fn headline(one: &FirstRevealValue, settled: Option<&Settled>) -> String {
    let Some(revealer) = &one.revealer else {
        let score = share(settled.map_or(one.first_mover.score, |settled| settled.score));
        return format!("nothing is covered; the first mover scores {score}");
    };
    let score = revealer.outcomes.score;
    let even = match revealer.outcomes.elo {
        Some(_) => 0.5,
        None => return format!("the first revealer scores {}", share(score)),
    };
    let score = settled.map_or(score, |settled| settled.score);
    format!("the first revealer scores {}: {}", share(score), score.verdict(even))
}

fn write_effects(out: &mut dyn Write, what: &str, effects: &Effects) -> Result<()> {
    let header = [
        what,
        "games",
        "score (95 % interval)",
        "effect (95 % interval)",
        "p",
        "p (Holm)",
        "shrunk",
    ];
    let rows = effects.groups.iter().map(|group| {
        [
            group.name.clone(),
            count(group.games),
            share(group.score),
            group.effect.signed(),
            p_value(group.p_value),
            p_value(group.p_holm),
            group.shrunk.map_or_else(|| NONE.to_owned(), |one| format!("{:.4}", one.value)),
        ]
    });
    table::write(out, header, rows, |column| column > 0)?;
    if let Some(spread) = effects.spread {
        writeln!(
            out,
            "true differences: standard deviation {:.4}, p-value of no differences {}",
            spread.deviation,
            p_value(spread.p_value)
        )?;
    }
    Ok(())
}

/// Writes the differences of all quantities between every two datasets with these labels.
pub(super) fn write_differences(
    out: &mut dyn Write,
    labels: &[String],
    comparison: &Comparison,
) -> Result<()> {
    let mut rows = Vec::new();
    for (quantity, differences) in comparison.all_differences()? {
        rows.extend(differences.iter().map(|one| difference_row(labels, quantity, one)));
    }
    writeln!(out)?;
    if rows.is_empty() {
        return Ok(writeln!(out, "datasets of different games are not compared")?);
    }
    let header = ["of", "", "less", "difference (95 % interval)", "p", "p (Holm)", "deals"];
    table::write(out, header, rows, |column| (3..6).contains(&column))
}

fn difference_row(labels: &[String], quantity: Quantity, one: &Difference) -> [String; 7] {
    let Estimate { value, low, high } = one.difference;
    let figure = |figure: f64| {
        if quantity.is_share() { format!("{figure:+.4}") } else { format!("{figure:+.1}") }
    };
    [
        quantity.name().to_owned(),
        labels[one.second].clone(),
        labels[one.first].clone(),
        if low.is_finite() {
            format!("{} ({} to {})", figure(value), figure(low), figure(high))
        } else {
            figure(value)
        },
        p_value(one.p_value),
        p_value(one.p_holm),
        if one.paired { "common" } else { "own" }.to_owned(),
    ]
}
