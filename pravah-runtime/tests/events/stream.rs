//! Streams of events: bounded, and of no consequence to the run.

use std::time::Duration;

use futures_util::StreamExt as _;
use pravah_runtime::{
    EventKind, Events, FlowEvent, ModelClient, ModelFuture, ModelRequest, ModelResponse, OnText,
    prelude::*,
};
use tokio::time::timeout;

use super::{Draft, Page, come, lines};

#[state]
struct Round {
    n: u32,
}

#[node(max_visits = 10_000)]
fn turn(draft: &Draft) -> Either<Round, Page> {
    match draft.n {
        0 => Either::Right(Page { n: 0 }),
        n => Either::Left(Round { n }),
    }
}

#[node(max_visits = 10_000)]
fn again(round: &Round) -> Draft {
    Draft { n: round.n - 1 }
}

#[flow(named)]
fn rounds(draft: Draft) -> Page {
    flow! { turn -> either(again -> turn, done) }
}

#[tokio::test]
async fn a_stream_that_is_not_read_loses_the_oldest_events_and_says_how_many() {
    let mut run = rounds::start(Draft { n: 500 }).unwrap();
    let unread = run.events();
    let all = run.events();
    let all = tokio::spawn(all.collect::<Vec<_>>());
    loop {
        let out = run.next(Context::default()).await.unwrap();
        tokio::task::yield_now().await;
        if let RunOut::Done(_) = out {
            break;
        }
    }
    drop(run);
    let all = all.await.unwrap();
    let late: Vec<_> = unread.collect().await;
    let EventKind::Missed { count, .. } = late[0].kind else {
        panic!("{:?}", late[0]);
    };
    let count = usize::try_from(count).unwrap();
    assert_eq!(late[0].sequence, all[count - 1].sequence);
    assert_eq!(late[1..], all[count..]);
    assert_eq!(late.len(), 1025);
    let numbers: Vec<u64> = all.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=all.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_thousand_streams_have_the_same_events_and_end_with_the_run_that_is_still_there() {
    let mut run = rounds::start(Draft { n: 3 }).unwrap();
    let streams: Vec<_> = (0..1_000).map(|_| run.events()).collect();
    run.run(Context::default()).await.unwrap();
    let mut first = None;
    for stream in streams {
        let events: Vec<_> = stream.collect().await;
        assert_eq!(first.get_or_insert_with(|| events.clone()), &events);
    }
    let of_nodes = 7 * 3;
    assert_eq!(first.unwrap().len(), of_nodes + 2);
}

/// What comes to the end of a stream, which has to come.
async fn to_the_end(events: Events) -> Vec<String> {
    let names = events.map(|event| event.kind.name().to_owned());
    let all = timeout(Duration::from_secs(60), names.collect());
    all.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_taken_after_the_end_of_a_run_is_empty() {
    let mut watched = rounds::start(Draft { n: 1 }).unwrap();
    let hub = watched.hub();
    watched.run(Context::default()).await.unwrap();
    assert!(to_the_end(watched.events()).await.is_empty());
    assert!(to_the_end(hub.events()).await.is_empty());

    let observed = rounds::start(Draft { n: 1 }).unwrap();
    let mut observed = observed.with_observer(|_: FlowEvent| {});
    observed.run(Context::default()).await.unwrap();
    assert!(to_the_end(observed.events()).await.is_empty());

    let mut unwatched = rounds::start(Draft { n: 1 }).unwrap();
    unwatched.cancel("enough").await.unwrap();
    assert!(to_the_end(unwatched.events_with_text()).await.is_empty());
    let snapshot = unwatched.snapshot();
    let mut restored = FlowRuntime::<rounds>::from_snapshot(snapshot).unwrap();
    assert!(to_the_end(restored.hub().events()).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_a_cancelled_run_has_what_was_sent_after_the_cancel_and_ends() {
    let mut run = rounds::start(Draft { n: 1 }).unwrap();
    let events = run.events();
    run.next(Context::default()).await.unwrap();
    run.cancel("enough").await.unwrap();
    let names = to_the_end(events).await;
    assert_eq!(names[4..], ["session:abort", "harness:complete"]);
}

#[tokio::test(start_paused = true)]
async fn a_restored_run_has_streams_of_its_own() {
    let mut run = rounds::start(Draft { n: 1 }).unwrap();
    let first = run.events();
    run.next(Context::default()).await.unwrap();
    let mut restored = FlowRuntime::<rounds>::from_snapshot(run.snapshot()).unwrap();
    let second = restored.events();
    run.cancel("enough").await.unwrap();
    assert_eq!(to_the_end(first).await.last().unwrap(), "harness:complete");
    restored.run(Context::default()).await.unwrap();
    let names = to_the_end(second).await;
    assert!(!names.contains(&"session:abort".to_owned()));
    assert_eq!(
        (names.len(), &**names.last().unwrap()),
        (8, "harness:complete")
    );
}

#[tokio::test]
async fn a_stream_of_a_run_that_waits_for_an_answer_goes_on_with_it() {
    let mut run = asking::start(Draft { n: 1 }).unwrap();
    let mut events = run.events().only(["session:*", "harness:complete"]);
    run.run(Context::default()).await.unwrap();
    assert_eq!(lines(&mut events), ["check session:prompt check"]);
    run.answer(Context::default(), "check", 2).await.unwrap();
    let expected = ["check session:reply check", "run harness:complete true"];
    assert_eq!(lines(&mut events), expected);
}

#[gate(prompt = "How many?")]
fn check(draft: &Draft, more: u32) -> Page {
    Page { n: draft.n + more }
}

#[flow(named)]
fn asking(draft: Draft) -> Page {
    flow! { check }
}

#[tokio::test]
async fn a_stream_of_some_events_has_no_others_but_what_it_has_lost() {
    let mut run = rounds::start(Draft { n: 500 }).unwrap();
    let mut everything = run.events().only(["*"]);
    let mut nothing = run.events().only(["task", "step:*", ""]);
    let steps = run.events().only(["ste*", "harness:complete"]);
    run.run(Context::default()).await.unwrap();
    assert_eq!(come(&mut everything).len(), 1025);
    assert_eq!(lines(&mut nothing), ["run missed 1981"]);
    let steps: Vec<_> = steps
        .map(|event| event.kind.name().to_owned())
        .collect()
        .await;
    let (missed, rest) = steps.split_first().unwrap();
    let (last, steps) = rest.split_last().unwrap();
    assert_eq!((&**missed, &**last), ("missed", "harness:complete"));
    assert_eq!(steps.len(), 341);
    assert!(steps.iter().all(|name| name == "step"));
}

#[tokio::test]
async fn a_stream_begins_where_it_is_taken_and_may_be_dropped() {
    let mut run = rounds::start(Draft { n: 1 }).unwrap();
    drop(run.events());
    run.next(Context::default()).await.unwrap();
    let mut events = run.events();
    run.next(Context::default()).await.unwrap();
    let expected = ["again task:start", "again step 2", "again task:complete"];
    assert_eq!(lines(&mut events), expected);
}

#[tokio::test]
async fn whether_anybody_watches_changes_nothing_of_a_snapshot() {
    let bytes = async |watched: bool| {
        let mut run = rounds::start(Draft { n: 2 }).unwrap().with_run_id("r");
        let _events = watched.then(|| run.events());
        let mut all = Vec::new();
        loop {
            let out = run.next(Context::default()).await.unwrap();
            all.push(serde_json::to_string(&run.snapshot()).unwrap());
            if let RunOut::Done(page) = out {
                return (all, page);
            }
        }
    };
    assert_eq!(bytes(true).await, bytes(false).await);
}

#[state]
struct Tale {
    text: String,
}

#[agent(model = "openai://m", preamble = "Tell.", output = Tale)]
fn tell(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn telling(draft: Draft) -> Tale {
    flow! { tell }
}

/// Says its text in pieces, where it is asked for a stream, and some more before.
struct Teller {
    more: usize,
}

impl ModelClient for Teller {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        let response = ModelResponse::default().with_text(r#"{"text":"the end"}"#);
        Box::pin(async move { Ok(response) })
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        (0..self.more).for_each(|_| on_text("…"));
        on_text(r#"{"text":"#);
        on_text(r#""the end"}"#);
        self.complete(request)
    }
}

#[tokio::test]
async fn models_are_asked_for_a_stream_of_text_only_for_those_who_want_it() {
    let pieces = async |with_text: bool| {
        let factory = ClientFactory::new().with_client(std::sync::Arc::new(Teller { more: 0 }));
        let run = telling::start(Draft { n: 0 }).unwrap();
        let mut run = run.with_factory(factory);
        let mut events = match with_text {
            true => run.events_with_text(),
            false => run.events(),
        };
        run.run(Context::default()).await.unwrap();
        let is_text = |event: &FlowEvent| event.kind.name() == "agent:text";
        come(&mut events).into_iter().filter(is_text).count()
    };
    assert_eq!(pieces(false).await, 0);
    assert_eq!(pieces(true).await, 2);
}

#[tokio::test]
async fn models_are_asked_for_no_stream_of_text_once_nobody_wants_it_any_more() {
    let run = telling::start(Draft { n: 0 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_client(std::sync::Arc::new(Whole)));
    let _events = run.events();
    drop(run.events_with_text());
    run.run(Context::default()).await.unwrap();
}

/// Is never asked for a stream.
struct Whole;

impl ModelClient for Whole {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Teller { more: 0 }.complete(request)
    }

    fn stream<'a>(&'a self, _: &'a ModelRequest, _: OnText<'a>) -> ModelFuture<'a> {
        panic!("nobody wants the text");
    }
}

#[tokio::test]
async fn the_text_of_models_is_only_in_the_streams_and_observers_that_ask_for_it() {
    let factory = ClientFactory::new().with_client(std::sync::Arc::new(Teller { more: 0 }));
    let run = telling::start(Draft { n: 0 }).unwrap();
    let (sender, observed) = std::sync::mpsc::channel();
    let mut run = run
        .with_factory(factory)
        .with_observer(move |event| drop(sender.send(event)));
    let (mut plain, mut with_text) = (run.events(), run.events_with_text());
    run.run(Context::default()).await.unwrap();
    let is_text = |event: &FlowEvent| event.kind.name() == "agent:text";
    let all = come(&mut with_text);
    assert_eq!(all.iter().filter(|event| is_text(event)).count(), 2);
    let others: Vec<_> = all.into_iter().filter(|event| !is_text(event)).collect();
    assert_eq!(come(&mut plain), others);
    assert_eq!(observed.try_iter().collect::<Vec<_>>(), others);
}

#[tokio::test]
async fn a_stream_taken_after_the_first_step_has_no_start() {
    let mut run = rounds::start(Draft { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let mut events = run.events();
    run.next(Context::default()).await.unwrap();
    let expected = ["again task:start", "again step 2", "again task:complete"];
    assert_eq!(lines(&mut events), expected);
}

#[tokio::test]
async fn a_stream_without_text_loses_nothing_to_the_text_that_others_have() {
    let more = 3_000;
    let factory = ClientFactory::new().with_client(std::sync::Arc::new(Teller { more }));
    let mut run = telling::start(Draft { n: 0 })
        .unwrap()
        .with_factory(factory);
    let (mut plain, mut with_text) = (run.events(), run.events_with_text());
    run.run(Context::default()).await.unwrap();
    let names = |events: Vec<FlowEvent>| -> Vec<String> {
        let names = events.iter().map(|event| event.kind.name().to_owned());
        names.collect()
    };
    let (plain, with_text) = (names(come(&mut plain)), names(come(&mut with_text)));
    assert!(!plain.contains(&"missed".to_owned()), "{plain:?}");
    assert_eq!(plain.last().unwrap(), "harness:complete");
    assert_eq!(with_text.len(), 1025);
    assert_eq!(with_text.first().unwrap(), "missed");
    assert_eq!(with_text.last().unwrap(), "harness:complete");
}
