//! The answer of a gate is the last of its parameters that asks for nothing.

use pravah_runtime::prelude::*;
use serde_json::json;

#[state]
#[derive(PartialEq)]
struct Draft {
    title: String,
}

#[state]
struct Notes {
    text: String,
}

#[state]
#[derive(PartialEq)]
struct Published {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Decision {
    by: String,
}

struct Desk(&'static str);

type Ctx = Context;

/// What it asks for stands before, between and behind its states and its answer.
#[gate(prompt = format!("{}: publish {}?", desk.0, draft.title), assignee = desk.0)]
async fn publish(
    _: Step,
    draft: &Draft,
    desk: Dep<Desk>,
    decision: &Decision,
    ctx: Ctx,
    _: Files,
) -> Published {
    Published {
        text: format!(
            "{} {} {} {}",
            desk.0,
            draft.title,
            decision.by,
            ctx.step().visit()
        ),
    }
}

#[flow]
fn publishing(draft: Draft) -> Published {
    flow! { publish }
}

// S1.31
#[tokio::test]
async fn the_answer_may_have_what_the_gate_asks_for_behind_it() {
    let ctx = Context::default().with_dep(Desk("desk"));
    let mut run = FlowRuntime::new(Draft {
        title: "Tea".into(),
    })
    .unwrap();
    let RunOut::Suspend { value, tool_id } = run.next(ctx.clone()).await.unwrap() else {
        panic!("nobody is asked");
    };
    assert_eq!(value["prompt"], "desk: publish Tea?");
    assert_eq!(value["assignee"], "desk");
    assert_eq!(value["state"], json!({ "title": "Tea" }));
    assert_eq!(value["schema"]["title"], "Decision");
    let refused = run.answer(ctx.clone(), &tool_id, true).await.unwrap_err();
    assert!(
        matches!(refused, FlowError::ResumePayload { .. }),
        "{refused}"
    );
    let done = run.answer(ctx, &tool_id, json!({ "by": "Ada" })).await;
    let expected = Published {
        text: "desk Tea Ada 1".into(),
    };
    assert_eq!(done.unwrap(), RunOut::Done(expected));
}

#[node]
fn split(draft: Draft) -> (Draft2, Notes) {
    let text = draft.title.clone();
    (Draft2 { title: draft.title }, Notes { text })
}

#[state]
struct Draft2 {
    title: String,
}

/// The type of its answer is a state, too.
#[gate(prompt = format!("{title} {text}?"))]
fn join(
    Draft2 { title }: Draft2,
    ctx: &Context,
    Notes { text }: &Notes,
    answer: Draft,
) -> Published {
    let _ = ctx;
    Published {
        text: format!("{title} {text} {}", answer.title),
    }
}

#[flow(named)]
fn joining(draft: Draft) -> Published {
    flow! { split -> fork(join(join), join(join)) }
}

#[tokio::test]
async fn a_gate_waits_for_several_states_and_answers_with_one() {
    let ctx = Context::default();
    let mut run = joining::start(Draft {
        title: "Tea".into(),
    })
    .unwrap();
    assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Continue);
    let RunOut::Suspend { value, tool_id } = run.next(ctx.clone()).await.unwrap() else {
        panic!("nobody is asked");
    };
    assert_eq!(value["prompt"], "Tea Tea?");
    let done = run.answer(ctx, &tool_id, json!({ "title": "Now" })).await;
    let expected = Published {
        text: "Tea Tea Now".into(),
    };
    assert_eq!(done.unwrap(), RunOut::Done(expected));
}

#[gate(prompt = "Well?")]
fn failing(draft: Draft, answer: String, _: Commands) -> Result<Published, String> {
    Err(format!("{} {answer}", draft.title))
}

#[node]
fn rescue(failure: Failure<Draft>) -> Published {
    Published {
        text: format!("{}, {}", failure.input.title, failure.message),
    }
}

#[flow(named)]
fn caught(draft: Draft) -> Published {
    flow! { failing -> done; catch(failing) -> rescue }
}

#[tokio::test]
async fn the_failure_of_a_gate_holds_what_waited_and_not_the_answer() {
    let ctx = Context::default();
    let mut run = caught::start(Draft {
        title: "Tea".into(),
    })
    .unwrap();
    assert!(matches!(
        run.next(ctx.clone()).await,
        Ok(RunOut::Suspend { .. })
    ));
    run.answer(ctx.clone(), "failing", "no").await.unwrap();
    let RunOut::Done(published) = run.run(ctx).await.unwrap() else {
        panic!("it is done");
    };
    assert_eq!(published.text, "Tea, Tea no");
}
