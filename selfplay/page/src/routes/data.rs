//! Requests about the served folders.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use serde::Deserialize;

use crate::answer::{Answer, Body, Params, Refusal, Written};
use crate::app::App;
use crate::finished::{Finished, Kind};
use crate::library::{
    Filter, Listing, LoggedGame, LoggedPosition, Question, Search, ask, games_page, replayed,
    state_of, views,
};
use crate::work::{LONGEST, MAX_THOUGHT};

/// A report brings its styles and pictures with it, and no script.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; \
     frame-ancestors 'self'";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/datasets", get(datasets))
        .route("/api/games", get(games))
        .route("/api/replay", get(replay))
        .route("/api/position", get(position))
        .route("/api/ask", post(advice))
        .route("/api/report", get(report))
        .route("/api/study", get(study))
        .route("/api/file", get(file))
        .route("/api/review", post(review))
}

async fn datasets(State(app): State<App>, Params(search): Params<Search>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |stop| Ok(Listing::new(&app.folders, &search, stop))).await
}

async fn games(State(app): State<App>, Params(filter): Params<Filter>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |stop| {
        games_page(&app.folders.dataset(&filter.dataset)?, &filter, stop)
    })
    .await
}

async fn replay(State(app): State<App>, Params(wanted): Params<LoggedGame>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |_| replayed(&app.folders.dataset(&wanted.dataset)?, wanted)).await
}

async fn position(State(app): State<App>, Params(wanted): Params<LoggedPosition>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |_| views(&app.folders.dataset(&wanted.dataset)?, &wanted)).await
}

async fn advice(State(app): State<App>, Body(question): Body<Question>) -> Answer {
    let Question { dataset, game, ply, agent } = question;
    let agent = app.agent(&agent)?;
    let work = app.thinking.take()?;
    let ask = move |stop: &Arc<AtomicBool>| {
        ask(&app.folders.dataset(&dataset)?, (game, ply), &agent, stop)
    };
    work.answer(MAX_THOUGHT, ask).await
}

#[derive(Deserialize)]
struct Named {
    dataset: String,
}

#[derive(Deserialize)]
struct StudyFolder {
    study: String,
}

/// The page that a study has written into its folder.
async fn study(
    State(app): State<App>,
    Params(StudyFolder { study }): Params<StudyFolder>,
) -> Result<([(HeaderName, &'static str); 1], Html<Vec<u8>>), Refusal> {
    let read = app.reading.wait().await?.run(LONGEST, move |_| app.folders.study_page(&study));
    Ok(([(header::CONTENT_SECURITY_POLICY, REPORT_POLICY)], Html(read.await?)))
}

async fn report(
    State(app): State<App>,
    Params(Named { dataset }): Params<Named>,
) -> Result<([(HeaderName, &'static str); 1], Html<String>), Refusal> {
    let made = app.reporting.take()?.run(LONGEST, move |stop| {
        let dataset = app.folders.dataset(&dataset)?;
        app.reports.html(&dataset, stop)
    });
    Ok(([(header::CONTENT_SECURITY_POLICY, REPORT_POLICY)], Html(made.await?)))
}

/// A file to make of a logged game.
#[derive(Deserialize)]
struct Wanted {
    dataset: String,
    game: u64,
    kind: Kind,
    /// The position of a picture; without it, the last.
    ply: Option<usize>,
}

async fn file(
    State(app): State<App>,
    Params(wanted): Params<Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let work = app.reporting.take()?;
    work.run(LONGEST, move |stop| {
        let Wanted { dataset, game, kind, ply } = wanted;
        Finished::logged(&app.folders.dataset(&dataset)?, game)?.file(kind, ply, stop)
    })
    .await
}

/// How far the review of a logged game is. The first request begins it.
async fn review(State(app): State<App>, Body(wanted): Body<LoggedGame>) -> Answer {
    let LoggedGame { dataset, game } = wanted;
    let shared = app.clone();
    let read = app.reading.wait().await?;
    let opened = read.run(LONGEST, move |_| {
        let opened = shared.folders.dataset(&dataset)?;
        // Another dataset may come to lie there.
        let name = format!("{game} {dataset} {}", state_of(&opened)?);
        Ok((opened, name))
    });
    let (dataset, name) = opened.await?;
    if let Some(told) = app.reviews.told(&name)? {
        return Written::new(&told);
    }
    let read = app.reading.wait().await?;
    let game = read.run(LONGEST, move |_| Finished::logged(&dataset, game)).await?;
    Written::new(&app.reviews.begin(name, game, app.reporting.take()?))
}
