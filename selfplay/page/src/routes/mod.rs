//! The requests that are answered.
//!
//! - `play`: about games under way;
//! - `boards`: about positions to begin with;
//! - `studies`: about studies of rules;
//! - `data`: about the served folders;
//! - `catalogue`: what can be played;
//! - `lessons`: how it is played.

mod boards;
mod catalogue;
mod data;
mod lessons;
mod play;
mod studies;

use axum::Router;
use axum::routing::get;

use super::app::App;
use super::page;

/// The page itself, which holds no secret and changes nothing.
pub(super) fn page() -> Router<App> {
    let files = Router::new().route("/", get(page::index)).route("/{file}", get(page::file));
    files.fallback(page::missing)
}

/// The query of the page.
pub(super) fn api() -> Router<App> {
    Router::new()
        .route("/api/catalogue", get(catalogue::catalogue))
        .route("/api/lesson/{game}", get(lessons::lesson))
        .merge(play::routes())
        .merge(boards::routes())
        .merge(data::routes())
        .merge(studies::routes())
}
