//! Single games, added to a dataset one by one.

use darkqi_env::{Registered, Trajectory, Visitor, games};

use super::dataset::ShardWriter;
use super::recording::Recording;
use crate::error::Error;

/// Creates the dataset of a recording if there is none, and checks that games can be added to it.
///
/// # Errors
/// If there is no such game or option, the dataset cannot be written, or it is another one.
pub fn prepare(recording: Recording) -> Result<(), Error> {
    struct Prepare(Recording);
    impl Visitor for Prepare {
        type Output = Result<(), Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            ShardWriter::open(rules, self.0)?.complete()
        }
    }
    let (game, options) = (recording.game.clone(), recording.options.clone());
    games::with(&game, &options, Prepare(recording))?
}

/// Adds a game to the dataset of a recording. Returns its number there.
///
/// # Errors
/// As [`prepare`], and if it is no game by the rules.
pub fn add(recording: Recording, game: Trajectory) -> Result<u64, Error> {
    struct Add(Recording, Trajectory);
    impl Visitor for Add {
        type Output = Result<u64, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            ShardWriter::open(rules, self.0)?.add(self.1)
        }
    }
    let (name, options) = (recording.game.clone(), recording.options.clone());
    games::with(&name, &options, Add(recording, game))?
}
