//! Tables as the commands print them.

use std::io::{self, Write};

use anyhow::Result;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use darkqi_env::shown::{printable, shortened};
use terminal_size::{Width as Columns, terminal_size_of};

/// The most characters of a cell. Most hold names, which a dataset may have of any length.
const MAX_CELL: usize = 1000;

/// Spaces to the right of a column.
const GAP: u16 = 2;

/// Writes rows under a header in columns. Columns for which `is_number` is true are aligned to the
/// right. Lines fit the terminal as far as they can without a word being cut; in a pipe or a file they are
/// as long as they need to be.
pub(super) fn write<const N: usize>(
    out: &mut dyn Write,
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    is_number: fn(usize) -> bool,
) -> Result<()> {
    // A line break within a cell would begin a row.
    let shown = |cell: String| printable(&shortened(&cell, MAX_CELL), |_| false).into_owned();
    let rows: Vec<[String; N]> = rows.into_iter().map(|row| row.map(shown)).collect();
    let width = terminal_size_of(io::stdout()).map(|(Columns(columns), _)| columns);
    Ok(writeln!(out, "{}", arranged(header, &rows, is_number, width))?)
}

/// A table in lines of this width, if there is one. A number stays on the line of its `%`.
fn arranged<const N: usize>(
    header: [&str; N],
    rows: &[[String; N]],
    is_number: fn(usize) -> bool,
    width: Option<u16>,
) -> String {
    let bound = |cell: &str| cell.replace(" %", "\u{a0}%");
    let header = header.map(bound);
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| row.each_ref().map(|cell| bound(cell))).collect();
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(&header).add_rows(&rows);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let cells = rows.iter().map(|row| row[index].as_str()).chain([header[index].as_str()]);
        let words = cells.flat_map(|cell| cell.split(' ')).map(|word| word.chars().count());
        let longest = u16::try_from(words.max().unwrap_or(0)).unwrap_or(u16::MAX - GAP);
        column.set_padding((0, GAP));
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(longest + GAP)));
        if is_number(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt().replace('\u{a0}', " ")
}

#[cfg(test)]
mod tests {
    use super::arranged;

    #[test]
    fn words_are_not_cut() {
        let about = "Whether the third occurrence of a position makes a draw, unless checks repeat";
        let rows = [["expectimax:depth=2,values=FILE", "repetition", about].map(str::to_owned)];
        for width in [20, 60, 80, 200] {
            let text = arranged(["agent", "option", "about"], &rows, |_| false, Some(width));
            let words: Vec<&str> = text.split_whitespace().collect();
            for word in rows.iter().flatten().flat_map(|cell| cell.split_whitespace()) {
                assert!(words.contains(&word), "no {word} in {width} columns:\n{text}");
            }
            let longest = text.lines().map(str::len).max();
            assert!(longest <= Some(width.max(60).into()), "{width} columns:\n{text}");
        }
    }

    #[test]
    fn a_number_stays_on_the_line_of_its_sign() {
        let text = arranged(["score (95 % interval)"], &[["0.5".to_owned()]], |_| true, Some(12));
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines, ["score", "(95 %", "interval)", "0.5"]);
    }
}
