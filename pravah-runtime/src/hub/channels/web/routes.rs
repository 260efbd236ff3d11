//! The requests that are answered.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State, WebSocketUpgrade},
    http::StatusCode,
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::{get, post},
};
use futures_util::StreamExt as _;
use serde_json::json;
use tokio::time::timeout;

use super::{
    commands::{self, HIDDEN},
    shown::{Runs, ShownRun},
    socket,
    view::{self, Refused},
};
use crate::events::FlowEvent;

/// How long a run has to take a command before the answer is that it waits.
const TAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest message over a WebSocket, in bytes; a longer body is refused by axum at 2 MB.
const MAX_MESSAGE: usize = 2_000_000;

pub(super) fn routes(runs: Arc<Runs>) -> Router {
    Router::new()
        .route("/runs", get(list))
        .route("/runs/{run}", get(show))
        .route("/runs/{run}/events", get(events))
        .route("/runs/{run}/commands", post(command))
        .route("/runs/{run}/socket", get(open_socket))
        .with_state(runs)
}

impl Runs {
    fn run(&self, id: &str) -> Result<ShownRun, Refused> {
        let known = self.known();
        let shown = known.shown.get(id).cloned();
        shown.ok_or_else(|| match known.was_shown(id) {
            true => Refused::new(StatusCode::GONE, HIDDEN),
            false => Refused::new(StatusCode::NOT_FOUND, "no run of this id is shown"),
        })
    }
}

async fn list(State(runs): State<Arc<Runs>>) -> Response {
    let ids: Vec<String> = runs.known().shown.keys().map(ToString::to_string).collect();
    Json(json!({ "runs": ids })).into_response()
}

async fn show(State(runs): State<Arc<Runs>>, Path(run): Path<String>) -> Result<Response, Refused> {
    Ok(Json(view::run(&runs.run(&run)?)).into_response())
}

async fn events(
    State(runs): State<Arc<Runs>>,
    Path(run): Path<String>,
) -> Result<Response, Refused> {
    let ShownRun { hub, is_hidden, .. } = runs.run(&run)?;
    let events = hub.events().until(is_hidden);
    let events = events.map(|event| Ok::<_, Infallible>(sent(&event)));
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

fn sent(event: &FlowEvent) -> Event {
    let data = serde_json::to_string(event).unwrap_or_default();
    Event::default()
        .event(event.kind.name())
        .id(event.sequence.to_string())
        .data(data)
}

async fn command(
    State(runs): State<Arc<Runs>>,
    Path(run): Path<String>,
    body: Bytes,
) -> Result<Response, Refused> {
    let command = serde_json::from_slice(&body)
        .map_err(|error| Refused::new(StatusCode::BAD_REQUEST, error))?;
    let sent = commands::send(&runs.run(&run)?.hub, command);
    match timeout(TAKE_TIMEOUT, sent).await {
        Ok(Ok(step)) => Ok(Json(json!({ "step": step })).into_response()),
        Ok(Err(error)) => Err(Refused::new(commands::status_of(&error), error)),
        Err(_) => Ok((StatusCode::ACCEPTED, Json(json!({ "waits": true }))).into_response()),
    }
}

async fn open_socket(
    State(runs): State<Arc<Runs>>,
    Path(run): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refused> {
    let run = runs.run(&run)?;
    let upgrade = upgrade.max_message_size(MAX_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| socket::converse(socket, run)))
}
