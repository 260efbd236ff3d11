//! Contracts without macros, and what is wrong with them.

use std::time::Duration;

use pravah_runtime::{ConfidenceType, Contract, ContractError, RouteDecision, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::macros_support::{Recorder, output};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Claim {
    text: String,
    /// More than a JSON value holds.
    number: i128,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Refund {
    euros: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Letter {
    text: String,
}

impl Agent for Claim {
    type Output = Refund;

    fn build() -> AgentConfig {
        AgentConfig::new("", "openai://m").with_contract(Contract::new())
    }
}

impl Flow for Claim {
    type Output = Letter;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .agent::<Self>()
            .work::<Refund, Letter, _, _>(|refund, _| async move {
                Ok(Letter {
                    text: refund.euros.to_string(),
                })
            })
            .work::<Failure<Self>, Letter, _, _>(|failure, _| async move {
                Ok(Letter {
                    text: format!("{:?} {}", failure.kind, failure.input.text),
                })
            })
            .build()
    }
}

async fn letter(confidence: f64) -> String {
    let answer = json!({
        "primary_output": { "euros": 20 },
        "confidence": confidence,
        "confidence_type": "verbalized",
        "escalate": false,
    });
    // The first answer and its repairs.
    let script = (0..3).fold(ScriptedModel::new(), |script, _| {
        script.reply("Claim", answer.clone())
    });
    let model = Recorder::new(script);
    let claim = Claim {
        text: "late".into(),
        number: i128::MAX,
    };
    let run = FlowRuntime::new(claim).unwrap();
    let mut run = run.with_factory(model.factory());
    output(run.run(Context::default()).await).text
}

#[tokio::test]
async fn a_node_that_takes_a_failure_catches_it() {
    assert_eq!(letter(0.86).await, "20");
    assert_eq!(letter(0.49).await, "Suppressed late");
    let failed = letter(2.0).await;
    assert_eq!(failed, "Schema late", "the envelope is none");
}

#[test]
fn a_contract_without_a_catch_is_a_problem_of_the_graph() {
    let graph = FlowGraph::builder().agent::<Claim>().build();
    let Err(FlowError::Invalid(problems)) = graph else {
        panic!("it was built");
    };
    let text = "agent `Claim` has a contract, and nothing takes `Failure<Claim>`: what it \
                suppresses and what a person rejects would be lost";
    assert_eq!(problems, [text]);
}

#[test]
fn a_failure_that_nothing_else_fails_with_is_not_produced() {
    let graph = FlowGraph::builder()
        .work::<Refund, Letter, _, _>(|_, _| async { Err(FlowError::other("")) })
        .work::<Failure<Claim>, Letter, _, _>(|_, _| async { Err(FlowError::other("")) })
        .build();
    let Err(FlowError::Invalid(problems)) = graph else {
        panic!("it was built");
    };
    let text = "`Failure_of_Claim` takes `Failure_of_Claim`, which nothing produces";
    assert_eq!(problems, [text]);
}

fn field(contract: Contract) -> &'static str {
    match contract.validate() {
        Err(ContractError::InvalidField { field, .. }) => field,
        other => panic!("{other:?}"),
    }
}

// S5.4, S5.21
#[test]
fn a_field_that_is_wrong_is_named() {
    let new = Contract::new;
    for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(field(new().suppress_below(wrong)), "suppress_below");
        assert_eq!(field(new().auto_approve_above(wrong)), "auto_approve_above");
        assert_eq!(field(new().review(wrong..=0.6)), "review");
        assert_eq!(field(new().review(0.6..=wrong)), "review");
    }
    assert_eq!(field(new().budget(Duration::ZERO)), "budget");
    assert_eq!(field(new().version("")), "version");
}

// S5.5, S5.6
#[test]
fn thresholds_rise_from_the_lowest_to_the_highest() {
    let new = Contract::new;
    assert_eq!(new().validate(), Ok(()));
    assert_eq!(new().review(0.5..=0.85).validate(), Ok(()));
    assert_eq!(
        new().suppress_below(0.0).auto_approve_above(1.0).validate(),
        Ok(())
    );
    assert_eq!(
        new().suppress_below(0.85).validate(),
        Ok(()),
        "an empty band"
    );
    for contract in [
        new().suppress_below(0.86),
        new().auto_approve_above(0.49),
        new().review(0.49..=0.6),
        new().review(0.6..=0.86),
        new().review(0.7..=0.6),
    ] {
        let error = contract.validate().unwrap_err();
        assert!(
            matches!(error, ContractError::InvalidThresholds { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("suppress_below = 0."), "{error}");
    }
}

#[test]
fn a_config_lists_what_is_wrong_with_its_contract() {
    let config = |model, contract| AgentConfig::new("", model).with_contract(contract).check();
    let problems = config("openai://m", Contract::new().suppress_below(2.0)).unwrap_err();
    assert_eq!(
        problems,
        ["`suppress_below` of the contract: 2 is not from 0 to 1"]
    );
    let wrong = Contract::new()
        .version(" ")
        .budget(Duration::ZERO)
        .review(0.9..=0.6);
    assert_eq!(config("openai://m", wrong).unwrap_err().len(), 3);
    let by_tokens = Contract::new().confidence(ConfidenceType::TokenLevel);
    assert!(config("openai://m", by_tokens.clone()).is_ok());
    let problems = config("anthropic://m", by_tokens).unwrap_err();
    assert_eq!(
        problems,
        ["models of `anthropic` do not tell how probable their tokens are"]
    );
}

// S5.7
#[test]
fn words_are_read_as_they_are_written() {
    for word in ConfidenceType::ALL {
        assert_eq!(word.to_string().parse(), Ok(*word));
        assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
    }
    for word in RouteDecision::ALL {
        assert_eq!(word.to_string().parse(), Ok(*word));
        assert_eq!(serde_json::to_value(word).unwrap(), word.as_str());
    }
    let error = "guessed".parse::<ConfidenceType>().unwrap_err().to_string();
    let text =
        "`confidence` of the contract: `guessed` is none of verbalized, token_level, calibrated";
    assert_eq!(error, text);
}
