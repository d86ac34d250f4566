//! Tables as the commands print them.

use std::io::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use darkqi_env::shown::{printable, shortened};
use terminal_size::{Width, terminal_size_of};

/// The most characters of a cell. Most hold names, which a dataset may have of any length.
const MAX_CELL: usize = 1000;

/// Writes rows under a header in columns. Columns for which `is_number` is true are aligned to the
/// right. Lines fit the terminal; in a pipe or a file they are as long as they need to be.
pub(super) fn write<const N: usize>(
    out: &mut dyn Write,
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    is_number: fn(usize) -> bool,
) -> io::Result<()> {
    // A line break within a cell would begin a row.
    let shown = |cell: String| printable(&shortened(&cell, MAX_CELL), |_| false).into_owned();
    let rows = rows.into_iter().map(|row| row.map(shown));
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header).add_rows(rows);
    if let Some((Width(columns), _)) = terminal_size_of(io::stdout()) {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if is_number(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())
}
