//! Requests about the served folders.

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::Html;
use axum::routing::{get, post};
use serde::Deserialize;

use crate::serve::answer::{Answer, Body, Params, Refusal, blocking};
use crate::serve::app::App;
use crate::serve::library::{
    Advice, Filter, GamesPage, Listing, LoggedGame, LoggedPosition, Question, ReplayJson,
    ViewsJson, ask, games_page, replayed, views,
};

/// A report brings its styles and pictures with it, and no script.
const REPORT_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/datasets", get(datasets))
        .route("/api/games", get(games))
        .route("/api/replay", get(replay))
        .route("/api/position", get(position))
        .route("/api/ask", post(advice))
        .route("/api/report", get(report))
}

async fn datasets(State(app): State<App>) -> Answer<Listing> {
    blocking(move || Ok(Listing::new(app.folders()))).await
}

async fn games(State(app): State<App>, Params(filter): Params<Filter>) -> Answer<GamesPage> {
    blocking(move || games_page(&app.folders().dataset(&filter.dataset)?, &filter)).await
}

async fn replay(State(app): State<App>, Params(wanted): Params<LoggedGame>) -> Answer<ReplayJson> {
    blocking(move || replayed(&app.folders().dataset(&wanted.dataset)?, wanted)).await
}

async fn position(
    State(app): State<App>,
    Params(wanted): Params<LoggedPosition>,
) -> Answer<ViewsJson> {
    blocking(move || views(&app.folders().dataset(&wanted.dataset)?, &wanted)).await
}

async fn advice(State(app): State<App>, Body(question): Body<Question>) -> Answer<Advice> {
    let Question { dataset, game, ply, agent } = question;
    let agent = app.agent(&agent)?;
    let work = app.work()?;
    work.compute(move |stop| ask(&app.folders().dataset(&dataset)?, (game, ply), &agent, stop))
        .await
}

#[derive(Deserialize)]
struct Named {
    dataset: String,
}

async fn report(
    State(app): State<App>,
    Params(Named { dataset }): Params<Named>,
) -> Result<([(HeaderName, &'static str); 1], Html<String>), Refusal> {
    let work = app.work()?;
    let made = work.compute(move |stop| {
        let dataset = app.folders().dataset(&dataset)?;
        app.reports().html(&dataset, stop)
    });
    Ok(([(header::CONTENT_SECURITY_POLICY, REPORT_POLICY)], Html(made.await?.0)))
}
