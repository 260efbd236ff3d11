//! What clients may ask for, however they ask.

use std::sync::Arc;

use a2a::{
    A2AError, GetTaskRequest, ListTasksRequest, ListTasksResponse, Message, Part, PartContent,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, TaskState, error_code as code,
};
use futures_util::{Stream, StreamExt as _, stream::BoxStream};
use pravah_runtime::{
    FlowError, Hub, Suspension,
    invocation::{self, Invocation, InvokeError, Target},
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Server,
    caller::Asked,
    drive::drive,
    task::{End, Task, View},
    tasks::{MessageKey, Started},
};
use crate::content::{JSON, TEXT, said};

/// The longest id that a client may choose, in bytes.
const MAX_ID: usize = 256;

/// How many tasks a page has, unless the client says otherwise, and at most.
const PAGE: usize = 50;
const MAX_PAGE: usize = 100;

type Outcome<T> = Result<T, A2AError>;

impl Server {
    /// Fails for a client of another major version.
    pub(super) fn check_version(&self, asked: &Asked) -> Outcome<()> {
        match asked.version.split('.').next() {
            Some("1") => Ok(()),
            _ => Err(A2AError::version_not_supported(&asked.version)),
        }
    }

    /// Takes a message, and returns the task that it belongs to once that has ended or asks something, or at once.
    pub(super) async fn send(
        self: Arc<Self>,
        asked: Asked,
        request: SendMessageRequest,
    ) -> Outcome<a2a::Task> {
        let configuration = request.configuration.clone();
        let view = view_of(configuration.as_ref())?;
        let is_immediate = configuration.and_then(|it| it.return_immediately);
        let task = self.take(asked, request).await?;
        if is_immediate != Some(true) {
            task.settled().await;
        }
        Ok(task.view(view))
    }

    /// The same as a stream.
    pub(super) async fn send_streaming(
        self: Arc<Self>,
        asked: Asked,
        request: SendMessageRequest,
    ) -> Outcome<BoxStream<'static, StreamResponse>> {
        let view = view_of(request.configuration.as_ref())?;
        let task = self.take(asked, request).await?;
        Ok(task.stream(view, true).boxed())
    }

    pub(super) fn get(&self, asked: &Asked, request: &GetTaskRequest) -> Outcome<a2a::Task> {
        let task = self.find(asked, &request.id)?;
        let history_length = length(request.history_length)?;
        Ok(task.view(View {
            history_length,
            ..View::ALL
        }))
    }

    pub(super) fn list(
        &self,
        asked: &Asked,
        request: &ListTasksRequest,
    ) -> Outcome<ListTasksResponse> {
        let view = View {
            history_length: length(request.history_length)?,
            has_artifacts: request.include_artifacts == Some(true),
        };
        let page_size = match request.page_size {
            None | Some(0) => PAGE,
            Some(size) => usize::try_from(size)
                .ok()
                .filter(|size| *size <= MAX_PAGE)
                .ok_or_else(|| {
                    A2AError::invalid_params(format!("a page has 1 to {MAX_PAGE} tasks"))
                })?,
        };
        let start: usize = match request.page_token.as_deref().unwrap_or_default() {
            "" => 0,
            token => token
                .parse()
                .map_err(|_| A2AError::invalid_params("unknown page token"))?,
        };
        let tasks = self.tasks.list(&asked.agent, &asked.caller);
        let is_wanted = |task: &&Arc<Task>| {
            request
                .context_id
                .as_ref()
                .is_none_or(|it| it.is_empty() || *it == task.context_id)
                && request
                    .status
                    .as_ref()
                    .is_none_or(|it| *it == TaskState::Unspecified || *it == task.state())
                && request
                    .status_timestamp_after
                    .is_none_or(|it| task.updated_at() >= it)
        };
        let tasks: Vec<_> = tasks.iter().filter(is_wanted).collect();
        let end = start.saturating_add(page_size);
        Ok(ListTasksResponse {
            next_page_token: match end < tasks.len() {
                true => end.to_string(),
                false => String::new(),
            },
            page_size: i32::try_from(page_size).unwrap_or(i32::MAX),
            total_size: i32::try_from(tasks.len()).unwrap_or(i32::MAX),
            tasks: tasks
                .into_iter()
                .skip(start)
                .take(page_size)
                .map(|it| it.view(view))
                .collect(),
        })
    }

    pub(super) async fn cancel(&self, asked: &Asked, id: &str) -> Outcome<a2a::Task> {
        let task = self.find(asked, id)?;
        let cancelled = match task.hub() {
            Some(hub) => hub.cancel("cancelled by its caller").await.is_ok(),
            None => false,
        };
        match cancelled {
            true => task.end(End::Canceled),
            // The run has ended by itself, and is about to say so.
            false => task.ended().await,
        }
        match task.state() {
            TaskState::Canceled => Ok(task.view(View::ALL)),
            _ => Err(A2AError::task_not_cancelable(id)),
        }
    }

    pub(super) fn subscribe(
        &self,
        asked: &Asked,
        id: &str,
    ) -> Outcome<impl Stream<Item = StreamResponse> + Send + use<>> {
        let task = self.find(asked, id)?;
        match task.has_ended() {
            true => Err(A2AError::unsupported_operation(
                "the task has ended: get it",
            )),
            false => Ok(task.stream(View::ALL, false)),
        }
    }

    fn find(&self, asked: &Asked, id: &str) -> Outcome<Arc<Task>> {
        let task = self.tasks.get(id, &asked.agent, &asked.caller);
        task.ok_or_else(|| A2AError::task_not_found(id))
    }

    /// Takes a message: it starts a task, or answers the question of one. A client that goes away stops neither.
    async fn take(
        self: Arc<Self>,
        asked: Asked,
        request: SendMessageRequest,
    ) -> Outcome<Arc<Task>> {
        let SendMessageRequest {
            message,
            configuration,
            ..
        } = request;
        check_message(&message)?;
        let wants_text = wants_text(configuration.as_ref())?;
        let Some(id) = message.task_id.clone().filter(|it| !it.is_empty()) else {
            return self.start(asked, message, wants_text);
        };
        let task = self.find(&asked, &id)?;
        if message
            .context_id
            .as_ref()
            .is_some_and(|it| !it.is_empty() && *it != task.context_id)
        {
            return Err(A2AError::invalid_params("the task is of another context"));
        }
        if task.has_taken(&message.message_id) {
            return Ok(task);
        }
        let Some((question, hub)) = task.question() else {
            let why = match task.has_ended() {
                true => "the task has ended",
                false => "the task is at work, and asks nothing",
            };
            return Err(A2AError::unsupported_operation(why));
        };
        let taken = tokio::spawn(answer(task, question, hub, message)).await;
        taken.unwrap_or_else(|_| Err(A2AError::internal("the answer was lost")))
    }

    fn start(
        self: Arc<Self>,
        asked: Asked,
        message: Message,
        wants_text: bool,
    ) -> Outcome<Arc<Task>> {
        let Asked { agent, caller, .. } = asked;
        let key = MessageKey {
            agent: Arc::clone(&agent),
            caller: caller.clone(),
            message_id: message.message_id.clone(),
        };
        if let Some(task) = self.tasks.started_by(&key) {
            return Ok(task);
        }
        let target = Target::named(&*agent, invocation_message(&message.parts));
        let run = self
            .registry
            .invoke(Invocation::single(target))
            .map_err(refused)?;
        let id = Uuid::new_v4().to_string();
        let mut run = (self.set_up)(run.with_run_id(&*id));
        let context_id = message.context_id.clone().filter(|it| !it.is_empty());
        let context_id = context_id.unwrap_or_else(|| Uuid::new_v4().to_string());
        let task = Task::new(
            (id, context_id),
            agent,
            caller,
            wants_text,
            run.hub(),
            message,
        );
        match self.tasks.add(key.clone(), task, self.max_open_tasks) {
            Started::Known(task) => Ok(task),
            Started::Full => Err(A2AError::internal(
                "there are too many open tasks: try again later",
            )),
            Started::New(task) => {
                tokio::spawn(drive(self, key, Arc::clone(&task), run));
                Ok(task)
            }
        }
    }
}

/// Answers a question: with the data or the text of the message, or with JSON in that text if the run wants no text.
async fn answer(
    task: Arc<Task>,
    question: Suspension,
    hub: Hub,
    message: Message,
) -> Outcome<Arc<Task>> {
    let said = said(&message.parts);
    let mut sent = hub.reply_to(&question, &said).await;
    if let (Err(FlowError::ResumePayload { .. }), Value::String(text)) = (&sent, &said)
        && let Ok(data) = serde_json::from_str::<Value>(text)
    {
        sent = hub.reply_to(&question, data).await;
    }
    match sent {
        Ok(_) => {
            task.note_answer(question.number, message);
            Ok(task)
        }
        Err(error @ (FlowError::ResumePayload { .. } | FlowError::SerializeError(_))) => {
            Err(A2AError::invalid_params(error.to_string()))
        }
        Err(error) => Err(A2AError::unsupported_operation(error.to_string())),
    }
}

fn check_message(message: &Message) -> Outcome<()> {
    let invalid = |why: &str| Err(A2AError::invalid_params(why));
    let ids = [Some(&message.message_id), message.context_id.as_ref()];
    match message {
        it if it.message_id.is_empty() => invalid("the message has no `messageId`"),
        it if it.parts.is_empty() => invalid("the message has no `parts`"),
        it if it.role == a2a::Role::Agent => {
            invalid("the message is an agent's: its role is `ROLE_USER`")
        }
        _ if ids.into_iter().flatten().any(|id| id.len() > MAX_ID) => {
            invalid("an id is longer than 256 bytes")
        }
        it if it.parts.iter().any(|part| !has_content(part)) => Err(A2AError::new(
            code::CONTENT_TYPE_NOT_SUPPORTED,
            "agents here take texts and data, and no files",
        )),
        _ => Ok(()),
    }
}

const fn has_content(part: &Part) -> bool {
    matches!(part.content, PartContent::Text(_) | PartContent::Data(_))
}

/// Whether the client reads texts alone.
fn wants_text(configuration: Option<&SendMessageConfiguration>) -> Outcome<bool> {
    if configuration.is_some_and(|it| it.task_push_notification_config.is_some()) {
        return Err(A2AError::push_notification_not_supported());
    }
    let accepted = configuration.and_then(|it| it.accepted_output_modes.as_deref());
    let accepted = accepted.unwrap_or_default();
    let accepts = |mode: &str| {
        let accepts = |it: &String| {
            let it = it.split(';').next().unwrap_or_default().trim();
            let (kind, _) = mode.split_once('/').unwrap_or_default();
            it == mode || it == "*/*" || it.strip_suffix("/*") == Some(kind)
        };
        accepted.iter().any(accepts)
    };
    match (accepted.is_empty() || accepts(JSON), accepts(TEXT)) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => Err(A2AError::content_type_not_supported()),
    }
}

fn view_of(configuration: Option<&SendMessageConfiguration>) -> Outcome<View> {
    let history_length = length(configuration.and_then(|it| it.history_length))?;
    Ok(View {
        history_length,
        ..View::ALL
    })
}

fn length(length: Option<i32>) -> Outcome<Option<usize>> {
    let length = length.map(usize::try_from).transpose();
    length.map_err(|_| A2AError::invalid_params("a history has no negative length"))
}

/// What the agent is told.
fn invocation_message(parts: &[Part]) -> invocation::Message {
    let parts = parts.iter().map(|part| match part.as_text() {
        Some(text) => invocation::Part::Text(text.to_owned()),
        None => invocation::Part::Data(said(std::slice::from_ref(part))),
    });
    let mut message = invocation::Message::user("");
    message.parts = parts.collect();
    message
}

fn refused(error: InvokeError) -> A2AError {
    match error {
        InvokeError::Invalid(_) | InvokeError::Data { .. } => {
            A2AError::invalid_params(error.to_string())
        }
        error => {
            tracing::error!(error = %error, "an agent cannot be invoked");
            A2AError::internal("the agent cannot be reached")
        }
    }
}
