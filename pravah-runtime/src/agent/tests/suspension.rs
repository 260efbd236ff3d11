//! Tools that suspend and are resumed.

use serde_json::json;

use super::*;
use crate::agent::OpenCall;

fn verdict() -> Value {
    json!({ "urgent": true, "topic": "delivery" })
}

/// An agent whose model asks for two refunds and a look-up at once.
async fn suspended() -> (Bench, Vec<OpenCall>) {
    let script = ScriptedModel::new()
        .calls(
            "triage",
            [
                ("refund", json!({ "amount": 1 })),
                ("orders", json!({ "email": "a" })),
                ("refund", json!({ "amount": 2 })),
            ],
        )
        .reply("triage", verdict());
    let mut agent = Bench::with(script, with_tools);
    agent.step().await;
    let AgentStep::Suspended(calls) = agent.step().await else {
        panic!()
    };
    assert_eq!(agent.ran.take(), ["refund 1", "orders a", "refund 2"]);
    (agent, calls)
}

// S1.11, S1.45
#[tokio::test]
async fn a_tool_suspends_with_its_value() {
    let (agent, calls) = suspended().await;
    let values: Vec<_> = calls
        .iter()
        .map(|call| (call.tool.as_str(), call.value.clone()))
        .collect();
    assert_eq!(
        values,
        [
            ("refund", json!("refund 1?")),
            ("refund", json!("refund 2?"))
        ]
    );
    assert_ne!(calls[0].call_id, calls[1].call_id);
    assert_eq!(agent.progress.open(&agent.spec), calls);
}

// S1.31
#[tokio::test]
async fn only_the_resumed_call_runs_again() {
    let (mut agent, calls) = suspended().await;
    assert!(agent.resume(&calls[1].call_id, json!("paid")));
    let AgentStep::Suspended(open) = agent.step().await else {
        panic!()
    };
    assert_eq!(open, calls[..1]);
    assert_eq!(agent.ran.take(), ["refund 2"]);

    assert!(agent.resume(&calls[0].call_id, json!("kept")));
    assert!(matches!(agent.step().await, AgentStep::Ran));
    assert_eq!(agent.ran.take(), ["refund 1"]);
    let texts: Vec<_> = agent
        .last_results()
        .into_iter()
        .map(|result| result.text)
        .collect();
    assert_eq!(texts, ["kept 1", "[\"a lamp\"]", "paid 2"]);
    assert_eq!(agent.finish().await, verdict());
    assert_eq!(agent.asked().len(), 2);
}

#[tokio::test]
async fn several_can_be_resumed_before_the_next_step() {
    let (mut agent, calls) = suspended().await;
    for call in &calls {
        assert!(agent.resume(&call.call_id, json!("paid")));
    }
    assert!(matches!(agent.step().await, AgentStep::Ran));
    assert_eq!(agent.ran.take(), ["refund 1", "refund 2"]);
}

#[tokio::test]
async fn a_step_without_a_payload_runs_nothing() {
    let (mut agent, calls) = suspended().await;
    let AgentStep::Suspended(open) = agent.step().await else {
        panic!()
    };
    assert_eq!(open, calls);
    assert!(agent.ran.take().is_empty());
}

#[tokio::test]
async fn a_call_that_suspends_again_has_a_new_id() {
    let (mut agent, calls) = suspended().await;
    assert!(agent.resume(&calls[0].call_id, json!("sure")));
    let AgentStep::Suspended(open) = agent.step().await else {
        panic!()
    };
    assert_eq!(open[0].value, json!("really?"));
    assert!(calls.iter().all(|call| call.call_id != open[0].call_id));
    assert!(!agent.resume(&calls[0].call_id, json!("paid")));
    assert!(agent.resume(&open[0].call_id, json!("paid")));
}

#[tokio::test]
async fn an_id_that_is_not_open_resumes_nothing() {
    let (mut agent, calls) = suspended().await;
    let before = agent.progress.clone();
    assert!(!agent.resume("nobody", json!(null)));
    assert_eq!(agent.progress, before);
    assert!(agent.resume(&calls[0].call_id, json!("paid")));
    assert!(!agent.resume(&calls[0].call_id, json!("paid")));
}

#[tokio::test]
async fn a_payload_that_the_tool_cannot_read_is_asked_for_again() {
    let (mut agent, calls) = suspended().await;
    for call in &calls {
        agent.resume(&call.call_id, json!(17));
    }
    let AgentStep::Suspended(open) = agent.step().await else {
        panic!()
    };
    assert_eq!(open, calls);
    for call in &calls {
        assert!(agent.resume(&call.call_id, json!("paid")));
    }
    assert!(matches!(agent.step().await, AgentStep::Ran));
}
