//! A step is committed or it is not: errors, dropped futures, panics.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod engine_support;

use engine_support::{Log, json, order::*, poll_once};
use pravah_runtime::{Context, FlowError, FlowRuntime, RunOut};

// Decision 4
#[tokio::test]
async fn a_step_that_fails_changes_nothing_and_is_made_again() {
    for (made, node) in NODES.into_iter().enumerate() {
        let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
        for _ in 0..made {
            run.next(Context::default()).await.unwrap();
        }
        let before = json(&run);
        for _ in 0..2 {
            let ctx = Context::default().with_dep(Mood::Fails(node));
            let error = run.next(ctx).await.unwrap_err();
            assert!(
                matches!(&error, FlowError::Node { source, .. } if source.to_string() == "no"),
                "{error}"
            );
            assert_eq!(json(&run), before, "{node}");
        }
        assert_eq!(
            run.run(Context::default()).await.unwrap(),
            RunOut::Done(End { n: 3 })
        );
    }
}

#[tokio::test]
async fn a_dropped_step_changes_nothing_and_is_made_again() {
    for (made, node) in [(1, "right"), (2, "left"), (4, "end")] {
        let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
        for _ in 0..made {
            run.next(Context::default()).await.unwrap();
        }
        let before = json(&run);
        let ctx = Context::default().with_dep(Mood::Waits(node));
        assert!(poll_once(run.next(ctx)).is_none(), "{node}");
        assert_eq!(json(&run), before);
        assert_eq!(
            run.run(Context::default()).await.unwrap(),
            RunOut::Done(End { n: 3 })
        );
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_keeps_the_steps_it_has_made() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    assert!(poll_once(run.run(log.ctx().with_dep(Mood::Waits("left")))).is_none());
    run.run(log.ctx()).await.unwrap();
    assert!(
        log.counts().values().all(|count| *count == 1),
        "{:?}",
        log.entries()
    );
}

#[tokio::test]
async fn a_panic_becomes_an_error_that_names_the_node() {
    let nodes = ["Order", "Right", "Left", "LeftDone", "Both"];
    for (made, (name, id)) in NODES.into_iter().zip(nodes).enumerate() {
        let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
        for _ in 0..made {
            run.next(Context::default()).await.unwrap();
        }
        let before = json(&run);
        let error = run
            .next(Context::default().with_dep(Mood::Panics(name)))
            .await
            .unwrap_err();
        let FlowError::Panicked { node, message } = error else {
            panic!("{error}")
        };
        assert_eq!((node.as_str(), message), (id, format!("{name} fell over")));
        assert_eq!(json(&run), before);
        assert_eq!(
            run.run(Context::default()).await.unwrap(),
            RunOut::Done(End { n: 3 })
        );
    }
}
