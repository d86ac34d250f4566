//! Answers and refusals as JSON.

use std::fmt;
use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::timeout;

/// How long the body of a request may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// An answer in JSON, or why there is none.
pub(super) type Answer = Result<Written, Refusal>;

/// Why a request is not answered: a status, and the reason for people. Where another request would
/// succeed, what to give instead.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    reason: String,
    offer: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), offer: None }
    }

    /// The refusal, with the value to give instead.
    pub(super) fn offering(self, offer: String) -> Self {
        Self { offer: Some(offer), ..self }
    }

    /// The request is at fault.
    pub(super) fn faulty(reason: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, reason.to_string())
    }

    /// There is no such thing.
    pub(super) fn missing(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, reason)
    }

    /// The game has gone on since the page looked.
    pub(super) fn outdated() -> Self {
        Self::new(StatusCode::CONFLICT, "turn: the game has gone on meanwhile; look again")
    }

    /// The request is understood, but the rules or the files do not allow it.
    pub(super) fn impossible(reason: impl ToString) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, reason.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self { status, reason, offer } = self;
        let told = match offer {
            Some(offer) => json!({ "error": reason, "offer": offer }),
            None => json!({ "error": reason }),
        };
        (status, Json(told)).into_response()
    }
}

/// The body of a request, which must be JSON. Forms of other sites cannot send that.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match timeout(BODY_TIMEOUT, Json::from_request(request, state)).await {
            Ok(Ok(Json(value))) => Ok(Self(value)),
            Ok(Err(rejection)) => Err(Refusal::new(rejection.status(), rejection.body_text())),
            Err(_) => {
                let reason = format!("body: expected within {} s", BODY_TIMEOUT.as_secs());
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, reason))
            }
        }
    }
}

/// The query of a request.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(Refusal::new(rejection.status(), rejection.body_text())),
        }
    }
}

/// JSON that is written already.
#[derive(Debug)]
pub(super) struct Written(Vec<u8>);

impl Written {
    /// # Errors
    /// If the value has no JSON.
    pub(super) fn new(value: &impl Serialize) -> Result<Self, Refusal> {
        serde_json::to_vec(value).map(Self).map_err(Refusal::impossible)
    }
}

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}
