//! Runs that stop between any two steps, while agents are called.

use std::collections::BTreeMap;

use pravah_runtime::{Entries, prelude::*};
use serde_json::{Value, json};

use super::{Question, ctx, text, told};
use crate::macros_support::{Recorder, restart};

/// Agents three deep, some of whom are called beside each other.
mod tree {
    use pravah_runtime::prelude::*;

    use super::super::{Finding, Question, Report};

    /// Counts letters.
    #[tool]
    async fn count(text: String) -> Result<usize, ToolError> {
        Ok(text.len())
    }

    /// You read.
    #[agent(model = "openai://m", output = Finding, tools = [count])]
    pub(super) fn leaf(question: &Question) -> String {
        question.text.clone()
    }

    /// You search.
    #[agent(model = "openai://m", output = Finding, agents = [leaf])]
    pub(super) fn branch(question: &Question) -> String {
        question.text.clone()
    }

    /// You write.
    #[agent(
        model = "openai://m",
        output = Report,
        agents = [branch, leaf],
        tools = [count],
        delegation(max_depth = 2),
    )]
    pub(super) fn root(question: &Question) -> String {
        question.text.clone()
    }

    #[flow(named)]
    pub(super) fn growing(question: Question) -> Report {
        flow! { root }
    }
}

use tree::growing;

fn script() -> ScriptedModel {
    let leaf = |name: &'static str| ("call_agent", told(name, "Go."));
    let count = ("count", json!({ "text": "four" }));
    ScriptedModel::new()
        .calls(
            "root",
            [leaf("branch"), count.clone(), leaf("leaf"), leaf("branch")],
        )
        .calls("branch[0]", [leaf("leaf"), leaf("leaf")])
        .calls("branch[2]", [leaf("leaf")])
        .calls("leaf[1]", [count.clone()])
        .call("leaf[1]", "submit", text("leaf 1"))
        .call("leaf[0][0]", "submit", text("leaf 0 0"))
        .calls("leaf[0][1]", [count.clone(), count])
        .call("leaf[0][1]", "submit", json!(7))
        .call("leaf[0][1]", "submit", text("leaf 0 1"))
        .call("leaf[2][0]", "submit", text("leaf 2 0"))
        .call("branch[0]", "submit", text("branch 0"))
        .call("branch[2]", "submit", text("branch 2"))
        .calls("root", [leaf("leaf")])
        .call("leaf[3]", "submit", text("leaf 3"))
        .call("root", "submit", text("Done."))
}

/// Which requests were made, by agent.
fn requests(model: &Recorder) -> BTreeMap<String, usize> {
    let mut requests = BTreeMap::new();
    for request in model.asked() {
        let items: String = request
            .items
            .iter()
            .map(|item| format!("[{item}]"))
            .collect();
        *requests
            .entry(format!("{}{items}", request.node))
            .or_default() += 1;
    }
    requests
}

/// Runs to the end; `between` may make another run of it after each step.
async fn outcome(
    bodies: usize,
    mut between: impl FnMut(FlowRuntime<growing>, &Recorder) -> FlowRuntime<growing>,
) -> (Value, BTreeMap<String, usize>, Vec<Value>) {
    let model = Recorder::new(script());
    let start = || {
        growing::start(Question { text: "Go.".into() })
            .unwrap()
            .with_run_id("run")
    };
    let mut run = start()
        .with_factory(model.factory())
        .with_concurrency(bodies);
    for _ in 0..1_000 {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => {
                let results = model
                    .results()
                    .iter()
                    .map(|result| json!(&*result.text))
                    .collect();
                return (
                    serde_json::to_value(report).unwrap(),
                    requests(&model),
                    results,
                );
            }
            RunOut::Continue => run = between(run, &model).with_concurrency(bodies),
            _ => panic!("it waits"),
        }
    }
    panic!("it loops forever");
}

#[tokio::test]
async fn no_model_call_of_any_agent_is_repeated_whatever_step_the_run_stops_after() {
    let whole = outcome(1, |run, _| run).await;
    assert_eq!(whole.0, json!({ "text": "Done." }));
    assert_eq!(whole.1["leaf[0][1]"], 3);
    for bodies in [1, 8] {
        let restarted = outcome(bodies, |run, model| {
            restart(&run).with_factory(model.factory())
        });
        assert_eq!(restarted.await, whole, "{bodies} at a time");
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

/// The snapshots of a run, one after each step.
async fn snapshots() -> Vec<Value> {
    let mut all = Vec::new();
    outcome(1, |run, _| {
        all.push(serde_json::to_value(run.snapshot()).unwrap());
        run
    })
    .await;
    all
}

fn load(snapshot: &Value) -> Result<FlowRuntime<growing>, FlowError> {
    FlowRuntime::from_snapshot(serde_json::from_value(snapshot.clone()).unwrap())
}

/// The tasks of the agent that the flow is, as a snapshot has them.
fn tasks(snapshot: &mut Value) -> Option<&mut serde_json::Map<String, Value>> {
    snapshot.pointer_mut("/lists/Question")?.as_object_mut()
}

#[tokio::test]
async fn a_snapshot_whose_tasks_are_not_those_that_are_waited_for_is_refused() {
    let mut seen = 0;
    for snapshot in snapshots().await {
        let mut without = snapshot.clone();
        let Some(of_root) = tasks(&mut without) else {
            continue;
        };
        seen += 1;
        for section in ["items", "done"] {
            let Some(Value::Object(entries)) = of_root.get(section).cloned() else {
                continue;
            };
            for number in entries.keys() {
                let mut changed = snapshot.clone();
                let of_root = tasks(&mut changed).unwrap();
                let entry = of_root[section]
                    .as_object_mut()
                    .unwrap()
                    .remove(number)
                    .unwrap();
                let why = load(&changed).err().unwrap().to_string();
                assert!(why.contains(&format!("task {number} of `root`")), "{why}");
                let of_root = tasks(&mut changed).unwrap();
                of_root[section]
                    .as_object_mut()
                    .unwrap()
                    .insert("77".into(), entry);
                load(&changed).err().unwrap();
            }
        }
        let lists = without["lists"].as_object_mut().unwrap();
        lists.remove("Question");
        load(&without).err().unwrap();
        let options = pravah_runtime::LoadOptions::new().drop_progress();
        let starts_over = serde_json::from_value(without).unwrap();
        FlowRuntime::<growing>::from_snapshot_with(starts_over, &options).unwrap();
    }
    assert!(seen > 5);
}

#[tokio::test]
async fn a_cancelled_run_ends_the_agents_that_were_called() {
    let mut steps = 0;
    loop {
        steps += 1;
        let model = Recorder::new(script());
        let start = growing::start(Question { text: "Go.".into() }).unwrap();
        let mut run = start.with_factory(model.factory()).with_concurrency(8);
        for _ in 0..steps {
            if let RunOut::Done(_) = run.next(ctx()).await.unwrap() {
                return;
            }
        }
        run.cancel("enough").await.unwrap();
        let before = model.asked().len();
        assert!(matches!(
            run.next(ctx()).await,
            Err(FlowError::Cancelled { .. })
        ));
        assert!(matches!(
            restart(&run).next(ctx()).await,
            Err(FlowError::Cancelled { .. })
        ));
        assert_eq!(model.asked().len(), before);
    }
}
