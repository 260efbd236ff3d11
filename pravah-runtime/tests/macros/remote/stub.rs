//! A runner that does what a test says.

use std::pin::Pin;

use pravah_runtime::invocation::{
    RemoteTask, RemoteTaskHandle, RemoteUpdate, Runner, RunnerError, RunnerFuture,
};
use serde_json::Value;

type Reply<T> = Pin<Box<dyn Future<Output = Result<T, RunnerError>> + Send>>;

/// A runner of the kind `loopback`. Unless a test says otherwise, it calls tasks as the run does, and takes what it is told.
pub(super) struct Stub {
    start: Box<dyn Fn(String) -> Reply<String> + Send + Sync>,
    update: Box<dyn Fn(Option<String>) -> Reply<RemoteUpdate> + Send + Sync>,
    answer: Box<dyn Fn(String, Value) -> Reply<()> + Send + Sync>,
    cancel: Box<dyn Fn(String) -> Reply<()> + Send + Sync>,
}

impl Stub {
    /// One whose tasks answer so to a cursor.
    pub(super) fn new<F>(update: impl Fn(Option<String>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<RemoteUpdate, RunnerError>> + Send + 'static,
    {
        Self {
            start: Box::new(|task_id| Box::pin(async { Ok(task_id) })),
            update: Box::new(move |cursor| Box::pin(update(cursor))),
            answer: Box::new(|_, _| Box::pin(async { Ok(()) })),
            cancel: Box::new(|_| Box::pin(async { Ok(()) })),
        }
    }

    pub(super) fn on_start<F>(mut self, start: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<String, RunnerError>> + Send + 'static,
    {
        self.start = Box::new(move |task_id| Box::pin(start(task_id)));
        self
    }

    pub(super) fn on_answer<F>(
        mut self,
        answer: impl Fn(String, Value) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), RunnerError>> + Send + 'static,
    {
        self.answer = Box::new(move |id, value| Box::pin(answer(id, value)));
        self
    }

    pub(super) fn on_cancel<F>(
        mut self,
        cancel: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), RunnerError>> + Send + 'static,
    {
        self.cancel = Box::new(move |task_id| Box::pin(cancel(task_id)));
        self
    }
}

impl Runner for Stub {
    fn kind(&self) -> &str {
        "loopback"
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        (self.start)(task.task_id.clone())
    }

    fn next_update<'a>(
        &'a self,
        task: &'a RemoteTaskHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        assert_eq!(task.remote_id, task.task_id);
        (self.update)(cursor.map(str::to_owned))
    }

    fn answer<'a>(
        &'a self,
        _: &'a RemoteTaskHandle,
        question_id: &'a str,
        answer: &'a Value,
    ) -> RunnerFuture<'a, ()> {
        (self.answer)(question_id.to_owned(), answer.clone())
    }

    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
        (self.cancel)(task.task_id.clone())
    }
}
