//! Requests about games under way.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use darkqi_datasets::options_from_json;
use darkqi_env::{Player, Reveal, Spec};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::Error;
use crate::opponents::Adviser;
use crate::play::Game;
use crate::seeds::{new_seed, parse_seed};
use crate::serve::answer::{Answer, Body, Params, Refusal};
use crate::serve::app::App;
use crate::serve::board::MoveJson;
use crate::serve::hosting::{HostedGame, Look, Position, Saved, Seats, Table};
use crate::serve::library::{Folders, Place};

/// How long a request waits for a change.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/spec", post(spec))
        .route("/api/games", post(create))
        .route("/api/play/{key}", get(position))
        .route("/api/play/{key}/wait", get(wait))
        .route("/api/play/{key}/at", get(look))
        .route("/api/play/{key}/move", post(play))
        .route("/api/play/{key}/back", post(take_back))
        .route("/api/play/{key}/resign", post(resign))
        .route("/api/play/{key}/retry", post(retry))
        .route("/api/play/{key}/save", post(save))
        .route("/api/play/{key}/hint", post(hint))
        .route("/api/play/{key}/odds", post(odds))
}

/// The seats of the key that a path names.
impl FromRequestParts<App> for Seats {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Refusal> {
        match Path::<String>::from_request_parts(parts, app).await {
            Ok(Path(key)) => app.registry().get(&key),
            Err(rejection) => Err(Refusal::new(rejection.status(), rejection.body_text())),
        }
    }
}

impl Seats {
    fn position(&self) -> Position {
        self.game.position(&self.seats)
    }

    /// Changes the game, if it is still of this version. Answers with the new position.
    fn change(
        &self,
        turn: u64,
        change: impl FnOnce(&mut Table, &[Player]) -> Result<(), Refusal>,
    ) -> Result<Position, Refusal> {
        self.game.change(turn, |table| change(table, &self.seats))?;
        Ok(self.position())
    }
}

/// A game with options.
#[derive(Deserialize)]
struct Rules {
    game: String,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

impl Rules {
    fn spec(&self) -> Result<Spec, Refusal> {
        let options = options_from_json(&self.options).map_err(Refusal::faulty)?;
        Spec::new(&self.game, &options).map_err(Refusal::faulty)
    }
}

/// The seats of a game with these options.
async fn spec(Body(rules): Body<Rules>) -> Answer<Value> {
    let spec = rules.spec()?;
    Ok(Json(json!({ "num_players": spec.num_players, "teams": spec.teams })))
}

/// A game to begin.
#[derive(Deserialize)]
struct NewGame {
    #[serde(flatten)]
    rules: Rules,
    seed: Option<String>,
    fen: Option<String>,
    /// The agent of each seat, or null for a person.
    seats: Vec<Option<String>>,
    #[serde(default)]
    shared: bool,
    adviser: Option<String>,
}

#[derive(Serialize)]
struct KeyOfSeats {
    key: String,
    seats: Vec<Player>,
}

async fn create(
    State(app): State<App>,
    Body(wanted): Body<NewGame>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let _work = app.work()?;
    let spec = wanted.rules.spec()?;
    let count = spec.num_players;
    if wanted.seats.len() != count {
        let found = wanted.seats.len();
        let reason = format!("seats: {} has {count} with these options, got {found}", spec.name);
        return Err(Refusal::faulty(reason));
    }
    let agent = |text: &String| app.agent(text);
    let agents = wanted.seats.iter().map(|seat| seat.as_ref().map(agent).transpose());
    let agents: Vec<_> = agents.collect::<Result<_, _>>()?;
    let adviser = wanted.adviser.as_ref().map_or_else(|| Ok(app.default_agent()), agent)?;
    let seed = match wanted.seed.as_deref().map(str::trim) {
        None | Some("") => new_seed().map_err(Refusal::impossible)?,
        Some(text) => parse_seed(text)
            .map_err(|fault| Refusal::faulty(format!("seed: {fault}, got `{text}`")))?,
    };
    let fen = wanted.fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
    let game =
        Game::new(spec.name, &spec.options_in_force(), seed, fen).map_err(Refusal::faulty)?;
    // An agent that cannot be made is found out here.
    for agent in agents.iter().flatten().chain([&adviser]) {
        Adviser::new(&spec, agent).map_err(Refusal::faulty)?;
    }
    let people: Vec<Player> = (0..count).filter(|&seat| agents[seat].is_none()).collect();
    let is_shared = wanted.shared || people.len() < 2;
    let mut groups =
        if is_shared { vec![people] } else { people.into_iter().map(|seat| vec![seat]).collect() };
    // Onlookers; where nobody plays there is nobody else.
    if !groups[0].is_empty() {
        groups.push(Vec::new());
    }
    let (turn, failure, saved) = (0, None, None);
    let fen = fen.map(str::to_owned);
    let table = Table { game, agents, fen, adviser, turn, failure, saved, is_shared };
    let game = HostedGame::begin(table);
    let keys = app.registry().add(&game, groups.clone())?;
    let keys = keys.into_iter().zip(groups).map(|(key, seats)| KeyOfSeats { key, seats });
    let keys: Vec<KeyOfSeats> = keys.collect();
    Ok((StatusCode::CREATED, Json(json!({ "keys": keys }))))
}

async fn position(key: Seats) -> Json<Position> {
    Json(key.position())
}

/// The version that a page shows.
#[derive(Deserialize)]
struct Turn {
    turn: u64,
}

/// The position once it is of another version than the page's; after a while without a change,
/// nothing.
async fn wait(key: Seats, Params(Turn { turn }): Params<Turn>) -> Response {
    if key.game.wait(turn, PATIENCE).await {
        Json(key.position()).into_response()
    } else {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// A ply of the game's past.
#[derive(Deserialize)]
struct Ply {
    ply: usize,
}

async fn look(key: Seats, Params(Ply { ply }): Params<Ply>) -> Answer<Look> {
    Ok(Json(key.game.look(&key.seats, ply)?))
}

/// An action, played or asked about.
#[derive(Deserialize)]
struct Chosen {
    turn: u64,
    action: i64,
}

/// What a key may do only at its turn.
fn check_turn(table: &Table, seats: &[Player]) -> Result<(), Refusal> {
    if table.is_to_move(seats) {
        Ok(())
    } else {
        let reason = "turn: none of your seats is to move";
        Err(Refusal::new(StatusCode::FORBIDDEN, reason))
    }
}

async fn play(key: Seats, Body(Chosen { turn, action }): Body<Chosen>) -> Answer<Position> {
    let position = key.change(turn, |table, seats| {
        check_turn(table, seats)?;
        let action = table.state().action(action).map_err(Refusal::impossible)?;
        table.game.play(action.into()).map_err(Refusal::impossible)
    })?;
    Ok(Json(position))
}

async fn take_back(key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer<Position> {
    let position = key.change(turn, |table, seats| {
        if !table.can_take_back(seats) {
            return Err(Refusal::impossible("there is nothing that you can take back"));
        }
        table.failure = None;
        table.game.take_back(|seat| seats.contains(&seat));
        Ok(())
    })?;
    Ok(Json(position))
}

async fn resign(key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer<Position> {
    let position = key.change(turn, |table, seats| {
        let refusal = || Refusal::impossible("none of your seats can resign now");
        let seat = table.resigning(seats).ok_or_else(refusal)?;
        table.game.resign(seat);
        Ok(())
    })?;
    Ok(Json(position))
}

/// Asks an agent again that has failed.
async fn retry(key: Seats, Body(Turn { turn }): Body<Turn>) -> Answer<Position> {
    let position = key.change(turn, |table, seats| {
        if seats.is_empty() || table.failure.is_none() {
            return Err(Refusal::impossible("no agent has failed"));
        }
        table.failure = None;
        Ok(())
    })?;
    Ok(Json(position))
}

/// A dataset to add the game to.
#[derive(Deserialize)]
struct Save {
    turn: u64,
    name: String,
}

async fn save(
    State(app): State<App>,
    key: Seats,
    Body(Save { turn, name }): Body<Save>,
) -> Answer<Position> {
    let place = app.folders().new_dataset(&name)?;
    let work = app.work()?;
    work.compute(move |_| {
        key.change(turn, |table, seats| {
            if seats.is_empty() || !table.can_save() {
                let reason = "expected a game that the rules have ended, between people or between \
                              one person and one agent";
                return Err(Refusal::impossible(reason));
            }
            let game_id = table.save(place.path.clone()).map_err(|error| {
                let is_other = matches!(error, Error::OtherRun { .. });
                let refusal = Refusal::impossible(error);
                match other_name(app.folders(), table, &name).filter(|_| is_other) {
                    Some(other) => refusal.offering(other),
                    None => refusal,
                }
            })?;
            table.saved = Some(Saved { dataset: place.id, path: place.path, game_id });
            Ok(())
        })
    })
    .await
}

/// A name like this one for a dataset that this game fits, or that is not there yet.
fn other_name(folders: &Folders, table: &Table, name: &str) -> Option<String> {
    let stem = match name.rsplit_once('-') {
        Some((stem, number)) if number.parse::<u32>().is_ok() => stem,
        _ => name,
    };
    (2..100).map(|number| format!("{stem}-{number}")).filter(|other| other != name).find(|other| {
        let place = folders.new_dataset(other);
        place.is_ok_and(|Place { path, .. }| !path.exists() || table.fits(path))
    })
}

async fn hint(
    State(app): State<App>,
    key: Seats,
    Body(Turn { turn }): Body<Turn>,
) -> Answer<Value> {
    let Seats { game, seats, .. } = key;
    check_turn(&game.table(), &seats)?;
    let work = app.work()?;
    work.compute(move |stop| {
        let agent = {
            let table = game.table();
            check_turn(&table, &seats)?;
            table.adviser.clone()
        };
        let decision = game.hint(&agent, turn, stop)?;
        let table = game.table();
        if table.turn != turn {
            return Err(Refusal::outdated());
        }
        let (state, size) = (table.state(), table.game.spec().layout.size);
        let value = decision.value.map(|values| values[state.current_player()]);
        let MoveJson { action, name, from, to } = MoveJson::new(state, size, decision.action);
        Ok(json!({ "action": action, "name": name, "from": from, "to": to, "value": value }))
    })
    .await
}

/// What an action may turn over and take, as far as the mover knows.
async fn odds(key: Seats, Body(Chosen { turn, action }): Body<Chosen>) -> Answer<Value> {
    let table = key.game.table();
    if table.turn != turn {
        return Err(Refusal::outdated());
    }
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
    Ok(Json(json!({ "odds": odds.collect::<Vec<_>>() })))
}
