//! One game of a dataset, played again.

use std::collections::BTreeMap;

use darkqi_datasets::{Dataset, GameRecord, PlyRecord, options_from_json};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Picture, Registered};
use serde_json::Value as Json;

use super::difference::Difference;
use super::replayer::Replayer;
use crate::error::Error;

/// A logged game and what the rules make of it.
#[derive(Clone, Debug)]
pub struct ReplayedGame {
    /// The game's name in the registry.
    pub game: String,
    /// All its options.
    pub options: BTreeMap<String, Json>,
    /// The game as logged.
    pub record: GameRecord,
    /// The position of the deal. None if its FEN cannot be read.
    pub deal: Option<ReplayedPosition>,
    /// The plies by the rules, up to the first illegal action, with logged values and policies.
    pub plies: Vec<ReplayedPly>,
    /// Where the log differs from the rules.
    pub differences: Vec<Difference>,
}

/// A ply by the rules.
#[derive(Clone, Debug)]
pub struct ReplayedPly {
    /// The ply.
    pub ply: PlyRecord,
    /// The position after it.
    pub position: ReplayedPosition,
}

/// A position with all that covered pieces hide.
#[derive(Clone, Debug)]
pub struct ReplayedPosition {
    /// Its full FEN.
    pub fen: String,
    /// Its picture.
    pub picture: Picture,
}

/// Reads a game of a dataset and plays it again.
///
/// # Errors
/// If the dataset has no such game or its files cannot be read, or its game or an option does not
/// exist. A log that differs from the rules is no error: see [`ReplayedGame::differences`].
pub fn replay(dataset: &Dataset, game_id: u64) -> Result<ReplayedGame, Error> {
    struct Replay(ReplayedGame);
    impl Visitor for Replay {
        type Output = ReplayedGame;
        fn visit<G: Registered>(self, rules: G) -> ReplayedGame {
            let Self(mut game) = self;
            let replayer = Replayer::new(rules);
            game.differences = replayer.replay(&game.record, |ply, state| {
                let rules = replayer.rules();
                let (fen, picture) = (rules.fen(state), rules.full_picture(state));
                let position = ReplayedPosition { fen, picture };
                let Some(ply) = ply else {
                    game.deal = Some(position);
                    return;
                };
                let logged = &game.record.moves[game.plies.len()];
                let (value, policy) = (logged.value.clone(), logged.policy.clone());
                let ply = PlyRecord { value, policy, ..ply.clone() };
                game.plies.push(ReplayedPly { ply, position });
            });
            game
        }
    }
    let record = dataset.game(game_id)?;
    let metadata = dataset.metadata();
    let game = ReplayedGame {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        record,
        deal: None,
        plies: Vec::new(),
        differences: Vec::new(),
    };
    Ok(games::with(&metadata.game, &options_from_json(&metadata.options)?, Replay(game))?)
}
