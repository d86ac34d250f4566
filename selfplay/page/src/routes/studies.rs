//! Requests about studies of rules.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{Answer, Body, Params, Refusal, Written};
use crate::app::App;
use crate::library::Place;
use crate::studies::{QUESTION_FILE, Question, Told};
use crate::work::LONGEST;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/studies", get(studies).post(begin))
        .route("/api/studies/one", get(one))
        .route("/api/studies/stop", post(stop))
        .route("/api/studies/resume", post(resume))
}

/// All studies, those that cannot be read left out.
async fn studies(State(app): State<App>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |stop| {
        let found = app.folders.find(QUESTION_FILE, stop);
        let told = found.iter().filter_map(|place| app.studies.told(place).ok());
        Ok(told.map(Told::brief).collect::<Vec<_>>())
    })
    .await
}

/// A study to begin, in a folder of this name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewStudy {
    name: String,
    question: Question,
}

async fn begin(
    State(app): State<App>,
    Body(NewStudy { name, question }): Body<NewStudy>,
) -> Result<(StatusCode, Written), Refusal> {
    let begun = app.beginning.take()?.answer(LONGEST, move |_| {
        let place = app.folders.new_study(&name)?;
        app.studies.begin(&app, &place, &question)?;
        Ok(json!({ "id": place.id }))
    });
    Ok((StatusCode::CREATED, begun.await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    study: String,
}

async fn one(State(app): State<App>, Params(Named { study }): Params<Named>) -> Answer {
    let work = app.reading.wait().await?;
    work.answer(LONGEST, move |_| app.studies.told(&app.folders.study(&study)?)).await
}

async fn stop(State(app): State<App>, Body(Named { study }): Body<Named>) -> Answer {
    let work = app.telling.wait().await?;
    work.answer(LONGEST, move |_| {
        let place = app.folders.study(&study)?;
        app.studies.stop(&place);
        app.studies.told(&place)
    })
    .await
}

/// A study to go on with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resumed {
    study: String,
    /// For so many minutes more, instead of what was asked.
    minutes: Option<f64>,
}

async fn resume(State(app): State<App>, Body(Resumed { study, minutes }): Body<Resumed>) -> Answer {
    let work = app.beginning.take()?;
    work.answer(LONGEST, move |_| {
        let place: Place = app.folders.study(&study)?;
        app.studies.resume(&app, &place, minutes)?;
        app.studies.told(&place)
    })
    .await
}
