//! The files of the page. They are built from `web/` and kept in `web/dist/`, so that building this
//! crate takes no Node.

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::Refusal;

/// The name, the type and the bytes of each file.
const FILES: [(&str, &str, &[u8]); 3] = [
    ("index.html", "text/html; charset=utf-8", include_bytes!("../web/dist/index.html")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../web/dist/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../web/dist/app.css")),
];

/// The page itself.
pub(super) async fn index() -> Response {
    let [(_, kind, bytes), ..] = FILES;
    ([(header::CONTENT_TYPE, kind)], bytes).into_response()
}

/// The files that the page loads.
pub(super) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => ([(header::CONTENT_TYPE, *kind)], *bytes).into_response(),
        None => Refusal::missing(format!("there is no `/{name}`")).into_response(),
    }
}
