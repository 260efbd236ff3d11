//! Errors whose own words cannot be had: nobody who watches may notice a difference, nor may the run.

use std::fmt;

use pravah_runtime::{
    EventKind, Failure, FailureKind, FlowEnds, FlowEvent, ScriptedModel, ToolError, prelude::*,
};
use serde_json::json;

use super::{Draft, Page, Told, come};

#[derive(Debug)]
enum Bad {
    Panics,
    Fails,
}

impl fmt::Display for Bad {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panics => panic!("no words"),
            Self::Fails => Err(fmt::Error),
        }
    }
}

impl std::error::Error for Bad {}

fn bad(draft: &Draft) -> Bad {
    match draft.n {
        0 => Bad::Panics,
        _ => Bad::Fails,
    }
}

#[node(retry(max_attempts = 2))]
fn second(draft: &Draft, step: Step) -> Result<Page, Bad> {
    match step.attempt() {
        1 => Err(bad(draft)),
        _ => Ok(Page { n: draft.n }),
    }
}

#[flow(named)]
fn retried(draft: Draft) -> Page {
    flow! { second }
}

#[node]
fn never(draft: &Draft) -> Result<Page, Bad> {
    Err(bad(draft))
}

#[flow(named)]
fn failing(draft: Draft) -> Page {
    flow! { never }
}

#[node]
fn recover(failure: Failure<Draft>) -> Page {
    assert_eq!(failure.kind, FailureKind::Error);
    Page { n: 9 }
}

#[flow(named)]
fn caught(draft: Draft) -> Page {
    flow! { never; catch(never) -> recover }
}

/// What a run comes to, and the message of the only failure that anybody who watched it saw.
async fn outcomes<F>(start: impl Fn() -> FlowRuntime<F>) -> (String, String)
where
    F: FlowEnds<Output = Page>,
{
    let alone = format!("{:?}", start().run(Context::default()).await.map_err(text));
    let mut run = start();
    let mut events = run.events();
    let watched = format!("{:?}", run.run(Context::default()).await.map_err(text));
    assert_eq!(alone, watched);
    let failures: Vec<_> = come(&mut events)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::NodeFailed { message, .. } => Some(message),
            _ => None,
        })
        .collect();
    (watched, failures.concat())
}

fn text(error: FlowError) -> String {
    error.to_string()
}

#[tokio::test]
async fn an_error_without_words_is_retried_caught_and_reported_as_any_other() {
    let words = [
        "an error whose `Display` panics: no words",
        "an error whose `Display` fails",
    ];
    for (n, words) in (0..).zip(words) {
        let out = |n| format!("Ok(Done(Page {{ n: {n} }}))");
        let (done, said) = outcomes(|| retried::start(Draft { n }).unwrap()).await;
        assert_eq!(
            (done, said),
            (out(n), format!("node `second` failed: {words}"))
        );
        let (done, said) = outcomes(|| caught::start(Draft { n }).unwrap()).await;
        assert_eq!(
            (done, said),
            (out(9), format!("node `never` failed: {words}"))
        );
        let (failed, said) = outcomes(|| failing::start(Draft { n }).unwrap()).await;
        assert_eq!(failed, format!("Err({said:?})"));
        assert_eq!(said, format!("node `never` failed: {words}"));
    }
}

/// Fails without words.
#[tool]
async fn look() -> Result<String, ToolError> {
    Err(ToolError::other(Bad::Panics))
}

#[agent(model = "openai://m", preamble = "Tell.", output = Told, tools = [look])]
fn tell(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn tale(draft: Draft) -> Told {
    flow! { tell }
}

#[tokio::test]
async fn a_tool_whose_error_has_no_words_has_failed_and_its_agent_goes_on() {
    let script = ScriptedModel::new()
        .call("tell", "look", json!({}))
        .reply("tell", json!({ "n": 1 }));
    let run = tale::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let failed: Vec<_> = come(&mut events)
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::ToolFailed { error, .. } => Some(error),
            _ => None,
        })
        .collect();
    assert_eq!(failed, ["an error whose `Display` panics: no words"]);
}

/// What panics once more when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("no words");
    }
}

#[tokio::test]
async fn an_observer_that_panics_with_what_panics_when_it_is_dropped_disturbs_nobody() {
    let run = retried::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_observer(|_: FlowEvent| std::panic::panic_any(Bomb));
    assert!(run.run(Context::default()).await.is_ok());
}
