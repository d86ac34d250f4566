//! One game of a dataset, played again.

use std::collections::BTreeMap;

use darkqi_env::{
    Action, AnyState, Viewer,
    game::Picture,
    session::{Ending, standing},
    shown::shown_name,
};
use darkqi_format::{Dataset, GameRecord, PlyRecord, PolicyEntry};
use serde_json::{Value as Json, json};

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
    /// The game as logged, with the seed, the deal and all that seats did not show one another, whoever
    /// the viewer is.
    pub record: GameRecord,
    /// The position of the deal. None if its FEN cannot be read.
    pub deal: Option<ReplayedPosition>,
    /// The plies by the rules, up to the first illegal action, with logged values and policies.
    pub plies: Vec<ReplayedPly>,
    /// How the game has ended, as the log has it, in words.
    pub result: String,
    /// Where the log differs from the rules.
    pub differences: Vec<Difference>,
}

impl ReplayedGame {
    /// The game as `darkqi replay` prints it: whole, or what the viewer may know of its deal.
    pub fn to_json(&self, viewer: Option<Viewer>) -> Json {
        let ply = |ReplayedPly { ply, position }: &ReplayedPly| {
            let policy = ply.policy.as_deref().map(|policy| {
                let entry = |&PolicyEntry { action, probability }: &PolicyEntry| {
                    json!({ "action": action, "probability": probability })
                };
                policy.iter().map(entry).collect::<Vec<_>>()
            });
            json!({
                "player": ply.player,
                "action": ply.action,
                "move": ply.mv.as_str(),
                "legal_count": ply.legal_count,
                "revealed": ply.revealed.as_deref(),
                "captured": ply.captured.as_deref(),
                "captured_covered": ply.captured_covered,
                "value": ply.value,
                "policy": policy,
                "fen": position.fen,
            })
        };
        let record = &self.record;
        let deal = match (viewer, &self.deal) {
            (Some(_), Some(deal)) => Some(&deal.fen),
            (Some(_), None) => None,
            (None, _) => Some(&record.deal),
        };
        let mut json = json!({
            "game": self.game,
            "options": self.options,
            "game_id": record.game_id,
            "deal_id": record.deal_id,
            // The deal follows from it.
            "seed": viewer.is_none().then_some(record.seed),
            "agents": record.agents,
            "deal": deal,
            "rewards": record.rewards,
            "winner": record.winner,
            "terminated": record.terminated,
            "reason": record.reason,
            "plies": self.plies.iter().map(ply).collect::<Vec<_>>(),
        });
        if !self.differences.is_empty() {
            json["differences"] = self.differences.iter().map(Difference::to_string).collect();
        }
        json
    }
}

/// A ply by the rules.
#[derive(Clone, Debug)]
pub struct ReplayedPly {
    /// The ply.
    pub ply: PlyRecord,
    /// The position after it.
    pub position: ReplayedPosition,
}

/// A position with all that covered pieces hide, or as a viewer saw it.
#[derive(Clone, Debug)]
pub struct ReplayedPosition {
    /// Its FEN.
    pub fen: String,
    /// Its picture.
    pub picture: Picture,
}

/// Reads a game of a dataset and plays it again.
///
/// Positions and plies are as the viewer saw them: captures that it was not shown and what other seats'
/// agents said are left out, and of differences only their places are told. `None` sees everything.
///
/// # Errors
/// If the dataset has no such game or its files cannot be read, its game or an option does not exist, or
/// the game does not have the viewer's seat. A log that differs from the rules is no error: see
/// [`ReplayedGame::differences`].
pub fn replay(
    dataset: &Dataset,
    game_id: u64,
    viewer: Option<Viewer>,
) -> Result<ReplayedGame, Error> {
    let record = dataset.game(game_id)?;
    let metadata = dataset.metadata();
    let mut game = ReplayedGame {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        record,
        deal: None,
        plies: Vec::new(),
        result: String::new(),
        differences: Vec::new(),
    };
    let spec = metadata.spec()?;
    if let Some(Viewer::Player(seat)) = viewer
        && seat >= spec.num_players
    {
        return Err(Error::Seat { seat, seats: spec.num_players });
    }
    let mut before: Option<Box<dyn AnyState>> = None;
    game.differences = Replayer::new(&spec).replay(&game.record, |ply, position| {
        let fen = viewer.map_or_else(|| position.fen(), |viewer| position.view_fen(viewer));
        let seen = ReplayedPosition { fen, picture: position.picture(viewer) };
        let before = before.replace(position.boxed_clone());
        let (Some(ply), Some(before)) = (ply, before) else {
            game.deal = Some(seen);
            return;
        };
        let logged = &game.record.moves[game.plies.len()];
        let (value, policy) = (logged.value.clone(), logged.policy.clone());
        let mut ply = PlyRecord { value, policy, ..ply.clone() };
        if let Some(viewer) = viewer {
            let event = before.event(Action(ply.action), viewer);
            if event.expect("a replayed action is legal").captured.is_none() {
                ply.captured = None;
            }
            if viewer != Viewer::Player(ply.player as usize) {
                (ply.value, ply.policy) = (None, None);
            }
        }
        game.plies.push(ReplayedPly { ply, position: seen });
    });
    let GameRecord { reason, rewards, terminated, .. } = &game.record;
    let reason = &shown_name(reason);
    game.result = before.map_or_else(
        || reason.to_string(),
        |last| {
            let ending = Ending { reason, rewards, is_truncated: !terminated };
            standing(&*last, Some(ending))
        },
    );
    // The rules do not know a resignation.
    if game.plies.len() == game.record.moves.len()
        && let Some(last) = game.plies.last_mut()
    {
        last.position.picture.standing.clone_from(&game.result);
    }
    if viewer.is_some() {
        game.differences = game.differences.into_iter().map(Difference::withheld).collect();
    }
    Ok(game)
}
