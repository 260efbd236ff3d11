//! A run whose nodes never await lets others have their turn, and does not stand in itself for ever.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as Task, Poll, Wake},
    time::Duration,
};

use pravah_runtime::prelude::*;

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Count {
    n: u64,
    most: u64,
}

#[state]
#[derive(Debug, PartialEq)]
struct Counted {
    n: u64,
}

#[node(max_visits = 4294967295)]
fn count(count: Count) -> Either<Next, Counted> {
    match count.n < count.most {
        true => Either::Left(Next {
            count: Count {
                n: count.n + 1,
                ..count
            },
        }),
        false => Either::Right(Counted { n: count.n }),
    }
}

#[state]
struct Next {
    count: Count,
}

#[node(max_visits = 4294967295)]
fn again(next: Next) -> Count {
    next.count
}

#[flow]
fn counting(count: Count) -> Counted {
    flow! { count -> either(again -> count, done) }
}

fn endless() -> FlowRuntime<Count> {
    FlowRuntime::new(Count {
        n: 0,
        most: u64::MAX,
    })
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_a_run_that_never_awaits() {
    let mut run = endless();
    let ended = tokio::time::timeout(Duration::ZERO, run.run(Context::default())).await;
    assert!(ended.is_err());
    // It goes on from the last step.
    assert!(run.last_step().unwrap().step > 100);
    assert!(matches!(
        run.next(Context::default()).await,
        Ok(RunOut::Continue)
    ));
}

#[tokio::test]
async fn whoever_waits_beside_it_makes_progress() {
    let mut run = endless();
    let turns = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        out = run.run(Context::default()) => panic!("{out:?}"),
        () = turns => {}
    }
}

#[tokio::test]
async fn a_loop_around_next_yields_too() {
    let mut run = endless();
    let steps = async {
        loop {
            run.next(Context::default()).await.unwrap();
        }
    };
    tokio::select! {
        () = steps => {}
        () = tokio::task::yield_now() => {}
    }
}

#[tokio::test]
async fn a_run_that_yields_comes_to_its_end() {
    let mut run = FlowRuntime::new(Count { n: 0, most: 1_000 }).unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Counted { n: 1_000 }));
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn outside_of_tokio_it_stops_and_asks_to_be_polled_again() {
    let wakes = Arc::new(Wakes::default());
    let waker = Arc::clone(&wakes).into();
    let mut run = FlowRuntime::new(Count { n: 0, most: 1_000 }).unwrap();
    let mut out = pin!(run.run(Context::default()));
    let mut polls = 0;
    loop {
        polls += 1;
        match out.as_mut().poll(&mut Task::from_waker(&waker)) {
            Poll::Ready(out) => {
                assert_eq!(out.unwrap(), RunOut::Done(Counted { n: 1_000 }));
                break;
            }
            Poll::Pending => assert_eq!(wakes.0.load(Ordering::Relaxed), polls),
        }
    }
    assert!(polls > 10, "{polls}");
}

mod a_flow_that_starts_itself {
    use super::*;

    macro_rules! data {
        ($($name:ident)+) => {$(
            #[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
            struct $name {}
        )+};
    }
    data!(InBuild InBody End);

    impl Flow for InBuild {
        type Output = End;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowRuntime::new(InBuild {})?;
            FlowGraph::builder()
                .work::<InBuild, End, _, _>(|_, _| async { Ok(End {}) })
                .build()
        }
    }

    impl Flow for InBody {
        type Output = End;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<InBody, End, _, _>(|_, ctx| async {
                    match FlowRuntime::new(InBody {})?.run(ctx).await? {
                        RunOut::Done(end) => Ok(end),
                        _ => Err(FlowError::other("not done")),
                    }
                })
                .build()
        }
    }

    #[test]
    fn while_it_is_built_is_an_error() {
        let error = FlowRuntime::new(InBuild {}).unwrap_err();
        assert!(matches!(error, FlowError::BuildError(_)), "{error:?}");
        assert!(error.to_string().contains("`InBuild`"), "{error}");
    }

    #[tokio::test]
    async fn in_a_body_is_an_error() {
        let mut run = FlowRuntime::new(InBody {}).unwrap();
        let error = run.run(Context::default()).await.unwrap_err();
        let mut deepest = &error;
        while let Some(cause) = deepest.get_ref().and_then(|cause| cause.downcast_ref()) {
            deepest = cause;
        }
        assert!(matches!(deepest, FlowError::TooDeep { .. }), "{error}");
    }
}
