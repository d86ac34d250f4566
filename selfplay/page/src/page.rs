//! The files of the page. They are built from `web/` and kept in `web/dist/`, so that building this
//! crate takes no Node.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};

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
pub(super) async fn file(Path(name): Path<String>, uri: Uri, headers: HeaderMap) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => ([(header::CONTENT_TYPE, *kind)], *bytes).into_response(),
        None => missing(uri, headers).await,
    }
}

/// An address that leads nowhere: a page with the way back for people, JSON for programs.
pub(super) async fn missing(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    if !accepted.is_some_and(|accepted| accepted.contains("text/html")) {
        return Refusal::missing(format!("there is no `{path}`")).into_response();
    }
    // Below the base, which a proxy may not tell.
    let top = format!("./{}", "../".repeat(path.matches('/').count().saturating_sub(1)));
    let page = format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>There is no such page · darkqi</title>
<link rel="stylesheet" href="{top}app.css">
<main class="page narrow">
<h1>There is no such page</h1>
<p><a href="{top}">Back to the start</a></p>
<p lang="zh-Hans">没有这个页面。<a href="{top}">回到首页</a></p>
</main>
</html>
"#
    );
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}
