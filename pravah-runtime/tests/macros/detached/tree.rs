//! Three generations of agents that start detached ones: however often a run is restored, its outcome is the same, and no
//! model is asked twice.

use std::collections::BTreeMap;

use pravah_runtime::{
    Entries, FlowSnapshot,
    invocation::{TaskSnapshot, TaskStatus},
    prelude::*,
};
use serde_json::{Value, json};

use super::{Finding, Question, Report, ask, ctx, question, text};
use crate::macros_support::{Recorder, restart};

/// You read.
#[agent(model = "openai://m", output = Finding, tools = [ask])]
fn leaf(question: &Question) -> String {
    question.text.clone()
}

/// You search.
#[agent(
    model = "openai://m",
    output = Finding,
    agents = [leaf],
    delegation(join = [single, detached], on_done = wait),
)]
fn branch(question: &Question) -> String {
    question.text.clone()
}

/// You write.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [branch, leaf],
    delegation(join = [single, all, detached], max_depth = 2, on_done = wait),
)]
fn root(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn growing(question: Question) -> Report {
    flow! { root }
}

fn start(join: &str, agents: &[&str]) -> (&'static str, Value) {
    let target = |agent: &&str| json!({ "agent": agent, "prompt": "Go." });
    let targets: Vec<Value> = agents.iter().map(target).collect();
    ("call_agent", json!({ "join": join, "targets": targets }))
}

fn wait(task: u32) -> (&'static str, Value) {
    ("wait_task", json!({ "task_id": format!("task_{task}") }))
}

/// The root starts two detached branches, one of which starts leaves, calls a third, and waits for what it has started.
fn script() -> ScriptedModel {
    ScriptedModel::new()
        .calls(
            "root",
            [
                start("detached", &["branch", "branch"]),
                start("all", &["branch"]),
            ],
        )
        .calls("branch[0]", [start("detached", &["leaf"])])
        .call("branch[0]", "submit", text("branch 0"))
        .calls(
            "branch[1]",
            [
                start("detached", &["leaf", "leaf"]),
                start("single", &["leaf"]),
            ],
        )
        .call("leaf[1][0]", "submit", text("leaf 1 0"))
        .calls("branch[1]", [wait(4), wait(5)])
        .call("branch[1]", "submit", text("branch 1"))
        .calls("branch[2]", [wait(4)])
        .call("branch[2]", "submit", text("branch 2"))
        .call("leaf[3]", "ask", json!({}))
        .call("leaf[3]", "submit", text("leaf 3"))
        .call("leaf[4]", "ask", json!({}))
        .call("leaf[4]", "submit", text("leaf 4"))
        .call("leaf[5]", "submit", text("leaf 5"))
        .calls("root", [wait(1)])
        .call("root", "submit", text("Done."))
}

/// What came of a run: its output, its tasks without their times, what its agents read, and who was asked how often.
type Outcome = (
    Value,
    Vec<Value>,
    BTreeMap<String, Vec<Value>>,
    BTreeMap<String, usize>,
);

fn without_times(task: &TaskSnapshot) -> Value {
    json!([task.task_id, task.agent_id, task.status, task.preview])
}

fn name(request: &pravah_runtime::ModelRequest) -> String {
    let items = request.items.iter().map(|item| format!("[{item}]"));
    [request.node.clone()].into_iter().chain(items).collect()
}

/// Runs to the end; `between` may make another run of it after each step.
async fn outcome(
    bodies: usize,
    mut between: impl FnMut(FlowRuntime<growing>, &Recorder) -> FlowRuntime<growing>,
) -> Outcome {
    let model = Recorder::new(script());
    let mut run = growing::start(question()).unwrap().with_run_id("run");
    run = run.with_factory(model.factory()).with_concurrency(bodies);
    for _ in 0..1_000 {
        match run.next(ctx()).await {
            Ok(RunOut::Done(report)) => {
                let mut read = BTreeMap::<String, Vec<Value>>::new();
                let mut asked = BTreeMap::new();
                for request in model.asked() {
                    *asked.entry(name(&request)).or_default() += 1;
                    let results = read.entry(name(&request)).or_default();
                    *results = super::results_of(&request);
                }
                let tasks = run.tasks().iter().map(without_times).collect();
                return (serde_json::to_value(report).unwrap(), tasks, read, asked);
            }
            Ok(RunOut::Continue | RunOut::Waiting { .. }) => {
                run = between(run, &model).with_concurrency(bodies);
            }
            Ok(RunOut::Suspend { .. }) => {}
            Err(FlowError::ResumeRequired(_)) => {}
            Err(error) => panic!("{error}"),
        }
        if let RunStatus::Suspended { open, .. } = run.status() {
            let id = open.first().unwrap().clone();
            run.resume(ctx(), (id.as_str(), json!("Yes.")))
                .await
                .unwrap();
        } else if let RunStatus::Waiting { .. } = run.status() {
            let question = run.suspensions().first().map(|it| it.tool_id.clone());
            run.resume(ctx(), (question.unwrap().as_str(), json!("Yes.")))
                .await
                .unwrap();
        }
    }
    panic!("it loops forever");
}

#[tokio::test]
async fn no_model_call_of_any_generation_is_repeated_whatever_step_the_run_stops_after() {
    let whole = outcome(1, |run, _| run).await;
    assert_eq!(whole.0, json!({ "text": "Done." }));
    let statuses: Vec<&Value> = whole.1.iter().map(|task| &task[2]).collect();
    assert_eq!(statuses, [&json!("completed"); 5]);
    assert!(whole.3.values().all(|asked| *asked <= 3));
    for bodies in [1, 8] {
        let restarted = outcome(bodies, |run, model| {
            restart(&run).with_factory(model.factory())
        });
        let restarted = restarted.await;
        assert_eq!(restarted.0, whole.0, "{bodies} at a time");
        assert_eq!(restarted.3, whole.3, "{bodies} at a time");
        if bodies == 1 {
            assert_eq!(restarted, whole);
        }
    }
}

#[tokio::test]
async fn changes_since_the_step_before_give_the_snapshot_of_each_step() {
    let mut stored = Entries::default();
    let entries = |mut run: FlowRuntime<growing>, _: &Recorder| {
        stored.apply(run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
        let (stored, whole) = (
            serde_json::to_value(&snapshot),
            serde_json::to_value(run.snapshot()),
        );
        assert_eq!(stored.unwrap(), whole.unwrap());
        run
    };
    outcome(1, entries).await;
}

#[tokio::test]
async fn an_agent_manages_what_it_has_started_and_nothing_else() {
    let whole = outcome(1, |run, _| run).await;
    // The branch that was called has started no task, and guesses the id of another's.
    let other = &whole.2["branch[2]"];
    assert_eq!(other.last().unwrap(), "you have started no task `task_4`");
}

// S2.13
#[tokio::test]
async fn cancelling_a_task_cancels_all_that_were_started_below_it() {
    let script = ScriptedModel::new()
        .calls("root", [start("detached", &["branch", "leaf"])])
        .calls("branch[1]", [start("detached", &["leaf", "leaf"])])
        .call("leaf[2]", "submit", text("leaf 2"))
        .calls("branch[1]", [start("single", &["leaf"])])
        .call("leaf[3]", "ask", json!({}))
        .call("leaf[4]", "ask", json!({}))
        .call("leaf[1][0]", "ask", json!({}))
        .calls("root", [("wait_task", json!({ "task_id": "task_2" }))])
        .calls("root", [("cancel_task", json!({ "task_id": "task_1" }))])
        .calls("root", [("list_my_tasks", json!({}))])
        .call("root", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = growing::start(question()).unwrap();
    run = run.with_factory(model.factory());
    let done = loop {
        match run.next(ctx()).await {
            Ok(RunOut::Done(done)) => break done,
            Ok(_) => {}
            Err(FlowError::ResumeRequired(_)) => panic!("{:?}", run.status()),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(done.text, "Done.");
    let statuses: Vec<TaskStatus> = run.tasks().iter().map(|task| task.status).collect();
    let (done, gone) = (TaskStatus::Completed, TaskStatus::Cancelled);
    assert_eq!(statuses, [gone, done, gone, gone]);
    assert!(run.suspensions().is_empty());
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert!(snapshot.get("questions").is_none() && snapshot.get("lists").is_none());
}
