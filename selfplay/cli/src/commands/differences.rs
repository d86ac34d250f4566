//! Differences between datasets as a table.

use std::io::Write;

use anyhow::Result;
use darkqi_analysis::{Comparison, Difference, Estimate, Quantity};

use super::format::p_value;
use super::table;

/// Writes the differences of all quantities between every two datasets with these labels.
pub(super) fn write_differences(
    out: &mut dyn Write,
    labels: &[String],
    comparison: &Comparison,
) -> Result<()> {
    let mut rows = Vec::new();
    for (quantity, differences) in comparison.all_differences()? {
        rows.extend(differences.iter().map(|one| row(labels, quantity, one)));
    }
    writeln!(out)?;
    let header = ["of", "", "less", "difference (95 % interval)", "p", "p (Holm)", "deals"];
    table::write(out, header, rows, |column| (3..6).contains(&column))
}

fn row(labels: &[String], quantity: Quantity, one: &Difference) -> [String; 7] {
    let Estimate { value, low, high } = one.difference;
    let figure = |figure: f64| {
        if quantity.is_share() { format!("{figure:+.4}") } else { format!("{figure:+.1}") }
    };
    [
        quantity.name().to_owned(),
        labels[one.second].clone(),
        labels[one.first].clone(),
        format!("{} ({} to {})", figure(value), figure(low), figure(high)),
        p_value(one.p_value),
        p_value(one.p_holm),
        if one.paired { "common" } else { "own" }.to_owned(),
    ]
}
