//! States that cannot be written as JSON: no step needs that, but a copy for another attempt, a store and a
//! snapshot do.

use pravah_runtime::{Entries, RunStatus, prelude::*};
use serde::{Serialize, Serializer, ser::Error as _};

use crate::support::{Act::*, Play, body, json, states};

states!(Job, Done);

/// A number that can be written if it is even.
fn even<S: Serializer>(n: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match n % 2 {
        0 => n.serialize(serializer),
        _ => Err(S::Error::custom("it is odd")),
    }
}

#[state]
#[derive(Clone)]
struct Copied {
    #[serde(serialize_with = "even")]
    n: u64,
}

/// What is kept of it for another attempt is what `Serialize` says.
#[state(manual(Clone))]
struct Single {
    #[serde(serialize_with = "even")]
    n: u64,
}

#[node(retry(max_attempts = 3))]
async fn copied(job: Job, ctx: Context) -> Result<Copied, String> {
    body(&ctx, "copied").await?;
    Ok(Copied { n: job.n })
}

#[node(retry(max_attempts = 3))]
async fn use_copied(copied: Copied, ctx: Context) -> Result<Done, String> {
    body(&ctx, "use_copied").await?;
    Ok(Done { n: copied.n })
}

#[flow(named)]
fn with_clone(job: Job) -> Done {
    flow! { copied -> use_copied }
}

/// The step is committed, and whoever stores the run learns what is wrong. Nothing is lost: once the state
/// is consumed, all that has changed is stored.
#[tokio::test(start_paused = true)]
async fn an_unwritable_output_fails_take_changes_and_not_the_step() {
    for concurrency in [1, 8] {
        let play = Play::default().with("use_copied", [Fails, Fails]);
        let run = with_clone::start(Job { n: 7 }).unwrap();
        let mut run = run.with_concurrency(concurrency);
        let mut stored = Entries::default();
        stored.apply(run.take_changes().unwrap());
        run.next(play.ctx()).await.unwrap();
        assert_eq!((play.count("copied"), run.status()), (1, RunStatus::Ready));
        for _ in 0..3 {
            let error = run.take_changes().unwrap_err();
            assert!(matches!(error, FlowError::SerializeError(_)), "{error}");
            assert!(error.to_string().contains("it is odd"), "{error}");
            assert!(serde_json::to_string(&run.snapshot()).is_err());
            run.next(play.ctx()).await.unwrap();
        }
        assert_eq!(play.count("use_copied"), 3);
        assert_eq!(run.output().unwrap().as_deref(), Some(&Done { n: 7 }));
        stored.apply(run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
        assert_eq!(serde_json::to_value(snapshot).unwrap(), json(&run));
    }
}

#[node]
fn single(job: Job) -> Single {
    Single { n: job.n }
}

#[node(retry(max_attempts = 3, backoff = "1s"))]
async fn use_single(single: Single, ctx: Context) -> Result<Done, String> {
    body(&ctx, "use_single").await?;
    Ok(Done { n: single.n })
}

#[flow(named)]
fn without_clone(job: Job) -> Done {
    flow! { single -> use_single }
}

#[tokio::test(start_paused = true)]
async fn an_input_of_which_no_copy_can_be_kept_fails_its_node_once_and_stays() {
    let play = Play::default();
    let mut run = without_clone::start(Job { n: 7 }).unwrap();
    for _ in 0..2 {
        let error = run.run(play.ctx()).await.unwrap_err();
        assert!(matches!(&error, FlowError::State { state, .. } if state == "Single"));
        assert!(matches!(
            run.status(),
            RunStatus::Failed {
                kind: FailureKind::Data,
                attempts: 1,
                ..
            }
        ));
    }
    // The body was never started, and the value is still there.
    assert_eq!(play.count("use_single"), 0);
    assert_eq!(run.peek::<Single>().unwrap().n, 7);
    let play = Play::default().with("use_single", [Fails, Fails]);
    let mut run = without_clone::start(Job { n: 8 }).unwrap();
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 8 }));
}
