//! Models that cannot answer now: the run waits, and never within a step.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_runtime::{
    Entries, EventKind, FlowEvent, FlowObserver, ManualClock, ModelClient, ModelError,
    ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, StepKind, prelude::*,
};
use serde_json::{Value, json};

use crate::changes;

#[state]
struct Ticket {}
#[state]
struct Note {}
#[state]
struct Verdict {
    urgent: bool,
}
#[state]
struct Logged {}
#[state]
#[derive(Debug, PartialEq)]
struct Closed {
    urgent: bool,
}

#[node]
fn split(_: Ticket) -> (Note, Logged) {
    (Note {}, Logged {})
}

#[agent(model = "openai://m", preamble = "Triage.", output = Verdict)]
fn triage(_: &Note) -> String {
    String::new()
}

#[node]
fn close(verdict: Verdict, _: Noted) -> Closed {
    Closed {
        urgent: verdict.urgent,
    }
}

#[state]
struct Noted {}

#[node]
fn log(_: Logged) -> Noted {
    Noted {}
}

#[node]
fn rescue(failure: Failure<Note>) -> Verdict {
    // Not in the words of the provider, which may not reach a model.
    assert_eq!(
        failure.message,
        "the model of agent `triage` failed: request quota reached"
    );
    Verdict { urgent: true }
}

#[flow(named)]
fn support(ticket: Ticket) -> Closed {
    flow! { split -> fork(triage, log) -> join(close) }
}

#[flow(named)]
fn careful(ticket: Ticket) -> Closed {
    flow! { split -> fork(triage, log) -> join(close); catch(triage) -> rescue -> join(close) }
}

/// Cannot answer the first few times.
#[derive(Default)]
struct Busy {
    times: u32,
    wait: Duration,
    asked: AtomicU32,
}

impl ModelClient for Busy {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            if self.asked.fetch_add(1, Ordering::Relaxed) < self.times {
                let error = ModelError::new(ModelErrorKind::RateLimited, "slow down");
                return Err(error.with_retry_after(Some(self.wait)));
            }
            Ok(ModelResponse::default().with_text(r#"{"urgent":false}"#))
        })
    }
}

fn busy(times: u32, wait: Duration) -> (Arc<Busy>, ClientFactory) {
    let busy = Arc::new(Busy {
        times,
        wait,
        ..Default::default()
    });
    let client = Arc::clone(&busy) as Arc<dyn ModelClient>;
    (busy, ClientFactory::new().with_client(client))
}

fn json_of(run: &FlowRuntime<support>) -> Value {
    serde_json::to_value(run.snapshot()).unwrap()
}

fn restart(run: &FlowRuntime<support>, factory: &ClientFactory) -> FlowRuntime<support> {
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_slice(&bytes).unwrap();
    let run = FlowRuntime::from_snapshot(snapshot).unwrap();
    run.with_factory(factory.clone())
}

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn another_thread_can_wait_for_a_run() {
    let mut run = support::start(Ticket {}).unwrap();
    let waited = tokio::spawn(async move {
        run.wait().await;
        run.status()
    });
    assert_eq!(waited.await.unwrap(), pravah_runtime::RunStatus::Ready);
}

#[tokio::test]
async fn a_step_answers_with_the_time_and_does_not_sleep() {
    let (busy, factory) = busy(1, HOUR);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    let before = SystemTime::now();
    let ctx = Context::default;
    // The split, the failed call, and the other branch.
    assert_eq!(run.next(ctx()).await.unwrap(), RunOut::Continue);
    assert_eq!(run.next(ctx()).await.unwrap(), RunOut::Continue);
    assert_eq!(run.last_step().unwrap().kind, StepKind::Wait);
    assert_eq!(run.next(ctx()).await.unwrap(), RunOut::Continue);
    for _ in 0..2 {
        let RunOut::Waiting { until, .. } = run.next(ctx()).await.unwrap() else {
            panic!()
        };
        let wait = until.unwrap().duration_since(before).unwrap();
        assert!((HOUR.as_secs() - 1..=HOUR.as_secs() + 60).contains(&wait.as_secs()));
    }
    assert_eq!(busy.asked.load(Ordering::Relaxed), 1);
}

/// Until when a run said that it waits.
#[derive(Default)]
struct Until(Mutex<Vec<SystemTime>>);

impl FlowObserver for Until {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::ModelWaits { until, .. } = &event.kind {
            assert_eq!(event.node.as_deref(), Some("triage"));
            self.0.lock().unwrap().push(*until);
        }
    }
}

#[tokio::test]
async fn those_who_watch_hear_until_when_a_run_waits_by_its_own_clock() {
    let (_, factory) = busy(1, HOUR);
    let (clock, heard) = (ManualClock::new(UNIX_EPOCH), Arc::new(Until::default()));
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory)
        .with_clock(clock)
        .with_observer(Arc::clone(&heard));
    let out = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            out => break out,
        }
    };
    let RunOut::Waiting { until, .. } = out else {
        panic!()
    };
    assert_eq!(until, Some(UNIX_EPOCH + HOUR));
    assert_eq!(*heard.0.lock().unwrap(), [UNIX_EPOCH + HOUR]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_driven_sleeps_the_waits_out() {
    let (busy, factory) = busy(3, HOUR);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    let started = tokio::time::Instant::now();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: false }));
    assert_eq!(busy.asked.load(Ordering::Relaxed), 4);
    let slept = started.elapsed();
    assert!(slept > 3 * HOUR - Duration::from_secs(9), "{slept:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_part_of_the_snapshot() {
    let (busy, factory) = busy(2, HOUR);
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory.clone());
    let mut waits = 0;
    loop {
        run = restart(&run, &factory);
        match run.next(Context::default()).await.unwrap() {
            RunOut::Continue => {}
            RunOut::Waiting { until, .. } => {
                waits += 1;
                let saved = json_of(&run);
                assert_eq!(saved["timers"].as_object().unwrap().len(), 1);
                assert_eq!(saved["agents"]["Note"]["tries"], waits);
                // As if the time had come: what the snapshot says of it lies in the past.
                let mut past = saved.clone();
                past["timers"]["Note"]["until"] = json!(1);
                assert!(until.unwrap() > SystemTime::now());
                let snapshot = serde_json::from_value(past).unwrap();
                run = FlowRuntime::from_snapshot(snapshot)
                    .unwrap()
                    .with_factory(factory.clone());
                run.next(Context::default()).await.unwrap();
            }
            out => break assert_eq!(out, RunOut::Done(Closed { urgent: false })),
        }
    }
    assert_eq!(waits, 2);
    assert_eq!(busy.asked.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn after_the_last_try_the_node_fails_and_can_be_tried_again() {
    let (busy, factory) = busy(5, Duration::ZERO);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Model { .. }), "{error}");
    assert_eq!(busy.asked.load(Ordering::Relaxed), 5);
    let before = json_of(&run);
    assert_eq!(before["failed"]["Note"]["attempts"], 1);
    assert!(before.get("timers").is_none());
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: false }));
}

#[tokio::test(start_paused = true)]
async fn a_catch_takes_the_failure_after_the_last_try() {
    let (busy, factory) = busy(99, Duration::ZERO);
    let mut run = careful::start(Ticket {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: true }));
    assert_eq!(busy.asked.load(Ordering::Relaxed), 5);
    assert!(
        serde_json::to_value(run.snapshot())
            .unwrap()
            .get("timers")
            .is_none()
    );
}

#[state]
struct Tickets {}

#[node]
fn notes(_: Tickets) -> Each<Note> {
    (0..3).map(|_| Note {}).collect()
}

#[node]
fn verdicts(all: &Each<Verdict>) -> Closed {
    Closed {
        urgent: all.len() != 3,
    }
}

#[flow(named)]
fn queue(tickets: Tickets) -> Closed {
    flow! { notes -> each(triage) -> verdicts }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_waits_does_not_stop_the_others() {
    let (busy, factory) = busy(1, HOUR);
    let mut run = queue::start(Tickets {})
        .unwrap()
        .with_factory(factory.clone());
    while run.next(Context::default()).await.unwrap() == RunOut::Continue {}
    let saved = serde_json::to_value(run.snapshot()).unwrap();
    let items = &saved["lists"]["Each_of_Note"]["items"];
    assert!(items["0"]["timers"]["Note"]["until"].is_u64());
    let done = saved["lists"]["Each_of_Note"]["done"].as_object().unwrap();
    assert_eq!(done.keys().collect::<Vec<_>>(), ["1", "2"]);
    let snapshot = serde_json::from_value(saved).unwrap();
    let mut run = FlowRuntime::<queue>::from_snapshot(snapshot)
        .unwrap()
        .with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: false }));
    assert_eq!(busy.asked.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_an_item_is_an_entry_while_it_lasts() {
    let (_, factory) = busy(2, HOUR);
    let run = queue::start(Tickets {}).unwrap();
    let mut run = run.with_factory(factory);
    let mut entries = Entries::default();
    let mut waited = 0;
    loop {
        let out = run.next(Context::default()).await.unwrap();
        entries.apply(changes::take(&mut run));
        let stored = FlowSnapshot::from_entries(&entries).unwrap();
        assert_eq!(changes::text(&stored), changes::text(&run.snapshot()));
        let timers = entries
            .iter()
            .filter(|(key, _)| key.ends_with("/timers/Note"));
        let timers = timers.count();
        match out {
            RunOut::Continue => {}
            RunOut::Waiting { .. } => {
                assert!(timers > 0);
                waited += 1;
                run.wait().await;
            }
            out => {
                assert_eq!(out, RunOut::Done(Closed { urgent: false }));
                assert_eq!(timers, 0);
                break;
            }
        }
    }
    assert!(waited > 0);
}

#[tokio::test]
async fn a_snapshot_whose_waits_do_not_add_up_is_refused() {
    let (_, factory) = busy(1, HOUR);
    let mut run = support::start(Ticket {}).unwrap().with_factory(factory);
    while run.next(Context::default()).await.unwrap() == RunOut::Continue {}
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut json = json_of(&run);
        change(&mut json);
        let snapshot = serde_json::from_value(json).unwrap();
        match FlowRuntime::<support>::from_snapshot(snapshot) {
            Err(FlowError::SnapLoadError(why)) => why.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused(&|json| json["timers"] = json!({})),
        "`triage` has all of its states, and yet it is neither ready nor suspended"
    );
    assert_eq!(
        refused(&|json| json["timers"]["Verdict"] = json!({ "until": 1, "why": "model" })),
        "`Verdict` has started, and yet not all of its states are there"
    );
    for why in ["question", "paused"] {
        assert_eq!(
            refused(&|json| json["timers"]["Note"]["why"] = json!(why)),
            "`Note` does not wait for a time"
        );
    }
    assert_eq!(
        refused(&|json| json["ready"] = json!({ "Note": 1 })),
        "`triage` waits for an answer or a time, and yet it is its turn"
    );
}
