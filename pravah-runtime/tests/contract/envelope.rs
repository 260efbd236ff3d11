//! The envelope that a model is asked for, and what becomes of one that does not fit.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use crate::{
    macros_support::{Recorder, output},
    refunds::{answers, envelope, letter, run},
};

/// Envelopes that are none.
fn unfit() -> [Value; 16] {
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
    [
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
    ]
}

// S5.11, S5.12, S5.21: none of these is ever trusted.
#[tokio::test]
async fn an_envelope_that_does_not_fit_goes_back_to_the_model() {
    for answer in unfit() {
        let script = ScriptedModel::new()
            .reply("judge", answer.clone())
            .reply("judge", envelope(0.95, false));
        let model = Recorder::new(script);
        let letter = output(run(&model).run(Context::default()).await);
        assert_eq!(letter.text, "You get 20 euros.", "{answer}");
        assert_eq!(model.asked().len(), 2, "{answer}");
    }
}

// S5.21
#[tokio::test]
async fn an_envelope_that_does_not_fit_after_all_repairs_is_a_failure() {
    for answer in unfit() {
        let script = (0..3).fold(ScriptedModel::new(), |script, _| {
            script.reply("judge", answer.clone())
        });
        let letter = output(run(&Recorder::new(script)).run(Context::default()).await);
        let text = letter.text;
        assert!(text.starts_with("Schema: "), "{answer}: {text}");
    }
}

#[tokio::test]
async fn reasoning_may_be_null_or_absent() {
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
