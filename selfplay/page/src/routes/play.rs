//! Requests about games under way.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use darkqi_engine::agents::agents_of;
use darkqi_env::{Player, Spec, game::Words, session::Reveal};
use darkqi_format::{options_from_json, options_to_json};
use darkqi_play::Error;
use darkqi_play::opponents::Adviser;
use darkqi_play::play::{Game, Settlement};
use darkqi_play::recorder::{self, Recording};
use darkqi_play::seeds::{new_seed, parse_seed};
use darkqi_play::variants::Variant;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Body, Params, Refusal, Written};
use crate::app::App;
use crate::board::Advice;
use crate::finished::{Finished, Kind};
use crate::hosting::{Limits, Position, Saved, Seats, Table, next_seats, refusal};
use crate::library::{Folders, Place};
use crate::work::{LONGEST, MAX_THOUGHT, lock};

/// The most plies of a game: with each goes the history of its position.
const MAX_PLIES: u16 = 2000;

/// How long a request waits for a change.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/spec", post(spec))
        .route("/api/rules", post(rules))
        .route("/api/games", post(create))
        .route("/api/play/{key}", get(position))
        .route("/api/play/{key}/wait", get(wait))
        .route("/api/play/{key}/at", get(look))
        .route("/api/play/{key}/move", post(play))
        .route("/api/play/{key}/back", post(take_back))
        .route("/api/play/{key}/resign", post(resign))
        .route("/api/play/{key}/draw", post(draw))
        .route("/api/play/{key}/decline", post(decline))
        .route("/api/play/{key}/rematch", post(rematch))
        .route("/api/play/{key}/retry", post(retry))
        .route("/api/play/{key}/save", post(save))
        .route("/api/play/{key}/hint", post(hint))
        .route("/api/play/{key}/odds", post(odds))
        .route("/api/play/{key}/objection", post(objection))
        .route("/api/play/{key}/file", get(file))
        .route("/api/play/{key}/review", post(review))
}

/// The seats of the key that a path names.
impl FromRequestParts<App> for Seats {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Refusal> {
        match Path::<String>::from_request_parts(parts, app).await {
            Ok(Path(key)) => app.game(&key).await,
            Err(rejection) => Err(Refusal::new(rejection.status(), rejection.body_text())),
        }
    }
}

impl Seats {
    /// The position, with the plies that are new since a version.
    fn position(&self, since: Option<u64>) -> Position {
        self.game.position(&self.seats, since)
    }

    /// Changes the game, if no ply was played since this version. Returns the new position.
    fn change(
        &self,
        turn: u64,
        change: impl FnOnce(&mut Table, &[Player]) -> Result<(), Refusal>,
    ) -> Result<Position, Refusal> {
        self.game.change(turn, |table| change(table, &self.seats))?;
        Ok(self.position(Some(turn)))
    }
}

/// Answers with the position after a change.
async fn changed(
    app: App,
    key: Seats,
    turn: u64,
    change: impl FnOnce(&mut Table, &[Player]) -> Result<(), Refusal> + Send + 'static,
) -> Answer {
    app.tell(move || key.change(turn, change)).await
}

/// A game with options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    pub(super) game: String,
    #[serde(default)]
    pub(super) options: BTreeMap<String, Value>,
}

/// A game with options that a page has named.
pub(super) fn spec_of(game: &str, options: &BTreeMap<String, Value>) -> Result<Spec, Refusal> {
    let options = options_from_json(options).map_err(Refusal::faulty)?;
    Spec::new(game, &options).map_err(Refusal::faulty)
}

/// The seats of a game with these options, and the agents that play it.
async fn spec(State(app): State<App>, Body(rules): Body<Rules>) -> Answer {
    let seats = move || {
        let spec = spec_of(&rules.game, &rules.options)?;
        let agents: Vec<&str> = agents_of(&spec).into_iter().map(|info| info.name).collect();
        Ok(json!({ "num_players": spec.num_players, "teams": spec.teams, "agents": agents }))
    };
    app.tell(seats).await
}

/// A file of rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    text: String,
}

/// The game of a file of rules, and its options.
async fn rules(State(app): State<App>, Body(file): Body<RulesFile>) -> Answer {
    let read = move || {
        let Variant { game, about, options, .. } =
            Variant::parse(&file.text).map_err(Refusal::faulty)?;
        Ok(json!({ "game": game, "about": about, "options": options_to_json(&options) }))
    };
    app.tell(read).await
}

/// A game to begin.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewGame {
    game: String,
    #[serde(default)]
    options: BTreeMap<String, Value>,
    seed: Option<String>,
    fen: Option<String>,
    /// The agent of each seat, or null for a person.
    seats: Vec<Option<String>>,
    #[serde(default)]
    shared: bool,
    adviser: Option<String>,
    /// The time that people have, as [`Limits`]; without it, they have all of it.
    clock: Option<Value>,
}

async fn create(
    State(app): State<App>,
    Body(wanted): Body<NewGame>,
) -> Result<(StatusCode, Written), Refusal> {
    let begun = app.beginning.take()?.answer(MAX_THOUGHT, move |_| begin(&app, &wanted)).await?;
    Ok((StatusCode::CREATED, begun))
}

/// Begins a game. Returns its keys.
fn begin(app: &App, wanted: &NewGame) -> Result<Value, Refusal> {
    let spec = spec_of(&wanted.game, &wanted.options)?;
    let count = spec.num_players;
    if wanted.seats.len() != count {
        let found = wanted.seats.len();
        let reason = format!("seats: {} has {count} with these options, got {found}", spec.name);
        return Err(Refusal::faulty(reason));
    }
    if spec.max_plies > MAX_PLIES {
        let reason =
            format!("max_plies: expected at most {MAX_PLIES} here, got {}", spec.max_plies);
        return Err(Refusal::faulty(reason));
    }
    let agent = |text: &String| app.agent(text);
    let agents = wanted.seats.iter().map(|seat| seat.as_ref().map(agent).transpose());
    let agents: Vec<_> = agents.collect::<Result<_, _>>()?;
    let adviser = wanted.adviser.as_ref().map_or_else(|| Ok(app.adviser()), agent)?;
    let seed = match wanted.seed.as_deref().map(str::trim) {
        None | Some("") => new_seed().map_err(Refusal::impossible)?,
        Some(text) => parse_seed(text)
            .map_err(|fault| Refusal::faulty(format!("seed: {fault}, got `{text}`")))?,
    };
    let clock = wanted.clock.as_ref().map(Limits::new).transpose()?;
    let fen = wanted.fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
    let game =
        Game::new(spec.name, &spec.options_in_force(), seed, fen).map_err(Refusal::faulty)?;
    // An agent that cannot be made is found out here.
    for agent in agents.iter().flatten().chain([&adviser]) {
        Adviser::new(&spec, &agent.spec).map_err(|error| refusal(&agent.name, error))?;
    }
    let people: Vec<Player> = (0..count).filter(|&seat| agents[seat].is_none()).collect();
    let is_shared = wanted.shared || people.len() < 2;
    let mut groups =
        if is_shared { vec![people] } else { people.into_iter().map(|seat| vec![seat]).collect() };
    // Onlookers; where nobody plays there is nobody else.
    if !groups[0].is_empty() {
        groups.push(Vec::new());
    }
    let mut table = Table::new(game, agents, adviser);
    table.fen = fen.map(str::to_owned);
    table.is_shared = is_shared;
    table.set_clock(clock);
    let (game, keys) = app.registry.add(table, groups)?;
    game.go_on();
    Ok(json!({ "keys": keys }))
}

/// The version that a page shows, if it shows one.
#[derive(Deserialize)]
struct Since {
    turn: Option<u64>,
}

async fn position(
    State(app): State<App>,
    key: Seats,
    Params(Since { turn }): Params<Since>,
) -> Answer {
    app.tell(move || Ok(key.position(turn))).await
}

/// The version that a page shows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    turn: u64,
}

/// The position once it is of another version than the page's; after a while without a change,
/// nothing.
async fn wait(
    State(app): State<App>,
    key: Seats,
    Params(Turn { turn }): Params<Turn>,
) -> Result<Response, Refusal> {
    if !key.game.wait(turn, PATIENCE).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let position = app.tell(move || Ok(key.position(Some(turn))));
    Ok(position.await?.into_response())
}

/// A ply of the game's past.
#[derive(Deserialize)]
struct Ply {
    ply: usize,
}

async fn look(State(app): State<App>, key: Seats, Params(Ply { ply }): Params<Ply>) -> Answer {
    app.tell(move || key.game.look(&key.seats, ply)).await
}

/// An action, played or asked about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    turn: u64,
    action: i64,
}

/// An act that a key may do only at its turn.
fn check_turn(table: &Table, seats: &[Player]) -> Result<(), Refusal> {
    let reason = match table.game.end() {
        _ if table.is_to_move(seats) => return Ok(()),
        Some(_) => "turn: the game is over",
        None => "turn: none of your seats is to move",
    };
    Err(Refusal::new(StatusCode::FORBIDDEN, reason))
}

async fn play(
    State(app): State<App>,
    key: Seats,
    Body(Chosen { turn, action }): Body<Chosen>,
) -> Answer {
    let play = move |table: &mut Table, seats: &[Player]| {
        check_turn(table, seats)?;
        let action = table.state().action(action).map_err(Refusal::impossible)?;
        table.play(action.into(), Instant::now()).map_err(Refusal::impossible)
    };
    changed(app, key, turn, play).await
}

async fn take_back(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    let take_back = |table: &mut Table, seats: &[Player]| {
        if !table.can_take_back(seats) {
            return Err(Refusal::impossible("there is nothing that you can take back"));
        }
        table.take_back(seats);
        Ok(())
    };
    changed(app, key, turn, take_back).await
}

async fn resign(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    let resign = |table: &mut Table, seats: &[Player]| {
        let refusal = || Refusal::impossible("none of your seats can resign now");
        let seat = table.resigning(seats).ok_or_else(refusal)?;
        table.game.settle(Settlement::Resignation(seat));
        Ok(())
    };
    changed(app, key, turn, resign).await
}

/// Offers a draw, or accepts one.
async fn draw(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    changed(app, key, turn, Table::offer_draw).await
}

async fn decline(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    changed(app, key, turn, Table::decline_draw).await
}

/// Asks for another game. Once all people have, it begins, and each has the next seat.
async fn rematch(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    let work = app.beginning.take()?;
    work.answer(MAX_THOUGHT, move |_| {
        let Seats { game, seats } = &key;
        let wanted = game.change(turn, |table| {
            let next = table.want_rematch(seats)?;
            Ok(next.map(|next| (next, table.agents.len())))
        })?;
        if let Some((next, count)) = wanted {
            let groups = game.groups().map(|seats| next_seats(seats, count)).collect();
            let begun = app.registry.add(next, groups);
            let keys = begun.as_ref().ok().map(|(_, keys)| &**keys);
            game.amend(|table| table.begin_rematch(seats, keys));
            begun?.0.go_on();
        }
        Ok(key.position(Some(turn)))
    })
    .await
}

/// Asks an agent again that has failed.
async fn retry(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    let retry = |table: &mut Table, seats: &[Player]| {
        if !table.can_retry(seats) {
            let reason = "expected a game in which an agent has failed, and a seat of it";
            return Err(Refusal::impossible(reason));
        }
        table.failure = None;
        Ok(())
    };
    changed(app, key, turn, retry).await
}

/// A dataset to add the game to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    turn: u64,
    name: String,
}

async fn save(State(app): State<App>, key: Seats, Body(Save { turn, name }): Body<Save>) -> Answer {
    let work = app.beginning.take()?;
    work.answer(LONGEST, move |_| {
        // A folder that another game is being saved into is neither free nor a dataset yet.
        let _saving = lock(&app.saving);
        let place = app.folders.new_dataset(&name)?;
        let (recording, played) = {
            let table = key.game.table();
            table.check_version(turn)?;
            table.to_save().filter(|_| !key.seats.is_empty()).ok_or_else(|| {
                Refusal::impossible(
                    "expected a game that the rules have ended, between people or between one person \
                     and one agent",
                )
            })?
        };
        // A large dataset takes long; the table is free meanwhile.
        let recording = Recording { dir: place.path.clone(), ..recording };
        let game_id = recorder::add(recording.clone(), played).map_err(|error| {
            let is_other = matches!(error, Error::OtherRun { .. });
            let refusal = Refusal::impossible(error);
            match other_name(&app.folders, &recording, &name).filter(|_| is_other) {
                Some(other) => refusal.offering(other),
                None => refusal,
            }
        })?;
        let path = place.path.display().to_string();
        let saved = Saved { dataset: place.id, path, game_id };
        key.game.amend(|table| table.saved = Some(saved));
        Ok(key.position(Some(turn)))
    })
    .await
}

/// A name like this one for a dataset that this game fits, or that is not there yet.
fn other_name(folders: &Folders, recording: &Recording, name: &str) -> Option<String> {
    let fits = |dir| recorder::prepare(Recording { dir, ..recording.clone() }).is_ok();

    let stem = match name.rsplit_once('-') {
        Some((stem, number)) if number.parse::<u32>().is_ok() => stem,
        _ => name,
    };
    (2..100).map(|number| format!("{stem}-{number}")).filter(|other| other != name).find(|other| {
        let place = folders.new_dataset(other);
        place.is_ok_and(|Place { path, .. }| !path.exists() || fits(path))
    })
}

/// A file to make of a game that is over.
#[derive(Deserialize)]
struct Wanted {
    kind: Kind,
    /// The position of a picture; without it, the last.
    ply: Option<usize>,
}

async fn file(
    State(app): State<App>,
    key: Seats,
    Params(Wanted { kind, ply }): Params<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let work = app.reporting.take()?;
    work.run(LONGEST, move |stop| {
        // Drawing takes long, and nobody waits for the table meanwhile.
        let game = Finished::of_table(&key.game.table())?;
        game.file(kind, ply, stop)
    })
    .await
}

/// How far the review of a game is that is over. The first request begins it.
async fn review(State(app): State<App>, key: Seats, Body(Turn { .. }): Body<Turn>) -> Answer {
    let name = key.game.name();
    if let Some(told) = app.reviews.told(name)? {
        return Written::new(&told);
    }
    let work = app.reporting.take()?;
    let game = Finished::of_table(&key.game.table())?;
    Written::new(&app.reviews.begin(name.to_owned(), game, work))
}

async fn hint(State(app): State<App>, key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer {
    let Seats { game, seats } = key;
    check_turn(&game.table(), &seats)?;
    let work = app.thinking.take()?;
    work.answer(MAX_THOUGHT, move |stop| {
        let agent = {
            let table = game.table();
            check_turn(&table, &seats)?;
            table.adviser.clone()
        };
        let decision = game.advise(&agent, turn, stop)?;
        let table = game.table();
        table.check_version(turn)?;
        let (state, size) = (table.state(), table.game.spec().layout.size);
        Ok(Advice::new(state, size, &decision))
    })
    .await
}

/// The outcomes of an action, as far as the mover knows.
async fn odds(
    State(app): State<App>,
    key: Seats,
    Body(Chosen { turn, action }): Body<Chosen>,
) -> Answer {
    app.tell(move || odds_of(&key, turn, action)).await
}

fn odds_of(key: &Seats, turn: u64, action: i64) -> Result<Value, Refusal> {
    let table = key.game.table();
    table.check_version(turn)?;
    check_turn(&table, &key.seats)?;
    let state = table.state();
    let reveals = state.action(action).and_then(|action| state.reveals(action));
    let odds = reveals.map_err(Refusal::impossible)?.into_iter().map(|reveal| {
        let Reveal { revealed, captured, captured_covered, probability } = reveal;
        json!({
            "revealed": revealed,
            "captured": captured,
            "captured_covered": captured_covered,
            "probability": probability,
        })
    });
    Ok(json!({ "odds": odds.collect::<Vec<_>>() }))
}

/// Squares of a move that is not legal; without a target, of a piece that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wished {
    turn: u64,
    from: String,
    to: Option<String>,
}

/// Why a move is not legal, as far as the holder of the key may know; null if it is.
async fn objection(State(app): State<App>, key: Seats, Body(wished): Body<Wished>) -> Answer {
    app.tell(move || objection_to(&key, &wished)).await
}

fn objection_to(key: &Seats, Wished { turn, from, to }: &Wished) -> Result<Option<Words>, Refusal> {
    let table = key.game.table();
    table.check_version(*turn)?;
    let size = table.game.spec().layout.size;
    let square = |name: &'static str, text: &str| {
        let fault =
            || Refusal::faulty(format!("{name}: expected a square of the board, got `{text}`"));
        size.parse(text).ok_or_else(fault)
    };
    let from = square("from", from)?;
    let to = to.as_deref().map(|to| square("to", to)).transpose()?;
    Ok(match table.viewer(&key.seats) {
        // Resignations end games, too, of which the rules do not know.
        None => Some(Words::GAME_OVER),
        Some(viewer) => table.state().objection(viewer, from, to),
    })
}
