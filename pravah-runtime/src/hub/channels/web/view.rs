//! What is answered: JSON, also where it is an error.

use axum::{
    Json,
    body::to_bytes,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::shown::ShownRun;
use crate::engine::{ListeningAgent, Suspension, since_epoch};

/// The longest error of axum's that is read, in bytes.
const MAX_ERROR: usize = 4_096;

/// Where a run is.
pub(super) fn run(run: &ShownRun) -> Value {
    let ShownRun { hub, nodes, .. } = run;
    let questions: Value = hub.suspensions().iter().map(question).collect();
    let listening: Value = hub.listening_agents().iter().map(agent).collect();
    json!({
        "run": &*hub.run_id(),
        "status": hub.status(),
        "nodes": nodes,
        "questions": questions,
        "listening": listening,
    })
}

/// Why something is not answered.
pub(super) struct Refused(StatusCode, String);

impl Refused {
    pub(super) fn new(status: StatusCode, why: impl ToString) -> Self {
        Self(status, why.to_string())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(status, why) = self;
        (status, Json(json!({ "error": why }))).into_response()
    }
}

/// An error of axum's own, which is plain text, as JSON like all others.
pub(super) async fn json_error(response: Response) -> Response {
    let is_json = |it: &HeaderValue| it == "application/json";
    if !response.status().is_client_error()
        || response.headers().get(CONTENT_TYPE).is_some_and(is_json)
    {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, MAX_ERROR).await.unwrap_or_default();
    let why = match &*String::from_utf8_lossy(&text) {
        "" => parts
            .status
            .canonical_reason()
            .unwrap_or_default()
            .to_owned(),
        text => text.to_owned(),
    };
    let mut refused = Refused::new(parts.status, why).into_response();
    // What else it says, such as which methods are allowed.
    parts.headers.remove(CONTENT_TYPE);
    parts.headers.remove(CONTENT_LENGTH);
    refused.headers_mut().extend(parts.headers);
    refused
}

fn question(question: &Suspension) -> Value {
    let mut shown = json!({
        "id": question.tool_id,
        "number": question.number,
        "asks": question.value,
    });
    if let (Some(until), Value::Object(shown)) = (question.until, &mut shown) {
        shown.insert("until".to_owned(), since_epoch(until).into());
    }
    shown
}

fn agent(agent: &ListeningAgent) -> Value {
    json!({
        "agent": agent.agent_run,
        "node": agent.node,
        "items": agent.items,
        "turn": agent.turn,
        "answer": agent.answer,
        "until": since_epoch(agent.until),
    })
}
