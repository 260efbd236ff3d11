//! Answers by the owner of a run, beside the commands of hubs.

use std::time::Duration;

use pravah_runtime::{EventKind, RunStatus, ScriptedModel, ToolError, prelude::*};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Draft, Page};

/// Asks for a number, and takes a second to read it.
#[tool]
pub(super) async fn ask_slowly(ctx: Context) -> Result<u32, ToolError> {
    sleep(Duration::from_secs(1)).await;
    match ctx.resumed::<u32>()? {
        Some(number) => Ok(number),
        None => Err(ToolError::suspend(json!("How many?"))),
    }
}

#[agent(model = "openai://m", preamble = "Count.", output = Page, tools = [ask_slowly])]
fn count_slowly(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn counted_slowly(draft: Draft) -> Page {
    flow! { count_slowly }
}

/// A run whose tool waits for an answer.
async fn asking() -> FlowRuntime<counted_slowly> {
    let script = ScriptedModel::new()
        .call("count_slowly", "ask_slowly", json!({}))
        .reply("count_slowly", json!({ "n": 1 }));
    let run = counted_slowly::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    run.run(Context::default()).await.unwrap();
    run
}

const ASK: &str = "count_slowly::ask_slowly";

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_tool_cannot_read_undoes_no_command_that_came_meanwhile() {
    let mut run = asking().await;
    let hub = run.hub();
    let mut prompts = hub.events().only(["session:prompt"]);
    let pause = tokio::spawn(async move {
        sleep(Duration::from_millis(500)).await;
        hub.pause().await
    });
    let error = run.answer(Context::default(), ASK, "many").await;
    assert!(matches!(error, Err(FlowError::ResumePayload { id, .. }) if id == ASK));
    // Whoever hears of the question finds it on the hub.
    let asked = prompts.next().await.unwrap();
    assert!(matches!(asked.kind, EventKind::QuestionAsked { id, .. } if id == ASK));
    let [open] = &run.hub().suspensions()[..] else {
        panic!("the question is not open")
    };
    assert_eq!(open.tool_id, ASK);
    pause.await.unwrap().unwrap();
    assert_eq!(run.status(), RunStatus::Paused);
    let out = run.answer(Context::default(), ASK, 7).await.unwrap();
    assert!(matches!(out, RunOut::Waiting { .. }));
    run.unpause();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_step_that_an_answer_makes_ends_where_a_hub_cancels_the_run() {
    let mut run = asking().await;
    let hub = run.hub();
    let cancel = tokio::spawn(async move {
        sleep(Duration::from_millis(500)).await;
        hub.cancel("enough").await
    });
    let started = Instant::now();
    let error = run.answer(Context::default(), ASK, 7).await;
    assert!(matches!(error, Err(FlowError::Cancelled { .. })));
    assert_eq!(started.elapsed(), Duration::from_millis(500));
    cancel.await.unwrap().unwrap();
}
