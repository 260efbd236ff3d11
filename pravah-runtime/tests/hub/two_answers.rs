//! A refused answer beside another one to the same agent: each is taken or refused by itself.

use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

use pravah_runtime::{FlowSnapshot, RunStatus, prelude::*};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{Draft, Page, answers::ask_slowly};

#[agent(model = "openai://m", preamble = "Count.", output = Page, tools = [ask_slowly])]
fn count(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn counted(draft: Draft) -> Page {
    flow! { count }
}

const FIRST: &str = "count::ask_slowly";
const SECOND: &str = "count::ask_slowly#2";

/// What the agent of `node` is answered: it asks two questions in one turn.
fn script(script: ScriptedModel, node: &str) -> ScriptedModel {
    let calls = [("ask_slowly", json!({})), ("ask_slowly", json!({}))];
    script.calls(node, calls).reply(node, json!({ "n": 1 }))
}

/// A run with two open questions of one agent.
async fn asking() -> FlowRuntime<counted> {
    let factory = ClientFactory::from(script(ScriptedModel::new(), "count"));
    let run = counted::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(factory);
    run.run(Context::default()).await.unwrap();
    assert_eq!(open(&run), [FIRST, SECOND]);
    run
}

fn open<F>(run: &FlowRuntime<F>) -> Vec<String> {
    let open = run.suspensions().into_iter();
    open.map(|question| question.tool_id).collect()
}

fn json_of<F>(run: &FlowRuntime<F>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

fn is_refused<T>(out: Result<T, FlowError>, asked: &str) -> bool {
    matches!(out, Err(FlowError::ResumePayload { id, .. }) if id == asked)
}

#[tokio::test(start_paused = true)]
async fn a_refused_answer_leaves_one_that_was_kept_before() {
    let mut run = asking().await;
    let given_up = run.answer(Context::default(), FIRST, 11);
    assert!(timeout(Duration::from_millis(5), given_up).await.is_err());
    assert_eq!(run.status(), RunStatus::Ready);
    let before = json_of(&run);
    let refused = run.answer(Context::default(), SECOND, "many").await;
    assert!(is_refused(refused, SECOND));
    assert_eq!(json_of(&run), before);
    assert_eq!(run.status(), RunStatus::Ready);
    let snapshot: FlowSnapshot = serde_json::from_value(before).unwrap();
    let restored = FlowRuntime::<counted>::from_snapshot(snapshot).unwrap();
    assert_eq!(restored.status(), RunStatus::Ready);
    run.next(Context::default()).await.unwrap();
    assert_eq!(open(&run), [SECOND]);
    run.answer(Context::default(), SECOND, 22).await.unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
}

/// Answers one question, and sends the reply to the other one after so many polls. Returns how the answer ended.
async fn answered_beside_a_reply(
    run: &mut FlowRuntime<counted>,
    (answer, reply): (Value, Value),
    polls: usize,
) -> Result<RunOut<Page>, FlowError> {
    let hub = run.hub();
    let mut answer = pin!(run.answer(Context::default(), SECOND, answer));
    let mut left = polls;
    let mut reply = Some(reply);
    let ticks = poll_fn(|task| {
        if left == 0
            && let Some(reply) = reply.take()
        {
            drop(hub.reply(FIRST, reply));
        }
        left = left.saturating_sub(1);
        answer.as_mut().poll(task).map(Some)
    });
    // The hub wakes whoever awaits the answer; a tick stands for the rest of the program.
    let mut ticks = pin!(ticks);
    loop {
        let tick = poll_fn(|task| match ticks.as_mut().poll(task) {
            Poll::Ready(out) => Poll::Ready(out),
            Poll::Pending => Poll::Ready(None),
        });
        if let Some(out) = tick.await {
            return out;
        }
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_answer_leaves_a_reply_that_came_meanwhile() {
    for polls in 0..9 {
        let mut run = asking().await;
        let given = (json!("many"), json!(11));
        let refused = answered_beside_a_reply(&mut run, given, polls).await;
        assert!(is_refused(refused, SECOND), "{polls} polls");
        run.next(Context::default()).await.unwrap();
        assert_eq!(open(&run), [SECOND], "{polls} polls");
        run.answer(Context::default(), SECOND, 22).await.unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Page { n: 1 }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_read_leaves_an_answer_that_is_awaited() {
    for polls in 0..9 {
        let mut run = asking().await;
        let given = (json!(22), json!("many"));
        answered_beside_a_reply(&mut run, given, polls)
            .await
            .unwrap();
        run.run(Context::default()).await.unwrap();
        assert_eq!(open(&run), [FIRST], "{polls} polls");
        run.answer(Context::default(), FIRST, 11).await.unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Page { n: 1 }));
    }
}

#[state]
struct Start {}

#[state]
struct Counter {
    n: u32,
}

#[state]
struct End {
    pages: usize,
}

#[node]
fn drafts(_: Start) -> (Each<Draft>, Counter) {
    let drafts = (0..3).map(|n| Draft { n }).collect();
    (drafts, Counter { n: 0 })
}

#[node]
fn step(counter: Counter) -> Either<Counter, Draft> {
    match counter.n {
        9 => Either::Right(Draft { n: 9 }),
        n => Either::Left(Counter { n: n + 1 }),
    }
}

#[node]
fn end(pages: &Each<Page>, _: Draft) -> End {
    End { pages: pages.len() }
}

#[flow(named)]
fn counted_beside(start: Start) -> End {
    flow! { drafts -> fork(each(count) -> join(end), step); step -> either(step, join(end)) }
}

#[tokio::test(start_paused = true)]
async fn a_refused_answer_gives_no_turn_to_the_list_around_it() {
    for steps in 4..12 {
        let mut scripted = ScriptedModel::new();
        for item in 0..3 {
            scripted = script(scripted, &format!("count[{item}]"));
        }
        let run = counted_beside::start(Start {}).unwrap();
        let mut run = run.with_factory(ClientFactory::from(scripted));
        for _ in 0..steps {
            run.next(Context::default()).await.unwrap();
        }
        for id in open(&run) {
            let before = json_of(&run);
            let refused = run.answer(Context::default(), &id, "many").await;
            assert!(is_refused(refused, &id));
            assert_eq!(json_of(&run), before, "{id} after {steps} steps");
        }
    }
}
