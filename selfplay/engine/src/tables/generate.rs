//! The run that solves tables and writes them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Registered, game::ENDGAME_PIECES};
use darkqi_format::write_output;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value as Json;

use super::captures::Captures;
use super::error::TablesError;
use super::file;
use super::pattern::Pattern;
use super::probe::check_game;
use super::retrograde::Retrograde;
use super::table::{Census, FEWEST, Table};

/// The files that [`generate_tables`] has written.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GeneratedTables {
    /// The game.
    pub game: &'static str,
    /// The rule options that the tables are of. Other options do not change them.
    pub options: BTreeMap<String, Json>,
    /// By number of pieces, ascending from 2.
    pub tables: Vec<TablesOfSize>,
}

/// The tables of one number of pieces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TablesOfSize {
    /// Number of pieces of both sides together.
    pub pieces: usize,
    /// Sets of this many pieces in which each side has at least one.
    pub sets: u64,
    /// Tables. Sets whose pieces capture one another alike share one.
    pub tables: usize,
    /// Positions that their mover wins, those of all sets and both movers. Pieces of a kind are told
    /// apart.
    pub won: u64,
    /// Positions that are drawn.
    pub drawn: u64,
    /// Positions that their mover loses.
    pub lost: u64,
    /// The plies of the longest win.
    pub longest: u8,
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: usize,
}

/// Solves all positions of up to this many face-up pieces under these rules and writes a file for each
/// number of pieces to a folder. It works in the threads of the pool that it is called in.
///
/// Each file is written at once when its tables are solved. Tables of the same rules have the same
/// bytes, whatever the threads.
///
/// # Errors
/// If the game has no tables, or none of this many pieces; if a file cannot be written;
/// [`TablesError::Stopped`] when `stop` becomes true, with the files of fewer pieces written.
pub fn generate_tables<G: Registered>(
    rules: &G,
    pieces: usize,
    dir: &Path,
    stop: &AtomicBool,
) -> Result<GeneratedTables, TablesError> {
    check_game(rules)?;
    if !(FEWEST..=ENDGAME_PIECES).contains(&pieces) {
        return Err(TablesError::Pieces { found: pieces });
    }
    fs::create_dir_all(dir).map_err(|cause| TablesError::Io { path: dir.to_owned(), cause })?;
    let captures = Captures::of(rules);
    let options = file::options(rules);
    (FEWEST..=pieces)
        .try_for_each(|pieces| file::check_free(&file::path(dir, pieces), &options))?;
    let mut smaller = HashMap::new();
    let mut written = Vec::new();
    for pieces in FEWEST..=pieces {
        let sets = Pattern::all(&captures, pieces);
        let tables = solve(&sets, &smaller, stop)?;
        let contents = file::write(options.clone(), pieces, tables.iter());
        let path = file::path(dir, pieces);
        write_output(&path, &contents, stop)?;
        written.push(describe(pieces, &sets, &tables, path, contents.len()));
        smaller = tables.into_iter().map(|table| (table.pattern, table)).collect();
    }
    Ok(GeneratedTables { game: G::NAME, options, tables: written })
}

/// The tables of patterns, by those of the patterns with a piece less.
fn solve(
    sets: &BTreeMap<Pattern, u64>,
    smaller: &HashMap<Pattern, Table>,
    stop: &AtomicBool,
) -> Result<Vec<Table>, TablesError> {
    let patterns: Vec<Pattern> = sets.keys().copied().collect();
    let solve = |&pattern: &Pattern| {
        if stop.load(Ordering::Relaxed) {
            return Err(TablesError::Stopped);
        }
        Ok(Retrograde::new(pattern, |left| &smaller[&left]).solve())
    };
    patterns.par_iter().map(solve).collect()
}

fn describe(
    pieces: usize,
    sets: &BTreeMap<Pattern, u64>,
    tables: &[Table],
    file: PathBuf,
    bytes: usize,
) -> TablesOfSize {
    let mut all = Census::default();
    for table in tables {
        let Census { won, drawn, lost, longest } = Census::of(table);
        let count = sets[&table.pattern];
        all.won += count * won;
        all.drawn += count * drawn;
        all.lost += count * lost;
        all.longest = all.longest.max(longest);
    }
    let Census { won, drawn, lost, longest } = all;
    let sets = sets.values().sum();
    TablesOfSize { pieces, sets, tables: tables.len(), won, drawn, lost, longest, file, bytes }
}
