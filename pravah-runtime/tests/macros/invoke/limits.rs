//! What limits calls, and how often they are tried.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, SystemTime},
};

use futures_util::FutureExt as _;
use pravah_runtime::{EventKind, ManualClock, prelude::*};
use serde_json::json;

use super::{Finding, Plan, Report, Topic, ctx, plan, researcher, text, topics, write};
use crate::macros_support::{Recorder, output, restart, suspended};

#[node(agents = [researcher])]
fn look_up(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(researcher::invoke))
}

#[flow(named)]
fn reporting(plan: Plan) -> Report {
    flow! { look_up -> write }
}

#[tokio::test]
async fn a_node_that_has_failed_starts_over_with_the_next_step_also_in_another_process() {
    for restarts in [false, true] {
        let script = ScriptedModel::new()
            .reply("researcher[0]", text("A."))
            .error("researcher[1]", "down")
            .reply("researcher[0]", text("A."))
            .reply("researcher[1]", text("B."));
        let model = Recorder::new(script);
        let run = reporting::start(plan(["a", "b"])).unwrap();
        let mut run = run.with_factory(model.factory());
        let error = run.run(ctx()).await.unwrap_err().to_string();
        assert!(error.contains("1 of its 2 calls failed: [1]"), "{error}");
        if restarts {
            run = restart(&run).with_factory(model.factory());
        }
        // Both tasks are new, and take the answers from the first.
        let error = run.run(ctx()).await.unwrap_err().to_string();
        assert!(error.contains("[1]"), "{error}");
        assert_eq!(model.asked().len(), 4, "all calls were made again");
    }
}

/// You decide.
#[agent(
    model = "openai://m",
    output = Finding,
    contract(suppress_below = 0.4, review = 0.4..=0.9, auto_approve_above = 0.9, confidence = verbalized),
)]
fn unsure(topic: &Topic) -> String {
    topic.name.clone()
}

#[node(agents = [unsure], retry(max_attempts = 3))]
fn decide(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(unsure::invoke))
}

#[node]
fn say_kind(failure: Failure<Plan>) -> Report {
    Report {
        text: format!("{:?} after {}", failure.kind, failure.attempts),
    }
}

#[flow(named)]
fn deciding(plan: Plan) -> Report {
    flow! { decide -> write -> done; catch(decide) -> say_kind -> done }
}

#[tokio::test]
async fn what_a_person_has_rejected_is_not_tried_again_and_a_catch_learns_of_it() {
    let answer = json!({
        "primary_output": { "text": "U" },
        "confidence": 0.6,
        "confidence_type": "verbalized",
        "escalate": false,
        "reasoning": "r",
    });
    let model = Recorder::new(ScriptedModel::new().reply("unsure", answer));
    let run = deciding::start(plan(["a"])).unwrap();
    let mut run = run.with_factory(model.factory());
    let (id, _) = suspended(run.run(ctx()).await);
    let rejection = json!({ "verdict": "reject", "reason": "no" });
    run.answer(ctx(), &id, rejection).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Rejected after 1");
    assert_eq!(model.asked().len(), 1);
}

/// Looks a plan up.
#[flow(named)]
fn chapter(plan: Plan) -> Report {
    flow! { look_up -> write }
}

/// You write.
#[agent(model = "openai://m", output = Report, agents = [chapter], delegation(max_children = 3))]
fn writer(topic: &Topic) -> String {
    topic.name.clone()
}

#[flow(named)]
fn writing(topic: Topic) -> Report {
    flow! { writer }
}

#[tokio::test]
async fn the_children_of_an_agent_are_those_of_nodes_below_it_too() {
    let call = |topics: &[&str]| {
        let input = json!({ "topics": topics });
        ("call_agent", json!({ "agent": "chapter", "input": input }))
    };
    for (count, is_allowed) in [(2, true), (3, false)] {
        let topics = ["a", "b", "c"];
        let script = ScriptedModel::new()
            .calls("writer", [call(&topics[..count])])
            .reply("chapter::researcher", text("X."))
            .call("writer", "submit", text("Done."));
        let model = Recorder::new(script);
        let run = writing::start(Topic { name: "t".into() }).unwrap();
        let mut run = run.with_factory(model.factory());
        output(run.run(ctx()).await);
        let result = &model.results()[0];
        assert_eq!(result.is_error, !is_allowed, "{}", &*result.text);
        let asked = model.asked();
        let called = asked
            .iter()
            .filter(|it| it.node == "chapter::researcher")
            .count();
        assert_eq!(called, if is_allowed { count } else { 0 });
        if !is_allowed {
            let text = result.text.to_string();
            assert!(
                text.contains("it makes 3 calls") && text.contains("allows 2 more"),
                "{text}"
            );
        }
    }
}

#[tokio::test]
async fn an_attempt_that_makes_calls_starts_once() {
    let script = ScriptedModel::new().reply("researcher", text("A."));
    let run = reporting::start(plan(["a"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    output(run.run(ctx()).await);
    let mut starts = 0;
    while let Some(Some(event)) = events.next().now_or_never() {
        let is_of_node = event.node.as_deref() == Some("look_up");
        starts += usize::from(matches!(event.kind, EventKind::NodeStarted) && is_of_node);
    }
    assert_eq!(starts, 1);
}

static BODIES: AtomicUsize = AtomicUsize::new(0);

#[node(agents = [researcher], retry(max_attempts = 5), total_timeout = "100s")]
async fn slow(plan: Plan, clock: Dep<ManualClock>) -> Invoke<Each<Finding>> {
    BODIES.fetch_add(1, Ordering::SeqCst);
    clock.advance(Duration::from_secs(60));
    Invoke::all(topics(&plan).map(researcher::invoke))
}

#[flow(named)]
fn slowly(plan: Plan) -> Report {
    flow! { slow -> write }
}

#[tokio::test]
async fn the_time_for_all_attempts_starts_with_the_first_body() {
    let clock = ManualClock::new(SystemTime::now());
    let script = (0..6).fold(ScriptedModel::new(), |script, _| {
        script.error("researcher", "down")
    });
    let run = slowly::start(plan(["a"]))
        .unwrap()
        .with_clock(clock.clone());
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let ctx = Context::default().with_dep(clock);
    run.run(ctx).await.unwrap_err();
    assert_eq!(BODIES.load(Ordering::SeqCst), 2);
}

#[node(agents = [researcher], retry(max_attempts = 2))]
fn twice(plan: &Plan) -> Invoke<Each<Finding>> {
    Invoke::all(topics(plan).map(researcher::invoke))
}

#[gate(prompt = "Go on?")]
fn go_on(report: Report, yes: bool) -> Finding {
    Finding {
        text: format!("{yes} {}", report.text),
    }
}

#[flow(named)]
fn asking_after(plan: Plan) -> Finding {
    flow! { twice -> write -> go_on; catch(twice) -> say_kind -> go_on }
}

#[tokio::test]
async fn nothing_is_left_in_the_snapshot_of_calls_whose_failure_was_caught() {
    let script = (0..2).fold(ScriptedModel::new(), |script, _| {
        script.error("researcher", "down")
    });
    let run = asking_after::start(plan(["a"])).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    suspended(run.run(ctx()).await);
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot.get("asked"), None);
    assert_eq!(snapshot.get("lists"), None);
}
