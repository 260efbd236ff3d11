//! Runners: what runs remote agents.

mod error;
mod task;

use std::{collections::BTreeMap, future::Future, pin::Pin, sync::Arc};

use serde_json::Value;

pub use self::{
    error::{RunnerError, RunnerErrorKind},
    task::{RemoteQuestion, RemoteTask, RemoteTaskHandle, RemoteUpdate},
};

/// What the future of a [`Runner`] is.
pub type RunnerFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, RunnerError>> + Send + 'a>>;

/// Runs remote agents: in another process, behind a protocol, in a sandbox. An
/// [`AgentRegistry`](super::AgentRegistry) has [one for each kind](super::AgentRegistry::with_runner), and an
/// [`Executor`](super::Executor) names it.
///
/// The run that calls a remote agent keeps the task's [handle](RemoteTaskHandle) and the cursor of what it has seen in
/// its snapshot, and goes on one call of the runner at a time: it starts the task, asks for updates until it has ended, hands
/// over answers to its questions, and cancels it where nobody wants its result any more. Any of these may be called
/// again with the same arguments, because a process died before it could note the outcome, and any future may be
/// dropped. The functions return boxed futures: `Box::pin(async move { … })`.
///
/// ```
/// use pravah_runtime::{invocation::*, prelude::*};
/// use serde_json::{Value, json};
///
/// /// Agents that say what they were told.
/// struct Echo;
///
/// impl Runner for Echo {
///     fn kind(&self) -> &str { "echo" }
///
///     fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
///         Box::pin(async { Ok(serde_json::to_string(&task.message.parts).unwrap_or_default()) })
///     }
///
///     fn next_update<'a>(
///         &'a self,
///         task: &'a RemoteTaskHandle,
///         _cursor: Option<&'a str>,
///     ) -> RunnerFuture<'a, RemoteUpdate> {
///         Box::pin(async { Ok(RemoteUpdate::completed(&*task.remote_id)) })
///     }
///
///     fn answer<'a>(&'a self, _: &'a RemoteTaskHandle, _: &'a str, _: &'a Value) -> RunnerFuture<'a, ()> {
///         Box::pin(async { Ok(()) }) // it asks nothing
///     }
///
///     fn cancel<'a>(&'a self, _: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
///         Box::pin(async { Ok(()) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = AgentRegistry::new().with_runner(Echo);
/// let echo = Executor::remote(RunnerConfig::new("echo"));
/// let target = Target::named("parrot", "Hello").with_executor(echo);
/// let mut run = registry.invoke(Invocation::single(target))?;
/// let RunOut::Done(InvocationResult::Scalar { result, .. }) = run.run(Context::default()).await? else {
///     panic!("nobody is asked")
/// };
/// assert_eq!(result.content, json!(r#"[{"text":"Hello"}]"#));
/// # Ok(()) }
/// ```
pub trait Runner: Send + Sync + 'static {
    /// The kind that [`RunnerConfig::kind`](super::RunnerConfig::kind) names it by.
    fn kind(&self) -> &str;

    /// Starts a task, or finds the one that was started with this [`task_id`](RemoteTask::task_id), and returns what
    /// the runner calls it: the [`remote_id`](RemoteTaskHandle::remote_id) of its handle.
    ///
    /// # Errors
    ///
    /// Why it cannot be started. One that [`is_retryable`](RunnerError::is_retryable) is tried again after a while.
    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String>;

    /// Waits for news of a task after `cursor`, which is that of the last update. It may return an update without news:
    /// it is called again a second later, so that a runner can poll.
    ///
    /// # Errors
    ///
    /// Why nothing is known of the task. One that [`is_retryable`](RunnerError::is_retryable) is tried again after a
    /// while. That the task itself has failed is no error, but an update.
    fn next_update<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate>;

    /// Answers a question of a task. It is idempotent, and succeeds where the question is not open any more.
    ///
    /// # Errors
    ///
    /// [`RunnerErrorKind::InvalidAnswer`] if the answer is not what the task has asked for: it asks again. Any other kind as
    /// for [`next_update`](Self::next_update).
    fn answer<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        question_id: &'a str,
        answer: &'a Value,
    ) -> RunnerFuture<'a, ()>;

    /// Cancels a task. One that has ended stays as it is, and so does one that is not known.
    ///
    /// # Errors
    ///
    /// Why that was not possible. One that [`is_retryable`](RunnerError::is_retryable) is tried again, twice.
    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()>;
}

/// Several registries can share a runner.
impl<R: Runner + ?Sized> Runner for Arc<R> {
    fn kind(&self) -> &str {
        (**self).kind()
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        (**self).start(task)
    }

    fn next_update<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        (**self).next_update(task, cursor)
    }

    fn answer<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        question_id: &'a str,
        answer: &'a Value,
    ) -> RunnerFuture<'a, ()> {
        (**self).answer(task, question_id, answer)
    }

    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
        (**self).cancel(task)
    }
}

/// The runners of a host by their kinds.
#[derive(Clone, Default)]
pub(crate) struct Runners(BTreeMap<String, Arc<dyn Runner>>);

impl Runners {
    pub(crate) const NONE: Self = Self(BTreeMap::new());

    pub(crate) fn add(&mut self, runner: Arc<dyn Runner>) {
        self.0.insert(runner.kind().to_owned(), runner);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The runner of this kind.
    pub(crate) fn get(&self, kind: &str) -> Result<Arc<dyn Runner>, RunnerError> {
        let runner = self.0.get(kind).cloned();
        runner.ok_or_else(|| RunnerError::unknown_runner(kind, &self.kinds()))
    }
}
