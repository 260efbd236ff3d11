//! What calls return.

use pravah_runtime::prelude::*;

use super::{Plan, Report, Topic, ctx, plan, topics};
use crate::macros_support::{output, restart, suspended};

#[state]
struct Big {
    n: u128,
}
#[state]
struct Ratio {
    n: f64,
}

#[node]
fn grow(_: Topic) -> Big {
    Big { n: u128::MAX }
}

#[node]
fn divide(_: Topic) -> Ratio {
    Ratio { n: f64::NAN }
}

#[flow(named)]
fn growing(topic: Topic) -> Big {
    flow! { grow }
}

#[flow(named)]
fn dividing(topic: Topic) -> Ratio {
    flow! { divide }
}

#[node(agents = [growing])]
fn call_growing(plan: &Plan) -> Invoke<Each<Big>> {
    topics(plan).map(growing::invoke).collect()
}

#[node(agents = [dividing])]
fn call_dividing(plan: &Plan) -> Invoke<Each<TaskResult<Ratio>>> {
    Invoke::settled(topics(plan).map(dividing::invoke))
}

#[node]
fn say_big(all: Each<Big>) -> Report {
    Report {
        text: all.iter().map(|it| it.n.to_string()).collect(),
    }
}

#[node]
fn say_ratio(all: Each<TaskResult<Ratio>>) -> Report {
    let ratios = all.iter().filter_map(TaskResult::output);
    Report {
        text: ratios.map(|it| it.n.to_string()).collect(),
    }
}

#[flow(named)]
fn bigs(plan: Plan) -> Report {
    flow! { call_growing -> say_big }
}

#[flow(named)]
fn ratios(plan: Plan) -> Report {
    flow! { call_dividing -> say_ratio }
}

#[tokio::test]
async fn what_was_returned_goes_on_as_it_is_whatever_json_makes_of_it() {
    let mut run = bigs::start(plan(["a"])).unwrap();
    assert_eq!(output(run.run(ctx()).await).text, u128::MAX.to_string());
    let mut run = ratios::start(plan(["a"])).unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "NaN");
}

#[tokio::test]
async fn a_number_of_128_bits_survives_a_restart() {
    let mut run = bigs::start(plan(["a", "b"])).unwrap();
    loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => {
                assert_eq!(report.text, u128::MAX.to_string().repeat(2));
                return;
            }
            _ => run = restart(&run),
        }
    }
}

#[gate(prompt = "What of it?")]
fn ask(topic: Topic, answer: String) -> Report {
    Report {
        text: format!("{}{answer}", topic.name),
    }
}

#[flow(named)]
fn survey(topic: Topic) -> Report {
    flow! { ask }
}

#[node(agents = [survey])]
fn ask_all(plan: &Plan) -> Invoke<Each<Report>> {
    Invoke::all(topics(plan).map(survey::invoke))
}

#[node]
fn join(reports: Each<Report>) -> Topic {
    Topic {
        name: reports.iter().map(|it| &*it.text).collect(),
    }
}

#[flow(named)]
fn asking(plan: Plan) -> Topic {
    flow! { ask_all -> join }
}

#[tokio::test]
async fn a_snapshot_in_which_a_node_has_failed_or_a_call_has_ended_that_is_open_is_refused() {
    let mut run = asking::start(plan(["a", "b"])).unwrap();
    suspended(run.run(ctx()).await);
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    let load =
        |snapshot| FlowRuntime::<asking>::from_snapshot(serde_json::from_value(snapshot).unwrap());
    let mut failed = snapshot.clone();
    failed["failed"] =
        serde_json::json!({ "Plan": { "kind": "error", "message": "m", "attempts": 1 } });
    failed["ready"] = serde_json::json!({ "Plan": 0 });
    let error = load(failed).unwrap_err().to_string();
    assert!(error.contains("`Plan` has failed, and yet"), "{error}");
    for end in [
        serde_json::json!({ "status": "running", "content": { "text": "a" } }),
        serde_json::json!({ "status": "completed", "content": 7 }),
    ] {
        let mut ended = snapshot.clone();
        let tasks = &mut ended["lists"]["Plan"];
        tasks["items"].as_object_mut().unwrap().remove("0");
        tasks["done"] = serde_json::json!({ "0": end });
        ended["questions"] = serde_json::json!({});
        let error = load(ended).unwrap_err().to_string();
        assert!(error.contains("task 0 of `Plan`"), "{error}");
    }
}
