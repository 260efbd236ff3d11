//! Where the confidence comes from, and how long the model may take.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse,
    ScriptedTurn, prelude::*,
};
use serde_json::json;

use crate::macros_support::{output, restart};

#[state]
struct Claim {}
#[state]
#[derive(Debug, PartialEq)]
struct Refund {
    euros: u32,
}

#[agent(
    model = "openai://m",
    preamble = "",
    output = Refund,
    contract(confidence = token_level),
)]
fn by_tokens(_: &Claim) -> String {
    String::new()
}

#[node]
fn refuse(failure: &Failure<Claim>) -> Result<Refund, String> {
    Err(format!("{:?}: {}", failure.kind, failure.message))
}

#[flow(named)]
fn tokens(claim: Claim) -> Refund {
    flow! { by_tokens; catch(by_tokens) -> refuse }
}

/// Says what it is told to, and how probable it was.
struct Sure {
    confidence_type: &'static str,
    probability: Option<f64>,
}

impl ModelClient for Sure {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            let answer = json!({
                "primary_output": { "euros": 20 },
                "confidence": 0.0,
                "confidence_type": self.confidence_type,
                "escalate": false,
            });
            Ok(ModelResponse::default()
                .with_text(answer.to_string())
                .with_token_probability(self.probability.filter(|_| request.token_probabilities)))
        })
    }
}

async fn by_probability(probability: Option<f64>) -> Result<RunOut<Refund>, FlowError> {
    let model = Sure {
        confidence_type: "token_level",
        probability,
    };
    let factory = ClientFactory::new().with_client(Arc::new(model));
    let mut run = tokens::start(Claim {})?.with_factory(factory);
    run.run(Context::default()).await
}

#[tokio::test]
async fn the_probability_of_the_tokens_decides_and_not_what_the_model_says() {
    assert_eq!(
        output(by_probability(Some(0.9)).await),
        Refund { euros: 20 }
    );
    assert!(
        matches!(by_probability(Some(0.7)).await, Ok(RunOut::Suspend { value, .. }) if value["confidence"] == 0.7)
    );
    let error = by_probability(Some(0.2)).await.err().unwrap().to_string();
    assert!(error.contains("Suppressed: "), "{error}");
}

#[tokio::test]
async fn without_a_probability_nothing_is_trusted() {
    for no_probability in [
        None,
        Some(7.0),
        Some(-0.1),
        Some(f64::NAN),
        Some(f64::INFINITY),
    ] {
        let error = by_probability(no_probability)
            .await
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("did not tell how probable"), "{error}");
    }
}

#[tokio::test]
async fn a_script_may_say_how_probable_its_tokens_are() {
    let turn = ScriptedTurn::reply(json!({
        "primary_output": { "euros": 20 },
        "confidence": 0.0,
        "confidence_type": "token_level",
        "escalate": false,
    }))
    .with_token_probability(0.9);
    let factory = ClientFactory::new().with_scripted(ScriptedModel::new().turn("by_tokens", turn));
    let mut run = tokens::start(Claim {}).unwrap().with_factory(factory);
    assert_eq!(
        output(run.run(Context::default()).await),
        Refund { euros: 20 }
    );
}

#[tokio::test]
async fn a_model_that_cannot_tell_is_not_asked() {
    let run = tokens::start(Claim {}).unwrap();
    let model = Sure {
        confidence_type: "token_level",
        probability: Some(1.0),
    };
    let factory = ClientFactory::new().with_client(Arc::new(model));
    let run = run.with_factory(factory);
    let mut run = run.with_model("by_tokens", "anthropic://claude").unwrap();
    let error = run.run(Context::default()).await.err().unwrap().to_string();
    assert!(
        error.contains("models of `anthropic` do not tell how probable their tokens are"),
        "{error}"
    );
}

#[agent(model = "openai://m", preamble = "", output = Refund, contract)]
fn by_its_word(_: &Claim) -> String {
    String::new()
}

#[flow(named)]
fn unset(claim: Claim) -> Refund {
    flow! { by_its_word; catch(by_its_word) -> refuse }
}

// S5.8
#[tokio::test]
async fn a_contract_that_sets_no_source_takes_what_the_model_says() {
    for confidence_type in ["verbalized", "token_level", "calibrated"] {
        let answer = |confidence: f64| {
            json!({
                "primary_output": { "euros": 20 },
                "confidence": confidence,
                "confidence_type": confidence_type,
                "escalate": false,
            })
        };
        let run = |answer| {
            let script = ScriptedModel::new().reply("by_its_word", answer);
            let factory = ClientFactory::new().with_scripted(script);
            unset::start(Claim {}).unwrap().with_factory(factory)
        };
        let out = run(answer(0.9)).run(Context::default()).await;
        assert_eq!(output(out), Refund { euros: 20 });
        let out = run(answer(0.7)).run(Context::default()).await.unwrap();
        let RunOut::Suspend { value, .. } = out else {
            panic!("{out:?}");
        };
        assert_eq!(value["confidence_type"], confidence_type);
    }
}

// S5.12, S5.27
#[tokio::test]
async fn an_envelope_that_still_does_not_fit_after_the_repairs_is_a_failure_of_kind_schema() {
    let mut script = ScriptedModel::new();
    for _ in 0..3 {
        script = script.reply("by_its_word", json!({ "euros": 20 }));
    }
    let factory = ClientFactory::new().with_scripted(script);
    let run = unset::start(Claim {}).unwrap();
    let mut run = run.with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err().to_string();
    let text = "Schema: agent `by_its_word` failed after 2 repairs: the envelope does not fit: ";
    assert!(error.contains(text), "{error}");
    assert!(error.contains("`primary_output` is missing"), "{error}");
}

#[agent(
    model = "openai://m",
    preamble = "",
    output = Refund,
    contract(confidence = calibrated, budget = "8s"),
)]
fn timed(_: &Claim) -> String {
    String::new()
}

#[flow(named)]
fn budgeted(claim: Claim) -> Refund {
    flow! { timed; catch(timed) -> refuse }
}

/// Takes its time, and says nothing of use the first few times.
struct Slow {
    takes: Duration,
    useless: usize,
    busy: usize,
    asked: AtomicUsize,
}

impl ModelClient for Slow {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            tokio::time::sleep(self.takes).await;
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            if asked < self.busy {
                let error = ModelError::new(ModelErrorKind::RateLimited, "slow down");
                return Err(error.with_retry_after(Some(Duration::from_secs(3600))));
            }
            let answer = json!({
                "primary_output": { "euros": 20 },
                "confidence": 1.0,
                "confidence_type": "calibrated",
                "escalate": false,
            });
            Ok(
                ModelResponse::default().with_text(match asked < self.useless {
                    true => "well".to_owned(),
                    false => answer.to_string(),
                }),
            )
        })
    }
}

async fn slowly(takes: u64, useless: usize, busy: usize) -> Result<RunOut<Refund>, FlowError> {
    let model = Slow {
        takes: Duration::from_secs(takes),
        useless,
        busy,
        asked: AtomicUsize::new(0),
    };
    let factory = ClientFactory::new().with_client(Arc::new(model));
    let mut run = budgeted::start(Claim {})?.with_factory(factory.clone());
    // The time is part of the run.
    match run.next(Context::default()).await? {
        RunOut::Continue => {}
        out => return Ok(out),
    }
    restart(&run)
        .with_factory(factory)
        .run(Context::default())
        .await
}

// S5.9
#[tokio::test(start_paused = true)]
async fn a_model_that_takes_longer_than_its_budget_fails_the_node() {
    assert_eq!(output(slowly(7, 0, 0).await), Refund { euros: 20 });
    let error = slowly(9, 0, 0).await.err().unwrap().to_string();
    assert!(
        error.contains("Timeout: agent `timed` reached its limit"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_budget_is_for_all_answers_of_a_visit_together() {
    assert_eq!(output(slowly(3, 1, 0).await), Refund { euros: 20 });
    let error = slowly(5, 1, 0).await.err().unwrap().to_string();
    assert!(error.contains("Timeout: "), "{error}");
}

// S5.24
#[tokio::test(start_paused = true)]
async fn waiting_for_the_provider_does_not_count() {
    assert_eq!(output(slowly(3, 0, 1).await), Refund { euros: 20 });
}
