//! Agents that workers execute whose processes end at any commit.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::{Budget, ClientFactory, EventKind, FlowEvent, prelude::*};
use pravah_store::{Command, RunStore, Runs, Status, Worker};
use serde_json::{Value, json};

use crate::{
    faults::Faulty,
    flows::{Effects, Working, until},
    support::TestStore,
};

crate::over_every_store! {
    no_model_is_asked_again_for_what_was_committed,
    a_step_that_was_not_committed_is_made_again_and_nothing_else,
    several_bodies_at_a_time_come_to_the_same,
    a_run_that_has_spent_its_budget_resumes_with_a_larger_one,
    a_script_in_the_context_answers_a_run_that_many_workers_make,
    a_message_from_another_process_starts_another_turn_of_an_agent,
}

#[state]
struct Question {
    text: String,
}
#[state]
struct Finding {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Report {
    text: String,
}

/// Looks something up.
#[tool]
async fn look_up(effects: Dep<Effects>, ctx: Context) -> Result<String, ToolError> {
    effects.happen(&ctx);
    Ok("by train".to_owned())
}

/// You look things up.
#[agent(model = "openai://m", output = Finding, tools = [look_up])]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [look_up],
    agents = [researcher],
    delegation(join = [single, detached]),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow]
fn reporting(question: Question) -> Report {
    flow! { lead }
}

#[state]
struct Topic {
    text: String,
}

/// You plan.
#[agent(model = "openai://m", output = Report, turns(max = 5, idle = "1h"))]
fn plan(topic: &Topic) -> String {
    topic.text.clone()
}

#[flow]
fn planning(topic: Topic) -> Report {
    flow! { plan }
}

fn question() -> Question {
    Question {
        text: "Which trains go to Benin?".into(),
    }
}

fn call(join: &str) -> Value {
    let target = json!({ "agent": "researcher", "prompt": "Look." });
    json!({ "join": join, "targets": [target] })
}

/// The agent uses its tool, calls another agent, lets it work in the background too, and waits for that.
fn script() -> ScriptedModel {
    ScriptedModel::new()
        .call("lead", "look_up", json!({}))
        .call("lead", "call_agent", call("single"))
        .call("lead", "call_agent", call("detached"))
        .call("lead", "wait_task", json!({ "task_id": "task_1" }))
        .call("lead", "submit", json!({ "text": "Two ways." }))
        .call("researcher", "look_up", json!({}))
        .call("researcher", "submit", json!({ "text": "One way." }))
}

/// Which agents have asked their models, in the order of the answers.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, event: &FlowEvent) {
        if matches!(event.kind, EventKind::ModelAnswered { .. }) {
            let node = event.node.as_deref().unwrap_or_default();
            self.0
                .lock()
                .unwrap()
                .push(format!("{node}{:?}", event.items));
        }
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn worker(store: impl RunStore, (effects, asked): (&Effects, &Asked), bodies: usize) -> Worker {
    let asked = asked.clone();
    let worker = Worker::new(store).serve_with::<Question>(move |run, _| {
        let (asked, models) = (asked.clone(), ClientFactory::new().with_scripted(script()));
        let run = run.with_factory(models).with_concurrency(bodies);
        Ok(run.with_observer(move |event: FlowEvent| asked.note(&event)))
    });
    worker.with_context(effects.context())
}

/// The result of a run whose worker ended after every commit unless it is `undisturbed`.
struct Outcome {
    steps: Vec<String>,
    asked: Vec<String>,
    effects: Vec<String>,
}

async fn undisturbed(it: &TestStore, bodies: usize) -> Outcome {
    let (runs, effects, asked) = (
        Runs::new(it.store.clone()),
        Effects::default(),
        Asked::default(),
    );
    let start = runs.start::<Question>(question()).with_id("undisturbed");
    let id = start.await.unwrap();
    let working = Working::start(worker(it.store.clone(), (&effects, &asked), bodies));
    until(&runs, &id, Status::Done).await;
    working.kill().await;
    outcome(&runs, &id, &effects, &asked).await
}

/// Each worker makes one commit. Then its process ends: at once, or when it is about to commit another step.
async fn disturbed(it: &TestStore, ends_at_once: bool, bodies: usize) -> Outcome {
    let (runs, effects, asked) = (
        Runs::new(it.store.clone()),
        Effects::default(),
        Asked::default(),
    );
    let id = format!("disturbed-{ends_at_once}");
    let start = runs.start::<Question>(question()).with_id(id);
    let id = start.await.unwrap();
    while runs.status(&id).await.unwrap().status != Status::Done {
        let mut store = Faulty::new(it.reopen()).with_commits(1);
        store.answers_last = !ends_at_once;
        let step = runs.status(&id).await.unwrap().step;
        let working =
            Working::start(worker(store, (&effects, &asked), bodies).with_max_failed_claims(99));
        let is_committed = async || runs.status(&id).await.unwrap().step > step;
        while !is_committed().await {
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        // The next step was executed by now.
        tokio::time::sleep(Duration::from_secs(1)).await;
        working.kill().await;
    }
    outcome(&runs, &id, &effects, &asked).await
}

async fn outcome(runs: &Runs, id: &str, effects: &Effects, asked: &Asked) -> Outcome {
    let output = runs.output::<Question>(id).await.unwrap().unwrap();
    assert_eq!(output.text, "Two ways.");
    let history = runs.history(id).await.unwrap();
    let steps = history
        .iter()
        .map(|row| format!("{:?} {}", row.node, row.status));
    // Step keys start with the id of the run.
    let effects = effects.keys().into_iter();
    Outcome {
        steps: steps.collect(),
        asked: asked.all(),
        effects: effects.map(|key| key.replacen(id, "", 1)).collect(),
    }
}

async fn no_model_is_asked_again_for_what_was_committed(it: TestStore) {
    let it = it.with_tokio_time();
    let expected = undisturbed(&it, 1).await;
    assert_eq!(expected.asked.len(), 5 + 2 + 2);
    assert_eq!(expected.effects.len(), 3);
    let outcome = disturbed(&it, true, 1).await;
    assert_eq!(outcome.steps, expected.steps);
    assert_eq!(outcome.asked, expected.asked);
    assert_eq!(outcome.effects, expected.effects);
}

async fn a_step_that_was_not_committed_is_made_again_and_nothing_else(it: TestStore) {
    let it = it.with_tokio_time();
    let expected = undisturbed(&it, 1).await;
    let mut outcome = disturbed(&it, false, 1).await;
    assert_eq!(outcome.steps, expected.steps);
    // Each step but the first is executed twice.
    assert!(outcome.asked.len() > expected.asked.len());
    outcome.asked.dedup();
    let mut asked = expected.asked;
    asked.dedup();
    assert_eq!(outcome.asked, asked);
    // Under the same keys.
    assert!(outcome.effects.len() > expected.effects.len());
    outcome.effects.dedup();
    assert_eq!(outcome.effects, expected.effects);
}

async fn several_bodies_at_a_time_come_to_the_same(it: TestStore) {
    let it = it.with_tokio_time();
    let expected = undisturbed(&it, 1).await;
    for ends_at_once in [true, false] {
        let outcome = disturbed(&it, ends_at_once, 4).await;
        assert_eq!(outcome.steps.len(), expected.steps.len());
        // A body beside the one that was committed is executed again, under the same key.
        let keys = |outcome: &Outcome| BTreeSet::from_iter(outcome.effects.clone());
        assert_eq!(keys(&outcome), keys(&expected));
    }
}

async fn a_run_that_has_spent_its_budget_resumes_with_a_larger_one(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, asked) = (Runs::new(it.store.clone()), Asked::default());
    let work = |calls| {
        let asked = asked.clone();
        let worker = Worker::new(it.reopen()).serve_with::<Question>(move |run, _| {
            let asked = asked.clone();
            let run = run.with_observer(move |event: FlowEvent| asked.note(&event));
            Ok(run.with_budget(Budget::new().calls(calls)))
        });
        let ctx = Effects::default().context().with_dep(script());
        Working::start(worker.with_context(ctx))
    };
    // Of an agent that was called it would be a result that the caller reads.
    let working = work(4);
    let id = runs.start::<Question>(question()).await.unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    assert!(info.error.unwrap().contains("budget"));
    assert_eq!(asked.all().len(), 4);
    working.kill().await;
    // What was spent counts, and what was answered is not asked again.
    let working = work(8);
    runs.retry(&id).await.unwrap();
    until(&runs, &id, Status::Failed).await;
    assert_eq!(asked.all().len(), 8);
    working.kill().await;
    let _worker = work(9);
    runs.retry(&id).await.unwrap();
    until(&runs, &id, Status::Done).await;
    assert_eq!(asked.all().len(), 9);
}

async fn a_script_in_the_context_answers_a_run_that_many_workers_make(it: TestStore) {
    let it = it.with_tokio_time();
    let (runs, effects) = (Runs::new(it.store.clone()), Effects::default());
    let id = runs.start::<Question>(question()).await.unwrap();
    while runs.status(&id).await.unwrap().status != Status::Done {
        let step = runs.status(&id).await.unwrap().step;
        let worker = Worker::new(Faulty::new(it.reopen()).with_commits(1));
        let worker = worker.serve::<Question>();
        let ctx = effects.context().with_dep(script());
        let working = Working::start(worker.with_context(ctx).with_max_failed_claims(99));
        while runs.status(&id).await.unwrap().step == step {
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        working.kill().await;
    }
    let output = runs.output::<Question>(&id).await.unwrap().unwrap();
    assert_eq!(output.text, "Two ways.");
}

async fn a_message_from_another_process_starts_another_turn_of_an_agent(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.reopen());
    let script = ScriptedModel::new()
        .reply("plan", json!({ "text": "By train." }))
        .reply("plan", json!({ "text": "By ship." }));
    let models = ClientFactory::new().with_scripted(script);
    let worker = Worker::new(it.store.clone())
        .serve_with::<Topic>(move |run, _| Ok(run.with_factory(models.clone())));
    let _working = Working::start(worker);
    let topic = Topic {
        text: "Benin".into(),
    };
    let id = runs.start::<Topic>(topic).await.unwrap();
    until(&runs, &id, Status::Waiting).await;
    let text = "Not by train.".to_owned();
    let message = Command::Message {
        node: "plan".to_owned(),
        text: text.clone(),
    };
    let number = runs.send(&id, message).await.unwrap();
    let info = until(&runs, &id, Status::Done).await;
    // Nobody has sent another one within the hour.
    assert!(info.updated_at.duration_since(info.created_at).unwrap() >= Duration::from_secs(3600));
    let output = runs.output::<Topic>(&id).await.unwrap();
    assert_eq!(output.unwrap().text, "By ship.");
    let history = runs.history(&id).await.unwrap();
    let taken: Vec<u64> = history.iter().flat_map(|row| row.taken.clone()).collect();
    assert_eq!(taken, [number]);
    let asked_again = history.iter().find(|row| !row.taken.is_empty()).unwrap();
    let entries = runs.entries_at(&id, asked_again.step).await.unwrap();
    assert!(entries.iter().any(|(_, json)| json.contains(&text)));
}
