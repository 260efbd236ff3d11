//! The service over HTTP.

use std::convert::Infallible;

use axum::{
    Json, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::{get, post},
};
use futures_util::{Stream, StreamExt as _, future, stream};
use pravah_store::{Cursor, Filter, HistoryRow, RunInfo, Runs, Status, StoreError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    flow::{Claim, refund},
    shutdown::Shutdown,
};

pub(crate) fn router(runs: Runs, shutdown: Shutdown) -> Router {
    Router::new()
        .route("/runs", post(start).get(list))
        .route("/runs/{id}", get(show))
        .route("/runs/{id}/answers/{question}", post(answer))
        .route("/runs/{id}/events", get(events))
        .with_state(Service { runs, shutdown })
}

#[derive(Clone)]
struct Service {
    runs: Runs,
    shutdown: Shutdown,
}

#[derive(Deserialize)]
struct Start {
    /// Chosen by the client: sending the same request again starts no second run.
    id: String,
    claim: Claim,
}

async fn start(
    State(service): State<Service>,
    Json(start): Json<Start>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let id = service
        .runs
        .start::<refund>(start.claim)
        .with_id(start.id)
        .await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": id }))))
}

async fn show(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Json<RunInfo>, ApiError> {
    Ok(Json(service.runs.status(&id).await?))
}

#[derive(Deserialize)]
struct ListQuery {
    status: Option<Status>,
    after: Option<String>,
}

async fn list(
    State(service): State<Service>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Value>, ApiError> {
    let mut filter = Filter::new();
    filter.status = query.status;
    filter.after = query.after.as_deref().map(str::parse).transpose()?;
    let page = service.runs.list(filter).await?;
    let next = page.next.as_ref().map(Cursor::to_string);
    Ok(Json(json!({ "runs": page.runs, "next": next })))
}

async fn answer(
    State(service): State<Service>,
    Path((id, question)): Path<(String, String)>,
    Json(answer): Json<Value>,
) -> Result<StatusCode, ApiError> {
    service.runs.answer_open(&id, &question, answer).await?;
    Ok(StatusCode::ACCEPTED)
}

/// The steps of a run as they are committed. A browser that was cut off goes on after the last that it has seen.
async fn events(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    service.runs.status(&id).await?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last: Option<u64> = last.and_then(|id| id.parse().ok());
    let rows = service
        .runs
        .events_from(&id, last.map_or(0, |last| last.saturating_add(1)));
    // A page closes its source on `end`: it would ask for a run that has ended again and again. After a failure it asks again,
    // from the last step that it has seen.
    let rows = rows.map(Some).chain(stream::once(async { None }));
    let events = rows.scan(false, |has_failed, row| {
        let event = match row {
            Some(row) => {
                *has_failed |= row.is_err();
                Some(event(row))
            }
            None if *has_failed => None,
            None => Some(Event::default().event("end").data("")),
        };
        future::ready(event.map(Ok))
    });
    // Whoever follows a run that waits does not keep the service from ending.
    let events = events.take_until(service.shutdown.requested());
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn event(row: Result<HistoryRow, StoreError>) -> Event {
    let event = row.map_err(|error| error.to_string()).and_then(|row| {
        let event = Event::default().id(row.step.to_string()).event("step");
        event.json_data(row).map_err(|error| error.to_string())
    });
    event.unwrap_or_else(|error| Event::default().event("failure").data(error))
}

/// Why a request failed, as an HTTP response.
struct ApiError(StoreError);

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = match self.0 {
            StoreError::NotFound { .. } | StoreError::OtherFlow { .. } => StatusCode::NOT_FOUND,
            StoreError::AlreadyExists { .. }
            | StoreError::NotAsked { .. }
            | StoreError::WrongStatus { .. } => StatusCode::CONFLICT,
            StoreError::InvalidName { .. } | StoreError::NotStorable { .. } => {
                StatusCode::BAD_REQUEST
            }
            StoreError::InboxFull { .. } => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(json!({ "error": self.0.to_string() }))).into_response()
    }
}
