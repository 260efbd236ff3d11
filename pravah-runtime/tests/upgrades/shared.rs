//! States that come to have several takers, or one again.

use pravah_runtime::{LoadOptions, prelude::*};
use serde_json::json;

use crate::{done, refusal, upgraded, upgraded_with};

mod v1 {
    use pravah_runtime::prelude::*;

    crate::states!(Topic, Draft, Printed);

    #[node]
    fn write(topic: Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[node]
    fn print(draft: Draft) -> Printed {
        Printed { n: draft.n + 1 }
    }

    #[flow]
    pub(crate) fn paper(topic: Topic) -> Printed {
        flow! { write -> print }
    }
}

/// A draft is polished before it is printed, and is a draft all the same.
mod v2 {
    use pravah_runtime::prelude::*;

    crate::states!(Topic, Draft, Printed);

    #[node]
    fn write(topic: Topic) -> Draft {
        Draft { n: topic.n }
    }

    #[node]
    fn polish(draft: &Draft) -> Draft {
        Draft { n: draft.n * 10 }
    }

    #[node]
    fn print(draft: Draft) -> Printed {
        Printed { n: draft.n + 1 }
    }

    #[flow]
    pub(crate) fn paper(topic: Topic) -> Printed {
        flow! { write -> polish -> print }
    }
}

/// A run in which a draft waits.
async fn drafted() -> FlowRuntime<v1::Topic> {
    let mut run = FlowRuntime::new(v1::Topic { n: 4 }).unwrap();
    run.next(Context::default()).await.unwrap();
    run
}

#[tokio::test]
async fn a_state_goes_to_the_node_that_took_it_in_the_known_version() {
    let version = v1::paper::graph().unwrap().version();
    assert_eq!(version.takers["Draft"], "print");
    let options = LoadOptions::new().with_version(version);
    let mut run = upgraded_with::<v2::Topic, _>(&drafted().await, &options).unwrap();
    let report = run.load_report().unwrap();
    assert!(report.added.iter().eq(["Draft@polish"]), "{report:?}");
    assert!(report.removed.is_empty(), "{report:?}");
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot["states"], json!({ "Draft@print": { "n": 4 } }));
    assert_eq!(done(&mut run).await.n, 5);
}

#[tokio::test]
async fn a_state_that_may_wait_in_several_places_is_refused_with_their_names() {
    assert_eq!(
        refusal::<v2::Topic, _>(&drafted().await),
        "`Draft` may be any of `Draft@polish`, `Draft@print`: `LoadOptions::with_version` would tell"
    );
}

#[tokio::test]
async fn a_state_with_one_taker_left_goes_there() {
    let mut run = FlowRuntime::new(v2::Topic { n: 4 }).unwrap();
    run.next(Context::default()).await.unwrap();
    let snapshot = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(snapshot["states"], json!({ "Draft@polish": { "n": 4 } }));
    let mut run = upgraded::<v1::Topic, _>(&run);
    assert_eq!(done(&mut run).await.n, 5);
}

/// A payment that fails at first, alone and behind a node that takes its state too.
mod payment {
    use std::sync::{Arc, Mutex};

    use pravah_runtime::prelude::*;

    crate::states!(Bill, Paid);

    /// The keys of the attempts.
    #[derive(Clone, Default)]
    pub(crate) struct Keys(pub(crate) Arc<Mutex<Vec<String>>>);

    pub(crate) fn attempt(bill: &Bill, step: &Step, keys: &Keys) -> Result<Paid, String> {
        let mut keys = keys.0.lock().unwrap();
        keys.push(step.key());
        match keys.len() {
            1 => Err("the bank is closed".into()),
            _ => Ok(Paid { n: bill.n }),
        }
    }

    pub(crate) mod v1 {
        use super::*;

        #[node(retry(max_attempts = 2, backoff = "1s"))]
        fn pay(bill: &Bill, step: Step, keys: Dep<Keys>) -> Result<Paid, String> {
            attempt(bill, &step, &keys)
        }

        #[flow(named)]
        pub(crate) fn paid(bill: Bill) -> Paid {
            flow! { pay }
        }
    }

    pub(crate) mod v2 {
        use super::*;

        #[node]
        fn check(bill: Bill) -> Bill {
            bill
        }

        #[node(retry(max_attempts = 2, backoff = "1s"))]
        fn pay(bill: &Bill, step: Step, keys: Dep<Keys>) -> Result<Paid, String> {
            attempt(bill, &step, &keys)
        }

        #[flow(named)]
        pub(crate) fn paid(bill: Bill) -> Paid {
            flow! { check -> pay }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_key_of_a_step_stays_where_another_node_comes_to_take_its_state() {
    let keys = payment::Keys::default();
    let ctx = Context::default().with_dep(keys.clone());
    let mut run = payment::v1::paid::start(payment::Bill { n: 3 }).unwrap();
    run.next(ctx.clone()).await.unwrap();
    let version = payment::v1::paid::graph().unwrap().version();
    let options = LoadOptions::new().with_version(version);
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_slice(&bytes).unwrap();
    let run = FlowRuntime::<payment::v2::paid>::from_snapshot_with(snapshot, &options);
    let mut run = run.unwrap();
    assert!(matches!(run.run(ctx).await.unwrap(), RunOut::Done(paid) if paid.n == 3));
    let keys = keys.0.lock().unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}
