//! The parts of a contract that need no run: fields and routing.

use std::time::Duration;

use pravah_runtime::{ConfidenceType, Contract, ContractError, RouteDecision};
use serde_json::{Map, Value, json};

fn read(fields: Value) -> Result<Option<Contract>, ContractError> {
    Contract::from_fields(fields.as_object().unwrap())
}

/// The contract that the fields make beside `contract: true`.
fn with(fields: Value) -> Result<Contract, ContractError> {
    let mut fields = fields;
    fields["contract"] = json!(true);
    read(fields).map(Option::unwrap)
}

/// The field that is wrong, and why.
fn wrong(fields: Value) -> (&'static str, String) {
    match read(fields.clone()) {
        Err(ContractError::InvalidField { field, reason }) => (field, reason),
        other => panic!("{fields}: {other:?}"),
    }
}

// S5.3
#[test]
fn a_contract_is_opted_into_by_true_or_its_text() {
    for yes in [json!(true), json!("true")] {
        let contract = read(json!({ "contract": yes })).unwrap();
        assert_eq!(contract, Some(Contract::new()));
    }
    for no in [
        json!({}),
        json!({ "contract": false }),
        json!({ "contract": "false" }),
    ] {
        assert_eq!(read(no), Ok(None));
    }
    // Without a contract its fields say nothing.
    assert_eq!(read(json!({ "suppressBelow": 7 })), Ok(None));
}

#[test]
fn a_misspelt_field_is_an_error_that_names_the_one_that_was_meant() {
    for (field, nearest) in [
        ("supressBelow", "suppressBelow"),
        ("suppress_below", "suppressBelow"),
        ("auto_approve_above", "autoApproveAbove"),
        ("ReviewLow", "reviewLow"),
        ("maxInferenceMS", "maxInferenceMs"),
        ("contractVersoin", "contractVersion"),
    ] {
        let error = with(json!({ field: 0.5 })).unwrap_err();
        let text = format!("a contract has no field `{field}`: did you mean `{nearest}`?");
        assert_eq!(error.to_string(), text);
        // Without a contract its fields say nothing.
        assert_eq!(read(json!({ field: 0.5 })), Ok(None));
    }
    let error = read(json!({ "contarct": true })).unwrap_err();
    let text = "a contract has no field `contarct`: did you mean `contract`?";
    assert_eq!(error.to_string(), text);
    // The node has fields of its own.
    let own = json!({ "model": "openai://m", "maxTurns": 3, "confidence": "high", "review": 1 });
    assert_eq!(with(own), Ok(Contract::new()));
}

// S5.3, S5.21
#[test]
fn anything_else_in_place_of_a_boolean_is_an_error() {
    for other in [
        json!("True"),
        json!("yes"),
        json!(""),
        json!(" true"),
        json!(1),
        json!(null),
        json!([true]),
        json!({}),
    ] {
        let (field, reason) = wrong(json!({ "contract": other }));
        assert_eq!(field, "contract");
        assert_eq!(reason, "it is neither true nor false");
    }
}

// S5.4
#[test]
fn a_threshold_is_a_number_from_0_to_1() {
    for field in [
        "suppressBelow",
        "reviewLow",
        "reviewHigh",
        "autoApproveAbove",
    ] {
        for (value, why) in [
            (json!(-0.01), "-0.01 is not from 0 to 1"),
            (json!(1.01), "1.01 is not from 0 to 1"),
            (json!(2), "2 is not from 0 to 1"),
            (json!("0.5"), "it is not a number"),
            (json!(true), "it is not a number"),
            (json!(null), "it is not a number"),
            (json!([0.5]), "it is not a number"),
        ] {
            let mut fields = json!({ "contract": true });
            fields[field] = value;
            assert_eq!(wrong(fields), (field, why.to_owned()));
        }
    }
}

// S5.4, S5.5, S5.7, S5.9, S5.10: each field is read as what it is called.
#[test]
fn fields_are_read_as_what_they_are_called() {
    let new = Contract::new;
    for (fields, contract) in [
        (json!({}), new()),
        (json!({ "suppressBelow": 0.3 }), new().suppress_below(0.3)),
        (
            json!({ "autoApproveAbove": 1 }),
            new().auto_approve_above(1.0),
        ),
        (json!({ "reviewLow": 0.6 }), new().review(0.6..=0.85)),
        (json!({ "reviewHigh": 0.6 }), new().review(0.5..=0.6)),
        (
            json!({ "reviewLow": 0.6, "reviewHigh": 0.7 }),
            new().review(0.6..=0.7),
        ),
        (
            json!({ "confidenceType": "calibrated" }),
            new().confidence(ConfidenceType::Calibrated),
        ),
        (
            json!({ "maxInferenceMs": 1500 }),
            new().budget(Duration::from_millis(1500)),
        ),
        (json!({ "contractVersion": "2.1" }), new().version("2.1")),
        (json!({ "contractVersion": "1.0.0" }), new()),
        (json!({ "model": "openai://m" }), new()),
    ] {
        assert_eq!(with(fields.clone()), Ok(contract), "{fields}");
    }
    let defaults = json!({
        "contract": true,
        "suppressBelow": 0.5,
        "autoApproveAbove": 0.85,
        "contractVersion": "1.0.0",
    });
    assert_eq!(Value::from(new().to_fields()), defaults);
}

// S5.7, S5.9, S5.10, S5.21
#[test]
fn a_field_of_another_type_is_named() {
    for (fields, field) in [
        (json!({ "confidenceType": "guessed" }), "confidenceType"),
        (json!({ "confidenceType": "Verbalized" }), "confidenceType"),
        (json!({ "confidenceType": 1 }), "confidenceType"),
        (json!({ "confidenceType": null }), "confidenceType"),
        (json!({ "maxInferenceMs": 0 }), "maxInferenceMs"),
        (json!({ "maxInferenceMs": -1 }), "maxInferenceMs"),
        (json!({ "maxInferenceMs": 1.5 }), "maxInferenceMs"),
        (json!({ "maxInferenceMs": "8000" }), "maxInferenceMs"),
        (json!({ "contractVersion": "" }), "contractVersion"),
        (json!({ "contractVersion": 2 }), "contractVersion"),
        (json!({ "contractVersion": null }), "contractVersion"),
    ] {
        let mut all = fields.clone();
        all["contract"] = json!(true);
        assert_eq!(wrong(all).0, field, "{fields}");
    }
    let error = with(json!({ "confidenceType": "guessed" })).unwrap_err();
    let text = "`confidenceType` of the contract: `guessed` is none of verbalized, token_level, \
                calibrated";
    assert_eq!(error.to_string(), text);
}

// S5.6
#[test]
fn fields_that_do_not_rise_are_named_with_their_values() {
    let error = with(json!({ "suppressBelow": 0.9 })).unwrap_err();
    assert_eq!(
        error,
        ContractError::InvalidThresholds {
            suppress_below: 0.9,
            review_low: 0.9,
            review_high: 0.85,
            auto_approve_above: 0.85,
        }
    );
    for fields in [
        json!({ "reviewLow": 0.49 }),
        json!({ "reviewHigh": 0.86 }),
        json!({ "reviewLow": 0.8, "reviewHigh": 0.7 }),
        json!({ "autoApproveAbove": 0.4 }),
    ] {
        let error = with(fields.clone()).unwrap_err();
        assert!(
            matches!(error, ContractError::InvalidThresholds { .. }),
            "{fields}"
        );
    }
}

// S5.20
#[test]
fn a_contract_is_written_as_scalars_that_read_back() {
    let full = Contract::new()
        .suppress_below(0.1)
        .review(0.2..=0.3)
        .auto_approve_above(0.7)
        .confidence(ConfidenceType::TokenLevel)
        .budget(Duration::from_millis(1234))
        .version("3");
    for contract in [Contract::new(), full] {
        let fields = contract.to_fields();
        let text = serde_json::to_string(&fields).unwrap();
        let fields: Map<String, Value> = serde_json::from_str(&text).unwrap();
        for (field, value) in &fields {
            assert!(!value.is_object() && !value.is_array(), "{field}");
            assert!(Contract::FIELDS.contains(&field.as_str()), "{field}");
        }
        assert_eq!(Contract::from_fields(&fields), Ok(Some(contract)));
    }
}

// S5.14, S5.15, S5.16
#[test]
fn a_confidence_is_routed_by_the_thresholds() {
    use RouteDecision::{AutoApprove, HumanReview, Suppress};

    let contract = Contract::new()
        .suppress_below(0.25)
        .auto_approve_above(0.75);
    for (confidence, escalate, way) in [
        (0.0, false, Suppress),
        (0.249, false, Suppress),
        (0.249, true, Suppress),
        (0.25, false, HumanReview),
        (0.75, false, HumanReview),
        (0.751, false, AutoApprove),
        (0.751, true, HumanReview),
        (1.0, false, AutoApprove),
        (1.0, true, HumanReview),
        // None of these is a confidence, and none of them is trusted.
        (-1.0, false, Suppress),
        (1.1, false, HumanReview),
        (f64::INFINITY, false, HumanReview),
        (f64::NAN, false, HumanReview),
    ] {
        assert_eq!(contract.route(confidence, escalate), way, "{confidence}");
    }
}

#[test]
fn a_budget_below_a_millisecond_is_one_and_reads_back() {
    for (micros, millis) in [(1, 1), (500, 1), (1000, 1), (1001, 2)] {
        let contract = Contract::new().budget(Duration::from_micros(micros));
        let fields = contract.to_fields();
        assert_eq!(fields["maxInferenceMs"], millis);
        assert_eq!(Contract::from_fields(&fields), Ok(Some(contract)));
    }
}
