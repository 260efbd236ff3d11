//! Contracts wherever an agent may stand: with tools, in a fork, in a nested flow, in a list.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output, restart, suspended, to_rest};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Claim {
    number: u32,
}
/// A plain text.
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Reason(String);

/// Looks up a claim.
#[tool]
async fn look_up(number: u32) -> Result<String, ToolError> {
    Ok(format!("claim {number}"))
}

#[agent(model = "openai://m", preamble = "", output = Reason, tools = [look_up], contract)]
fn judge(claim: &Claim) -> String {
    claim.number.to_string()
}

#[node]
fn refuse(failure: &Failure<Claim>) -> Reason {
    Reason(format!("{:?}", failure.kind))
}

#[flow]
fn one(claim: Claim) -> Reason {
    flow! { judge; catch(judge) -> refuse }
}

fn answer(text: &str, confidence: f64) -> Value {
    json!({
        "primary_output": text,
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": false,
    })
}

fn approve() -> Value {
    json!({ "verdict": "approve" })
}

// S5.25, and `submit` carries the envelope.
#[tokio::test]
async fn an_agent_with_tools_submits_the_envelope() {
    let script = ScriptedModel::new()
        .call("judge", "look_up", json!({ "number": 7 }))
        .reply("judge", answer("late", 0.7));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(Claim { number: 7 }).unwrap();
    let mut run = run.with_factory(model.factory());
    let (id, question) = suspended(run.run(Context::default()).await);
    assert_eq!(
        (&*id, &question["primary_output"]),
        ("judge", &json!("late"))
    );
    assert_eq!(
        question["schema"]["oneOf"][1]["properties"]["output"]["type"],
        "string"
    );
    let parameters = &model.asked()[0].tools[1].parameters;
    assert_eq!(parameters["properties"]["primary_output"]["type"], "string");
    let mut run = restart(&run);
    let out = run.resume(Context::default(), (id, approve())).await;
    assert_eq!(output(out), Reason("late".into()));
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Batch {
    numbers: Vec<u32>,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Done {
    reasons: Vec<String>,
}

#[node]
fn open(batch: Batch) -> Each<Claim> {
    batch
        .numbers
        .into_iter()
        .map(|number| Claim { number })
        .collect()
}

#[node]
fn gather(reasons: Each<Reason>) -> Done {
    Done {
        reasons: reasons.iter().map(|reason| reason.0.clone()).collect(),
    }
}

#[flow]
fn all(batch: Batch) -> Done {
    flow! { open -> each(one) -> gather }
}

#[tokio::test]
async fn items_of_a_list_wait_for_their_reviews_side_by_side() {
    let script = ScriptedModel::new()
        .reply("one::judge[0]", answer("a", 0.7))
        .reply("one::judge[1]", answer("b", 0.1))
        .reply("one::judge[2]", answer("c", 0.6));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(Batch {
        numbers: vec![0, 1, 2],
    });
    let mut run = run.unwrap().with_factory(model.factory());
    let mut open = Vec::new();
    loop {
        match run.next(Context::default()).await {
            Ok(RunOut::Continue) => {}
            // Each restored run announces what is open once more.
            Ok(RunOut::Suspend { tool_id, .. }) if open.contains(&tool_id) => break,
            Ok(RunOut::Suspend { tool_id, .. }) => open.push(tool_id),
            Ok(RunOut::Done(done)) => panic!("{done:?}"),
            Ok(_) => panic!("it waits"),
            Err(error) => panic!("{error}"),
        }
        run = restart(&run).with_factory(model.factory());
    }
    assert_eq!(open, ["one::judge[0]", "one::judge[2]"]);
    let reject = json!({ "verdict": "reject" });
    run.resume(Context::default(), (open.remove(1), reject))
        .await
        .unwrap();
    run = restart(&run);
    run.resume(Context::default(), (open.remove(0), approve()))
        .await
        .unwrap();
    let done = output(run.run(Context::default()).await);
    assert_eq!(done.reasons, ["a", "Suppressed", "Rejected"]);
    assert_eq!(model.asked().len(), 3, "nobody was asked twice");
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Case {}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Other {}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Noted {}

#[node]
fn split(_: Case) -> (Claim, Other) {
    (Claim { number: 1 }, Other {})
}
#[node]
fn note(_: Other) -> Noted {
    Noted {}
}
#[node]
fn close(reason: Reason, _: Noted) -> Done {
    Done {
        reasons: vec![reason.0],
    }
}

#[flow]
fn case(input: Case) -> Done {
    flow! { split -> fork(judge, note) -> join(close); catch(judge) -> refuse -> join(close) }
}

#[tokio::test]
async fn other_branches_go_on_during_a_review() {
    let model = Recorder::new(ScriptedModel::new().reply("judge", answer("late", 0.7)));
    let run = FlowRuntime::new(Case {}).unwrap();
    let mut run = run.with_factory(model.factory());
    let (id, _) = suspended(run.run(Context::default()).await);
    to_rest(&mut run).await;
    assert!(run.peek::<Noted>().is_some());
    run.resume(Context::default(), (id, approve()))
        .await
        .unwrap();
    assert_eq!(output(run.run(Context::default()).await).reasons, ["late"]);
}

fn in_review(model: &Recorder) -> FlowRuntime<Case> {
    let run = FlowRuntime::new(Case {}).unwrap();
    run.with_factory(model.factory())
}

/// A review that was tampered with is refused where it does not add up.
#[tokio::test]
async fn a_snapshot_whose_review_does_not_add_up_is_refused() {
    let model = Recorder::new(ScriptedModel::new().reply("judge", answer("late", 0.7)));
    let mut run = in_review(&model);
    suspended(run.run(Context::default()).await);
    let good = serde_json::to_value(run.snapshot()).unwrap();
    let decided = "/agents/Claim/decided";
    assert_eq!(
        good.pointer(decided).unwrap(),
        &json!({ "in_review": { "output": "late" } })
    );
    let load = |snapshot: Value| {
        let snapshot: FlowSnapshot = serde_json::from_value(snapshot).unwrap();
        FlowRuntime::<Case>::from_snapshot(snapshot).map(drop)
    };
    load(good.clone()).unwrap();

    let mut ready = good.clone();
    ready["ready"]["Claim"] = json!(1);
    let mut lost = good.clone();
    lost["questions"] = json!({});
    let mut suppressed = good.clone();
    *suppressed.pointer_mut(decided).unwrap() = json!("suppressed");
    let mut both = good.clone();
    both["questions"] = json!({});
    both["ready"]["Claim"] = json!(1);
    for bad in [ready, lost, suppressed, both] {
        let error = load(bad.clone()).unwrap_err();
        assert!(
            matches!(error, FlowError::SnapLoadError(_)),
            "{error} {bad}"
        );
    }
}
