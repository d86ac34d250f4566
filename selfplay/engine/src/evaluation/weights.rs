//! The weights of an evaluation, by game, read from TOML.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use super::game_tables::{self, EvaluationFileError, Tables};

/// The built-in weights, as TOML.
pub(crate) const BUILT_IN_WEIGHTS: &str = include_str!("../../data/weights.toml");

/// The weights of an [`Evaluation`](super::Evaluation) for one game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Log odds of winning per unit of strength.
    pub scale: f32,
    /// The value of a covered piece, as a fraction of its expected value.
    pub covered: f32,
    /// Strength per square that a piece could move to.
    pub mobility: f32,
    /// Strength per square on or next to an enemy's general that a piece could move to.
    pub pressure: f32,
    /// Strength of a victory by counting that is nearly complete.
    pub progress: f32,
    /// Fraction of the value of an army's most valuable piece among those threatened that counts as
    /// lost. Threatened is what others could capture before its owner's next turn.
    pub threat: f32,
    /// The same of the second most valuable.
    pub second: f32,
    /// Fraction of a seat's strength that counts as lost if one threatened capture brings its army down.
    pub fall: f32,
    /// The same if two threatened captures do.
    pub brink: f32,
    /// Strength of having the move.
    pub turn: f32,
    /// Fraction of a result that fades as a draw by counters comes near.
    pub staleness: f32,
}

/// The weight that nets are divided by.
const SCALE: &str = "scale";

/// The weight that is a fraction: beyond 0 to 1, results would lie outside -1 to 1.
const STALENESS: &str = "staleness";

type Field = fn(&mut Weights) -> &mut f32;

impl Weights {
    /// Material alone.
    const PLAIN: Self = Self {
        scale: 0.2,
        covered: 1.0,
        mobility: 0.0,
        pressure: 0.0,
        progress: 0.0,
        threat: 0.0,
        second: 0.0,
        fall: 0.0,
        brink: 0.0,
        turn: 0.0,
        staleness: 0.0,
    };

    const FIELDS: &[(&'static str, Field)] = &[
        (SCALE, |weights| &mut weights.scale),
        ("covered", |weights| &mut weights.covered),
        ("mobility", |weights| &mut weights.mobility),
        ("pressure", |weights| &mut weights.pressure),
        ("progress", |weights| &mut weights.progress),
        ("threat", |weights| &mut weights.threat),
        ("second", |weights| &mut weights.second),
        ("fall", |weights| &mut weights.fall),
        ("brink", |weights| &mut weights.brink),
        ("turn", |weights| &mut weights.turn),
        (STALENESS, |weights| &mut weights.staleness),
    ];

    /// The weights that come with the program: material alone for a game without a table.
    ///
    /// # Panics
    /// Never: the file is part of the program and tested.
    pub fn built_in(game: &str) -> Self {
        // Each evaluation asks for them.
        static BUILT_IN: LazyLock<Tables> = LazyLock::new(|| {
            parse(BUILT_IN_WEIGHTS).expect("the built-in weights are well formed")
        });
        Self::PLAIN.with(BUILT_IN.get(game))
    }

    /// The weights of a file, given what was read of it. Weights that it leaves out are the built-in ones.
    ///
    /// # Errors
    /// If it could not be read, is not TOML, or names a game or a weight that does not exist.
    pub(crate) fn of_contents(
        game: &str,
        path: &Path,
        contents: io::Result<impl AsRef<[u8]>>,
    ) -> Result<Self, EvaluationFileError> {
        let tables = game_tables::read("weights", path, contents, parse)?;
        Ok(Self::built_in(game).with(tables.get(game)))
    }

    /// Whether threats count.
    pub(super) fn has_threats(&self) -> bool {
        [self.threat, self.second, self.fall, self.brink].iter().any(|&weight| weight != 0.0)
    }

    /// The weights of an equal evaluation whose strengths have another unit.
    pub(super) fn in_unit(self, unit: f32) -> Self {
        Self {
            scale: self.scale * unit,
            mobility: self.mobility / unit,
            pressure: self.pressure / unit,
            progress: self.progress / unit,
            turn: self.turn / unit,
            ..self
        }
    }

    fn with(mut self, table: Option<&BTreeMap<String, f64>>) -> Self {
        for (name, weight) in table.into_iter().flatten() {
            let field = Self::FIELDS.iter().find(|(known, _)| known == name);
            let (_, field) = field.expect("names are checked as they are read");
            *field(&mut self) = *weight as f32;
        }
        self
    }
}

fn parse(text: &str) -> Result<Tables, String> {
    game_tables::parse(text, |game, name, _| {
        if Weights::FIELDS.iter().any(|(known, _)| *known == name) {
            return Ok(match name {
                SCALE => 1e-6..=1e6,
                STALENESS => 0.0..=1.0,
                _ => game_tables::ANY,
            });
        }
        let names: Vec<_> = Weights::FIELDS.iter().map(|(name, _)| *name).collect();
        Err(format!("{game} has no weight `{name}`; the weights are: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Weights, parse};

    #[test]
    fn weights_missing_in_a_file_are_the_built_in_ones() {
        let file = Ok("[jieqi]\nturn = 0.25\n");
        let weights = Weights::of_contents("jieqi", Path::new("weights.toml"), file);
        let weights = weights.expect("the file is well formed");
        assert_eq!(weights, Weights { turn: 0.25, ..Weights::built_in("jieqi") });
    }

    #[test]
    fn faults_name_what_was_given_and_what_is_known() {
        for (text, fault) in [
            ("[jieqi]\nspeed = 1\n", "jieqi has no weight `speed`; the weights are: scale, cov"),
            ("[chess]\nscale = 1\n", "unknown game `[chess]`; the games are: banqi, "),
            (
                "[jieqi]\nturn = inf\n",
                "jieqi.turn: expected a number from -1000000 to 1000000, found inf",
            ),
            (
                "[jieqi]\nscale = 0\n",
                "jieqi.scale: expected a number from 0.000001 to 1000000, found 0",
            ),
            (
                "[jieqi]\nstaleness = -0.5\n",
                "jieqi.staleness: expected a number from 0 to 1, found -0.5",
            ),
        ] {
            let error = parse(text).expect_err(fault);
            assert!(error.starts_with(fault), "{error}");
        }
    }
}
