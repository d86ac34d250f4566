//! `darkqi values fit`: values from a dataset.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use darkqi_analysis::piece_values::{
    Basis, DEALS_PER_REGION, FormPair, HeldOut, POSITIONS_PER_GAME, PhaseBy, Quiet,
    RegionDifference, RegionFigures, RegionalKind, UndividedTerm, Unit,
};
use darkqi_analysis::{
    Error, Estimate, Judgement, PhasedValues, PieceValues, RegionalValues, piece_values_by_phase,
    piece_values_by_region, piece_values_in,
};
use darkqi_format::{Dataset, is_same_output, with_pool};
use darkqi_play::balance::Scaled;
use indicatif::HumanCount;

use crate::commands::format::{NONE, p_value, text, write_warnings};
use crate::commands::interrupt::{self, Interrupted};
use crate::commands::location;
use crate::commands::screen::Screen;
use crate::commands::{output, table};

/// Fit piece values to the results of a dataset of an agent against itself
///
/// A logistic regression of final results (draws 1/2) on differences of piece counts in quiet
/// positions, with 95 % intervals clustered by deal, compared with an ordered logit, and judged on deals
/// that were held out. docs/statistics.md explains the figures.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset
    #[arg(value_name = "DIR", value_parser = location())]
    dir: PathBuf,
    /// Greatest number of positions sampled from a game
    #[arg(long, value_name = "N", default_value_t = POSITIONS_PER_GAME)]
    positions: usize,
    /// Write the values to this TOML file, for the `values` option of agents; `-` prints it instead of
    /// tables
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the log odds per unit to this TOML file, for the `weights` option of agents; `-` prints it
    /// instead of tables
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Fit the values early in games, while at least half of what is covered (`covered`) or on the
    /// board (`pieces`) at the deal is left, and late, and test whether they change
    #[arg(
        long, value_name = "WHAT", conflicts_with_all = ["out", "weights"],
        value_parser = |text: &str| one_of(PhaseBy::ALL, PhaseBy::name, text)
    )]
    by_phase: Option<PhaseBy>,
    /// Fit the value of each face-up kind in each region of the board that players name, such as
    /// the two sides of the river as its owner sees them, and test whether it differs
    #[arg(long, conflicts_with_all = ["out", "weights", "by_phase"])]
    by_region: bool,
    /// The unit of values: a kind and its value, or several for their mean, as in `C+H=3`
    /// [default: that of the game's own values]
    #[arg(long, value_name = "KINDS=VALUE", conflicts_with_all = ["out", "weights"])]
    unit: Option<Unit>,
    /// The plies around a position that must not capture: `both`, the one before it and the one
    /// after, or `before`, which does not select by what the player to move chose
    #[arg(
        long, value_name = "PLIES", default_value = Quiet::Both.name(),
        conflicts_with_all = ["by_phase", "by_region"],
        value_parser = |text: &str| one_of(Quiet::ALL, Quiet::name, text)
    )]
    quiet_plies: Quiet,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// The one of this name.
fn one_of<T: Copy>(all: [T; 2], name: fn(T) -> &'static str, text: &str) -> Result<T, String> {
    let found = all.into_iter().find(|&one| name(one) == text);
    found.ok_or_else(|| format!("expected {}, got {text:?}", all.map(name).join(" or ")))
}

pub(super) fn run(args: &Args, out: &mut Screen<'_>) -> Result<()> {
    let files = [&args.out, &args.weights];
    let printed =
        files.iter().filter(|file| file.as_deref().is_some_and(output::is_stdout)).count();
    if printed + usize::from(args.json) > 1 {
        bail!("expected one of `--out -`, `--weights -` and `--json`, which all print");
    }
    if let (Some(out), Some(weights)) = (&args.out, &args.weights)
        && is_same_output(out, weights)
    {
        bail!("`--weights`: expected another file than `--out`");
    }
    files.into_iter().flatten().try_for_each(|file| output::check(file))?;
    let stop = interrupt::watch();
    let dataset = Dataset::open(&args.dir)?;
    let unit = args.unit.as_ref();
    if let Some(by) = args.by_phase {
        let fit = || piece_values_by_phase(&dataset, args.positions, by, unit, stop);
        return output::print(args.json, out, &fitted(args, with_pool(fit)?)?, write_phases);
    }
    if args.by_region {
        let fit = || piece_values_by_region(&dataset, args.positions, unit, stop);
        return output::print(args.json, out, &fitted(args, with_pool(fit)?)?, write_regions);
    }
    let fit = || piece_values_in(&dataset, args.positions, unit, args.quiet_plies, stop);
    let values = fitted(args, with_pool(fit)?)?;
    if files.iter().any(|file| file.is_some()) {
        let texts = Scaled::of(&values)?.texts(&values);
        for (file, text) in files.into_iter().zip(texts) {
            file.iter().try_for_each(|file| output::write(out, file, text.as_bytes()))?;
        }
    }
    if printed > 0 {
        return Ok(());
    }
    output::print(args.json, out, &values, write_values)
}

fn fitted<T>(args: &Args, fitted: Result<T, Error>) -> Result<T> {
    match fitted {
        Err(Error::Stopped) => Err(Interrupted::new("nothing was fitted").into()),
        fitted => fitted.with_context(|| args.dir.display().to_string()),
    }
}

/// Whose games they are, the numbers of positions, games and deals, what the table divides, and the unit.
fn write_heading(out: &mut dyn Write, basis: &Basis, divided: &str) -> std::io::Result<()> {
    let Basis { game, agent, unit_value, .. } = basis;
    let [positions, games, deals] = [basis.positions, basis.games, basis.deals].map(HumanCount);
    let unit = basis.unit.iter().map(char::to_string).collect::<Vec<_>>().join(" and ");
    writeln!(
        out,
        "{game}, {agent} against itself: {positions} positions of {games} games on {deals} deals\n\
         {divided}unit: {unit} = {unit_value}\n"
    )
}

fn write_phases(out: &mut dyn Write, values: &PhasedValues) -> Result<()> {
    let left = match values.by {
        PhaseBy::Covered => "covered pieces",
        PhaseBy::Pieces => "pieces",
    };
    let early = format!("early: at least half of the {left} of the deal are left; ");
    write_heading(out, &values.basis, &early)?;
    write_judgement(out, &values.judgement)?;
    let (odds, value) = (figure(4), figure(2));
    let header = [
        "",
        "value early (95 % interval)",
        "value late",
        "log odds early",
        "log odds late",
        "change",
        "p (Holm)",
    ];
    let rows = values.terms.iter().map(|term| {
        [
            term.name.clone(),
            value(term.early.value),
            value(term.late.value),
            odds(term.early.log_odds),
            odds(term.late.log_odds),
            odds(term.change),
            text(term.p_holm, p_value),
        ]
    });
    table::write(out, header, rows, |column| column > 0)
}

/// Why values may mislead, or why there are none.
fn write_judgement(out: &mut dyn Write, judgement: &Judgement) -> std::io::Result<()> {
    write_warnings(out, None, &judgement.warnings)?;
    if let Some(doubt) = judgement.withheld {
        writeln!(out, "no values: {doubt}")?;
    }
    let says = judgement.withheld.is_some() || !judgement.warnings.is_empty();
    if says { writeln!(out) } else { Ok(()) }
}

/// Writes an estimate with its interval, if it is known, to a number of decimal places.
fn figure(places: usize) -> impl Fn(Option<Estimate>) -> String {
    move |estimate| {
        text(estimate, |Estimate { value, low, high }| {
            if low.is_finite() && high.is_finite() {
                format!("{value:.places$} ({low:.places$} to {high:.places$})")
            } else {
                format!("{value:.places$} (undetermined)")
            }
        })
    }
}

fn write_regions(out: &mut dyn Write, values: &RegionalValues) -> Result<()> {
    let regions = values.regions.join(", ");
    let regions = format!("regions as the owner of a piece sees the board: {regions}; ");
    write_heading(out, &values.basis, &regions)?;
    write_judgement(out, &values.judgement)?;
    let (odds, value) = (figure(4), figure(2));
    let header =
        ["", "region", "value (95 % interval)", "log odds (95 % interval)", "deals", "p (Holm)"];
    let of_kind = |kind: &RegionalKind| {
        let p_holm = text(kind.p_holm, p_value);
        let row = |(place, one): (usize, &RegionFigures)| {
            // What is said of the kind stands in its first row.
            let first = |what: String| if place == 0 { what } else { String::new() };
            [
                first(kind.kind.to_string()),
                one.region.to_owned(),
                value(one.value),
                odds(one.log_odds),
                HumanCount(one.deals).to_string(),
                first(p_holm.clone()),
            ]
        };
        kind.regions.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    let of_other = |term: &UndividedTerm| {
        let [none, deals, p_holm] = Default::default();
        [term.name.clone(), none, value(term.value), odds(term.log_odds), deals, p_holm]
    };
    let rows = values.kinds.iter().flat_map(of_kind).chain(values.others.iter().map(of_other));
    table::write(out, header, rows, |column| column > 1)?;
    writeln!(out, "p: of equal log odds in all regions")?;
    write_differences(out, values)?;
    write_rare_regions(out, values)
}

/// How the values of a kind differ between regions.
fn write_differences(out: &mut dyn Write, values: &RegionalValues) -> Result<()> {
    let (odds, value) = (figure(4), figure(2));
    let of_kind = |kind: &RegionalKind| {
        let row = |one: &RegionDifference| {
            let what = format!("{} {} less {}", kind.kind, one.second, one.first);
            [what, value(one.value), odds(Some(one.log_odds))]
        };
        kind.differences.iter().map(row).collect::<Vec<_>>()
    };
    let differences: Vec<_> = values.kinds.iter().flat_map(of_kind).collect();
    if !differences.is_empty() {
        writeln!(out)?;
        let header = ["difference", "value (95 % interval)", "log odds (95 % interval)"];
        table::write(out, header, differences, |column| column > 0)?;
    }
    Ok(())
}

/// The regions in which a kind is too rare for a value of its own.
fn write_rare_regions(out: &mut dyn Write, values: &RegionalValues) -> Result<()> {
    let is_rare = |one: &&RegionFigures| (1..DEALS_PER_REGION).contains(&one.deals);
    let rare = values.kinds.iter().flat_map(|kind| {
        kind.regions
            .iter()
            .filter(is_rare)
            .map(move |one| format!("{} {} ({})", kind.kind, one.region, one.deals))
    });
    let rare: Vec<String> = rare.collect();
    if !rare.is_empty() {
        writeln!(
            out,
            "in fewer than {DEALS_PER_REGION} deals, and counted in the kind's most frequent region: {}",
            rare.join(", ")
        )?;
    }
    Ok(())
}

fn write_values(out: &mut dyn Write, values: &PieceValues) -> Result<()> {
    write_heading(out, &values.basis, "")?;
    write_judgement(out, &values.judgement)?;
    if values.judgement.withheld.is_none() && !values.has_values() {
        writeln!(
            out,
            "these games do not distinguish the unit from 0: there are log odds but no values; more games help\n"
        )?;
    }
    let (odds, value) = (figure(4), figure(2));
    let header = ["", "value (95 % interval)", "by ordered logit", "log odds (95 % interval)", ""];
    let rows = values.terms.iter().map(|term| {
        let why = term.left_out.as_ref().map_or_else(String::new, |why| format!("left out: {why}"));
        [term.name.clone(), value(term.value), value(term.ordered_value), odds(term.log_odds), why]
    });
    table::write(out, header, rows, |column| (1..4).contains(&column))?;
    if !values.forms.is_empty() {
        let form = |form: &FormPair| {
            format!("{}{} {}", form.kinds[0], form.kinds[1], value(Some(form.value)))
        };
        let forms: Vec<_> = values.forms.iter().map(form).collect();
        writeln!(out, "means of forms: {}", forms.join(", "))?;
    }
    match &values.held_out {
        Some(held_out) => write_held_out(out, held_out),
        None => Ok(()),
    }
}

/// How well the values predict the results of deals that they were not fitted to.
fn write_held_out(out: &mut dyn Write, held_out: &HeldOut) -> Result<()> {
    let HeldOut { deals, quality, without_values } = held_out;
    writeln!(
        out,
        "\non {} deals held out: log-loss {:.4}, {:.4} without values; Brier {:.4}, {:.4}\n",
        HumanCount(*deals),
        quality.log_loss.value,
        without_values.log_loss.value,
        quality.brier.value,
        without_values.brier.value
    )?;
    let header = ["predicted", "games", "mean predicted", "observed", "excess (95 % interval)"];
    let rows = quality.bins.iter().map(|bin| {
        let excess = bin.excess.estimate();
        [
            format!("{:.1} to {:.1}", bin.low, bin.high),
            format!("{:.1}", bin.weight),
            format!("{:.4}", bin.predicted),
            format!("{:.4}", bin.observed.value),
            if excess.low.is_finite() { excess.signed() } else { NONE.to_owned() },
        ]
    });
    table::write(out, header, rows, |column| column > 0)
}
