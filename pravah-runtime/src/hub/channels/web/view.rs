//! What is answered: JSON, also where it is an error.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::shown::ShownRun;
use crate::engine::{Listening, Suspension, since_epoch};

/// Where a run is.
pub(super) fn run(run: &ShownRun) -> Value {
    let ShownRun { hub, nodes } = run;
    let questions: Value = hub.suspensions().iter().map(question).collect();
    let listening: Value = hub.listening().iter().map(agent).collect();
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

fn question(question: &Suspension) -> Value {
    let mut shown = json!({ "id": question.tool_id, "asks": question.value });
    if let (Some(until), Value::Object(shown)) = (question.until, &mut shown) {
        shown.insert("until".to_owned(), since_epoch(until).into());
    }
    shown
}

fn agent(agent: &Listening) -> Value {
    json!({
        "agent": agent.agent_run,
        "node": agent.node,
        "items": agent.items,
        "turn": agent.turn,
        "answer": agent.answer,
        "until": since_epoch(agent.until),
    })
}
