//! The options that people give, on the command line and in Python.
//!
//! An option is declared once, as a field of a struct with [`clap::Args`]: its name, default, type and
//! help. The command line parses it; Python reads its keywords by the same declaration, from which the
//! signature and the documentation of its functions come.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

/// The heading of options that all who play take.
pub(crate) const RUN: &str = "Options of the run";
/// The heading of those that say how games begin.
pub(crate) const OPENINGS: &str = "Options of openings";
/// The heading of those that say in which files games are.
pub(crate) const SHARDS: &str = "Options of files";
/// The heading of those of self-play alone.
pub(crate) const SELFPLAY: &str = "Options of self-play";
/// The heading of those of the test in a match.
pub(crate) const TEST: &str = "Options of the test";

/// Who takes options of a [`Job`](crate::generation::Job).
pub trait Taker {
    /// The headings of these options.
    const HEADINGS: &[&str];
}

/// Self-play.
#[derive(Clone, Copy, Debug)]
pub struct Selfplay;

/// A match.
#[derive(Clone, Copy, Debug)]
pub struct Match;

/// A study, whose runs and matches have them in common.
#[derive(Clone, Copy, Debug)]
pub struct Study;

/// Piece values by self-play.
#[derive(Clone, Copy, Debug)]
pub struct Balance;

impl Taker for Selfplay {
    const HEADINGS: &[&str] = &[RUN, OPENINGS, SHARDS, SELFPLAY];
}

impl Taker for Match {
    const HEADINGS: &[&str] = &[RUN, OPENINGS, SHARDS, TEST];
}

impl Taker for Study {
    const HEADINGS: &[&str] = &[RUN, OPENINGS];
}

impl Taker for Balance {
    const HEADINGS: &[&str] = &[RUN];
}

/// The options that a struct declares.
pub fn declared<T: Args>() -> Vec<Arg> {
    let command = T::augment_args_for_update(Command::new("options"));
    command.get_arguments().cloned().collect()
}

/// Reads options as texts of a command line, such as `--seed=3` or `--duplicate`. What is given can be set by
/// [`update_from_arg_matches`](clap::FromArgMatches::update_from_arg_matches), which leaves the others as they
/// are.
///
/// # Errors
/// If an option does not exist, or a value is none of its.
pub fn given<T: Args>(
    texts: impl IntoIterator<Item = OsString>,
) -> Result<ArgMatches, clap::Error> {
    let command = T::augment_args_for_update(Command::new("options").no_binary_name(true));
    let mut matches = command.try_get_matches_from(texts)?;
    let ids: Vec<String> = matches.ids().map(|id| id.as_str().to_owned()).collect();
    for id in ids {
        if matches.value_source(&id) == Some(ValueSource::DefaultValue) {
            matches.try_clear_id(&id).expect("it is one of the ids");
        }
    }
    Ok(matches)
}

/// Options of which none is given.
pub(crate) fn defaults<T: Args>() -> T {
    let command = T::augment_args_for_update(Command::new("options").no_binary_name(true));
    let matches = command.get_matches_from([""; 0]);
    T::from_arg_matches(&matches).expect("an option is optional or has a default")
}

/// Reads a number that is not 0.
pub(crate) fn at_least_1<T: FromStr<Err: Display> + PartialOrd + From<u8>>(
    text: &str,
) -> Result<T, String> {
    match text.parse() {
        Ok(number) if number >= T::from(1) => Ok(number),
        Ok(_) => Err(format!("expected at least 1, got {text}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a range of shards such as `0..10`, without its end.
pub(crate) fn shard_range(text: &str) -> Result<Range<u64>, String> {
    let ends = text
        .split_once("..")
        .and_then(|(start, end)| Some(start.parse::<u64>().ok()?..end.parse::<u64>().ok()?));
    ends.ok_or_else(|| "expected A..B, such as 0..10 for the first ten shards".to_owned())
}

/// Two Elo differences, H0 and H1 of a test, which are one value of an option.
pub type Elos = [f64; 2];

/// Reads two Elo differences.
pub(crate) fn elos(text: &str) -> Result<Elos, String> {
    let elos: Vec<&str> = text.split(',').collect();
    let &[elo0, elo1] = elos.as_slice() else {
        return Err(format!("expected two Elo differences, ELO0,ELO1, got {} of them", elos.len()));
    };
    let elo = |text: &str| text.parse().map_err(|_| format!("expected a number, got `{text}`"));
    Ok([elo(elo0)?, elo(elo1)?])
}
