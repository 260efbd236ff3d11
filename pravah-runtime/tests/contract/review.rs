//! Reviews: what a person is asked of an answer, and what the verdict does.

use pravah_runtime::{Review, StepKind, prelude::*};
use serde_json::{Value, json};

use crate::{
    macros_support::{Recorder, output, restart, suspended},
    refunds::{Letter, Refund, answers, envelope, run},
};

async fn reviewed(review: Value) -> (Letter, Recorder) {
    let model = answers(envelope(0.7, false));
    let (id, _) = suspended(run(&model).run(Context::default()).await);
    let mut run = run(&model);
    suspended(run.run(Context::default()).await);
    // Somebody answers, another day, in a process without a model.
    let mut run = restart(&run);
    match run.resume(Context::default(), (id, review)).await.unwrap() {
        RunOut::Done(letter) => (letter, model),
        _ => (output(run.run(Context::default()).await), model),
    }
}

// S5.23
#[tokio::test]
async fn what_a_person_approves_goes_on_and_nobody_is_asked_again() {
    let (letter, model) = reviewed(json!({ "verdict": "approve" })).await;
    assert_eq!(letter.text, "You get 20 euros.");
    assert_eq!(model.asked().len(), 2, "one for each of the two runs");
}

// S5.23
#[tokio::test]
async fn what_a_person_edits_goes_on_in_place_of_the_answer() {
    let edit = Review::Edit {
        output: Refund { euros: 5 },
    };
    let (letter, _) = reviewed(serde_json::to_value(edit).unwrap()).await;
    assert_eq!(letter.text, "You get 5 euros.");
}

// S5.23
#[tokio::test]
async fn what_a_person_rejects_fails_with_the_reason() {
    let rejected = "Rejected: the answer of agent `judge` was rejected";
    let (letter, _) = reviewed(json!({ "verdict": "reject", "reason": "too much" })).await;
    assert_eq!(letter.text, format!("{rejected}: too much"));
    let (letter, _) = reviewed(json!({ "verdict": "reject" })).await;
    assert_eq!(letter.text, rejected);
}

// S5.23
#[tokio::test]
async fn the_record_says_that_a_person_wrote_what_goes_on() {
    let model = answers(envelope(0.7, false));
    let mut run = run(&model);
    let (id, _) = suspended(run.run(Context::default()).await);
    let edit = json!({ "verdict": "edit", "output": { "euros": 5 } });
    run.resume(Context::default(), (id, edit)).await.unwrap();
    output(run.run(Context::default()).await);
    let history = serde_json::to_string(run.history()).unwrap();
    assert!(
        history.contains("A person put this in place of the result"),
        "{history}"
    );
}

#[tokio::test]
async fn a_verdict_that_does_not_fit_leaves_the_review_open() {
    let model = answers(envelope(0.7, false));
    let mut run = run(&model);
    let (id, question) = suspended(run.run(Context::default()).await);
    let before = serde_json::to_value(run.snapshot()).unwrap();
    for payload in [
        json!("approve"),
        json!(["approve"]),
        json!({}),
        json!({ "verdict": "perhaps" }),
        json!({ "verdict": "approve", "output": { "euros": 1 } }),
        json!({ "verdict": "edit" }),
        json!({ "verdict": "edit", "output": { "euros": "many" } }),
        Value::Null,
    ] {
        let error = run
            .resume(Context::default(), (id.clone(), payload.clone()))
            .await;
        assert!(
            matches!(error, Err(FlowError::ResumePayload { .. })),
            "{payload}"
        );
        assert_eq!(
            serde_json::to_value(run.snapshot()).unwrap(),
            before,
            "{payload}"
        );
    }
    assert_eq!(run.suspensions()[0].value, question);
    let approve = (id, json!({ "verdict": "approve" }));
    run.resume(Context::default(), approve).await.unwrap();
    assert_eq!(run.last_step().unwrap().kind, StepKind::Review);
}

#[tokio::test]
async fn the_question_says_what_a_verdict_is() {
    let model = answers(envelope(0.7, false));
    let (_, question) = suspended(run(&model).run(Context::default()).await);
    let forms = question["schema"]["oneOf"].as_array().unwrap();
    let verdicts: Vec<_> = forms
        .iter()
        .map(|form| &form["properties"]["verdict"]["const"])
        .collect();
    assert_eq!(verdicts, ["approve", "edit", "reject"]);
    assert_eq!(
        forms[1]["properties"]["output"]["properties"]["euros"]["type"],
        "integer"
    );
}
