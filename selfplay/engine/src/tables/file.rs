//! Tables in files: one for each number of pieces.
//!
//! A file is a line that names the format, a line of JSON, the [`Header`], and then the values of its
//! tables, a byte per position, in the order of the header.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use darkqi_env::{Registered, Spec};
use darkqi_format::{checksum, option_text, options_to_json, read_file};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::error::TablesError;
use super::pattern::Pattern;
use super::table::{FEWEST, Table};

/// The game that tables are of.
pub(super) const GAME: &str = "banqi";

/// The rule options that decide who captures whom. The limits of plies do not enter tables.
const OPTIONS: [&str; 2] = ["cannon", "ranking"];

/// The first line of a file. It names the version of the format.
const FORMAT: &[u8] = b"darkqi endgame tables 1\n";

/// The header of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    game: String,
    options: BTreeMap<String, Json>,
    pieces: usize,
    /// The patterns of the tables, as numbers, in the order of the tables.
    patterns: Vec<u32>,
    /// The XXH64 of the tables.
    digest: String,
    /// The version of the program that wrote it.
    version: String,
}

/// The rule options in force that tables depend on.
pub(super) fn options<G: Registered>(rules: &G) -> BTreeMap<String, Json> {
    let mut options = options_to_json(&Spec::of(rules).options_in_force());
    options.retain(|name, _| OPTIONS.contains(&name.as_str()));
    options
}

/// The file of the tables with this many pieces.
pub(super) fn path(dir: &Path, pieces: usize) -> PathBuf {
    dir.join(name(pieces))
}

/// Its name.
pub(super) fn name(pieces: usize) -> String {
    format!("{GAME}-{pieces}.tables")
}

/// Whether tables of these rules may be written to a path: nothing is there, or others of these rules.
///
/// # Errors
/// If not.
pub(super) fn check_free(path: &Path, options: &BTreeMap<String, Json>) -> Result<(), TablesError> {
    let refuse = |fault: String| Err(TablesError::File { path: path.to_owned(), fault });
    let Some(bytes) = contents(path)? else { return Ok(()) };
    match split(&bytes) {
        Ok((header, _)) if header.options == *options => Ok(()),
        Ok(_) => refuse("tables of other rules are there; expected another folder".to_owned()),
        Err(_) => refuse("another file is there; expected another folder".to_owned()),
    }
}

/// What a file holds, if there is one.
fn contents(path: &Path) -> Result<Option<Vec<u8>>, TablesError> {
    match read_file(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(TablesError::Io { path: path.to_owned(), cause }),
    }
}

/// The contents of the file of tables that all have this many pieces.
pub(super) fn write<'a>(
    options: BTreeMap<String, Json>,
    pieces: usize,
    tables: impl Iterator<Item = &'a Table>,
) -> Vec<u8> {
    let mut patterns = Vec::new();
    let mut body = Vec::new();
    for table in tables {
        patterns.push(table.pattern.code());
        body.extend_from_slice(&table.plies);
    }
    let header = Header {
        game: GAME.to_owned(),
        options,
        pieces,
        patterns,
        digest: checksum(&body),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let header = serde_json::to_vec(&header).expect("a header is JSON");
    [FORMAT, &header, b"\n", &body].concat()
}

/// Reads the tables of these patterns, which all have this many pieces; `None` if there is no file.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds something else.
pub(super) fn read(
    dir: &Path,
    options: &BTreeMap<String, Json>,
    pieces: usize,
    patterns: impl Iterator<Item = Pattern>,
) -> Result<Option<Vec<Table>>, TablesError> {
    let path = path(dir, pieces);
    let Some(bytes) = contents(&path)? else { return Ok(None) };
    let tables = parse(&bytes, options, pieces, patterns.collect());
    tables.map(Some).map_err(|fault| TablesError::File { path, fault })
}

fn parse(
    bytes: &[u8],
    options: &BTreeMap<String, Json>,
    pieces: usize,
    patterns: Vec<Pattern>,
) -> Result<Vec<Table>, String> {
    let (header, body) = split(bytes)?;
    if header.game != GAME || header.pieces != pieces {
        return Err(format!(
            "expected {pieces} pieces of {GAME}, found {} of {}",
            header.pieces, header.game
        ));
    }
    if header.options != *options {
        return Err(format!("expected {}, found {}", list(options), list(&header.options)));
    }
    if !header.patterns.iter().copied().eq(patterns.iter().map(|pattern| pattern.code())) {
        return Err(format!("expected the tables of version {}", env!("CARGO_PKG_VERSION")));
    }
    let size = Table::size(pieces);
    if body.len() != patterns.len() * size {
        return Err(format!(
            "damaged: expected {} bytes of tables, found {}",
            patterns.len() * size,
            body.len()
        ));
    }
    let found = checksum(body);
    if found != header.digest {
        return Err(format!("damaged: expected digest {}, found {found}", header.digest));
    }
    let tables = patterns.into_iter().zip(body.chunks_exact(size));
    Ok(tables.map(|(pattern, plies)| Table { pattern, plies: plies.to_vec() }).collect())
}

/// The header of a file and what follows it.
fn split(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let rest = bytes.strip_prefix(FORMAT).ok_or_else(|| {
        format!("expected a file that begins with `{}`", String::from_utf8_lossy(FORMAT).trim())
    })?;
    let end = rest.iter().position(|&byte| byte == b'\n');
    let (header, body) = rest.split_at(end.ok_or("damaged: its header does not end")?);
    let header = serde_json::from_slice(header)
        .map_err(|error| format!("damaged: its header is not one: {error}"))?;
    Ok((header, &body[1..]))
}

/// Options as they are set on the command line.
fn list(options: &BTreeMap<String, Json>) -> String {
    let setting = |(name, value): (&String, &Json)| option_text(name, value);
    options.iter().map(setting).collect::<Vec<_>>().join(" ")
}

/// The contents of a folder's files in a few characters: equal for folders that a search cannot tell
/// apart.
///
/// # Errors
/// If there is no file, or one cannot be read.
pub(crate) fn digest_of_folder(dir: &Path) -> Result<String, TablesError> {
    let mut digests = Vec::new();
    for pieces in FEWEST..=darkqi_env::game::ENDGAME_PIECES {
        let path = path(dir, pieces);
        let Some(bytes) = contents(&path)? else {
            if pieces > FEWEST {
                break;
            }
            return Err(TablesError::Missing { dir: dir.to_owned(), file: name(pieces) });
        };
        let (header, _) = split(&bytes).map_err(|fault| TablesError::File { path, fault })?;
        digests.extend_from_slice(header.digest.as_bytes());
    }
    Ok(checksum(&digests))
}
