//! Agents that run elsewhere. A step is one call of their runner: it starts the task, asks what has happened in it, or
//! hands over an answer.

mod cancel;

pub(super) use self::cancel::RemoteCancelling;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use serde::de::Error as _;
use serde_json::Value;

use super::{
    clock::at,
    last_step::{Outputs, StepKind},
    run::{Out, Run},
    state::{
        path::NodePath,
        progress::{Question, WaitReason},
        remote::{RemoteAnswer, RemoteProgress},
    },
};
use crate::{
    agent::backoff,
    error::{FlowError, guard},
    events::{EventKind, RemoteEvent},
    graph::{NodeKind, RemoteAgent, RemoteNode},
    invocation::{
        self, AgentRef, RemoteCall, RemoteHandle, RemoteQuestion, RemoteTask, RemoteUpdate, Runner,
        RunnerError, RunnerErrorKind, TaskStatus,
    },
    json,
    model::Message,
    node::{Emitted, Inputs},
    state::Live,
};

/// How often a runner that cannot be reached is tried again.
const MAX_RETRIES: u32 = 4;

/// How long a task is left alone in which nothing has happened.
const PAUSE: Duration = Duration::from_secs(1);

/// What came of one call of a runner.
pub(super) enum RemoteStep {
    Started(RemoteHandle),
    Updated(RemoteUpdate),
    /// The runner has taken an answer.
    Answered,
    /// The answer is not what was asked for; somebody awaits this step, or nobody does.
    AnswerRefused {
        why: String,
        is_awaited: bool,
    },
    Failed(RunnerError),
}

pub(super) type RemoteFuture = Pin<Box<dyn Future<Output = RemoteStep> + Send>>;

impl Run {
    /// Starts a step of the node at `path`.
    pub(super) fn start_remote(
        &self,
        node: &RemoteNode,
        path: &NodePath,
        inputs: &mut Inputs<'_>,
        just_resumed: bool,
    ) -> Result<RemoteFuture, FlowError> {
        let progress = self.state.remote(path).cloned().unwrap_or_default();
        let runner = |kind: &str| {
            let runner = self.options.runners.get(kind);
            runner.map_err(|source| self.runner_error(path, source))
        };
        if let Some(handle) = progress.handle.clone() {
            let runner = runner(&handle.runner.kind)?;
            return Ok(match progress.answers.first().cloned() {
                Some(answer) => Box::pin(hand_over(runner, handle, answer, just_resumed)),
                None => Box::pin(follow(runner, handle, progress.cursor.clone())),
            });
        }
        let RemoteCall {
            agent,
            message,
            runner: config,
        } = match &node.agent {
            Some(agent) => agent.call(inputs, &self.node_id(path))?,
            None => {
                let call = inputs.typed::<RemoteCall>(0).map_err(|error| *error)?;
                (*call).clone()
            }
        };
        let runner = runner(&config.kind)?;
        let task = RemoteTask::new(self.remote_task_id(path), agent, message, config);
        Ok(Box::pin(start(runner, task)))
    }

    /// Commits what came of a step.
    pub(super) fn commit_remote(
        &mut self,
        path: &NodePath,
        step: RemoteStep,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        let goes_on = |out| (StepKind::Remote, Outputs::Nothing, out);
        match step {
            RemoteStep::Started(handle) => {
                self.start_commit(path);
                self.notify(path, || {
                    let runner = &*handle.runner.kind;
                    EventKind::Remote(RemoteEvent::started(&*handle.task_id, runner))
                });
                self.state.change_remote(path, |progress| {
                    progress.handle = Some(handle.into());
                    progress.tries = 0;
                });
                Ok(goes_on(Out::Continue))
            }
            RemoteStep::Updated(update) => self.commit_update(path, update),
            RemoteStep::Answered => {
                self.start_commit(path);
                self.state.change_remote(path, |progress| {
                    progress.answers.remove(0);
                    progress.tries = 0;
                });
                Ok(goes_on(Out::Continue))
            }
            RemoteStep::AnswerRefused { why, is_awaited } => {
                let progress = self.state.remote(path).cloned().unwrap_or_default();
                let Some(answer) = progress.answers.first() else {
                    return Ok(goes_on(Out::Continue));
                };
                match is_awaited {
                    true => Err(FlowError::ResumePayload {
                        id: answer.id.to_string(),
                        source: serde_json::Error::custom(why),
                    }),
                    false => Ok(goes_on(self.ask_remote_again(path, answer))),
                }
            }
            RemoteStep::Failed(error) => self.commit_runner_error(path, error),
        }
    }

    /// Commits what has happened in the task.
    fn commit_update(
        &mut self,
        path: &NodePath,
        update: RemoteUpdate,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        let is_news = self.is_news(path, &update);
        self.relay(path, update.events);
        match update.status {
            TaskStatus::Completed => {
                let output = match self.read_output(path, update.content) {
                    Ok(output) => output,
                    Err(error) => return self.commit_runner_error(path, error),
                };
                self.start_commit(path);
                self.state
                    .change_remote(path, |progress| progress.has_ended = true);
                let emitted = Emitted::only(output);
                self.note_result(path, &emitted);
                let out = self.fire(path, emitted);
                Ok((StepKind::Remote, Outputs::Branch(0), out))
            }
            TaskStatus::Failed | TaskStatus::Cancelled => {
                let kind = match update.status {
                    TaskStatus::Cancelled => RunnerErrorKind::TaskCancelled,
                    _ => RunnerErrorKind::TaskFailed,
                };
                self.commit_runner_error(path, RunnerError::new(kind, words(update.content)))
            }
            status => {
                self.start_commit(path);
                self.state.change_remote(path, |progress| {
                    progress.tries = 0;
                    if let Some(cursor) = update.cursor {
                        progress.cursor = Some(cursor.into());
                    }
                });
                let waits_for_answer =
                    status == TaskStatus::Suspended && !update.questions.is_empty();
                let out = self.ask_for_remote(path, update.questions);
                if waits_for_answer {
                    self.state.suspend(path);
                    self.stop_clock(path);
                } else if !is_news {
                    self.wait_for_runner(path, PAUSE);
                }
                Ok((StepKind::Remote, Outputs::Nothing, out))
            }
        }
    }

    /// Sends observers what has happened in a task.
    fn relay(&self, path: &NodePath, events: Vec<Value>) {
        let handle = self.state.remote(path).and_then(|it| it.handle.as_ref());
        let task_id = handle.map_or("", |handle| &handle.task_id);
        for event in events {
            self.notify(path, || {
                EventKind::Remote(RemoteEvent::relayed(task_id, event))
            });
        }
    }

    /// What the node at `path` returns, whose task has returned this.
    fn read_output(&self, path: &NodePath, content: Value) -> Result<Live, RunnerError> {
        let frame = self.state.frame(&path.frame);
        let NodeKind::Remote(RemoteNode { agent: Some(agent) }) = &frame.table.node(path.node).kind
        else {
            return Ok(Live::new(content));
        };
        let read = guard(&self.node_id(path), || agent.read(&content));
        let unfit = |why: String| RunnerError::new(RunnerErrorKind::Output, why);
        match read {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(error)) => Err(unfit(format!("what it returned does not fit: {error}"))),
            Err(panic) => Err(unfit(panic.to_string())),
        }
    }

    /// Whether anything has happened in a task since it was last looked at.
    fn is_news(&self, path: &NodePath, update: &RemoteUpdate) -> bool {
        let cursor = self.state.remote(path).and_then(|it| it.cursor.as_deref());
        let has_moved = update.cursor.is_some() && update.cursor.as_deref() != cursor;
        has_moved || !update.events.is_empty()
    }

    /// Opens the questions of a task that are new, and closes those that are not open any more. Returns the first new
    /// one.
    fn ask_for_remote(&mut self, path: &NodePath, questions: Vec<RemoteQuestion>) -> Out {
        let name = self.node_id(path);
        let questions = questions.into_iter().map(|question| OpenQuestion {
            name: name.to_string(),
            key: question.id,
            value: question.value,
        });
        self.reopen(path, questions.collect())
    }

    /// Asks a question again whose answer is of no use.
    fn ask_remote_again(&mut self, path: &NodePath, answer: &RemoteAnswer) -> Out {
        self.start_commit(path);
        self.state.change_remote(path, |progress| {
            progress.answers.remove(0);
        });
        let name = self.node_id(path);
        let value = (*answer.question).clone();
        let key = Some(answer.question_id.to_string());
        let (id, number) = self.state.ask(path, &name, value.clone(), key);
        self.notify_published(path, || EventKind::question_asked(&*id, number));
        Out::Suspend {
            value,
            tool_id: id.to_string(),
        }
    }

    /// Lets the node at `path` wait for a runner that cannot be reached, or fail.
    fn commit_runner_error(
        &mut self,
        path: &NodePath,
        error: RunnerError,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        let before = self.state.remote(path);
        let tries = before
            .map_or(0, |progress| progress.tries)
            .saturating_add(1);
        if error.is_retryable() && tries <= MAX_RETRIES {
            let wait = backoff(tries, &self.step_key(path), error.retry_after());
            self.start_commit(path);
            self.state
                .change_remote(path, |progress| progress.tries = tries);
            let until = self.wait_for_runner(path, wait);
            self.notify(path, || {
                EventKind::Remote(RemoteEvent::waits(error.to_string(), at(until)))
            });
            return Ok((StepKind::Wait, Outputs::Nothing, Out::Continue));
        }
        if error.has_ended_task() {
            self.state
                .change_remote(path, |progress| progress.has_ended = true);
        }
        let (kind, out) = self.fail(path, self.runner_error(path, error), None)?;
        Ok((kind, Outputs::Nothing, out))
    }

    /// Lets the node at `path` wait; others go on.
    fn wait_for_runner(&mut self, path: &NodePath, wait: Duration) -> u64 {
        self.state.suspend(path);
        let wait = self.count_wait(path, wait);
        self.set_timer(path, wait, WaitReason::Runner)
    }

    /// What the task of the node at `path` is called. The attempts at the nodes around it count too: they make the same
    /// calls again, and not the same tasks.
    fn remote_task_id(&self, path: &NodePath) -> String {
        let mut id = self.state.agent_run_id(path);
        for (depth, item) in path.frame.iter().enumerate() {
            let around = path.frame.get(..depth).unwrap_or_default();
            let attempt = self.state.attempt(&NodePath::new(around, item.list));
            if attempt > 1 {
                id.push_str(&format!("@{attempt}"));
            }
        }
        id
    }

    fn runner_error(&self, path: &NodePath, source: RunnerError) -> FlowError {
        let node = self.node_id(path).to_string();
        FlowError::Runner { node, source }
    }
}

impl RemoteAgent {
    /// Whom the runner is to run, and what that is told.
    fn call(&self, inputs: &mut Inputs<'_>, id: &str) -> Result<RemoteCall, FlowError> {
        let prompt = (self.prompt)(inputs).map_err(|error| error.in_node(id))?;
        let last = prompt.last().and_then(Message::user_text);
        Ok(RemoteCall {
            agent: AgentRef::Named {
                agent_id: self.agent_id.to_string(),
            },
            message: invocation::Message::user(last.unwrap_or_default()),
            runner: self.runner.clone(),
        })
    }

    /// Reads what it has returned as its output. A protocol may have no more than a text for JSON.
    fn read(&self, content: &Value) -> Result<Live, serde_json::Error> {
        let read = self.spec.accept(content);
        match (read, content) {
            (Err(error), Value::String(text)) => match json::from_str(text) {
                Ok(content) => self.spec.accept(&content),
                Err(_) => Err(error),
            },
            (read, _) => read,
        }
    }
}

/// A question that is open for a node which may have several.
pub(super) struct OpenQuestion {
    /// What it is called, before that is made unique in the run.
    pub(super) name: String,
    /// What the node knows it by.
    pub(super) key: String,
    pub(super) value: Value,
}

impl RemoteProgress {
    /// The same with the answer to a question: it is the next to be handed over.
    pub(super) fn answered(&self, id: &str, question: &Question, payload: Value) -> Option<Self> {
        let mut progress = self.clone();
        let answer = RemoteAnswer {
            id: id.into(),
            question_id: question.call.as_deref()?.into(),
            question: Arc::clone(&question.value),
            payload: payload.into(),
        };
        progress.answers.insert(0, answer);
        Some(progress)
    }
}

async fn start(runner: Arc<dyn Runner>, task: RemoteTask) -> RemoteStep {
    match runner.start(&task).await {
        Ok(id) => RemoteStep::Started(RemoteHandle::new(task.task_id, id, task.runner)),
        Err(error) => RemoteStep::Failed(error),
    }
}

async fn follow(
    runner: Arc<dyn Runner>,
    handle: Arc<RemoteHandle>,
    cursor: Option<Arc<str>>,
) -> RemoteStep {
    let update = runner.follow(&handle, cursor.as_deref()).await;
    match update.and_then(|update| check(&update).map(|()| update)) {
        Ok(update) => RemoteStep::Updated(update),
        Err(error) => RemoteStep::Failed(error),
    }
}

async fn hand_over(
    runner: Arc<dyn Runner>,
    handle: Arc<RemoteHandle>,
    answer: RemoteAnswer,
    is_awaited: bool,
) -> RemoteStep {
    let taken = runner.answer(&handle, &answer.question_id, &answer.payload);
    match taken.await {
        Ok(()) => RemoteStep::Answered,
        Err(error) if error.kind() == RunnerErrorKind::Answer => RemoteStep::AnswerRefused {
            why: error.to_string(),
            is_awaited,
        },
        Err(error) => RemoteStep::Failed(error),
    }
}

/// Fails where an update has JSON that no snapshot can carry.
fn check(update: &RemoteUpdate) -> Result<(), RunnerError> {
    let questions = update.questions.iter().map(|question| &question.value);
    let mut values = questions.chain(&update.events).chain([&update.content]);
    let malformed = |unfit: json::Unfit| {
        let why = format!("what it says is {unfit}");
        RunnerError::new(RunnerErrorKind::Malformed, why)
    };
    values.try_for_each(json::check).map_err(malformed)
}

/// Why a task has failed, as a text.
fn words(content: Value) -> String {
    match content {
        Value::String(why) => why,
        Value::Null => "it did not say why".to_owned(),
        content => content.to_string(),
    }
}
