//! What observers receive of an answer under a contract.

use std::sync::{Arc, Mutex};

use pravah_runtime::{Audit, EventKind, FlowEvent, FlowObserver, prelude::*};
use serde_json::json;

use crate::{
    macros_support::{Recorder, output, suspended},
    refunds::{answers, envelope, run},
};

#[derive(Default)]
struct Log(Mutex<Vec<Audit>>);

impl FlowObserver for Log {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::Audit(entry) = &event.kind {
            assert_eq!(event.node.as_deref(), Some("judge"));
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
            if let EventKind::NodeFailed { kind, message, .. } = &event.kind {
                assert_eq!(event.node.as_deref(), Some("judge"));
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
}
