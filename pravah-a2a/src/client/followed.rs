//! A task as far as it is known, and what is new in it.

use std::time::Duration;

use a2a::{StreamResponse, Task, TaskState};
use futures_util::{FutureExt as _, StreamExt as _};
use pravah_runtime::invocation::RemoteUpdate;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::{
    endpoint::Endpoint,
    error::CallError,
    task::{add, as_event, cursor, update},
    transport::Events,
};

/// The most events of one update: where they come faster than the run makes steps, the rest is for the next update.
const MAX_EVENTS: usize = 100;

/// How long a stream may be silent before the server is asked for the task, and the run can do something else.
const MAX_SILENCE: Duration = Duration::from_secs(30);

/// A task that is being followed.
pub(super) struct Followed {
    id: String,
    task: Task,
    /// Whether the server has sent the whole of it, and nothing came after that.
    is_whole: bool,
    /// What happens in it from now on. Without a stream it is asked for again and again.
    events: Option<Events>,
    /// When somebody last waited for its events.
    pub(super) used: Instant,
}

/// What comes of waiting for an event.
enum Next {
    Event(Box<StreamResponse>),
    Silent,
    /// There is no stream, or not any more.
    Ended,
}

impl Followed {
    /// The task as it is now. Whatever is wrong with its stream, the server can be asked for the task.
    pub(super) async fn start(endpoint: &Endpoint, id: &str) -> Result<Self, CallError> {
        let mut events = endpoint.subscribe(id).await;
        let first = match &mut events {
            Some(stream) => timeout(MAX_SILENCE, stream.next()).await.ok().flatten(),
            None => None,
        };
        let (task, is_whole) = match first {
            Some(Ok(StreamResponse::Task(task))) if task.id == id => (task, false),
            first => {
                if !matches!(first, Some(Ok(_))) {
                    events = None;
                }
                // Another first event is part of what is read here.
                (endpoint.get(id).await?, true)
            }
        };
        Ok(Self {
            id: id.to_owned(),
            task,
            is_whole,
            events,
            used: Instant::now(),
        })
    }

    /// Whether there is a stream that is worth keeping: nobody reads it while a person is asked.
    pub(super) fn has_events(&self) -> bool {
        let state = &self.task.status.state;
        self.events.is_some() && !state.is_terminal() && *state != TaskState::InputRequired
    }

    /// What is new after `seen`, for which it waits where there is a stream.
    pub(super) async fn next_update(
        &mut self,
        endpoint: &Endpoint,
        seen: Option<&str>,
    ) -> Result<RemoteUpdate, CallError> {
        let mut news = Vec::new();
        if seen != Some(&*cursor(&self.task)) {
            news.push(as_event(&self.task));
        } else {
            match self.next_event().await {
                Next::Event(event) => self.take(*event, &mut news),
                Next::Silent => self.is_whole = false,
                Next::Ended => {}
            }
        }
        while news.len() < MAX_EVENTS
            && let Some(Next::Event(event)) = self.next_event().now_or_never()
        {
            self.take(*event, &mut news);
        }
        if !self.is_whole && (news.is_empty() || !self.has_events()) {
            self.complete(endpoint).await?;
        }
        self.used = Instant::now();
        let update = update(&self.task).with_events(news);
        Ok(update.with_cursor(cursor(&self.task)))
    }

    async fn next_event(&mut self) -> Next {
        let Some(stream) = &mut self.events else {
            return Next::Ended;
        };
        match timeout(MAX_SILENCE, stream.next()).await {
            Ok(Some(Ok(event))) => Next::Event(Box::new(event)),
            Err(_) => Next::Silent,
            // What cuts a stream, such as a proxy, says nothing of the task.
            Ok(None | Some(Err(_))) => {
                self.events = None;
                self.is_whole = false;
                Next::Ended
            }
        }
    }

    /// Takes in an event of this task.
    fn take(&mut self, event: StreamResponse, news: &mut Vec<Value>) {
        let task_id = match &event {
            StreamResponse::Task(task) => Some(&task.id),
            StreamResponse::StatusUpdate(update) => Some(&update.task_id),
            StreamResponse::ArtifactUpdate(update) => Some(&update.task_id),
            StreamResponse::Message(message) => message.task_id.as_ref(),
        };
        if task_id.is_some_and(|it| *it != self.id) {
            return;
        }
        news.push(serde_json::to_value(&event).unwrap_or_default());
        self.is_whole = false;
        match event {
            StreamResponse::Task(task) => self.task = task,
            StreamResponse::StatusUpdate(update) => self.task.status = update.status,
            StreamResponse::ArtifactUpdate(update) => add(&mut self.task, update),
            StreamResponse::Message(message) => {
                self.task.history.get_or_insert_default().push(message);
            }
        }
    }

    /// Reads the whole task: a stream may have left out what came before it. What it has told is enough where the
    /// server forgets the tasks that have ended.
    async fn complete(&mut self, endpoint: &Endpoint) -> Result<(), CallError> {
        match endpoint.get(&self.id).await {
            Ok(task) => {
                self.task = task;
                self.is_whole = true;
                Ok(())
            }
            Err(error) if error.is_unknown_task() && self.task.status.state.is_terminal() => Ok(()),
            Err(error) => Err(error),
        }
    }
}
