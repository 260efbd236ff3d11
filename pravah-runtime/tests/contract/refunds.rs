//! The flow that most of these tests run: an agent that decides on refunds under a contract.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output};

#[state]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refund {
    pub(crate) euros: u32,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Letter {
    pub(crate) text: String,
}

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide on refunds.",
    output = Refund,
    contract(suppress_below = 0.4, review = 0.4..=0.9, auto_approve_above = 0.9, confidence = verbalized, version = "2.1"),
)]
pub(crate) fn judge(claim: &Claim) -> String {
    claim.text.clone()
}

#[node]
pub(crate) fn write(refund: Refund) -> Letter {
    Letter {
        text: format!("You get {} euros.", refund.euros),
    }
}

#[node]
pub(crate) fn refuse(failure: &Failure<Claim>) -> Letter {
    Letter {
        text: format!("{:?}: {}", failure.kind, failure.message),
    }
}

#[flow]
pub(crate) fn refunds(claim: Claim) -> Letter {
    flow! { judge -> write -> done; catch(judge) -> refuse -> done }
}

pub(crate) fn envelope(confidence: f64, escalate: bool) -> Value {
    json!({
        "primary_output": { "euros": 20 },
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": escalate,
        "reasoning": "the parcel was late",
    })
}

pub(crate) fn claim() -> Claim {
    Claim {
        text: "My parcel was late.".into(),
    }
}

pub(crate) fn answers(answer: Value) -> Recorder {
    Recorder::new(ScriptedModel::new().reply("judge", answer))
}

pub(crate) fn run(model: &Recorder) -> FlowRuntime<Claim> {
    FlowRuntime::new(claim())
        .unwrap()
        .with_factory(model.factory())
}

pub(crate) async fn letter(answer: Value) -> String {
    output(run(&answers(answer)).run(Context::default()).await).text
}
