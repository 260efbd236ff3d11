//! What the audit says of an answer: every field of every entry, for every way the answer can go.

use std::sync::{Arc, Mutex};

use pravah_runtime::{
    Audit, ConfidenceType, Contract, EventKind, FlowEvent, FlowObserver, RouteDecision,
    ScriptedTurn, prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Claim {
    text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Refund {
    euros: u32,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Measured {
    text: String,
}

macro_rules! flow {
    ($claim:ident, $contract:expr) => {
        impl Agent for $claim {
            type Output = Refund;

            fn build() -> AgentConfig {
                AgentConfig::new("", "openai://gpt-4o-mini").with_contract($contract)
            }
        }

        impl Flow for $claim {
            type Output = Refund;

            fn build() -> Result<FlowGraph, FlowError> {
                FlowGraph::builder()
                    .agent::<Self>()
                    .work::<Failure<Self>, Refund, _, _>(|_, _| async { Ok(Refund { euros: 0 }) })
                    .build()
            }
        }
    };
}

flow!(
    Claim,
    Contract::new().suppress_below(0.4).auto_approve_above(0.9)
);
flow!(
    Measured,
    Contract::new()
        .confidence(ConfidenceType::TokenLevel)
        .version("7")
);

#[derive(Default)]
struct Log(Mutex<Vec<Audit>>);

impl FlowObserver for Log {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::Audit(entry) = &event.kind {
            self.0.lock().unwrap().push(entry.clone());
        }
    }
}

impl Log {
    fn take(&self) -> Vec<Audit> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn envelope(confidence: f64, escalate: bool, reasoning: Option<&str>) -> Value {
    json!({
        "primary_output": { "euros": 20 },
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": escalate,
        "reasoning": reasoning,
    })
}

fn claim() -> Claim {
    Claim {
        text: "late".into(),
    }
}

fn watched(script: ScriptedModel) -> (FlowRuntime<Claim>, Arc<Log>) {
    let log = Arc::new(Log::default());
    let run = FlowRuntime::new(claim()).unwrap();
    let run = run.with_factory(ClientFactory::new().with_scripted(script));
    (run.with_observer(Arc::clone(&log)), log)
}

/// The entry that an audit log has as this line.
fn entry(line: Value) -> Audit {
    serde_json::from_value(line).unwrap()
}

fn invocation(model: &str, provider: &str) -> Audit {
    entry(json!({
        "event": "ai_invocation",
        "model": model,
        "provider": provider,
        "input": r#"{"text":"late"}"#,
        "contract_version": "1.0.0",
    }))
}

fn decision(decision: RouteDecision, confidence: f64, escalate: bool, threshold: f64) -> Audit {
    entry(json!({
        "event": "ai_routing_decision",
        "decision": decision,
        "confidence": confidence,
        "escalate": escalate,
        "threshold": threshold,
        "contract_version": "1.0.0",
    }))
}

fn required(confidence: f64, reasoning: Option<&str>) -> Audit {
    let mut line = json!({
        "event": "ai_review_required",
        "primary_output": { "euros": 20 },
        "confidence": confidence,
    });
    if let Some(reasoning) = reasoning {
        line["reasoning"] = json!(reasoning);
    }
    entry(line)
}

fn resolved(approved: bool, edited: bool) -> Audit {
    entry(json!({ "event": "ai_review_resolved", "approved": approved, "edited": edited }))
}

/// What is written down of an answer until it goes on, fails or waits.
async fn entries(confidence: f64, escalate: bool, reasoning: Option<&str>) -> Vec<Audit> {
    let answer = envelope(confidence, escalate, reasoning);
    let (mut run, log) = watched(ScriptedModel::new().reply("Claim", answer));
    run.run(Context::default()).await.unwrap();
    log.take()
}

// S5.14, S5.15, S5.16, S5.22
#[tokio::test]
async fn a_decision_is_written_down_with_the_threshold_that_it_was_checked_against() {
    use RouteDecision::{AutoApprove, HumanReview, Suppress};

    for (confidence, escalate, way, threshold) in [
        (0.0, false, Suppress, 0.4),
        (0.39, true, Suppress, 0.4),
        (0.4, false, HumanReview, 0.9),
        (0.9, false, HumanReview, 0.9),
        (0.91, true, HumanReview, 0.9),
        (0.91, false, AutoApprove, 0.9),
        (1.0, false, AutoApprove, 0.9),
    ] {
        let mut expected = vec![
            invocation("gpt-4o-mini", "openai"),
            decision(way, confidence, escalate, threshold),
        ];
        if way == HumanReview {
            expected.push(required(confidence, Some("so it seems")));
        }
        let entries = entries(confidence, escalate, Some("so it seems")).await;
        assert_eq!(entries, expected, "{confidence} {escalate}");
    }
}

// S5.22: an answer without a reason has none in the record.
#[tokio::test]
async fn a_review_of_an_answer_without_a_reason_is_written_down_without_one() {
    let entries = entries(0.5, false, None).await;
    assert_eq!(entries[2], required(0.5, None));
    let line = serde_json::to_value(&entries[2]).unwrap();
    let expected = json!({
        "event": "ai_review_required",
        "primary_output": { "euros": 20 },
        "confidence": 0.5,
    });
    assert_eq!(line, expected);
}

// S5.22, S5.23
#[tokio::test]
async fn a_review_is_written_down_as_it_ended() {
    for (verdict, approved, edited, euros) in [
        (json!({ "verdict": "approve" }), true, false, 20),
        (
            json!({ "verdict": "edit", "output": { "euros": 5 } }),
            true,
            true,
            5,
        ),
        (json!({ "verdict": "reject" }), false, false, 0),
        (
            json!({ "verdict": "reject", "reason": "no" }),
            false,
            false,
            0,
        ),
    ] {
        let answer = envelope(0.5, false, None);
        let (mut run, log) = watched(ScriptedModel::new().reply("Claim", answer));
        run.run(Context::default()).await.unwrap();
        log.take();
        let mut out = run
            .resume(Context::default(), ("Claim", verdict.clone()))
            .await
            .unwrap();
        if out == RunOut::Continue {
            out = run.run(Context::default()).await.unwrap();
        }
        assert_eq!(out, RunOut::Done(Refund { euros }), "{verdict}");
        let resolved = resolved(approved, edited);
        assert_eq!(log.take(), [resolved], "{verdict}");
    }
}

// S5.22: each question to a model is an entry, also one that repairs an answer.
#[tokio::test]
async fn every_question_to_a_model_is_written_down_with_the_model_that_is_asked() {
    let script = ScriptedModel::new()
        .reply("Claim", json!({ "euros": 20 }))
        .reply("Claim", envelope(0.95, false, None));
    let (run, log) = watched(script);
    let mut run = run
        .with_model("Claim", "ollama://localhost:1/llama")
        .unwrap();
    run.run(Context::default()).await.unwrap();
    let asked = invocation("llama", "ollama");
    let decided = decision(RouteDecision::AutoApprove, 0.95, false, 0.9);
    assert_eq!(log.take(), [asked.clone(), asked, decided]);
}

// S5.8, S5.22: what the tokens say is what counts, and what is written down.
#[tokio::test]
async fn a_measured_confidence_is_written_down_in_place_of_the_models_own() {
    let turn = ScriptedTurn::reply(json!({
        "primary_output": { "euros": 20 },
        "confidence": 0.1,
        "confidence_type": "token_level",
        "escalate": false,
    }))
    .with_token_probability(0.86);
    let script = ScriptedModel::new().turn("Measured", turn);
    let log = Arc::new(Log::default());
    let measured = Measured { text: "x".into() };
    let run = FlowRuntime::new(measured).unwrap();
    let run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut run = run.with_observer(Arc::clone(&log));
    run.run(Context::default()).await.unwrap();
    let expected = [
        json!({
            "event": "ai_invocation",
            "model": "gpt-4o-mini",
            "provider": "openai",
            "input": r#"{"text":"x"}"#,
            "contract_version": "7",
        }),
        json!({
            "event": "ai_routing_decision",
            "decision": "auto_approve",
            "confidence": 0.86,
            "escalate": false,
            "threshold": 0.85,
            "contract_version": "7",
        }),
    ];
    let expected = expected.map(entry);
    assert_eq!(log.take(), expected);
}

#[test]
fn an_entry_is_a_line_that_reads_back() {
    let reviewed = resolved(false, false);
    for entry in [
        invocation("m", "openai"),
        decision(RouteDecision::Suppress, 0.1, true, 0.4),
        required(0.5, Some("so it seems")),
        reviewed,
    ] {
        let line = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<Audit>(&line).unwrap(), entry);
    }
    let line = serde_json::to_value(decision(RouteDecision::Suppress, 0.1, true, 0.4)).unwrap();
    let expected = json!({
        "event": "ai_routing_decision",
        "decision": "suppress",
        "confidence": 0.1,
        "escalate": true,
        "threshold": 0.4,
        "contract_version": "1.0.0",
    });
    assert_eq!(line, expected);
}
