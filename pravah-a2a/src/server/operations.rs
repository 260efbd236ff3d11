//! What clients may ask for, however they ask.

use std::{sync::Arc, time::Duration};

use a2a::{
    A2AError, GetTaskRequest, ListTasksRequest, ListTasksResponse, Message,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, TaskState, error_code as code,
};
use futures_util::{Stream, StreamExt as _, stream::BoxStream};
use pravah_runtime::{
    FlowError,
    invocation::{Invocation, InvokeError, Target},
};
use serde_json::Value;
use tokio::time::timeout;
use uuid::Uuid;

use super::{
    Server,
    caller::CallContext,
    drive::drive,
    message,
    stream::TaskSnapshot,
    task::{End, Task, View},
    tasks::{MessageKey, Started},
};
use crate::content::{QUESTION, value_of};

/// How many tasks a page has, unless the client says otherwise, and at most.
const PAGE: usize = 50;
const MAX_PAGE: usize = 100;

/// How long a client waits at most until its task is cancelled.
const MAX_CANCEL: Duration = Duration::from_secs(10);

/// How much a page of a list says at most, in bytes of JSON. What does not fit is on the next page.
const MAX_LIST: usize = 4 << 20;

type Outcome<T> = Result<T, A2AError>;

impl Server {
    /// Fails for a client of another major version.
    pub(super) fn check_version(&self, context: &CallContext) -> Outcome<()> {
        match context.version.split('.').next() {
            Some("1") => Ok(()),
            _ => Err(A2AError::new(
                code::VERSION_NOT_SUPPORTED,
                format!(
                    "version not supported: {}, which is also meant where there is no header `A2A-Version`: send `A2A-Version: 1.0`",
                    context.version
                ),
            )),
        }
    }

    /// Accepts a message, and returns the task that it belongs to once that has ended or asks something, or at once.
    pub(super) async fn send(
        self: Arc<Self>,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Outcome<a2a::Task> {
        let configuration = request.configuration.clone();
        let view = view_of(configuration.as_ref())?;
        let is_immediate = configuration.and_then(|it| it.return_immediately);
        let (task, _) = self.accept(context, request, view).await?;
        if is_immediate != Some(true) {
            task.settled().await;
        }
        Ok(task.view(view))
    }

    /// The same as a stream.
    pub(super) async fn send_streaming(
        self: Arc<Self>,
        context: CallContext,
        request: SendMessageRequest,
    ) -> Outcome<BoxStream<'static, StreamResponse>> {
        let view = view_of(request.configuration.as_ref())?;
        let (task, snapshot) = self.accept(context, request, view).await?;
        Ok(task.stream(snapshot, true).boxed())
    }

    pub(super) fn get(
        &self,
        context: &CallContext,
        request: &GetTaskRequest,
    ) -> Outcome<a2a::Task> {
        let task = self.find(context, &request.id)?;
        let history_length = length(request.history_length)?;
        Ok(task.view(View {
            history_length,
            ..View::ALL
        }))
    }

    pub(super) fn list(
        &self,
        context: &CallContext,
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
                    A2AError::invalid_params(format!("`pageSize` is from 1 to {MAX_PAGE}"))
                })?,
        };
        let start: usize = match request.page_token.as_deref().unwrap_or_default() {
            "" => 0,
            token => token
                .parse()
                .map_err(|_| A2AError::invalid_params("unknown page token"))?,
        };
        let tasks = self.tasks.list(&context.agent, &context.caller);
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
        let mut size = 0_usize;
        let fits = |task: &&&Arc<Task>| {
            let is_first = size == 0;
            size = size.saturating_add(task.size());
            is_first || size <= MAX_LIST
        };
        let page = tasks.iter().skip(start).take(page_size);
        let page: Vec<_> = page.take_while(fits).map(|it| it.view(view)).collect();
        let end = start.saturating_add(page.len());
        Ok(ListTasksResponse {
            next_page_token: match end < tasks.len() {
                true => end.to_string(),
                false => String::new(),
            },
            page_size: i32::try_from(page_size).unwrap_or(i32::MAX),
            total_size: i32::try_from(tasks.len()).unwrap_or(i32::MAX),
            tasks: page,
        })
    }

    pub(super) async fn cancel(&self, context: &CallContext, id: &str) -> Outcome<a2a::Task> {
        let task = self.find(context, id)?;
        if let Some(hub) = task.hub() {
            // What blocks its thread hears of it later.
            match timeout(MAX_CANCEL, hub.cancel("cancelled by its caller")).await {
                Ok(Ok(_)) => task.end(End::Canceled),
                // The run has ended by itself, and is about to say so.
                Ok(Err(_)) => task.ended().await,
                Err(_) => return Ok(task.view(View::ALL)),
            }
        }
        match task.state() {
            TaskState::Canceled => Ok(task.view(View::ALL)),
            _ => Err(A2AError::task_not_cancelable(id)),
        }
    }

    pub(super) fn subscribe(
        &self,
        context: &CallContext,
        id: &str,
    ) -> Outcome<impl Stream<Item = StreamResponse> + Send + use<>> {
        let task = self.find(context, id)?;
        match task.has_ended() {
            true => Err(A2AError::unsupported_operation(
                "the task has ended: read it with `GetTask`",
            )),
            false => {
                let snapshot = task.snapshot(View::ALL);
                Ok(task.stream(snapshot, false))
            }
        }
    }

    fn find(&self, context: &CallContext, id: &str) -> Outcome<Arc<Task>> {
        let task = self.tasks.get(id, &context.agent, &context.caller);
        task.ok_or_else(|| A2AError::task_not_found(id))
    }

    /// Accepts a message: it starts a task, or answers the question of one. A client that goes away stops neither.
    async fn accept(
        self: Arc<Self>,
        context: CallContext,
        request: SendMessageRequest,
        view: View,
    ) -> Outcome<Accepted> {
        let SendMessageRequest {
            message,
            configuration,
            ..
        } = request;
        message::check(&message)?;
        let wants_text = message::wants_text(configuration.as_ref())?;
        let Some(id) = message.task_id.clone().filter(|it| !it.is_empty()) else {
            return self.start(context, message, wants_text, view);
        };
        let task = self.find(&context, &id)?;
        let mut context_id = message.context_id.iter().filter(|it| !it.is_empty());
        if context_id.any(|it| *it != task.context_id) {
            return Err(A2AError::invalid_params("the task is of another context"));
        }
        let accepted = tokio::spawn(answer(task, message, view)).await;
        accepted.unwrap_or_else(|_| Err(A2AError::internal("the answer was lost")))
    }

    fn start(
        self: Arc<Self>,
        context: CallContext,
        message: Message,
        wants_text: bool,
        view: View,
    ) -> Outcome<Accepted> {
        let CallContext { agent, caller, .. } = context;
        let key = MessageKey {
            agent: Arc::clone(&agent),
            caller: caller.clone(),
            message_id: message.message_id.clone(),
        };
        if let Some(task) = self.tasks.started_by(&key) {
            return Ok(as_it_is(task, view));
        }
        let target = Target::named(&*agent, message::for_agent(&message));
        let run = self.registry.invoke(Invocation::single(target));
        let run = run.map_err(refused)?;
        let id = Uuid::new_v4().to_string();
        let mut run = (self.set_up)(run.with_run_id(&*id));
        let context_id = message.context_id.clone().filter(|it| !it.is_empty());
        let context_id = context_id.unwrap_or_else(|| Uuid::new_v4().to_string());
        let ids = (id, context_id);
        let task = Task::new(ids, agent, caller, wants_text, run.hub(), message);
        match self.tasks.add(key.clone(), task, &self.limits) {
            Started::Known(task) => Ok(as_it_is(task, view)),
            Started::Full => Err(A2AError::internal(
                "there are too many open tasks: try again later",
            )),
            Started::New(task) => {
                let accepted = as_it_is(task, view);
                tokio::spawn(drive(self, key, Arc::clone(&accepted.0), run));
                Ok(accepted)
            }
        }
    }
}

/// The task that has accepted a message, and how it was then.
type Accepted = (Arc<Task>, TaskSnapshot);

fn as_it_is(task: Arc<Task>, view: View) -> Accepted {
    let snapshot = task.snapshot(view);
    (task, snapshot)
}

/// Answers the question of a task: with the data or the text of the message, or with JSON in that text if the run wants
/// no text.
async fn answer(task: Arc<Task>, message: Message, view: View) -> Outcome<Accepted> {
    let _alone = task.answering.lock().await;
    if task.has_accepted(&message.message_id) {
        return Ok(as_it_is(Arc::clone(&task), view));
    }
    let Some((question, hub)) = task.question() else {
        let why = match task.has_ended() {
            true => "the task has ended",
            false => "the task is running and has no open question",
        };
        return Err(A2AError::unsupported_operation(why));
    };
    let meant = message
        .metadata
        .as_ref()
        .and_then(|it| it.get(QUESTION)?.as_str());
    if meant.is_some_and(|meant| *meant != task.question_id(&question)) {
        let why = "the question is no longer open";
        return Err(A2AError::unsupported_operation(why));
    }
    let snapshot = task.snapshot(view).with_answer(&message, view);
    let reply = value_of(&message.parts);
    task.note_sent(question.number, message);
    let mut sent = hub.reply_to(&question, &reply).await;
    if let (Err(FlowError::ResumePayload { .. }), Value::String(text)) = (&sent, &reply)
        && let Ok(data) = serde_json::from_str::<Value>(text)
    {
        sent = hub.reply_to(&question, data).await;
    }
    task.note_accepted(question.number, sent.is_ok());
    match sent {
        Ok(_) => Ok((Arc::clone(&task), snapshot)),
        Err(error @ (FlowError::ResumePayload { .. } | FlowError::SerializeError(_))) => {
            Err(A2AError::invalid_params(error.to_string()))
        }
        Err(error) => Err(A2AError::unsupported_operation(error.to_string())),
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
    length.map_err(|_| A2AError::invalid_params("`historyLength` must not be negative"))
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
