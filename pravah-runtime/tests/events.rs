//! The events of a run: which there are, in which order, as JSON and as a stream.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "events/agents.rs"]
mod agents;
#[path = "events/bad_errors.rs"]
mod bad_errors;
#[path = "events/json.rs"]
mod json;
#[path = "events/order.rs"]
mod order;
#[path = "events/secrets.rs"]
mod secrets;
#[path = "events/stream.rs"]
mod stream;

use futures_util::FutureExt as _;
use pravah_runtime::{EventKind, Events, FlowEvent, ToolError, prelude::*};
use serde_json::json;
use tokio::task::unconstrained;

#[state]
struct Draft {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Page {
    n: u32,
}

#[state]
struct Told {
    n: u32,
}
#[state]
struct Checked {
    n: u32,
}
#[state]
struct Batch {
    drafts: Vec<Draft>,
}
#[state]
struct Printed {
    count: usize,
}

#[node]
fn publish(draft: Draft) -> Page {
    Page { n: draft.n }
}

#[flow]
fn story(draft: Draft) -> Page {
    flow! { publish }
}

#[node]
fn split(batch: Batch) -> Each<Draft> {
    batch.drafts.into()
}

/// Asks a person.
#[tool]
async fn ask(ctx: Context) -> Result<String, ToolError> {
    match ctx.resumed::<String>()? {
        Some(answer) => Ok(answer),
        None => Err(ToolError::suspend(json!("Well?"))),
    }
}

/// The events that have come, without waiting for more.
fn come(events: &mut Events) -> Vec<FlowEvent> {
    let next = || unconstrained(events.next()).now_or_never().flatten();
    std::iter::from_fn(next).collect()
}

/// The same, each as its name, its place and what else it says.
fn lines(events: &mut Events) -> Vec<String> {
    come(events).iter().map(line).collect()
}

fn line(event: &FlowEvent) -> String {
    let node = event.node.as_deref().unwrap_or("run");
    let items: String = event.items.iter().map(|item| format!("[{item}]")).collect();
    let attempt = match event.attempt {
        0 | 1 => String::new(),
        attempt => format!(" attempt {attempt}"),
    };
    let rest = match &event.kind {
        EventKind::Step(step) => format!(" {}", step.step),
        EventKind::NodeFailed { outcome, .. } => format!(" {outcome:?}"),
        EventKind::QuestionAsked { id, .. } | EventKind::QuestionAnswered { id, .. } => {
            format!(" {id}")
        }
        EventKind::RunEnded { success, .. } => format!(" {success}"),
        EventKind::RunCancelled { reason, .. } => format!(" {reason}"),
        EventKind::AgentStarted { id, .. } => format!(" {id}"),
        EventKind::AgentEnded { id, success, .. } => format!(" {id} {success}"),
        EventKind::ToolStarted { tool, .. } => format!(" {tool}"),
        EventKind::ToolEnded { tool, is_error, .. } => format!(" {tool} {is_error}"),
        EventKind::Missed { count, .. } => format!(" {count}"),
        _ => String::new(),
    };
    format!("{node}{items}{attempt} {}{rest}", event.kind.name())
}
