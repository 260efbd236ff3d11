//! Attempts of agents: each is a conversation of its own.

use pravah_runtime::{RunStatus, SystemClock, prelude::*};

use crate::support::{Models, Turn, ms, restart, states, taking};

states!(Note, Verdict);

#[agent(model = "openai://m", preamble = "", output = Verdict, max_retries = 0,
    retry(max_attempts = 3, backoff = "1s"), timeout = "10s")]
fn triage(_: &Note) -> String {
    "Well?".into()
}

#[flow(named)]
fn support(note: Note) -> Verdict {
    flow! { triage }
}

#[tokio::test(start_paused = true)]
async fn another_attempt_is_a_new_conversation_and_tokens_count() {
    let models = Models::default().with(
        "triage",
        [
            Turn::Says(0, "no"),
            Turn::Says(0, "no"),
            Turn::Says(0, "no"),
            Turn::Says(0, r#"{"n":1}"#),
        ],
    );
    let run = support::start(Note { n: 1 }).unwrap();
    let mut run = run.with_factory(models.factory());
    let (out, took) = taking(run.run(Context::default())).await;
    assert_eq!(out.unwrap(), RunOut::Done(Verdict { n: 1 }));
    assert_eq!(took, 1_000);
    let asked: Vec<usize> = models.asked().iter().map(|(_, size)| *size).collect();
    assert_eq!(asked[0], asked[3], "{asked:?}");
    assert!(asked[0] < asked[1] && asked[1] < asked[2], "{asked:?}");
    assert_eq!((run.usage().total(), run.model_calls()), (40, 4));
}

#[tokio::test(start_paused = true)]
async fn a_provider_says_when_to_come_back() {
    let models = Models::default().with(
        "triage",
        [
            Turn::Busy(4_000),
            Turn::Refuses,
            Turn::Says(0, r#"{"n":1}"#),
        ],
    );
    let run = support::start(Note { n: 1 }).unwrap();
    let mut run = run.with_factory(models.factory());
    let (out, took) = taking(run.run(Context::default())).await;
    assert_eq!(out.unwrap(), RunOut::Done(Verdict { n: 1 }));
    assert_eq!(took, 4_000 + 1_000);
}

#[tokio::test(start_paused = true)]
async fn what_is_left_of_the_budget_is_no_reason_to_try_again() {
    let models = Models::default().with("triage", [Turn::Refuses, Turn::Refuses]);
    let run = support::start(Note { n: 1 }).unwrap();
    let mut run = run
        .with_factory(models.factory())
        .with_budget(pravah_runtime::Budget::new().calls(0));
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Limit { .. }), "{error}");
    assert!(matches!(
        run.status(),
        RunStatus::Failed {
            kind: FailureKind::Budget,
            attempts: 1,
            ..
        }
    ));
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_attempt_spans_the_steps_of_an_agent() {
    let hangs = [Turn::Says(6_000, "no"), Turn::Says(6_000, r#"{"n":1}"#)];
    let models = Models::default().with("triage", hangs.clone()).with(
        "triage",
        [Turn::Says(6_000, "no"), Turn::Says(3_000, r#"{"n":1}"#)],
    );
    let clock = SystemClock::new();
    let run = support::start(Note { n: 1 }).unwrap();
    let mut run = run.with_factory(models.factory()).with_clock(clock);
    let steps = async {
        loop {
            match run.next(Context::default()).await.unwrap() {
                RunOut::Done(done) => break done,
                RunOut::Waiting { .. } => run.wait().await,
                _ => {
                    // Time in which nobody calls does not count.
                    tokio::time::sleep(ms(60_000)).await;
                    run = restart(&run, clock).with_factory(models.factory());
                }
            }
        }
    };
    let (out, _) = taking(steps).await;
    assert_eq!(out, Verdict { n: 1 });
    assert_eq!(models.asked().len(), 4);
}
