//! Agents on other servers, whose tasks outlive the workers that have started them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::{
    invocation::{RemoteTask, RemoteTaskHandle, RemoteUpdate, Runner, RunnerFuture},
    prelude::*,
};
use pravah_store::{RunStore, Runs, Status, Worker};
use serde_json::{Value, json};

use crate::{
    flows::{Working, until},
    support::TestStore,
};

crate::over_every_store! {
    a_remote_task_is_started_once_and_followed_by_the_next_worker,
    a_run_that_is_cancelled_has_cancelled_its_remote_task,
}

#[state]
struct Topic {
    name: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Found {
    text: String,
}

/// Looks things up.
#[agent(runner = "archive", output = Found)]
fn archivist(topic: &Topic) -> String {
    topic.name.clone()
}

#[flow]
fn research(topic: Topic) -> Found {
    flow! { archivist }
}

/// A server whose tasks end when it is told so.
#[derive(Clone, Default)]
struct Archive(Arc<Mutex<Log>>);

#[derive(Default)]
struct Log {
    started: Vec<String>,
    cancelled: Vec<String>,
    is_open: bool,
}

impl Runner for Archive {
    fn kind(&self) -> &str {
        "archive"
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        self.0.lock().unwrap().started.push(task.task_id.clone());
        Box::pin(async { Ok(task.task_id.clone()) })
    }

    fn next_update<'a>(
        &'a self,
        _task: &'a RemoteTaskHandle,
        _cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        Box::pin(async {
            while !self.0.lock().unwrap().is_open {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            Ok(RemoteUpdate::completed(json!({ "text": "A train." })))
        })
    }

    fn answer<'a>(
        &'a self,
        _task: &'a RemoteTaskHandle,
        _question_id: &'a str,
        _answer: &'a Value,
    ) -> RunnerFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn cancel<'a>(&'a self, task: &'a RemoteTaskHandle) -> RunnerFuture<'a, ()> {
        self.0.lock().unwrap().cancelled.push(task.task_id.clone());
        Box::pin(async { Ok(()) })
    }
}

fn work(store: Arc<dyn RunStore>, archive: &Archive) -> Working {
    let archive = archive.clone();
    let worker = Worker::new(store);
    Working::start(worker.serve_with::<Topic>(move |run, _| Ok(run.with_runner(archive.clone()))))
}

/// A run whose remote task has started.
async fn started(runs: &Runs, archive: &Archive) -> String {
    let topic = Topic {
        name: "trains".into(),
    };
    let id = runs.start::<Topic>(topic).await.unwrap();
    while runs.status(&id).await.unwrap().step == 0 || archive.0.lock().unwrap().started.is_empty()
    {
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    id
}

async fn a_remote_task_is_started_once_and_followed_by_the_next_worker(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, archive) = (Runs::new(it.store.clone()), Archive::default());
    let working = work(it.reopen(), &archive);
    let id = started(&runs, &archive).await;
    working.kill().await;
    archive.0.lock().unwrap().is_open = true;
    let _next = work(it.reopen(), &archive);
    until(&runs, &id, Status::Done).await;
    let output = runs.output::<Topic>(&id).await.unwrap().unwrap();
    assert_eq!(output.text, "A train.");
    assert_eq!(archive.0.lock().unwrap().started.len(), 1);
}

async fn a_run_that_is_cancelled_has_cancelled_its_remote_task(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, archive) = (Runs::new(it.store.clone()), Archive::default());
    let working = work(it.reopen(), &archive);
    let id = started(&runs, &archive).await;
    // Also by a worker that has not started it.
    working.kill().await;
    let _next = work(it.reopen(), &archive);
    runs.cancel(&id, "enough").await.unwrap();
    until(&runs, &id, Status::Cancelled).await;
    let log = archive.0.lock().unwrap();
    assert_eq!((log.started.len(), &log.cancelled), (1, &log.started));
}
