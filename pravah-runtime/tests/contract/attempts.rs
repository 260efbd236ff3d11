//! What is decided of an answer is not tried again, and an answer that is no envelope is.

use std::time::Duration;

use pravah_runtime::{RunStatus, prelude::*};
use serde_json::{Value, json};

use crate::{
    macros_support::{Recorder, output, restart, suspended},
    refunds::{Claim, Letter, Refund, claim, envelope, write},
};

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide on refunds.",
    output = Refund,
    max_repairs = 0,
    retry(max_attempts = 3, backoff = "10s"),
    contract(suppress_below = 0.4, review = 0.4..=0.9, auto_approve_above = 0.9, confidence = verbalized, version = "2.1"),
)]
fn decide(claim: &Claim) -> String {
    claim.text.clone()
}

#[node]
fn excuse(failure: Failure<Claim>) -> Letter {
    Letter {
        text: format!("{:?} after {}", failure.kind, failure.attempts),
    }
}

#[flow(named)]
fn retried(claim: Claim) -> Letter {
    flow! { decide -> write -> done; catch(decide) -> excuse -> done }
}

/// A model that answers with these, one after another.
fn answers<const N: usize>(answers: [Value; N]) -> Recorder {
    let script = ScriptedModel::new();
    Recorder::new(answers.into_iter().fold(script, |script, answer| {
        script.text("decide", answer.to_string())
    }))
}

fn start(model: &Recorder) -> FlowRuntime<impl pravah_runtime::FlowDef<Output = Letter>> {
    let run = retried::start(claim()).unwrap();
    run.with_factory(model.factory())
}

// S5.19
#[tokio::test(start_paused = true)]
async fn a_suppressed_answer_is_not_tried_again() {
    let model = answers([envelope(0.1, false), envelope(0.95, false)]);
    let start = tokio::time::Instant::now();
    let letter = output(self::start(&model).run(Context::default()).await);
    assert_eq!(letter.text, "Suppressed after 1");
    assert_eq!((model.asked().len(), start.elapsed()), (1, Duration::ZERO));
}

// S5.23
#[tokio::test(start_paused = true)]
async fn a_rejected_answer_is_not_tried_again_also_in_another_process() {
    for restarts in [false, true] {
        let model = answers([envelope(0.7, false), envelope(0.95, false)]);
        let mut run = start(&model);
        let (id, _) = suspended(run.run(Context::default()).await);
        if restarts {
            run = restart(&run).with_factory(model.factory());
        }
        let reject = json!({ "verdict": "reject", "reason": "too much" });
        run.answer(Context::default(), &id, reject).await.unwrap();
        let letter = output(run.run(Context::default()).await);
        assert_eq!(letter.text, "Rejected after 1");
        assert_eq!(model.asked().len(), 1);
    }
}

// S5.27
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_envelope_is_tried_again_and_decided_by_the_next() {
    let no_envelope = || json!({ "euros": 20 });
    for (third, text) in [
        (envelope(0.95, false), "You get 20 euros."),
        (envelope(0.1, false), "Suppressed after 3"),
        (no_envelope(), "Schema after 3"),
    ] {
        let model = answers([no_envelope(), no_envelope(), third]);
        let mut run = start(&model);
        let start = tokio::time::Instant::now();
        let letter = output(run.run(Context::default()).await);
        assert_eq!(letter.text, text);
        assert_eq!(start.elapsed(), Duration::from_secs(20));
        // Each attempt is a conversation of its own.
        let sizes: Vec<usize> = model.asked().iter().map(|it| it.messages.len()).collect();
        assert_eq!(sizes, [1, 1, 1]);
        assert_eq!((run.model_calls(), run.status()), (3, RunStatus::Done));
    }
}
