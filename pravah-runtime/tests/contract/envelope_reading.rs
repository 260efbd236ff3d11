//! Envelopes, read without a run.

use pravah_runtime::{ConfidenceType, Contract, ContractError, Envelope};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

fn envelope() -> Value {
    json!({
        "primary_output": "yes",
        "confidence": 0.7,
        "confidence_type": "calibrated",
        "escalate": true,
        "reasoning": "so it seems",
    })
}

fn changed(field: &str, value: Value) -> Value {
    let mut changed = envelope();
    changed[field] = value;
    changed
}

fn without(field: &str) -> Value {
    let mut changed = envelope();
    changed.as_object_mut().unwrap().remove(field);
    changed
}

// S5.11
#[test]
fn an_envelope_is_read_field_by_field() {
    let read = Envelope::<String>::from_value(&envelope()).unwrap();
    assert_eq!(read.primary_output, "yes");
    assert_eq!(read.confidence.to_bits(), 0.7_f64.to_bits());
    assert_eq!(read.confidence_type, ConfidenceType::Calibrated);
    assert!(read.escalate);
    assert_eq!(read.reasoning.as_deref(), Some("so it seems"));
    assert_eq!(serde_json::to_value(&read).unwrap(), envelope());

    let calm = Envelope::<String>::from_value(&changed("escalate", json!(false))).unwrap();
    assert!(!calm.escalate);
    for (value, number) in [(json!(0), 0.0_f64), (json!(1), 1.0)] {
        let read = Envelope::<String>::from_value(&changed("confidence", value)).unwrap();
        assert_eq!(read.confidence.to_bits(), number.to_bits());
    }
    for reasonless in [changed("reasoning", json!(null)), without("reasoning")] {
        let read = Envelope::<String>::from_value(&reasonless).unwrap();
        assert_eq!(read.reasoning, None);
    }
}

// S5.12, S5.21
#[test]
fn whatever_is_no_envelope_is_a_violation_that_names_the_field() {
    for (value, named) in [
        (without("primary_output"), "`primary_output`"),
        (without("confidence"), "`confidence`"),
        (without("confidence_type"), "`confidence_type`"),
        (without("escalate"), "`escalate`"),
        (changed("primary_output", json!(7)), "`primary_output`"),
        (changed("confidence", json!(1.01)), "`confidence`"),
        (changed("confidence", json!(-0.01)), "`confidence`"),
        (changed("confidence", json!("0.7")), "`confidence`"),
        (changed("confidence", json!(null)), "`confidence`"),
        (
            changed("confidence_type", json!("guessed")),
            "`confidence_type`",
        ),
        (
            changed("confidence_type", json!({ "verbalized": null })),
            "`confidence_type`",
        ),
        (changed("escalate", json!("no")), "`escalate`"),
        (changed("escalate", json!(0)), "`escalate`"),
        (changed("reasoning", json!(7)), "`reasoning`"),
        (changed("extra", json!(1)), "field"),
        (json!(["yes", 0.7, "calibrated", true, null]), "object"),
        (json!("yes"), "object"),
        (json!(null), "object"),
    ] {
        match Envelope::<String>::from_value(&value) {
            Err(ContractError::SchemaViolation { reason }) => {
                assert!(reason.contains(named), "{value}: {reason}");
                assert!(!reason.contains("guessed"), "{reason}");
            }
            other => panic!("{value}: {other:?}"),
        }
    }
}

// S5.8
#[test]
fn a_contract_that_sets_no_source_takes_every_envelope() {
    for source in ConfidenceType::ALL {
        let value = changed("confidence_type", json!(source));
        let envelope = Envelope::<String>::from_value(&value).unwrap();
        assert_eq!(Contract::new().check_envelope(&envelope), Ok(()));
        for wanted in ConfidenceType::ALL {
            let contract = Contract::new().confidence(*wanted);
            let checked = contract.check_envelope(&envelope);
            assert_eq!(checked.is_ok(), wanted == source, "{wanted} {source}");
        }
    }
}

// S5.13, S5.25
#[test]
fn the_schema_of_an_envelope_has_the_output_in_it() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Refund {
        #[schemars(range(max = 100))]
        euros: u32,
    }

    let schema = Envelope::<String>::json_schema();
    assert_eq!(schema["properties"]["primary_output"]["type"], "string");
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
        json!(["verbalized", "token_level", "calibrated"])
    );
    let bounds = &schema["properties"]["confidence"];
    assert_eq!(
        (&bounds["minimum"], &bounds["maximum"]),
        (&json!(0), &json!(1))
    );

    let read = Envelope::<Refund>::from_value;
    let fits = read(&changed("primary_output", json!({ "euros": 20 }))).unwrap();
    assert_eq!(fits.primary_output.euros, 20);
    let error = read(&changed("primary_output", json!({ "euros": 101 }))).unwrap_err();
    let text = "the envelope does not fit: `primary_output.euros` is more than 100";
    assert_eq!(error.to_string(), text);
}
