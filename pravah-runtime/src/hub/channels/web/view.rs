//! What is answered: JSON, also where it is an error.

use std::time::SystemTime;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::ShownRun;
use crate::engine::{Listening, RunStatus, Suspension, since_epoch};

/// Where a run is.
pub(super) fn run(run: &ShownRun) -> Value {
    let ShownRun { hub, nodes } = run;
    let questions: Value = hub.suspensions().iter().map(question).collect();
    let listening: Value = hub.listening().iter().map(agent).collect();
    json!({
        "run": &*hub.run_id(),
        "status": status(&hub.status()),
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
        shown.insert("until".to_owned(), millis(until));
    }
    shown
}

fn agent(agent: &Listening) -> Value {
    json!({ "agent": agent.agent_run, "node": agent.node, "answer": agent.answer })
}

fn status(status: &RunStatus) -> Value {
    match status {
        RunStatus::Ready => json!({ "type": "ready" }),
        RunStatus::Waiting { until, why } => {
            json!({ "type": "waiting", "until": millis(*until), "why": why })
        }
        RunStatus::Suspended { open } => json!({ "type": "suspended", "open": open }),
        RunStatus::Paused => json!({ "type": "paused" }),
        RunStatus::Failed {
            node,
            items,
            kind,
            message,
            attempts,
        } => json!({
            "type": "failed", "node": node, "items": items, "kind": kind, "error": message,
            "attempts": attempts,
        }),
        RunStatus::Done => json!({ "type": "done" }),
        RunStatus::Cancelled { reason } => json!({ "type": "cancelled", "reason": reason }),
    }
}

/// In milliseconds since 1970.
fn millis(time: SystemTime) -> Value {
    Value::from(since_epoch(time))
}
