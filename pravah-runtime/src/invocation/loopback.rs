//! A runner whose agents are those of another registry in this process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tokio::sync::Mutex as AsyncMutex;

use super::{
    AgentRegistry, Invocation, InvocationResult, InvokeError, RemoteTask, RemoteTaskHandle,
    RemoteUpdate, Runner, RunnerError, RunnerErrorKind, RunnerFuture, Target, TaskStatus,
};
use crate::{
    context::Context,
    engine::{FlowRuntime, RunOut, RunStatus},
    error::FlowError,
    events::{FlowEvent, FlowObserver},
};

/// A [`Runner`] whose agents are those of another [`AgentRegistry`] in this process, to which all that is said goes
/// through JSON: for tests of remote agents, and as an example of a runner.
///
/// It keeps its tasks as long as it lives: a run that is restored goes on with them if it finds the same runner, so hand
/// the registries that are to share it one [`Arc`]. A task makes its steps while it is followed, and has a run of its
/// own, named by its [`task_id`](RemoteTask::task_id).
///
/// ```
/// use std::sync::Arc;
/// use pravah_runtime::{invocation::*, prelude::*};
/// use serde_json::json;
///
/// # #[state] struct Topic { name: String }
/// # #[state] struct Finding { text: String }
/// # /// You look things up.
/// # #[agent(model = "openai://gpt-4o-mini", output = Finding)]
/// # fn researcher(topic: &Topic) -> String { topic.name.clone() }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = ScriptedModel::new().reply("researcher", json!({ "text": "None." }));
/// let there = AgentRegistry::new().with_agent::<researcher>();
/// let runner = LoopbackRunner::new(there).with_context(Context::default().with_dep(script));
///
/// let here = AgentRegistry::new()
///     .with_runner(runner)
///     .with_remote_agent("researcher", "loopback");
/// let mut run = here.invoke(Invocation::single(Target::named("researcher", "Trains to Benin")))?;
/// let RunOut::Done(InvocationResult::Scalar { result, .. }) = run.run(Context::default()).await? else {
///     panic!("nobody is asked")
/// };
/// assert_eq!(result.content, json!({ "text": "None." }));
/// # Ok(()) }
/// ```
pub struct LoopbackRunner {
    kind: String,
    registry: AgentRegistry,
    context: Context,
    tasks: Mutex<BTreeMap<String, Arc<LoopbackTask>>>,
}

/// A task, with what it was started with.
struct LoopbackTask {
    started: RemoteTask,
    run: AsyncMutex<LoopbackRun>,
}

struct LoopbackRun {
    run: FlowRuntime<AgentRegistry>,
    events: Arc<Mutex<Vec<Value>>>,
    end: Option<(TaskStatus, Value)>,
}

impl LoopbackRunner {
    /// A runner of the kind `loopback`.
    #[must_use]
    pub fn new(registry: AgentRegistry) -> Self {
        Self {
            kind: "loopback".to_owned(),
            registry,
            context: Context::default(),
            tasks: Mutex::default(),
        }
    }

    /// The same of another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// The same with a context for its agents: the default one unless set.
    #[must_use]
    pub fn with_context(mut self, context: Context) -> Self {
        self.context = context;
        self
    }

    /// What its tasks were started with, by their ids.
    #[must_use]
    pub fn tasks(&self) -> Vec<RemoteTask> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.values().map(|task| task.started.clone()).collect()
    }

    fn find_or_start(&self, task: &RemoteTask) -> Result<String, RunnerError> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if !tasks.contains_key(&task.task_id) {
            let started = round_trip_json(task)?;
            let run = self.run_of(&started)?;
            let run = AsyncMutex::new(run);
            tasks.insert(
                task.task_id.clone(),
                Arc::new(LoopbackTask { started, run }),
            );
        }
        Ok(task.task_id.clone())
    }

    fn run_of(&self, task: &RemoteTask) -> Result<LoopbackRun, RunnerError> {
        let target = Target {
            agent: task.agent.clone(),
            message: task.message.clone(),
            executor: None,
        };
        let run = self.registry.invoke(Invocation::single(target));
        let run = run.map_err(|error| {
            let kind = match error {
                InvokeError::UnknownAgent { .. } => RunnerErrorKind::UnknownAgent,
                _ => RunnerErrorKind::Refused,
            };
            RunnerError::new(kind, error.to_string())
        })?;
        let events = Arc::new(Mutex::new(Vec::new()));
        let observer = Recorder(Arc::clone(&events));
        Ok(LoopbackRun {
            run: run.with_run_id(&*task.task_id).with_observer(observer),
            events,
            end: None,
        })
    }

    fn task(&self, task: &RemoteTaskHandle) -> Result<Arc<LoopbackTask>, RunnerError> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.get(&task.remote_id).map(Arc::clone).ok_or_else(|| {
            let why = format!("there is no task `{}`", task.remote_id);
            RunnerError::new(RunnerErrorKind::UnknownTask, why)
        })
    }
}

impl Runner for LoopbackRunner {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        Box::pin(async { self.find_or_start(task) })
    }

    fn next_update<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        Box::pin(async move {
            let task = self.task(task)?;
            let mut run = task.run.lock().await;
            let seen = cursor.map_or(Ok(0), str::parse);
            let seen: usize = seen.map_err(|error| {
                RunnerError::new(
                    RunnerErrorKind::Refused,
                    format!("unknown cursor `{}`", cursor.unwrap_or_default()),
                )
                .with_source(error)
            })?;
            let has_news = run.end.is_some() || run.event_count() > seen;
            if !has_news {
                run.step(&self.context).await;
            }
            Ok(run.update(seen))
        })
    }

    fn answer<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        question_id: &'a str,
        answer: &'a Value,
    ) -> RunnerFuture<'a, ()> {
        Box::pin(async move {
            let task = self.task(task)?;
            task.run
                .lock()
                .await
                .answer(&self.context, question_id, answer)
                .await
        })
    }

    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(task) = self.task(task) {
                task.run.lock().await.cancel(&self.context).await;
            }
            Ok(())
        })
    }
}

impl LoopbackRun {
    fn event_count(&self) -> usize {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.len()
    }

    /// Makes a step, or waits until one can be made.
    async fn step(&mut self, context: &Context) {
        let out = self.run.next(context.clone()).await;
        if let Ok(RunOut::Waiting { .. }) = out {
            self.run.wait().await;
        }
        self.record(out).await;
    }

    async fn record(&mut self, out: Result<RunOut<InvocationResult>, FlowError>) {
        match out {
            Ok(RunOut::Done(InvocationResult::Scalar { result })) => {
                self.end = Some((result.status, result.content));
            }
            // It waits for an answer.
            Ok(_) | Err(FlowError::ResumeRequired(_)) => {}
            Err(error) => {
                self.end = Some((TaskStatus::Failed, error.to_string().into()));
                // Nobody makes another step of it, so what it has called is to end too.
                drop(self.run.cancel("its task has failed").await);
            }
        }
    }

    /// What has happened since so many events.
    fn update(&self, seen: usize) -> RemoteUpdate {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let new = events.iter().skip(seen).cloned();
        let update = match &self.end {
            Some((status, content)) => RemoteUpdate::new(*status).with_content(content.clone()),
            None => RemoteUpdate::new(match self.run.status() {
                RunStatus::Suspended { .. } => TaskStatus::Suspended,
                _ => TaskStatus::Running,
            }),
        };
        let mut update = update
            .with_events(new)
            .with_cursor(events.len().to_string());
        let open = self.run.suspensions();
        update.until = open.iter().filter_map(|question| question.until).min();
        open.into_iter().fold(update, |update, question| {
            update.with_question(question.number.to_string(), question.value)
        })
    }

    async fn answer(
        &mut self,
        context: &Context,
        question_id: &str,
        answer: &Value,
    ) -> Result<(), RunnerError> {
        let open = self.run.suspensions().into_iter();
        let mut open = open.filter(|question| question.number.to_string() == question_id);
        let Some(question) = open.next() else {
            // It was answered before.
            return Ok(());
        };
        let out = self
            .run
            .answer(context.clone(), &question.tool_id, answer)
            .await;
        if let Err(FlowError::ResumePayload { source, .. }) = &out {
            return Err(RunnerError::new(
                RunnerErrorKind::InvalidAnswer,
                source.to_string(),
            ));
        }
        self.record(out).await;
        Ok(())
    }

    async fn cancel(&mut self, context: &Context) {
        if self.end.is_some() {
            return;
        }
        if self.run.cancel("cancelled by its caller").await.is_err() {
            // It was cancelled by a future that was dropped. The next step waits for what that has left to be cancelled.
            drop(self.run.next(context.clone()).await);
        }
        self.end = Some((TaskStatus::Cancelled, "the task was cancelled".into()));
    }
}

/// Keeps all events as JSON.
struct Recorder(Arc<Mutex<Vec<Value>>>);

impl FlowObserver for Recorder {
    fn on_event(&self, event: &FlowEvent) {
        if let Ok(event) = serde_json::to_value(event) {
            let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(event);
        }
    }
}

/// What another process would receive.
fn round_trip_json(task: &RemoteTask) -> Result<RemoteTask, RunnerError> {
    let json = serde_json::to_vec(task).and_then(|json| serde_json::from_slice(&json));
    json.map_err(|error| {
        RunnerError::new(
            RunnerErrorKind::Refused,
            "the task cannot be written as JSON",
        )
        .with_source(error)
    })
}
