//! What a task of the protocol means for a run.

use std::time::{Duration, UNIX_EPOCH};

use a2a::{
    Artifact, Message, Part, PartContent, Role, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState,
};
use pravah_runtime::invocation::{RemoteUpdate, TaskStatus};
use serde_json::Value;

use super::{error::brief, name_of};
use crate::content::{UNTIL, content_of, value_of};

/// A mark of how far a task is: it changes with whatever happens in it. Times are left out, which some servers make up for
/// each answer.
pub(super) fn cursor(task: &Task) -> String {
    let artifacts = task.artifacts.as_deref().unwrap_or_default();
    let size: usize = artifacts.iter().flat_map(|it| &it.parts).map(size_of).sum();
    let message = task.status.message.as_ref();
    let said = message.map(|it| name_of(&[&it.message_id, &value_of(&it.parts).to_string()]));
    let (state, said) = (&task.status.state, said.unwrap_or_default());
    format!("{state:?} {said} {} {size}", artifacts.len())
}

fn size_of(part: &Part) -> usize {
    match &part.content {
        PartContent::Text(text) | PartContent::Url(text) => text.len(),
        PartContent::Raw(bytes) => bytes.len(),
        PartContent::Data(_) => 1,
    }
}

/// Adds a piece of an artifact.
pub(super) fn add(task: &mut Task, update: TaskArtifactUpdateEvent) {
    let artifacts = task.artifacts.get_or_insert_default();
    let new = update.artifact;
    let mut known = artifacts.iter_mut();
    match known.find(|it| it.artifact_id == new.artifact_id) {
        Some(known) if update.append == Some(true) => {
            new.parts.into_iter().for_each(|part| push(known, part));
        }
        Some(known) => *known = new,
        None => artifacts.push(new),
    }
}

/// Adds a part, or the text of one to the text before it: there may be one for each word.
fn push(artifact: &mut Artifact, part: Part) {
    match (artifact.parts.last_mut().map(|it| &mut it.content), &part) {
        (
            Some(PartContent::Text(text)),
            Part {
                content: PartContent::Text(more),
                filename: None,
                media_type: None,
                metadata: None,
            },
        ) => text.push_str(more),
        _ => artifact.parts.push(part),
    }
}

pub(super) fn update(task: &Task) -> RemoteUpdate {
    match task.status.state {
        TaskState::Completed => RemoteUpdate::completed(content(task)),
        TaskState::Failed => RemoteUpdate::failed(reason(task)),
        TaskState::Rejected => {
            let reason = reason(task);
            RemoteUpdate::failed(format!("the agent has rejected the task: {reason}"))
        }
        TaskState::Canceled => RemoteUpdate::new(TaskStatus::Cancelled).with_content(reason(task)),
        TaskState::InputRequired => with_question(task, TaskStatus::Suspended),
        // It goes on by itself once somebody has let it, here or there.
        TaskState::AuthRequired => with_question(task, TaskStatus::Waiting),
        TaskState::Submitted => RemoteUpdate::new(TaskStatus::Idle),
        TaskState::Working | TaskState::Unspecified => RemoteUpdate::new(TaskStatus::Running),
    }
}

/// What it has returned: its artifacts, or else its last word.
fn content(task: &Task) -> Value {
    let artifacts = task.artifacts.as_deref().unwrap_or_default();
    let history = task.history.as_deref().unwrap_or_default();
    let mut spoken = history.iter().rev().filter(|it| it.role == Role::Agent);
    match (artifacts, &task.status.message, spoken.next()) {
        ([], Some(message), _) | ([], None, Some(message)) => value_of(&message.parts),
        (artifacts, ..) => content_of(artifacts.iter().map(|it| &*it.parts)),
    }
}

/// Why it has ended, as a text.
fn reason(task: &Task) -> String {
    let reason = task.status.message.as_ref().map(|it| value_of(&it.parts));
    match reason {
        Some(Value::String(reason)) if !reason.is_empty() => brief(&reason),
        None | Some(Value::String(_)) => "no reason given".to_owned(),
        Some(data) => brief(&data.to_string()),
    }
}

fn with_question(task: &Task, status: TaskStatus) -> RemoteUpdate {
    let message = task.status.message.as_ref();
    let asked = message.map(|it| value_of(&it.parts));
    let asked = asked.filter(|it| it.as_str() != Some(""));
    let asked = asked.unwrap_or_else(|| "The agent waits for an answer.".into());
    let update = RemoteUpdate::new(status).with_question(question_id(task), asked);
    match message.and_then(until) {
        Some(millis) => update.with_until(UNIX_EPOCH + Duration::from_millis(millis)),
        None => update,
    }
}

/// What the question of a task is known by, if it asks one.
pub(super) fn open_question(task: &Task) -> Option<String> {
    let state = &task.status.state;
    let asks = matches!(state, TaskState::InputRequired | TaskState::AuthRequired);
    asks.then(|| question_id(task))
}

/// Servers need not give a question an id or a time, and some give all of theirs the same id.
fn question_id(task: &Task) -> String {
    let time = task.status.timestamp.map(|it| it.timestamp_millis());
    match &task.status.message {
        Some(Message {
            message_id, parts, ..
        }) if message_id.is_empty() => {
            format!("{UNNAMED}{}", name_of(&[&value_of(parts).to_string()]))
        }
        Some(Message {
            message_id, parts, ..
        }) => {
            let text = name_of(&[&value_of(parts).to_string()]);
            format!("{message_id} {text}")
        }
        None => format!("{UNNAMED}{}", time.unwrap_or_default()),
    }
}

/// How the ids begin of questions that may be asked again under the same one.
pub(super) const UNNAMED: &str = "unnamed ";

/// By when the question of a server of ours has to be answered, in milliseconds since 1970.
fn until(message: &Message) -> Option<u64> {
    message.metadata.as_ref()?.get(UNTIL)?.as_u64()
}

/// A task as an event, without what it has said and returned.
pub(super) fn as_event(task: &Task) -> Value {
    let task = Task {
        artifacts: None,
        history: None,
        ..task.clone()
    };
    serde_json::to_value(StreamResponse::Task(task)).unwrap_or_default()
}
