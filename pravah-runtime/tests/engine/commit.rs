//! A step is committed or it is not: errors, dropped futures, panics.

use pravah_runtime::{Context, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};

use crate::engine_support::{Log, json, only_failed, order::*, poll_once};

/// The states that the nodes of [`NODES`] take first.
const IDS: [&str; 5] = ["Order", "Right", "Left", "LeftDone", "Both"];

// Decision 4
#[tokio::test]
async fn a_step_that_fails_changes_nothing_and_is_made_again() {
    for (made, (node, id)) in NODES.into_iter().zip(IDS).enumerate() {
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
            only_failed(&run, &before, id);
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
    for (made, (name, id)) in NODES.into_iter().zip(IDS).enumerate() {
        let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
        for _ in 0..made {
            run.next(Context::default()).await.unwrap();
        }
        let before = json(&run);
        let error = run
            .next(Context::default().with_dep(Mood::Panics(name)))
            .await
            .unwrap_err();
        let FlowError::Panicked { node, message, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((node.as_str(), message), (id, format!("{name} fell over")));
        only_failed(&run, &before, id);
        assert_eq!(
            run.run(Context::default()).await.unwrap(),
            RunOut::Done(End { n: 3 })
        );
    }
}

#[tokio::test]
async fn a_step_that_is_polled_once_more_makes_no_second_one() {
    use std::{future::poll_fn, pin::pin, task::Poll};

    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    let log = Log::default();
    {
        let mut step = pin!(run.next(log.ctx()));
        assert_eq!(step.as_mut().await.unwrap(), RunOut::Continue);
        poll_fn(|task| {
            assert!(step.as_mut().poll(task).is_pending());
            Poll::Ready(())
        })
        .await;
    }
    assert_eq!(log.entries(), ["fork"]);
    assert_eq!(run.last_step().unwrap().step, 1);
}

/// A state that is written and never read.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Unread {
    n: u64,
}

impl<'de> serde::Deserialize<'de> for Unread {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(serde::de::Error::custom("it was read"))
    }
}

/// A flow through [`Unread`].
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Start {
    n: u64,
}

impl Flow for Start {
    type Output = End;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Start, Unread, _, _>(|start, _| async move { Ok(Unread { n: start.n }) })
            .work::<Unread, End, _, _>(|unread, ctx| async move {
                mood(&ctx, "end")?;
                Ok(End { n: unread.n })
            })
            .build()
    }
}

#[tokio::test]
async fn a_state_that_only_the_run_holds_is_moved_into_the_closure_that_takes_it() {
    let mut run = FlowRuntime::new(Start { n: 7 }).unwrap();
    run.next(Context::default()).await.unwrap();
    assert_eq!(
        run.next(Context::default()).await.unwrap(),
        RunOut::Done(End { n: 7 })
    );
}

#[tokio::test]
async fn a_state_that_was_moved_out_of_the_run_is_still_there_when_the_closure_fails() {
    for mood in [Mood::Fails("end"), Mood::Panics("end")] {
        let mut run = FlowRuntime::new(Start { n: 7 }).unwrap();
        run.next(Context::default()).await.unwrap();
        let before = json(&run);
        run.next(Context::default().with_dep(mood))
            .await
            .unwrap_err();
        only_failed(&run, &before, "Unread");
        let error = run.next(Context::default()).await.unwrap_err();
        assert!(
            matches!(&error, FlowError::State { state, .. } if state == "Unread"),
            "read from what was kept: {error}"
        );
    }
}
