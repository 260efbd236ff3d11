//! Remote agents, which runners run.

mod cancels;
mod executors;
mod flaky;
mod questions;
mod restarts;
mod stub;
mod typed;

use std::sync::Arc;

use pravah_runtime::{
    EventKind, FlowSnapshot, RemoteEvent,
    invocation::{
        AgentRegistry, AgentResult, Executor, Invocation, InvocationResult, LoopbackRunner,
        RunnerConfig, Target, TaskStatus,
    },
    prelude::*,
};
use serde_json::{Value, json};

use self::stub::Stub;
use crate::macros_support::{Recorder, output};

#[state]
struct Topic {
    name: String,
}
#[state]
struct Finding {
    text: String,
}

/// Looks a word up.
#[tool]
async fn look_up(word: String) -> Result<String, ToolError> {
    Ok(format!("{word} is a word"))
}

/// You look things up.
#[agent(model = "openai://m", output = Finding, tools = [look_up])]
fn researcher(topic: &Topic) -> String {
    topic.name.clone()
}

#[gate(prompt = format!("What of {}?", topic.name))]
fn ask(topic: Topic, answer: u32) -> Finding {
    Finding {
        text: format!("{}: {answer}", topic.name),
    }
}

/// Asks a person.
#[flow(named)]
fn survey(topic: Topic) -> Finding {
    flow! { ask }
}

fn agents() -> AgentRegistry {
    AgentRegistry::new()
        .with_agent::<researcher>()
        .with_agent::<survey>()
}

/// Another process that has the agents, whose models answer from this script.
fn other_process(model: &Recorder) -> Arc<LoopbackRunner> {
    let context = Context::default().with_dep(model.factory());
    Arc::new(LoopbackRunner::new(agents()).with_context(context))
}

fn loopback() -> RunnerConfig {
    RunnerConfig::new("loopback")
}

/// A registry whose agents are all there.
fn here(runner: &Arc<LoopbackRunner>) -> AgentRegistry {
    let registry = AgentRegistry::new().with_runner(Arc::clone(runner));
    ["researcher", "survey"]
        .into_iter()
        .fold(registry, |registry, agent_id| {
            registry.with_remote_agent(agent_id, loopback())
        })
}

/// A registry with the researcher, which this runner runs.
fn run_by(runner: Stub) -> AgentRegistry {
    AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent("researcher", "loopback")
}

fn script() -> ScriptedModel {
    ScriptedModel::new()
        .call("researcher", "look_up", json!({ "word": "train" }))
        .reply("researcher", json!({ "text": "A train." }))
}

fn look_up_trains() -> Invocation {
    Invocation::single(Target::named("researcher", "Trains?"))
}

fn trains() -> Value {
    json!({ "text": "A train." })
}

/// More levels than any snapshot can carry.
fn too_deep() -> Value {
    (0..200).fold(json!(1), |deep, _| json!([deep]))
}

fn ctx() -> Context {
    Context::default()
}

fn scalar(result: InvocationResult) -> AgentResult {
    match result {
        InvocationResult::Scalar { result, .. } => result,
        other => panic!("{other:?}"),
    }
}

/// The run as another process would find it.
fn restored(
    registry: &AgentRegistry,
    run: &FlowRuntime<AgentRegistry>,
) -> FlowRuntime<AgentRegistry> {
    let stored = serde_json::to_string(&run.snapshot()).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_str(&stored).unwrap();
    registry.restore(snapshot).unwrap()
}

// A19, S2.17
#[tokio::test]
async fn a_remote_agent_returns_what_a_local_one_does_and_its_events_reach_the_caller() {
    let local = Recorder::new(script());
    let run = agents().invoke(look_up_trains()).unwrap();
    let mut run = run.with_factory(local.factory()).with_run_id("run");
    let expected = scalar(output(run.run(ctx()).await));

    let model = Recorder::new(script());
    let runner = other_process(&model);
    let settings = json!({ "image": "worker:latest", "cpus": 2 });
    let executor = Executor::remote(loopback().with_config(settings.clone()));
    let target = Target::named("researcher", "Trains?").with_executor(executor);
    let run = here(&runner).invoke(Invocation::single(target)).unwrap();
    let mut run = run.with_run_id("run");
    let mut events = run.events();
    let result = scalar(output(run.run(ctx()).await));

    assert_eq!(result, expected);
    assert_eq!(result.content, trains());
    assert_eq!(model.asked(), local.asked(), "the same requests");
    let [task] = &runner.tasks()[..] else {
        panic!("one task")
    };
    assert_eq!(task.runner.config, settings);
    assert_eq!(task.task_id, "run/invocation(Invocation)#1/remote[0]#1@1");
    let mut relayed = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::Remote(RemoteEvent::Relayed { value, task_id, .. }) = event.kind {
            assert_eq!(task_id, task.task_id);
            assert_eq!(event.node.as_deref(), Some("remote"));
            relayed.push(value["event"]["type"].as_str().unwrap().to_owned());
        }
    }
    let tools = relayed.iter().filter(|name| name.starts_with("agent:tool"));
    assert_eq!(
        tools.collect::<Vec<_>>(),
        ["agent:tool:start", "agent:tool:complete"]
    );
    assert_eq!(relayed.first().map(String::as_str), Some("harness:start"));
    assert_eq!(relayed.last().map(String::as_str), Some("harness:complete"));
}

// A10, S2.28
#[tokio::test]
async fn when_one_remote_agent_fails_the_others_keep_their_results() {
    for bodies in [1, 8] {
        let runner = other_process(&Recorder::new(script()));
        let run = here(&runner).with_remote_agent("nobody", loopback());
        let targets = ["researcher", "nobody", "researcher"];
        let targets = targets.map(|agent_id| Target::named(agent_id, "Trains?"));
        let run = run.invoke(Invocation::all(targets)).unwrap();
        let result = output(run.with_concurrency(bodies).run(ctx()).await);
        let statuses: Vec<TaskStatus> = result.results().iter().map(|it| it.status).collect();
        use TaskStatus::{Completed, Failed};
        assert_eq!(statuses, [Completed, Failed, Completed]);
        assert_eq!(result.results()[2].content, trains());
    }
}

#[tokio::test]
async fn the_result_of_a_remote_agent_that_fails_is_the_reason() {
    let failing = other_process(&Recorder::new(
        ScriptedModel::new().error("researcher", "no"),
    ));
    let mut run = here(&failing).invoke(look_up_trains()).unwrap();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    let why = result.content.as_str().unwrap();
    assert!(
        why.starts_with("remote agent `researcher` failed: "),
        "{why}"
    );
}

#[tokio::test]
async fn an_agent_that_is_not_there_fails_its_task() {
    let runner = other_process(&Recorder::new(ScriptedModel::new()));
    let registry = here(&runner).with_remote_agent("nobody", loopback());
    let invocation = Invocation::single(Target::named("nobody", "Hello"));
    let mut run = registry.invoke(invocation).unwrap();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    let why = result.content.as_str().unwrap();
    let expected = "runner `loopback` could not run agent `nobody`: there is no agent `nobody`: the registry \
                    has `researcher`, `survey`";
    assert_eq!(why, expected);
}
