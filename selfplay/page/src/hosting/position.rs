//! A game under way as JSON, as the holder of a key may know it.

use std::collections::BTreeMap;
use std::time::Instant;

use darkqi_env::{
    AnyState, Player, Viewer,
    game::Words,
    session::{Phrase, Reveal},
};
use darkqi_format::options_to_json;
use darkqi_play::play::End;
use serde::Serialize;
use serde_json::Value as Json;

use super::agreements::{DrawJson, RematchJson};
use super::clock::ClockJson;
use super::table::{Saved, Table};
use crate::board::{MoveJson, PictureJson, names, owners};

/// The game as the page of a key is shown it.
#[derive(Serialize)]
pub(crate) struct Position {
    game: &'static str,
    options: BTreeMap<String, Json>,
    seats: Vec<Player>,
    agents: Vec<Option<String>>,
    adviser: String,
    /// Whether all people share one screen.
    shared: bool,
    viewer: Json,
    turn: u64,
    ply: usize,
    mover: Player,
    is_over: bool,
    is_check: bool,
    thinking: bool,
    failure: Option<String>,
    picture: PictureJson,
    owners: Vec<Option<Player>>,
    /// The seats whose armies have fallen while others play on.
    out: Vec<Player>,
    threatened: Vec<String>,
    legal: Vec<MoveJson>,
    /// The plies that are new, or look otherwise, since the version that was asked about.
    history: Vec<PlayedPly>,
    counters: Vec<CounterJson>,
    occurrences: u8,
    outcome: Option<OutcomeJson>,
    fen: String,
    /// Of a game that is over: before, it would tell the deal. So would the position it began with.
    seed: Option<String>,
    started_from: Option<String>,
    can_take_back: bool,
    can_resign: bool,
    draw: DrawJson,
    /// What everybody may know, as at a table.
    clock: Option<ClockJson>,
    rematch: Option<RematchJson>,
    can_save: bool,
    saved: Option<Saved>,
}

/// A ply, as a viewer saw it.
#[derive(Serialize)]
struct PlayedPly {
    ply: usize,
    seat: Player,
    #[serde(flatten)]
    played: MoveJson,
    revealed: Option<String>,
    captured: Option<String>,
    captured_covered: bool,
    is_check: bool,
}

#[derive(Serialize)]
struct CounterJson {
    name: &'static str,
    count: u16,
    limit: u16,
}

#[derive(Serialize)]
struct OutcomeJson {
    reason: &'static str,
    rewards: Vec<f32>,
    winners: Vec<Player>,
    is_truncated: bool,
    /// Whether the players have made the end, and not the rules.
    is_settled: bool,
    result: Phrase,
    meaning: Words,
}

impl Position {
    /// A game as the holder of these seats may know it, with the plies that are new since a version;
    /// without one, all of them.
    pub(crate) fn new(table: &Table, seats: &[Player], since: Option<u64>) -> Self {
        let (game, state) = (&table.game, table.state());
        let viewer = table.viewer(seats);
        // Counters, occurrences and threats by face-up pieces are public.
        let known = viewer.unwrap_or(Viewer::Public);
        let end = game.end();
        let spec = game.spec();
        let counters = state.counters(known).into_iter().map(|counter| CounterJson {
            name: counter.option,
            count: counter.count,
            limit: counter.limit,
        });
        let legal = if table.is_to_move(seats) { state.legal_actions() } else { &[] };
        let size = spec.layout.size;
        let is_over = end.is_some();
        let picture =
            PictureJson::of(state, game.before(), viewer, seats, table.captured(game.past().len()));
        Self {
            game: spec.name,
            options: options_to_json(&spec.options_in_force()),
            seats: seats.to_vec(),
            agents: table
                .agents
                .iter()
                .map(|agent| agent.as_ref().map(|agent| agent.name.clone()))
                .collect(),
            adviser: table.adviser.name.clone(),
            shared: table.is_shared,
            viewer: viewer_name(viewer),
            turn: table.turn(),
            ply: game.past().len(),
            mover: state.current_player(),
            is_over,
            is_check: !is_over && state.is_check(),
            thinking: table.agent_to_move().is_some(),
            failure: table.failure.clone(),
            picture: picture.ended(is_over),
            owners: owners(state),
            out: table.out(),
            threatened: names(size, &state.threatened(known)),
            legal: MoveJson::all(state, size, legal),
            history: history(table, seats, viewer, table.known(since)),
            counters: counters.collect(),
            occurrences: state.occurrences(known),
            outcome: end.map(OutcomeJson::new),
            fen: viewer.map_or_else(|| state.fen(), |viewer| state.view_fen(viewer)),
            seed: is_over.then(|| game.seed().to_string()),
            started_from: table.fen.clone().filter(|_| is_over),
            can_take_back: table.can_take_back(seats),
            can_resign: table.resigning(seats).is_some(),
            draw: table.draw(seats),
            clock: table.clock.as_ref().map(|clock| clock.json(Instant::now())),
            rematch: table.rematch(seats),
            can_save: !seats.is_empty() && table.can_save(),
            saved: table.saved.clone(),
        }
    }
}

/// A viewer as the page names it.
pub(super) fn viewer_name(viewer: Option<Viewer>) -> Json {
    match viewer {
        Some(Viewer::Player(seat)) => seat.into(),
        Some(Viewer::Public) => "public".into(),
        None => "all".into(),
    }
}

impl OutcomeJson {
    fn new(end: End) -> Self {
        let End { reason, meaning, rewards, is_truncated, is_settled, result } = end;
        let winners = (0..rewards.len()).filter(|&seat| rewards[seat] > 0.0).collect();
        Self { reason, rewards, winners, is_truncated, is_settled, result, meaning }
    }
}

/// The plies from the first that is not known as a viewer saw them; in a game that is over, as their
/// movers did. Those before are the same for every viewer, but for what was taken covered: of that there
/// is another view where several seats look in turn, and at the end.
fn history(
    table: &Table,
    seats: &[Player],
    viewer: Option<Viewer>,
    known: usize,
) -> Vec<PlayedPly> {
    let (past, size) = (table.game.past(), table.game.spec().layout.size);
    let may_differ = viewer.is_none() || seats.len() > 1;
    let after = past.iter().skip(1).map(|past| &*past.before).chain([table.state()]);
    let plies = past.iter().zip(after).enumerate();
    let wanted = plies
        .filter(|(ply, (past, _))| *ply >= known || (may_differ && past.shown.captured_covered));
    let played = wanted.map(|(ply, (past, after))| {
        let (before, action) = (&*past.before, past.decision.action);
        let seat = before.current_player();
        let viewer = viewer.unwrap_or(Viewer::Player(seat));
        let event = before.event(action, viewer).expect("what was played is legal");
        let played = MoveJson::new(before, size, action);
        let Reveal { revealed, captured, captured_covered, .. } = event;
        let is_check = after.outcome().is_none() && after.is_check();
        PlayedPly { ply, seat, played, revealed, captured, captured_covered, is_check }
    });
    played.collect()
}

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
