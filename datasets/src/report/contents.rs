//! What a report is made of.

use std::collections::BTreeMap;

use darkqi_env::{SetupError, Spec};
use thiserror::Error;

use crate::analysis::{FirstRevealValue, PieceValues};
use crate::format::options_from_json;

/// What was measured of one dataset.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The worth of the first reveal.
    pub first_reveal: FirstRevealValue,
    /// The pieces' values, or why there are none.
    pub values: Result<PieceValues, String>,
    /// Whether all games that were asked for were played.
    pub is_complete: bool,
}

/// Values to set beside those measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// Whose they are, such as `the built-in values`.
    pub about: String,
    /// By the kind's letter. Their own unit is turned into that of the measured ones.
    pub values: BTreeMap<char, f64>,
}

/// Why there is no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to report of.
    #[error("expected at least one dataset")]
    Nothing,

    /// The datasets are of several games.
    #[error("expected datasets of one game, found {}", games.join(" and "))]
    Games {
        /// The games, in the order of the datasets.
        games: Vec<String>,
    },

    /// A game or option does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),

    /// An option's value is none that options have.
    #[error(transparent)]
    Options(#[from] crate::Error),
}

/// Checks that datasets are of one game.
///
/// # Errors
/// [`Error::Games`] if they are not, [`Error::Nothing`] if there are none.
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

/// A report of some datasets of one game.
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) entries: Vec<Entry>,
    pub(super) reference: Option<Reference>,
    /// The game as the last dataset has it.
    pub(super) spec: Spec,
    /// What the datasets are called, each differently.
    pub(super) labels: Vec<String>,
}

impl Report {
    /// Of datasets in the order of their agents' strength, the strongest last.
    ///
    /// # Errors
    /// If there are none, they are of several games, or their game or options do not exist.
    pub fn new(entries: Vec<Entry>, reference: Option<Reference>) -> Result<Self, Error> {
        let game = one_game(entries.iter().map(|entry| entry.first_reveal.game.as_str()))?;
        let last = &entries.last().ok_or(Error::Nothing)?.first_reveal;
        let spec = Spec::new(game, &options_from_json(&last.options)?)?;
        for entry in &entries {
            Spec::new(game, &options_from_json(&entry.first_reveal.options)?)?;
        }
        let agents: Vec<_> = entries.iter().map(|entry| &entry.first_reveal.agent).collect();
        let label = |(number, &agent): (usize, &&String)| {
            let is_alone = agents.iter().filter(|&&other| other == agent).count() == 1;
            if is_alone { agent.clone() } else { format!("{agent} (dataset {})", number + 1) }
        };
        let labels = agents.iter().enumerate().map(label).collect();
        Ok(Self { entries, reference, spec, labels })
    }

    pub(super) fn strongest(&self) -> &Entry {
        self.entries.last().expect("a report has datasets")
    }

    /// The score to be expected if all seats are equal; None with teams.
    pub(super) fn even(&self) -> Option<f64> {
        self.strongest().first_reveal.even
    }

    /// A kind's letter and name.
    pub(super) fn kind_name(&self, letter: char) -> String {
        let kinds = self.spec.kinds.iter().zip(self.spec.layout.pieces);
        let mut names = kinds.filter(|&(&kind, _)| kind == letter);
        // The planes of one's own pieces come first.
        let name = names.next().and_then(|(_, name)| name.strip_prefix("own "));
        name.map_or_else(|| letter.to_string(), |name| format!("{letter} {name}"))
    }
}
