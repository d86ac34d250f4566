//! The contents of a report.

use std::collections::BTreeMap;

use darkqi_env::{SetupError, Spec};
use serde::Serialize;
use thiserror::Error;

use darkqi_analysis::statistics::Trend;
use darkqi_analysis::{Estimate, FirstRevealValue, PieceValues, labels};
use darkqi_format::{Openings, options_from_json};

/// The results for one dataset.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The value of the first reveal.
    pub first_reveal: FirstRevealValue,
    /// The piece values, or the reason why there are none.
    pub values: Result<PieceValues, String>,
    /// Whether all requested games were played.
    pub is_complete: bool,
    /// Whether a command plays just these games: the first ones of a run.
    pub is_played_again: bool,
    /// How its games begin, besides the deal.
    pub openings: Openings,
}

/// Reference values for comparison with the measured ones.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// Their description, such as `the built-in values`.
    pub about: String,
    /// Values by the kind's letter. They are converted to the unit of the measured values.
    pub values: BTreeMap<char, f64>,
}

/// Errors of making a report.
#[derive(Debug, Error)]
pub enum Error {
    /// There are no datasets.
    #[error("expected at least one dataset")]
    Nothing,

    /// The datasets have different games.
    #[error("expected datasets of one game, found {}", games.join(" and "))]
    Games {
        /// The games, in the order of the datasets.
        games: Vec<String>,
    },

    /// A game or option does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// An option has a value of a wrong type.
    #[error(transparent)]
    Options(#[from] darkqi_format::Error),
}

/// Checks that all datasets have the same game, and returns it.
///
/// # Errors
/// [`Error::Games`] if they differ, [`Error::Nothing`] if there are none.
pub fn one_game<'a>(games: impl IntoIterator<Item = &'a str>) -> Result<&'a str, Error> {
    let mut found: Vec<&str> = Vec::new();
    for game in games {
        if !found.contains(&game) {
            found.push(game);
        }
    }
    match found.as_slice() {
        [] => Err(Error::Nothing),
        [game] => Ok(game),
        games => Err(Error::Games { games: games.iter().map(|&game| game.to_owned()).collect() }),
    }
}

/// The findings of a study of several datasets, which come first on the page.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lead {
    /// The title of the page; empty for that of datasets alone.
    pub title: String,
    /// The command that plays all the games and makes the page; empty if there is no single one.
    pub command: String,
    /// The findings, in place of those of the last dataset.
    pub sentences: Vec<String>,
    /// Scores against strength.
    pub ladder: Option<Ladder>,
    /// Tables.
    pub tables: Vec<Table>,
}

/// Scores at rising strength.
#[derive(Clone, PartialEq, Debug)]
pub struct Ladder {
    /// The agents of finite Elo.
    pub points: Vec<Rung>,
    /// The line through them.
    pub trend: Option<Trend>,
}

/// The score of an agent against itself, and its strength.
#[derive(Clone, PartialEq, Debug)]
pub struct Rung {
    /// The agent.
    pub agent: String,
    /// Its Elo above the first.
    pub elo: f64,
    /// The score of the first revealer or, without covered pieces, mover.
    pub score: Estimate,
}

/// A table with a row of names above it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Table {
    /// The caption.
    pub title: String,
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// A report on datasets of one game.
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) entries: Vec<Entry>,
    pub(super) reference: Option<Reference>,
    /// The game with the options of the last dataset.
    pub(super) spec: Spec,
    /// The labels of the datasets, all different.
    pub(super) labels: Vec<String>,
    pub(super) lead: Lead,
}

impl Report {
    /// A report on datasets ordered by the strength of their agents, the strongest last, with what a study
    /// found at its beginning.
    ///
    /// # Errors
    /// If there are none, their games differ, or a game or option does not exist.
    pub fn new(
        entries: Vec<Entry>,
        reference: Option<Reference>,
        lead: Lead,
    ) -> Result<Self, Error> {
        let game = one_game(entries.iter().map(|entry| entry.first_reveal.game.as_str()))?;
        let last = &entries.last().ok_or(Error::Nothing)?.first_reveal;
        let spec = Spec::new(game, &options_from_json(&last.options)?)?;
        for entry in &entries {
            Spec::new(game, &options_from_json(&entry.first_reveal.options)?)?;
        }
        let measured: Vec<_> = entries.iter().map(|entry| &entry.first_reveal).collect();
        let labels = labels(&measured);
        Ok(Self { entries, reference, spec, labels, lead })
    }

    pub(super) fn strongest(&self) -> &Entry {
        self.entries.last().expect("a report has datasets")
    }

    /// The expected score if all seats are equal; None with teams.
    pub(super) fn even(&self) -> Option<f64> {
        self.strongest().first_reveal.even
    }

    /// The letter and name of the kind of a group.
    pub(super) fn group_name(&self, group: &str) -> String {
        group.chars().next().map_or_else(String::new, |letter| self.kind_name(letter))
    }

    /// The letter and name of a kind.
    pub(super) fn kind_name(&self, letter: char) -> String {
        let kinds = self.spec.kinds.iter().zip(self.spec.layout.pieces);
        let mut names = kinds.filter(|&(&kind, _)| kind == letter);
        // The planes of one's own pieces come first.
        let name = names.next().and_then(|(_, name)| name.strip_prefix("own "));
        name.map_or_else(|| letter.to_string(), |name| format!("{letter} {name}"))
    }
}
