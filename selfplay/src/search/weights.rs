//! How an evaluation weighs what it sees, by game, read from TOML.

use std::fs;
use std::path::Path;

use darkqi_env::Game;

use crate::agents::ValuesError;
use crate::agents::tables::{self, Tables};

/// The built-in weights, as TOML.
pub(crate) const TEXT: &str = include_str!("../../data/weights.toml");

/// The weights of an [`Evaluation`](super::Evaluation) for one game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Log odds of winning per unit of strength.
    pub scale: f32,
    /// What a covered piece is worth as a part of what it is expected to be.
    pub covered: f32,
    /// Strength per square that a piece could go to.
    pub mobility: f32,
    /// Strength per square on or next to an enemy's general that a piece could go to.
    pub pressure: f32,
    /// Strength of a victory by counting that is all but won.
    pub progress: f32,
    /// Part of the value of the most valuable piece that an enemy could take which is lost; the mover
    /// can still save its own.
    pub threat: f32,
    /// Strength of having the move.
    pub turn: f32,
    /// Part of a result that is lost when a draw by counters is reached.
    pub staleness: f32,
}

type Field = fn(&mut Weights) -> &mut f32;

impl Weights {
    /// Nothing but pieces, at even odds for one unit more.
    const PLAIN: Self = Self {
        scale: 0.2,
        covered: 1.0,
        mobility: 0.0,
        pressure: 0.0,
        progress: 0.0,
        threat: 0.0,
        turn: 0.0,
        staleness: 0.0,
    };

    const FIELDS: &[(&'static str, Field)] = &[
        ("scale", |weights| &mut weights.scale),
        ("covered", |weights| &mut weights.covered),
        ("mobility", |weights| &mut weights.mobility),
        ("pressure", |weights| &mut weights.pressure),
        ("progress", |weights| &mut weights.progress),
        ("threat", |weights| &mut weights.threat),
        ("turn", |weights| &mut weights.turn),
        ("staleness", |weights| &mut weights.staleness),
    ];

    /// The weights that come with the program. A game without a table is judged by pieces alone.
    ///
    /// # Panics
    /// Never: the file is part of the program and tested.
    pub fn built_in<G: Game>() -> Self {
        Self::PLAIN.with::<G>(&parse(TEXT).expect("the built-in weights are well formed"))
    }

    /// The weights of a file; what it leaves out keeps its built-in weight.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or names a game or a weight that does not exist.
    pub fn read<G: Game>(path: &Path) -> Result<Self, ValuesError> {
        let fault = |fault: String| ValuesError { what: "weights", path: path.to_owned(), fault };
        let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        Ok(Self::built_in::<G>().with::<G>(&parse(&text).map_err(fault)?))
    }

    fn with<G: Game>(mut self, tables: &Tables) -> Self {
        for (name, weight) in tables.get(G::NAME).into_iter().flatten() {
            let field = Self::FIELDS.iter().find(|(known, _)| known == name);
            let (_, field) = field.expect("names are checked as they are read");
            *field(&mut self) = *weight as f32;
        }
        self
    }
}

fn parse(text: &str) -> Result<Tables, String> {
    tables::parse(text, |game, name, _| {
        if Weights::FIELDS.iter().any(|(known, _)| *known == name) {
            return Ok(());
        }
        let names: Vec<_> = Weights::FIELDS.iter().map(|(name, _)| *name).collect();
        Err(format!("{game} has no weight `{name}`; the weights are: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::jieqi::Jieqi;

    use super::{Weights, parse};

    #[test]
    fn what_a_file_leaves_out_stays_as_built_in() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("weights.toml");
        std::fs::write(&path, "[jieqi]\nturn = 0.25\n").expect("the folder is writable");
        let weights = Weights::read::<Jieqi>(&path).expect("the file is well formed");
        assert_eq!(weights, Weights { turn: 0.25, ..Weights::built_in::<Jieqi>() });
    }

    #[test]
    fn faults_name_what_is_wrong_and_what_is_known() {
        for (text, fault) in [
            ("[jieqi]\nspeed = 1\n", "jieqi has no weight `speed`; the weights are: scale, cov"),
            ("[chess]\nscale = 1\n", "unknown game `[chess]`; the games are: banqi, "),
            (
                "[jieqi]\nscale = inf\n",
                "jieqi.scale: expected a number within ±3.4028235e38, found inf",
            ),
        ] {
            let error = parse(text).expect_err(fault);
            assert!(error.starts_with(fault), "{error}");
        }
    }
}
