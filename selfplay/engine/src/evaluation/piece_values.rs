//! Piece values by game and kind letter, read from TOML.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use darkqi_env::{Game, Options, SetupError, Spec};
use darkqi_format::read_file;

use super::game_tables::{self, EvaluationFileError, Tables};

/// The built-in values, as TOML.
pub(crate) const BUILT_IN_VALUES: &str = include_str!("../../data/values.toml");

/// The value of a piece in a game without a table.
const DEFAULT: f64 = 1.0;

/// Piece values of every game.
#[derive(Clone, PartialEq, Debug)]
pub struct PieceValues {
    tables: Tables,
}

impl PieceValues {
    /// The values that come with the program.
    ///
    /// # Panics
    /// Never: the file is part of the program and tested.
    pub fn built_in() -> Self {
        // Each evaluation asks for them.
        static BUILT_IN: LazyLock<Tables> =
            LazyLock::new(|| parse(BUILT_IN_VALUES).expect("the built-in values are well formed"));
        Self { tables: BUILT_IN.clone() }
    }

    /// The values of a file. Values that it leaves out are the built-in ones.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or names a game or a kind that does not exist.
    pub fn read(path: &Path) -> Result<Self, EvaluationFileError> {
        Self::of_contents(path, read_file(path))
    }

    /// [`PieceValues::read`] with what was read.
    pub(crate) fn of_contents(
        path: &Path,
        contents: io::Result<impl AsRef<[u8]>>,
    ) -> Result<Self, EvaluationFileError> {
        let mut values = Self::built_in();
        for (game, table) in game_tables::read("piece values", path, contents, parse)? {
            values.tables.entry(game).or_default().extend(table);
        }
        Ok(values)
    }

    /// The values of a game's pieces by index of kind.
    pub fn of<G: Game>(&self) -> Vec<f64> {
        self.of_kinds(G::NAME, G::KINDS)
    }

    fn of_kinds(&self, game: &str, kinds: &[char]) -> Vec<f64> {
        kinds.iter().map(|&kind| self.value(game, kind)).collect()
    }

    /// The values of a game's pieces by letter.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn by_letter(&self, game: &str) -> Result<BTreeMap<char, f64>, SetupError> {
        let kinds = Spec::new(game, &Options::new())?.kinds;
        Ok(kinds.iter().map(|&kind| (kind, self.value(game, kind))).collect())
    }

    fn value(&self, game: &str, kind: char) -> f64 {
        let table = self.tables.get(game);
        let value = table.and_then(|table| table.get(kind.encode_utf8(&mut [0; 4])));
        value.copied().unwrap_or(DEFAULT)
    }
}

fn parse(text: &str) -> Result<Tables, String> {
    game_tables::parse(text, |game, kind, spec| {
        if spec.kinds.iter().any(|letter| kind.chars().eq([*letter])) {
            return Ok(game_tables::ANY);
        }
        let kinds: Vec<String> = spec.kinds.iter().map(char::to_string).collect();
        Err(format!("{game} has no kind `{kind}`; its kinds are: {}", kinds.join(", ")))
    })
}
