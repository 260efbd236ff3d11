//! Remote agents. A step notes what is to be started, or is one call of the runner: it starts the task, asks for news of
//! it, or delivers an answer.

mod agent;
mod calls;
mod cancel;
pub(super) mod cancelling;
pub(super) mod step;

use std::{future::ready, sync::Arc, time::Duration};

use serde::de::Error as _;
use serde_json::Value;

use self::step::{RemoteFuture, RemoteStep};
use super::{
    clock::{at, since_epoch},
    last_step::{Outputs, StepKind},
    questions::OpenQuestion,
    run::{Out, Run},
    state::{
        path::NodePath,
        progress::WaitReason,
        remote_task::{KnownTask, RemoteAnswer, RemoteProgress},
    },
};
use crate::{
    agent::backoff,
    error::{FlowError, guard},
    events::{EventKind, RemoteEvent},
    graph::{NodeKind, RemoteNode},
    invocation::{
        RemoteCall, RemoteQuestion, RemoteTask, RemoteUpdate, RunnerError, RunnerErrorKind,
        TaskStatus,
    },
    node::{Emitted, Inputs},
    state::Live,
};

/// How often a runner that cannot be reached is tried again.
const MAX_RETRIES: u32 = 4;

/// The same where it has started the task, which may go on all the same: for about five minutes.
const MAX_RETRIES_ONCE_STARTED: u32 = 10;

/// How long a task is left alone in which nothing has happened.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

impl Run {
    /// Starts a step of the node at `path`.
    pub(super) fn start_remote(
        &self,
        node: &RemoteNode,
        path: &NodePath,
        inputs: &mut Inputs<'_>,
        just_resumed: bool,
    ) -> Result<RemoteFuture, FlowError> {
        // One that has ended is started over: the node failed, and is tried again.
        let progress = self.state.remote(path).filter(|it| !it.has_ended).cloned();
        let Some(progress) = progress else {
            let call = match &node.agent {
                Some(agent) => agent.call(inputs, &self.node_id(path))?,
                None => {
                    let call = inputs.typed::<RemoteCall>(0).map_err(|error| *error)?;
                    (*call).clone()
                }
            };
            let (agent_id, kind) = (call.agent.name(), &*call.runner.kind);
            if let Err(source) = self.options.runners.get(kind) {
                return Err(self.error_of(path, (agent_id, kind), source));
            }
            return Ok(Box::pin(ready(RemoteStep::Prepared(call))));
        };
        let runner = self.options.runners.get(progress.task.runner());
        let runner = runner.map_err(|source| self.runner_error(path, source))?;
        Ok(Box::pin(async move {
            match (&*progress.task, progress.answers.first()) {
                (KnownTask::ToStart(task), _) => match calls::start(&*runner, task).await {
                    Ok(handle) => RemoteStep::Started(handle),
                    Err(error) => RemoteStep::Failed(error),
                },
                (KnownTask::Started(handle), Some(answer)) => {
                    calls::deliver_answer(&*runner, handle, answer.clone(), just_resumed).await
                }
                (KnownTask::Started(handle), None) => {
                    calls::next_update(&*runner, handle, progress.cursor.clone()).await
                }
            }
        }))
    }

    /// Commits what came of a step.
    pub(super) fn commit_remote(
        &mut self,
        path: &NodePath,
        step: RemoteStep,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        let continued = |out| (StepKind::Remote, Outputs::Nothing, out);
        match step {
            RemoteStep::Prepared(call) => {
                self.start_commit(path);
                self.prepare(path, call);
                Ok(continued(Out::Continue))
            }
            RemoteStep::Started(handle) => {
                self.start_commit(path);
                self.notify(path, || {
                    let runner = &*handle.runner.kind;
                    EventKind::Remote(RemoteEvent::started(&*handle.task_id, runner))
                });
                self.state.change_remote(path, |progress| {
                    progress.task = Arc::new(KnownTask::Started(handle));
                    progress.tries = 0;
                });
                Ok(continued(Out::Continue))
            }
            RemoteStep::Updated(update) => self.commit_update(path, update),
            RemoteStep::Answered => {
                self.start_commit(path);
                self.state.change_remote(path, |progress| {
                    progress.answers.remove(0);
                    progress.tries = 0;
                });
                Ok(continued(Out::Continue))
            }
            RemoteStep::AnswerRefused {
                answer,
                why,
                is_awaited: true,
            } => Err(FlowError::ResumePayload {
                id: answer.id.to_string(),
                source: serde_json::Error::custom(why),
            }),
            RemoteStep::AnswerRefused { answer, .. } => {
                Ok(continued(self.ask_remote_again(path, &answer)))
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
        self.start_clock(path);
        let has_news = self.has_news(path, &update);
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
                self.commit_runner_error(
                    path,
                    RunnerError::new(kind, failure_reason(update.content)),
                )
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
                    if let Some(until) = update.until {
                        let wait = since_epoch(until).saturating_sub(self.now());
                        let wait = Duration::from_millis(wait).max(POLL_INTERVAL);
                        self.set_timer(path, wait, WaitReason::Question);
                    }
                } else if !has_news {
                    self.wait_for_runner(path, POLL_INTERVAL);
                }
                Ok((StepKind::Remote, Outputs::Nothing, out))
            }
        }
    }

    /// Sends observers what has happened in a task.
    fn relay(&self, path: &NodePath, events: Vec<Value>) {
        let task_id = self.state.remote(path).map_or("", |it| it.task.task_id());
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
        let unfit = |why: String| RunnerError::new(RunnerErrorKind::InvalidOutput, why);
        match read {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(error)) => Err(unfit(format!("what it returned does not fit: {error}"))),
            Err(panic) => Err(unfit(panic.to_string())),
        }
    }

    /// Whether the next update of a task goes on from another mark. A runner that sets none tells its events again, and
    /// would be asked without a pause.
    fn has_news(&self, path: &NodePath, update: &RemoteUpdate) -> bool {
        let cursor = self.state.remote(path).and_then(|it| it.cursor.as_deref());
        update.cursor.is_some() && update.cursor.as_deref() != cursor
    }

    /// Opens the questions of a task that are new, and closes those that are not open any more. Returns the first new
    /// one.
    fn ask_for_remote(&mut self, path: &NodePath, questions: Vec<RemoteQuestion>) -> Out {
        let name = self.node_id(path);
        let questions = questions.into_iter().map(|question| OpenQuestion {
            name: name.to_string(),
            key: Some(question.id),
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
        let question = OpenQuestion {
            name: self.node_id(path).to_string(),
            key: Some(answer.question_id.to_string()),
            value: answer.question.value(),
        };
        let (out, _) = self.open_question(path, question);
        out
    }

    /// Lets the node at `path` wait for a runner that cannot be reached, or fail.
    fn commit_runner_error(
        &mut self,
        path: &NodePath,
        error: RunnerError,
    ) -> Result<(StepKind, Outputs, Out), FlowError> {
        self.start_clock(path);
        let before = self.state.remote(path);
        let tries = before.map_or(0, |it| it.tries).saturating_add(1);
        let is_started = before.is_some_and(|it| matches!(*it.task, KnownTask::Started(_)));
        let most = match is_started {
            true => MAX_RETRIES_ONCE_STARTED,
            false => MAX_RETRIES,
        };
        if error.is_retryable() && tries <= most {
            let wait = backoff(tries, &self.step_key(path), error.retry_after());
            self.start_commit(path);
            self.state
                .change_remote(path, |progress| progress.tries = tries);
            let until = self.wait_for_runner(path, wait);
            let task_id = self.state.remote(path).map_or("", |it| it.task.task_id());
            self.notify(path, || {
                EventKind::Remote(RemoteEvent::retrying(task_id, error.to_string(), at(until)))
            });
            return Ok((StepKind::Wait, Outputs::Nothing, Out::Continue));
        }
        let error = match error.is_retryable() {
            true => error.after(tries),
            false => error,
        };
        let has_ended = error.has_ended_task();
        if has_ended {
            self.state.forget_questions(path);
        }
        self.state.change_remote(path, |progress| {
            progress.tries = 0;
            if has_ended {
                progress.has_ended = true;
                progress.answers.clear();
            }
        });
        let (kind, out) = self.fail(path, self.runner_error(path, error), None)?;
        Ok((kind, Outputs::Nothing, out))
    }

    /// Lets the node at `path` wait; others go on.
    fn wait_for_runner(&mut self, path: &NodePath, wait: Duration) -> u64 {
        self.state.suspend(path);
        let wait = self.count_wait(path, wait);
        self.set_timer(path, wait, WaitReason::Runner)
    }

    /// Notes the task that is to be started, before any runner knows it: whatever happens then, the run knows what there
    /// is to cancel. No other task of any run has its id.
    fn prepare(&mut self, path: &NodePath, call: RemoteCall) {
        let RemoteCall {
            agent,
            message,
            runner,
        } = call;
        self.state.remote_tasks = self.state.remote_tasks.saturating_add(1);
        let task_id = format!("{}@{}", self.step_key(path), self.state.remote_tasks);
        let task = RemoteTask::new(task_id, agent, message, runner);
        self.state.set_remote(path, RemoteProgress::to_start(task));
    }

    /// The error of a runner that was called for the agent at `path`, if a task of it is known.
    fn runner_error(&self, path: &NodePath, source: RunnerError) -> FlowError {
        let progress = self.state.remote(path);
        let agent_id = progress.map_or_else(|| self.node_id(path), |it| Arc::clone(&it.agent_id));
        let runner = progress.map_or("", |it| it.task.runner());
        self.error_of(path, (&agent_id, runner), source)
    }

    fn error_of(
        &self,
        path: &NodePath,
        (agent_id, runner): (&str, &str),
        source: RunnerError,
    ) -> FlowError {
        FlowError::Runner {
            node: self.node_id(path).to_string(),
            agent_id: agent_id.to_owned(),
            runner: runner.to_owned(),
            source,
        }
    }
}

/// Why a task has failed, as a text.
fn failure_reason(content: Value) -> String {
    match content {
        Value::String(why) => why,
        Value::Null => "no reason given".to_owned(),
        content => content.to_string(),
    }
}
