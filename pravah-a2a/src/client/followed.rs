//! A task as far as it is known, and what is new in it.

use std::time::{Duration, UNIX_EPOCH};

use a2a::{Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState};
use futures_util::{FutureExt as _, StreamExt as _};
use pravah_runtime::invocation::{RemoteUpdate, TaskStatus};
use serde_json::Value;

use super::{endpoint::Endpoint, error::CallError, transport::Events};
use crate::content::{UNTIL, content_of, said};

/// The most events of one update: where they come faster than the run makes steps, the rest is for the next update.
const MAX_EVENTS: usize = 100;

/// How long a stream may be silent before the server is asked for the task: its connection may be dead.
const MAX_SILENCE: Duration = Duration::from_secs(300);

/// A task that is being followed.
pub(super) struct Followed {
    task: Task,
    /// Whether the server has sent the whole of it, and nothing came after that.
    is_whole: bool,
    /// What happens in it from now on. Without a stream it is asked for again and again.
    events: Option<Events>,
}

impl Followed {
    /// The task as it is now.
    pub(super) async fn start(endpoint: &Endpoint, id: &str) -> Result<Self, CallError> {
        let mut events = endpoint.subscribe(id).await?;
        let first = match &mut events {
            Some(stream) => stream.next().await.transpose()?,
            None => None,
        };
        if first.is_none() {
            events = None;
        }
        let (task, is_whole) = match first {
            Some(StreamResponse::Task(task)) => (task, false),
            // Another first event is part of what is read here.
            _ => (endpoint.get(id).await?, true),
        };
        Ok(Self {
            task,
            is_whole,
            events,
        })
    }

    /// Whether there is a stream that is worth keeping: nobody reads it while a person is asked.
    pub(super) fn has_events(&self) -> bool {
        let state = &self.task.status.state;
        self.events.is_some() && !state.is_terminal() && *state != TaskState::InputRequired
    }

    /// What is new after `cursor`, for which it waits where there is a stream.
    pub(super) async fn next_update(
        &mut self,
        endpoint: &Endpoint,
        cursor: Option<&str>,
    ) -> Result<RemoteUpdate, CallError> {
        let mut news = Vec::new();
        if cursor != Some(&*self.cursor()) {
            news.push(as_event(&self.task));
        } else if let Some(event) = self.next_event().await? {
            self.take(event, &mut news);
        }
        while news.len() < MAX_EVENTS
            && let Some(event) = self.next_event().now_or_never()
            && let Some(event) = event?
        {
            self.take(event, &mut news);
        }
        if !self.is_whole && !self.has_events() {
            self.complete(endpoint).await?;
        }
        Ok(self.update().with_events(news).with_cursor(self.cursor()))
    }

    async fn next_event(&mut self) -> Result<Option<StreamResponse>, CallError> {
        let Some(stream) = &mut self.events else {
            return Ok(None);
        };
        let event = tokio::time::timeout(MAX_SILENCE, stream.next()).await;
        let event = event.ok().flatten().transpose()?;
        if event.is_none() {
            self.events = None;
        }
        Ok(event)
    }

    fn take(&mut self, event: StreamResponse, news: &mut Vec<Value>) {
        news.push(serde_json::to_value(&event).unwrap_or_default());
        self.is_whole = false;
        match event {
            StreamResponse::Task(task) => self.task = task,
            StreamResponse::StatusUpdate(update) => self.task.status = update.status,
            StreamResponse::ArtifactUpdate(update) => self.add(update),
            StreamResponse::Message(message) => {
                self.task.history.get_or_insert_default().push(message);
            }
        }
    }

    fn add(&mut self, update: TaskArtifactUpdateEvent) {
        let artifacts = self.task.artifacts.get_or_insert_default();
        let new = update.artifact;
        let mut known = artifacts.iter_mut();
        match known.find(|it| it.artifact_id == new.artifact_id) {
            Some(known) if update.append == Some(true) => known.parts.extend(new.parts),
            Some(known) => *known = new,
            None => artifacts.push(new),
        }
    }

    /// Reads the whole task: a stream may have left out what came before it. What it has told is enough where the
    /// server forgets the tasks that have ended.
    async fn complete(&mut self, endpoint: &Endpoint) -> Result<(), CallError> {
        match endpoint.get(&self.task.id).await {
            Ok(task) => {
                self.task = task;
                self.is_whole = true;
                Ok(())
            }
            Err(error) if error.is_unknown_task() && self.task.status.state.is_terminal() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// A mark of how far the task is: it changes with whatever happens in it.
    fn cursor(&self) -> String {
        let status = &self.task.status;
        let time = status.timestamp.map(|it| it.timestamp_millis());
        let message = status.message.as_ref().map(|it| &*it.message_id);
        let artifacts = self.task.artifacts.as_deref().unwrap_or_default();
        let parts: usize = artifacts.iter().map(|it| it.parts.len()).sum();
        format!(
            "{:?} {} {} {} {parts}",
            status.state,
            time.unwrap_or_default(),
            message.unwrap_or_default(),
            artifacts.len(),
        )
    }

    fn update(&self) -> RemoteUpdate {
        match self.task.status.state {
            TaskState::Completed => RemoteUpdate::completed(self.content()),
            TaskState::Failed => RemoteUpdate::failed(self.reason()),
            TaskState::Rejected => RemoteUpdate::failed(format!(
                "the agent has rejected the task: {}",
                self.reason()
            )),
            TaskState::Canceled => {
                RemoteUpdate::new(TaskStatus::Cancelled).with_content(self.reason())
            }
            TaskState::InputRequired => self.with_question(TaskStatus::Suspended),
            // It goes on by itself once somebody has let it, here or there.
            TaskState::AuthRequired => self.with_question(TaskStatus::Waiting),
            TaskState::Submitted => RemoteUpdate::new(TaskStatus::Idle),
            TaskState::Working | TaskState::Unspecified => RemoteUpdate::new(TaskStatus::Running),
        }
    }

    /// What it has returned: its artifacts, or else its last word.
    fn content(&self) -> Value {
        let artifacts = self.task.artifacts.as_deref().unwrap_or_default();
        let history = self.task.history.as_deref().unwrap_or_default();
        let mut spoken = history
            .iter()
            .rev()
            .filter(|it| it.role == a2a::Role::Agent);
        match (artifacts, &self.task.status.message, spoken.next()) {
            ([], Some(message), _) | ([], None, Some(message)) => said(&message.parts),
            (artifacts, ..) => content_of(artifacts.iter().map(parts)),
        }
    }

    /// Why it has ended, as a text.
    fn reason(&self) -> String {
        match self.task.status.message.as_ref().map(|it| said(&it.parts)) {
            Some(Value::String(reason)) if !reason.is_empty() => reason,
            None | Some(Value::String(_)) => "no reason given".to_owned(),
            Some(data) => data.to_string(),
        }
    }

    fn with_question(&self, status: TaskStatus) -> RemoteUpdate {
        let message = self.task.status.message.as_ref();
        let asked = message.map(|it| said(&it.parts));
        let asked = asked.filter(|it| it.as_str() != Some(""));
        let asked = asked.unwrap_or_else(|| "The agent waits for an answer.".into());
        let update = RemoteUpdate::new(status).with_question(question_id(&self.task), asked);
        match message.and_then(until) {
            Some(millis) => update.with_until(UNIX_EPOCH + Duration::from_millis(millis)),
            None => update,
        }
    }
}

/// What the question of a task is known by, if it asks one.
pub(super) fn open_question(task: &Task) -> Option<String> {
    let state = &task.status.state;
    let asks = matches!(state, TaskState::InputRequired | TaskState::AuthRequired);
    asks.then(|| question_id(task))
}

fn question_id(task: &Task) -> String {
    let (message, time) = (&task.status.message, task.status.timestamp);
    match (message, time) {
        (Some(message), _) if !message.message_id.is_empty() => message.message_id.clone(),
        (_, Some(time)) => time.timestamp_millis().to_string(),
        _ => "question".to_owned(),
    }
}

/// By when the question of a server of ours has to be answered, in milliseconds since 1970.
fn until(message: &Message) -> Option<u64> {
    message.metadata.as_ref()?.get(UNTIL)?.as_u64()
}

fn parts(artifact: &Artifact) -> &[a2a::Part] {
    &artifact.parts
}

/// A task as an event, without what it has said and returned.
fn as_event(task: &Task) -> Value {
    let task = Task {
        artifacts: None,
        history: None,
        ..task.clone()
    };
    serde_json::to_value(StreamResponse::Task(task)).unwrap_or_default()
}
