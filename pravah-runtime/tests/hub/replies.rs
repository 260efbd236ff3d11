//! Answers to questions.

use futures_util::FutureExt as _;
use pravah_runtime::{RunStatus, ScriptedModel, ToolError, prelude::*};
use serde_json::json;

use super::{Draft, Page, now, start};

#[tokio::test(start_paused = true)]
async fn a_reply_is_taken_by_the_next_step_and_says_after_how_many() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    assert!(matches!(hub.status(), RunStatus::Suspended { open, .. } if open == ["approve"]));
    let mut reply = hub.reply("approve", 2);
    assert!(now(&mut reply).is_none());
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    assert_eq!(reply.await.unwrap(), 1);
    assert_eq!(hub.status(), RunStatus::Done);
}

#[tokio::test(start_paused = true)]
async fn nobody_has_to_wait_for_what_becomes_of_a_command() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    drop(hub.reply("approve", 2));
    drop(hub);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
}

#[tokio::test(start_paused = true)]
async fn of_two_replies_to_one_question_the_first_counts_and_the_other_is_told() {
    let mut run = start(1);
    let (one, other) = (run.hub(), run.hub());
    run.next(Context::default()).await.unwrap();
    let (first, second) = (one.reply("approve", 2), other.reply("approve", 7));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    assert_eq!(first.await.unwrap(), 1);
    let error = second.await.unwrap_err();
    assert!(matches!(error, FlowError::AlreadyAnswered { id, .. } if id == "approve"));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_does_not_fit_is_refused_and_the_question_stays_open() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let (bad, unknown) = (hub.reply("approve", "many"), hub.reply("publish", 1));
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "approve"));
    assert!(
        matches!(bad.await.unwrap_err(), FlowError::ResumePayload { id, .. } if id == "approve")
    );
    assert!(matches!(
        unknown.await.unwrap_err(),
        FlowError::ResumeMismatchError(_)
    ));
    let mut good = hub.reply("approve", 1);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    assert_eq!(now(&mut good).unwrap().unwrap(), 1);
}

#[tokio::test]
async fn a_value_that_cannot_be_json_is_not_sent() {
    let mut run = start(1);
    let hub = run.hub();
    let no_json = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = hub.reply("approve", no_json).await.unwrap_err();
    assert!(matches!(error, FlowError::SerializeError(_)));
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    for sent in [hub.reply("approve", &deep), hub.emit("paid", &deep)] {
        assert!(matches!(
            sent.await.unwrap_err(),
            FlowError::SerializeError(_)
        ));
    }
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    assert!(stored.get("inbox").is_none());
}

#[tokio::test]
async fn so_many_commands_wait_and_no_more_but_one_to_cancel() {
    let mut run = start(1);
    let hub = run.hub();
    for _ in 0..1_024 {
        assert!(now(&mut hub.unpause()).is_none());
    }
    let error = hub.pause().await.unwrap_err();
    assert!(matches!(error, FlowError::InboxFull { limit: 1_024, .. }));
    let mut cancel = hub.cancel("enough");
    assert!(now(&mut cancel).is_none());
    assert!(now(&mut hub.cancel("again")).unwrap().is_err());
    run.next(Context::default()).await.unwrap_err();
    assert_eq!(now(&mut cancel).unwrap().unwrap(), 0);
}

#[tokio::test]
async fn events_that_no_gate_takes_keep_no_answer_out() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    for n in 0..1_024 {
        assert!(now(&mut hub.emit("never", n)).is_none());
    }
    let error = hub.emit("never", 1_024).await.unwrap_err();
    assert!(matches!(error, FlowError::InboxFull { limit: 1_024, .. }));
    let mut reply = hub.reply("approve", 2);
    run.next(Context::default()).now_or_never();
    assert_eq!(now(&mut reply).unwrap().unwrap(), 1);
    let stored = serde_json::to_string(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_str(&stored).unwrap();
    assert!(FlowRuntime::<super::story>::from_snapshot(snapshot).is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_late_is_not_taken_for_the_next_question_of_that_id() {
    let mut run = counting::start(Draft { n: 0 }).unwrap();
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let first = &hub.suspensions()[0];
    let (taken, mut late) = (hub.reply_to(first, true), hub.reply_to(first, false));
    run.run(Context::default()).await.unwrap();
    taken.await.unwrap();
    let error = now(&mut late).unwrap().unwrap_err();
    assert!(matches!(error, FlowError::AlreadyAnswered { id, .. } if id == "more"));
    // Another one, of the same id, is open: also in another process.
    let second = &hub.suspensions()[0];
    assert_eq!((&second.tool_id, second.number), (&first.tool_id, 1));
    let stored = serde_json::to_string(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_str(&stored).unwrap();
    let mut run = FlowRuntime::<counting>::from_snapshot(snapshot).unwrap();
    let hub = run.hub();
    let (late, last) = (hub.reply_to(first, true), hub.reply_to(second, false));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert!(matches!(late.await, Err(FlowError::AlreadyAnswered { .. })));
    last.await.unwrap();
}

#[tokio::test]
async fn a_hub_knows_the_id_that_a_run_was_given_after_it() {
    let mut run = start(1);
    let hub = run.hub();
    let _run = run.with_run_id("order-7");
    assert_eq!(&*hub.run_id(), "order-7");
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_to_a_run_that_has_ended_or_is_gone_is_an_error() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let reply = hub.reply("approve", 2);
    let late = hub.emit("never", ());
    run.run(Context::default()).await.unwrap();
    reply.await.unwrap();
    assert!(matches!(late.await.unwrap_err(), FlowError::Finished));
    assert!(matches!(
        hub.pause().await.unwrap_err(),
        FlowError::Finished
    ));

    let mut run = start(1);
    let hub = run.hub();
    let unread = hub.pause();
    drop(run);
    assert!(matches!(unread.await.unwrap_err(), FlowError::RunDropped));
    assert!(matches!(
        hub.pause().await.unwrap_err(),
        FlowError::RunDropped
    ));
    assert!(hub.events().next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_takes_replies_and_goes_on_once_it_is_unpaused() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let (pause, reply) = (hub.pause(), hub.reply("approve", 2));
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Waiting { until: None, .. }));
    assert_eq!((pause.await.unwrap(), reply.await.unwrap()), (1, 1));
    assert_eq!(hub.status(), RunStatus::Paused);
    let unpause = hub.unpause();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    assert_eq!(unpause.await.unwrap(), 1);
}

/// Asks for a number.
#[tool]
async fn ask(ctx: Context) -> Result<u32, ToolError> {
    match ctx.resumed::<u32>()? {
        Some(number) => Ok(number),
        None => Err(ToolError::suspend(json!("How many?"))),
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

#[tokio::test]
async fn a_tool_that_cannot_read_its_reply_asks_again() {
    let script = ScriptedModel::new()
        .call("count", "ask", json!({}))
        .reply("count", json!({ "n": 1 }));
    let run = counted::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let taken = hub.reply("count::ask", "many");
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "count::ask"));
    assert_eq!(taken.await.unwrap(), 2);
    let taken = hub.reply("count::ask", 7);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert_eq!(taken.await.unwrap(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_hears_what_became_of_a_command_finds_it_on_the_hub() {
    let mut run = counting::start(Draft { n: 0 }).unwrap();
    let hub = run.hub();
    let mut questions = hub.events().only(["session:prompt"]);
    let answering = tokio::spawn(async move {
        for n in 1..=200 {
            questions.next().await.unwrap();
            hub.pause().await.unwrap();
            assert_eq!(hub.status(), RunStatus::Paused);
            hub.unpause().await.unwrap();
            assert_ne!(hub.status(), RunStatus::Paused);
            hub.reply("more", n < 200).await.unwrap();
        }
    });
    run.serve(Context::default()).await.unwrap();
    answering.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_comes_while_another_body_runs_is_taken_before_that_is_committed() {
    #[node]
    fn both(draft: &Draft) -> (Slow, Draft) {
        (Slow {}, Draft { n: draft.n })
    }
    #[state]
    struct Slow {}
    #[state]
    struct Waited {}
    #[node]
    async fn wait(_: &Slow) -> Waited {
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        Waited {}
    }
    #[node]
    fn close(_: Waited, checked: super::Checked) -> Page {
        Page { n: checked.n }
    }
    use super::approve;
    #[flow(named)]
    fn two(draft: Draft) -> Page {
        flow! { both -> fork(wait, approve) -> join(close) }
    }

    let mut run = two::start(Draft { n: 1 }).unwrap().with_concurrency(2);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let mut asked = hub.events().only(["session:prompt"]);
    let desk = tokio::spawn({
        let hub = hub.clone();
        async move {
            asked.next().await;
            hub.reply("approve", 2).await
        }
    });
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    // Split and asked; the other branch has taken ten seconds.
    assert_eq!(desk.await.unwrap().unwrap(), 2);
}

#[state]
struct Asked {
    n: u32,
}

#[gate(prompt = "More?", max_visits = 1_000)]
fn more(draft: &Draft, more: bool) -> Either<Asked, Page> {
    match more {
        true => Either::Left(Asked { n: draft.n }),
        false => Either::Right(Page { n: draft.n }),
    }
}

#[node(max_visits = 1_000)]
fn count_one(asked: Asked) -> Draft {
    Draft { n: asked.n + 1 }
}

#[flow(named)]
fn counting(draft: Draft) -> Page {
    flow! { more -> either(count_one -> more, done) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_of_another_task_is_missed_and_its_question_is_known_when_its_event_comes() {
    let mut run = counting::start(Draft { n: 0 }).unwrap();
    let hub = run.hub();
    let mut questions = hub.events().only(["session:prompt"]);
    let replies = tokio::spawn(async move {
        for n in 1..=500 {
            questions.next().await.unwrap();
            let status = hub.status();
            assert!(matches!(status, RunStatus::Suspended { .. }), "{status:?}");
            hub.reply("more", n < 500).await.unwrap();
        }
    });
    let out = tokio::spawn(async move { run.serve(Context::default()).await });
    assert_eq!(out.await.unwrap().unwrap(), RunOut::Done(Page { n: 499 }));
    replies.await.unwrap();
}
