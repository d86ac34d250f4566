//! A position of the past as JSON, as the holder of a key may know it.

use darkqi_env::{AnyState, Player, Viewer};
use serde::Serialize;
use serde_json::Value as Json;

use super::position::viewer_name;
use super::table::Table;
use crate::board::{PictureJson, names, owners};

/// A ply of the past as the page of a key is shown it. It is the view of the seat that sees the
/// game now, as it was then; everything, once the game is over.
#[derive(Serialize)]
pub(crate) struct Look {
    ply: usize,
    viewer: Json,
    mover: Player,
    picture: PictureJson,
    owners: Vec<Option<Player>>,
    threatened: Vec<String>,
    fen: String,
}

impl Look {
    /// The game after this many plies, as the holder of these seats may know it; `None` if
    /// fewer have been played.
    pub(crate) fn new(table: &Table, seats: &[Player], ply: usize) -> Option<Self> {
        let past = table.game.past();
        let at = |ply: usize| past.get(ply).map(|past| &*past.before);
        let state: &dyn AnyState = if ply == past.len() { table.state() } else { at(ply)? };
        let before = ply.checked_sub(1).and_then(at);
        let viewer = table.viewer(seats);
        // As in the position of now, threats by face-up pieces are public.
        let known = viewer.unwrap_or(Viewer::Public);
        let spec = table.game.spec();
        Some(Self {
            ply,
            viewer: viewer_name(viewer),
            mover: state.current_player(),
            picture: PictureJson::of(state, before, viewer, seats, table.captured(ply)),
            owners: owners(state),
            threatened: names(spec.layout.size, &state.threatened(known)),
            fen: viewer.map_or_else(|| state.fen(), |viewer| state.view_fen(viewer)),
        })
    }
}
