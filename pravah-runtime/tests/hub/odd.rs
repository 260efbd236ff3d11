//! Commands at odd moments.

use std::time::Duration;

use futures_util::FutureExt as _;
use pravah_runtime::{Hub, RunStatus, ScriptedModel, ToolError, prelude::*};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Draft, Page, now, start};

/// Asks twice, and takes a second to read an answer.
#[tool]
async fn ask(which: u32, ctx: Context) -> Result<u32, ToolError> {
    match ctx.resumed::<u32>()? {
        Some(number) => {
            sleep(Duration::from_secs(1)).await;
            Ok(number)
        }
        None => Err(ToolError::suspend(json!(which))),
    }
}

#[agent(model = "openai://m", preamble = "Count.", output = Page, tools = [ask])]
fn count(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn counted(draft: Draft) -> Page {
    flow! { count }
}

#[tokio::test(start_paused = true)]
async fn a_reply_to_one_question_of_an_agent_comes_while_the_answer_to_another_is_taken() {
    let script = ScriptedModel::new()
        .calls(
            "count",
            [
                ("ask", json!({ "which": 1 })),
                ("ask", json!({ "which": 2 })),
            ],
        )
        .reply("count", json!({ "n": 1 }));
    let run = counted::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let open: Vec<_> = run.suspensions().into_iter().map(|it| it.tool_id).collect();
    assert_eq!(open, ["count::ask", "count::ask#2"]);
    let replier = tokio::spawn(async move {
        sleep(Duration::from_millis(500)).await;
        hub.reply("count::ask#2", 2).await
    });
    let out = run
        .answer(Context::default(), "count::ask", 1)
        .await
        .unwrap();
    assert_eq!(out, RunOut::Continue);
    replier.await.unwrap().unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_body_may_cancel_its_own_run() {
    #[node]
    async fn stop(_: &Draft, hub: Dep<Hub>) -> Page {
        hub.cancel("by a body").await.unwrap();
        Page { n: 0 }
    }
    #[flow(named)]
    fn stopping(draft: Draft) -> Page {
        flow! { stop }
    }

    let mut run = stopping::start(Draft { n: 1 }).unwrap();
    let ctx = Context::default().with_dep(run.hub());
    let error = run.run(ctx).await.unwrap_err();
    assert!(matches!(error, FlowError::Cancelled { reason, .. } if reason == "by a body"));
}

#[tokio::test(start_paused = true)]
async fn an_observer_may_send_commands() {
    let mut run = start(1);
    let hub = run.hub();
    let mut run = run.with_observer(move |event: FlowEvent| {
        if let EventKind::QuestionAsked { id, .. } = event.kind {
            assert!(matches!(hub.status(), RunStatus::Suspended { .. }));
            hub.reply(id, 2);
        }
    });
    let out = run.serve(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
}

#[tokio::test]
async fn a_hub_of_a_run_that_has_ended_says_so() {
    let mut run = start(1);
    run.cancel("enough").await.unwrap();
    let hub = run.hub();
    assert!(matches!(hub.status(), RunStatus::Cancelled { .. }));
    assert!(matches!(
        now(&mut hub.pause()),
        Some(Err(FlowError::Cancelled { .. }))
    ));
    assert!(!run.changed().await);
    run.serve(Context::default()).await.unwrap_err();
}

#[test]
fn commands_are_taken_outside_of_tokio() {
    #[node(max_visits = 10_000)]
    fn turn(draft: &Draft) -> Either<Again, Page> {
        match draft.n {
            0 => Either::Right(Page { n: 0 }),
            n => Either::Left(Again { n: n - 1 }),
        }
    }
    #[state]
    struct Again {
        n: u32,
    }
    #[node(max_visits = 10_000)]
    fn again(again: Again) -> Draft {
        Draft { n: again.n }
    }
    #[flow(named)]
    fn long(draft: Draft) -> Page {
        flow! { turn -> either(again -> turn, done) }
    }

    let mut run = long::start(Draft { n: 5_000 }).unwrap();
    let hub = run.hub();
    let ctx = Context::default();
    let mut running = std::pin::pin!(run.run(ctx));
    let waker = futures_util::task::noop_waker();
    let mut task = std::task::Context::from_waker(&waker);
    // It pauses now and then by itself.
    for _ in 0..3 {
        assert!(running.poll_unpin(&mut task).is_pending());
    }
    let mut cancel = hub.cancel("enough");
    let std::task::Poll::Ready(out) = running.poll_unpin(&mut task) else {
        panic!("it goes on");
    };
    assert!(matches!(out, Err(FlowError::Cancelled { .. })));
    assert_eq!(now(&mut cancel).unwrap().unwrap(), 3 * 128);
}

#[state]
struct Batch {
    drafts: Vec<Draft>,
}
#[state]
struct Paid {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Total {
    n: u32,
}

#[node]
fn split(batch: Batch) -> Each<Draft> {
    batch.drafts.into()
}

#[gate(event = format!("paid:{}", draft.n), timeout = "1h")]
fn payment(draft: &Draft, cents: u32) -> Paid {
    Paid { n: draft.n + cents }
}

#[node]
fn sum(paid: Each<Paid>) -> Total {
    Total {
        n: paid.iter().map(|paid| paid.n).sum(),
    }
}

#[flow(named)]
fn orders(batch: Batch) -> Total {
    flow! { split -> each(payment) -> sum }
}

#[tokio::test(start_paused = true)]
async fn each_item_of_a_list_takes_the_event_of_its_own() {
    let drafts = (1..=3).map(|n| Draft { n }).collect();
    let mut run = orders::start(Batch { drafts }).unwrap();
    let hub = run.hub();
    // In another order, one before its gate asks.
    hub.emit("paid:3", 300);
    let bank = tokio::spawn(async move {
        sleep(Duration::from_secs(10)).await;
        hub.emit("paid:2", 200).await.unwrap();
        hub.emit("paid:1", 100).await.unwrap();
    });
    let out = run.serve(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Total { n: 606 }));
    bank.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_that_comes_with_the_end_of_the_time_counts() {
    let mut run = orders::start(Batch {
        drafts: vec![Draft { n: 1 }],
    })
    .unwrap();
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let started = Instant::now();
    sleep(Duration::from_secs(3_600)).await;
    hub.emit("paid:1", 100);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Total { n: 101 }));
    assert_eq!(started.elapsed(), Duration::from_secs(3_600));
}

#[tokio::test(start_paused = true)]
async fn with_one_body_at_a_time_a_reply_waits_for_the_next_step_and_is_not_lost() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    hub.reply("approve", 2);
    run.next(Context::default()).await.unwrap();
    let mut printing = std::pin::pin!(run.next(Context::default()));
    assert!(futures_util::poll!(printing.as_mut()).is_pending());
    let late = hub.reply("approve", 3);
    let pause = hub.pause();
    assert_eq!(printing.await.unwrap(), RunOut::Done(Page { n: 3 }));
    assert!(matches!(
        late.await.unwrap_err(),
        FlowError::AlreadyAnswered { .. }
    ));
    assert_eq!(pause.await.unwrap(), 2);
    assert_eq!(hub.status(), RunStatus::Done);
}
