//! What becomes of an answer: it goes on, waits for a person, or is hidden.

use std::sync::{Arc, Mutex};

use pravah_runtime::{Audit, EventKind, FlowEvent, FlowObserver, Review, StepKind, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Claim {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Refund {
    euros: u32,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Letter {
    text: String,
}

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide on refunds.",
    output = Refund,
    contract(suppress_below = 0.4, review = 0.4..=0.9, auto_approve_above = 0.9, confidence = verbalized, version = "2.1"),
)]
fn judge(claim: &Claim) -> String {
    claim.text.clone()
}

#[node]
fn write(refund: Refund) -> Letter {
    Letter {
        text: format!("You get {} euros.", refund.euros),
    }
}

#[node]
fn refuse(failure: &Failure<Claim>) -> Letter {
    Letter {
        text: format!("{:?}: {}", failure.kind, failure.message),
    }
}

#[flow]
fn refunds(claim: Claim) -> Letter {
    flow! { judge -> write -> done; catch(judge) -> refuse -> done }
}

fn envelope(confidence: f64, escalate: bool) -> Value {
    json!({
        "primary_output": { "euros": 20 },
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": escalate,
        "reasoning": "the parcel was late",
    })
}

fn claim() -> Claim {
    Claim {
        text: "My parcel was late.".into(),
    }
}

fn answers(answer: Value) -> Recorder {
    Recorder::new(ScriptedModel::new().reply("judge", answer))
}

fn run(model: &Recorder) -> FlowRuntime<Claim> {
    FlowRuntime::new(claim())
        .unwrap()
        .with_factory(model.factory())
}

async fn letter(answer: Value) -> String {
    output(run(&answers(answer)).run(Context::default()).await).text
}

async fn reviewed(review: Value) -> (Letter, Recorder) {
    let model = answers(envelope(0.7, false));
    let (id, _) = suspended(run(&model).run(Context::default()).await);
    let mut run = run(&model);
    suspended(run.run(Context::default()).await);
    // Somebody answers, another day, in a process without a model.
    let mut run = restart(&run);
    match run.resume(Context::default(), (id, review)).await.unwrap() {
        RunOut::Done(letter) => (letter, model),
        _ => (output(run.run(Context::default()).await), model),
    }
}

// S5.16
#[tokio::test]
async fn an_answer_above_the_threshold_goes_on_by_itself() {
    assert_eq!(letter(envelope(0.95, false)).await, "You get 20 euros.");
}

// S5.16: strictly above.
#[tokio::test]
async fn an_answer_at_the_threshold_waits_for_a_person() {
    let model = answers(envelope(0.9, false));
    let mut run = run(&model);
    let (id, question) = suspended(run.run(Context::default()).await);
    assert_eq!(id, "judge");
    assert_eq!(question["primary_output"], json!({ "euros": 20 }));
    assert_eq!(question["confidence"], 0.9);
    assert_eq!(question["reasoning"], "the parcel was late");
    assert_eq!(question["review"], json!({ "low": 0.4, "high": 0.9 }));
    assert_eq!(question["state"], json!({ "text": "My parcel was late." }));
    assert_eq!(run.last_step().unwrap().kind, StepKind::ModelCall);
}

// S5.15
#[tokio::test]
async fn an_answer_that_the_model_escalates_waits_for_a_person() {
    let model = answers(envelope(1.0, true));
    suspended(run(&model).run(Context::default()).await);
}

// S5.14, S5.19
#[tokio::test]
async fn a_suppressed_answer_goes_to_the_catch_and_is_not_shown() {
    for escalate in [false, true] {
        let text = letter(envelope(0.39, escalate)).await;
        assert!(text.starts_with("Suppressed: "), "{text}");
        assert!(!text.contains("20") && !text.contains("0."), "{text}");
    }
}

#[tokio::test]
async fn a_suppressed_answer_is_asked_for_once_and_its_cost_is_kept() {
    let model = answers(envelope(0.1, false));
    let mut run = run(&model);
    assert!(matches!(
        run.next(Context::default()).await.unwrap(),
        RunOut::Continue
    ));
    // A crash here repeats no call.
    let mut run = restart(&run).with_factory(model.factory());
    let calls = run.model_calls();
    output(run.run(Context::default()).await);
    assert_eq!((calls, run.model_calls(), model.asked().len()), (1, 1, 1));
}

// S5.23
#[tokio::test]
async fn a_person_approves_edits_or_rejects() {
    let (letter, model) = reviewed(json!({ "verdict": "approve" })).await;
    assert_eq!(letter.text, "You get 20 euros.");
    assert_eq!(model.asked().len(), 2, "one for each of the two runs");

    let edit = Review::Edit {
        output: Refund { euros: 5 },
    };
    let (letter, _) = reviewed(serde_json::to_value(edit).unwrap()).await;
    assert_eq!(letter.text, "You get 5 euros.");

    let (letter, _) = reviewed(json!({ "verdict": "reject", "reason": "too much" })).await;
    assert_eq!(
        letter.text,
        "Rejected: the answer of agent `judge` was rejected: too much"
    );
    let (letter, _) = reviewed(json!({ "verdict": "reject" })).await;
    assert_eq!(
        letter.text,
        "Rejected: the answer of agent `judge` was rejected"
    );
}

#[tokio::test]
async fn a_verdict_that_does_not_fit_leaves_the_review_open() {
    let model = answers(envelope(0.7, false));
    let mut run = run(&model);
    let (id, question) = suspended(run.run(Context::default()).await);
    let before = serde_json::to_value(run.snapshot()).unwrap();
    for payload in [
        json!("approve"),
        json!(["approve"]),
        json!({}),
        json!({ "verdict": "perhaps" }),
        json!({ "verdict": "approve", "output": { "euros": 1 } }),
        json!({ "verdict": "edit" }),
        json!({ "verdict": "edit", "output": { "euros": "many" } }),
        Value::Null,
    ] {
        let error = run
            .resume(Context::default(), (id.clone(), payload.clone()))
            .await;
        assert!(
            matches!(error, Err(FlowError::ResumePayload { .. })),
            "{payload}"
        );
        assert_eq!(
            serde_json::to_value(run.snapshot()).unwrap(),
            before,
            "{payload}"
        );
    }
    assert_eq!(run.suspensions()[0].value, question);
    let approve = (id, json!({ "verdict": "approve" }));
    run.resume(Context::default(), approve).await.unwrap();
    assert_eq!(run.last_step().unwrap().kind, StepKind::Review);
}

#[tokio::test]
async fn the_question_says_what_a_verdict_is() {
    let model = answers(envelope(0.7, false));
    let (_, question) = suspended(run(&model).run(Context::default()).await);
    let ways = question["schema"]["oneOf"].as_array().unwrap();
    let verdicts: Vec<_> = ways
        .iter()
        .map(|way| &way["properties"]["verdict"]["const"])
        .collect();
    assert_eq!(verdicts, ["approve", "edit", "reject"]);
    assert_eq!(
        ways[1]["properties"]["output"]["properties"]["euros"]["type"],
        "integer"
    );
}

// S5.11, S5.12, S5.21: none of these is ever trusted.
#[tokio::test]
async fn an_envelope_that_does_not_fit_goes_back_to_the_model() {
    let with = |key: &str, value: Value| {
        let mut answer = envelope(0.95, false);
        answer[key] = value;
        answer
    };
    let without = |key: &str| {
        let mut answer = envelope(0.95, false);
        answer.as_object_mut().unwrap().remove(key);
        answer
    };
    for answer in [
        json!({ "euros": 20 }),
        without("primary_output"),
        without("confidence"),
        without("confidence_type"),
        without("escalate"),
        with("primary_output", json!("20")),
        with("confidence", json!(1.01)),
        with("confidence", json!(-0.01)),
        with("confidence", json!("0.95")),
        with("confidence", Value::Null),
        with("confidence_type", json!("calibrated")),
        with("escalate", json!("no")),
        with("reasoning", json!(7)),
        with("extra", json!(1)),
        with("confidence_type", json!({ "verbalized": null })),
        json!([{ "euros": 20 }, 0.95, "verbalized", false, null]),
    ] {
        let script = ScriptedModel::new()
            .reply("judge", answer.clone())
            .reply("judge", envelope(0.95, false));
        let model = Recorder::new(script);
        assert_eq!(
            output(run(&model).run(Context::default()).await).text,
            "You get 20 euros.",
            "{answer}"
        );
        assert_eq!(model.asked().len(), 2, "{answer}");

        let mut script = ScriptedModel::new();
        for _ in 0..3 {
            script = script.reply("judge", answer.clone());
        }
        let letter = output(run(&Recorder::new(script)).run(Context::default()).await);
        assert!(
            letter.text.starts_with("Schema: "),
            "{answer}: {}",
            letter.text
        );
    }
}

#[tokio::test]
async fn no_reasoning_is_no_mistake() {
    let mut answer = envelope(0.95, false);
    answer["reasoning"] = Value::Null;
    assert_eq!(letter(answer.clone()).await, "You get 20 euros.");
    answer.as_object_mut().unwrap().remove("reasoning");
    assert_eq!(letter(answer).await, "You get 20 euros.");
}

// S5.13, S5.17
#[tokio::test]
async fn the_model_is_sent_the_strict_envelope_and_no_threshold() {
    let model = answers(envelope(0.95, false));
    output(run(&model).run(Context::default()).await);
    let asked = &model.asked()[0];
    let schema = &asked.output.as_ref().unwrap().schema;
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(
        schema["required"],
        json!([
            "primary_output",
            "confidence",
            "confidence_type",
            "escalate"
        ])
    );
    assert_eq!(
        schema["properties"]["confidence_type"]["enum"],
        json!(["verbalized"])
    );
    assert_eq!(
        schema["properties"]["primary_output"]["properties"]["euros"]["type"],
        "integer"
    );
    assert!(asked.system.starts_with("You decide on refunds.\n\n"));
    assert!(asked.system.contains(&schema.to_string()));
    let sent = serde_json::to_string(asked).unwrap();
    for secret in ["0.4", "0.9", "2.1", "threshold", "suppress", "auto_approve"] {
        assert!(!sent.contains(secret), "{secret} in {sent}");
    }
}

#[derive(Default)]
struct Log(Mutex<Vec<Audit>>);

impl FlowObserver for Log {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::Audit(entry) = &event.kind {
            assert_eq!(event.node, "judge");
            self.0.lock().unwrap().push(entry.clone());
        }
    }
}

#[tokio::test]
async fn who_watches_learns_why_a_caught_node_failed() {
    #[derive(Default)]
    struct Failures(Mutex<Vec<(FailureKind, String)>>);

    impl FlowObserver for Failures {
        fn on_event(&self, event: &FlowEvent) {
            if let EventKind::Failed { kind, message, .. } = &event.kind {
                assert_eq!(event.node, "judge");
                self.0.lock().unwrap().push((*kind, message.clone()));
            }
        }
    }

    let failures = Arc::new(Failures::default());
    let model = Recorder::new(ScriptedModel::new().error("judge", "no key"));
    let mut run = run(&model).with_observer(failures.clone());
    output(run.run(Context::default()).await);
    assert_eq!(
        *failures.0.lock().unwrap(),
        [(
            FailureKind::Error,
            "the model of agent `judge` failed: no key".to_owned()
        )]
    );
}

// S5.22
#[tokio::test]
async fn every_decision_is_audited() {
    let log = Arc::new(Log::default());
    let model = answers(envelope(0.7, false));
    let mut run = run(&model).with_observer(log.clone());
    let (id, _) = suspended(run.run(Context::default()).await);
    let edit = json!({ "verdict": "edit", "output": { "euros": 5 } });
    run.resume(Context::default(), (id, edit)).await.unwrap();
    let entries = log.0.lock().unwrap().clone();
    assert_eq!(
        serde_json::to_value(&entries).unwrap(),
        json!([
            {
                "event": "ai_invocation",
                "model": "gpt-4o-mini",
                "provider": "openai",
                "input": "My parcel was late.",
                "contract_version": "2.1",
            },
            {
                "event": "ai_routing_decision",
                "decision": "human_review",
                "confidence": 0.7,
                "escalate": false,
                "threshold": 0.9,
                "contract_version": "2.1",
            },
            {
                "event": "ai_review_required",
                "primary_output": { "euros": 20 },
                "confidence": 0.7,
                "reasoning": "the parcel was late",
            },
            { "event": "ai_review_resolved", "approved": true, "edited": true },
        ])
    );
    let names: Vec<Value> = entries
        .iter()
        .map(|entry| serde_json::to_value(entry).unwrap()["event"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "ai_invocation",
            "ai_routing_decision",
            "ai_review_required",
            "ai_review_resolved"
        ]
    );
    // S5.23: what goes on is recorded as that person's.
    output(run.run(Context::default()).await);
    let history = serde_json::to_string(run.history()).unwrap();
    assert!(
        history.contains("A person put this in place of the result"),
        "{history}"
    );
}

// S5.19
#[tokio::test]
async fn a_suppressed_answer_is_in_no_snapshot_and_no_event() {
    #[derive(Default)]
    struct Seen(Mutex<String>);

    impl FlowObserver for Seen {
        fn on_event(&self, event: &FlowEvent) {
            self.0.lock().unwrap().push_str(&format!("{event:?}"));
        }

        fn wants_text(&self) -> bool {
            true
        }
    }

    let seen = Arc::new(Seen::default());
    let mut answer = envelope(0.1, false);
    answer["reasoning"] = json!("sesame");
    let model = answers(answer);
    let mut run = run(&model).with_observer(seen.clone());
    run.next(Context::default()).await.unwrap();
    let snapshot = serde_json::to_string(&run.snapshot()).unwrap();
    output(run.run(Context::default()).await);
    let history = serde_json::to_string(run.history()).unwrap();
    for place in [snapshot, history, seen.0.lock().unwrap().clone()] {
        assert!(!place.contains("sesame"), "{place}");
    }
}
