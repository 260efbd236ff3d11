//! One step at a time: order, choices, limits, the end.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use pravah_runtime::{
    __private, Context, Either, Flow, FlowError, FlowGraph, FlowRuntime, RunOut, StepKind,
};

use crate::engine_support::{Log, json, order::*, ran, restart, states};

// S1.1, S1.12, S1.18, S1.20, S1.26
#[tokio::test]
async fn a_flow_runs_one_step_at_a_time_to_its_output() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    for made in 1..5 {
        assert_eq!(run.next(log.ctx()).await.unwrap(), RunOut::Continue);
        assert_eq!(log.entries().len(), made);
    }
    assert_eq!(
        run.next(log.ctx()).await.unwrap(),
        RunOut::Done(End { n: 3 })
    );
    assert_eq!(log.entries(), NODES);
}

#[tokio::test]
async fn what_becomes_ready_at_once_runs_in_the_order_of_declaration() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    assert_eq!(
        json(&run)["ready"],
        serde_json::json!({ "Left": 1, "Right": 1 })
    );
    run.next(Context::default()).await.unwrap();
    assert_eq!(json(&run)["ready"], serde_json::json!({ "Left": 1 }));
}

states!(Early, Long1, Long2, Short1, Short2, Late);

impl Flow for Early {
    type Output = Late;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Early, Long1, Short1, _>(|early, _| {
                Ok((Long1 { n: early.n }, Short1 { n: early.n }))
            })
            .work::<Long1, Long2, _, _>(|a, ctx| async move {
                ran(&ctx, "long1");
                Ok(Long2 { n: a.n })
            })
            .work::<Short1, Short2, _, _>(|a, ctx| async move {
                ran(&ctx, "short1");
                Ok(Short2 { n: a.n })
            })
            .join::<Long2, Short2, Late, _>(|a, b, _| Ok(Late { n: a.n + b.n }))
            .build()
    }
}

// S1.43
#[tokio::test]
async fn what_became_ready_first_runs_first_also_after_a_restart() {
    let (whole, parts) = (Log::default(), Log::default());
    FlowRuntime::new(Early { n: 1 })
        .unwrap()
        .run(whole.ctx())
        .await
        .unwrap();
    let mut run = FlowRuntime::new(Early { n: 1 }).unwrap();
    while run.next(parts.ctx()).await.unwrap() == RunOut::Continue {
        run = restart(&run);
    }
    assert_eq!(whole.entries(), ["long1", "short1"]);
    assert_eq!(parts.entries(), whole.entries());
}

#[tokio::test]
async fn a_finished_run_has_no_next_step_also_after_a_restart() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    run.run(Context::default()).await.unwrap();
    assert!(run.snapshot().is_finished());
    assert!(matches!(
        run.next(Context::default()).await,
        Err(FlowError::Finished)
    ));
    let mut run = restart(&run);
    assert!(matches!(
        run.next(Context::default()).await,
        Err(FlowError::Finished)
    ));
    assert!(matches!(
        run.run(Context::default()).await,
        Err(FlowError::Finished)
    ));
}

// S1.29
#[tokio::test]
async fn nothing_is_resumed_in_a_run_that_is_not_suspended() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    for _ in 0..2 {
        let error = run.resume(Context::default(), ("x", 1)).await.unwrap_err();
        assert!(matches!(error, FlowError::UnexpectedResumption(id) if id == "x"));
        run.run(Context::default()).await.ok();
    }
}

#[tokio::test]
async fn the_last_step_says_what_ran_and_what_it_gave() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    assert_eq!(run.last_step(), None);
    run.next(Context::default()).await.unwrap();
    let step = run.last_step().unwrap();
    assert_eq!(
        (step.step, step.kind, step.outputs),
        (1, StepKind::Node, vec!["Left".into(), "Right".into()])
    );
    run.next(Context::default()).await.unwrap();
    assert_eq!(
        run.last_step().unwrap().to_string(),
        "2. Right -> RightDone"
    );
    assert!(
        run.next(Context::default().with_dep(Mood::Fails("left")))
            .await
            .is_err()
    );
    assert_eq!(
        run.last_step().unwrap().to_string(),
        "2. Right -> RightDone"
    );
}

#[tokio::test]
async fn a_waiting_state_can_be_peeked_at_until_it_is_taken() {
    let mut run = FlowRuntime::new(Order { n: 4 }).unwrap();
    assert_eq!(run.peek::<Order>().unwrap().n, 4);
    assert!(run.peek::<Left>().is_none());
    run.next(Context::default()).await.unwrap();
    assert!(run.peek::<Order>().is_none());
    assert_eq!(
        (
            run.peek::<Left>().unwrap().n,
            restart(&run).peek::<Right>().unwrap().n
        ),
        (4, 8)
    );
}

#[tokio::test]
async fn max_steps_ends_the_run_counting_those_before_a_restart() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap().with_max_steps(2);
    run.next(Context::default()).await.unwrap();
    let mut run = restart(&run).with_max_steps(2);
    run.next(Context::default()).await.unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(
        matches!(error, FlowError::MaxSteps { limit: 2, .. }),
        "{error}"
    );
    let mut run = run.with_max_steps(5);
    assert_eq!(
        run.run(Context::default()).await.unwrap(),
        RunOut::Done(End { n: 3 })
    );
}

#[test]
fn a_run_has_an_id_of_its_own_unless_it_is_given_one() {
    let ids = [(); 2].map(|()| {
        FlowRuntime::new(Order { n: 1 })
            .unwrap()
            .run_id()
            .to_owned()
    });
    assert_ne!(ids[0], ids[1]);
    let run = FlowRuntime::new(Order { n: 1 })
        .unwrap()
        .with_run_id("mine");
    assert_eq!((run.run_id(), restart(&run).run_id()), ("mine", "mine"));
}

states!(Coin, Head, Tail, Paid);

impl Flow for Coin {
    type Output = Paid;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either::<Coin, Head, Tail, _>(|coin, _| {
                Ok(match coin.n % 2 {
                    0 => Either::Left(Head { n: coin.n }),
                    _ => Either::Right(Tail { n: coin.n }),
                })
            })
            .work::<Head, Paid, _, _>(|head, _| async move { Ok(Paid { n: head.n + 100 }) })
            .work::<Tail, Paid, _, _>(|tail, _| async move { Ok(Paid { n: tail.n + 200 }) })
            .build()
    }
}

// S1.17
#[tokio::test]
async fn a_choice_goes_exactly_one_way() {
    for (n, paid) in [(2, 102), (3, 203)] {
        let mut run = FlowRuntime::new(Coin { n }).unwrap();
        run.next(Context::default()).await.unwrap();
        assert_ne!(run.peek::<Head>().is_some(), run.peek::<Tail>().is_some());
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Done(Paid { n: paid })
        );
    }
}

#[tokio::test]
async fn nodes_that_are_on_no_loop_are_not_counted() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    assert!(json(&run).get("visits").is_none());
}

#[tokio::test]
async fn the_input_of_the_flow_can_be_read_wherever_the_run_stands() {
    states!(First, Second, Third);

    impl Flow for First {
        type Output = Third;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .work::<First, Second, _, _>(|_, _| async { Ok(Second { n: 0 }) })
                .work::<Second, Third, _, _>(|_, ctx| async move {
                    assert!(ctx.input::<Second>().is_err());
                    Ok(Third {
                        n: ctx.input::<First>()?.n,
                    })
                })
                .build()
        }
    }

    let mut run = FlowRuntime::new(First { n: 7 }).unwrap();
    run.next(Context::default()).await.unwrap();
    for mut run in [restart(&run), run] {
        assert_eq!(
            run.next(Context::default()).await.unwrap(),
            RunOut::Done(Third { n: 7 })
        );
    }
}

// A flow as a function.
#[tokio::test]
async fn a_flow_can_be_called_as_a_function() {
    let end = __private::call::<Order>(Order { n: 1 }, Context::default())
        .await
        .unwrap();
    assert_eq!(end, End { n: 3 });
}

/// Counts how often it is copied by serialisation.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Heavy {
    text: String,
}

impl serde::Serialize for Heavy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.fetch_add(1, Ordering::SeqCst);
        serde::Serialize::serialize(&Inner { text: &self.text }, serializer)
    }
}

#[derive(serde::Serialize)]
struct Inner<'a> {
    text: &'a str,
}

impl Flow for Heavy {
    type Output = Heavy2;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Heavy, Heavy2, _, _>(|heavy, _| async move {
                Ok(Heavy2 {
                    n: heavy.text.len() as u64,
                })
            })
            .build()
    }
}

states!(Heavy2);

#[test]
fn a_snapshot_shares_the_states_and_writes_none() {
    let run = FlowRuntime::new(Heavy {
        text: "x".repeat(1000),
    })
    .unwrap();
    let before = WRITTEN.load(Ordering::SeqCst);
    let again = FlowRuntime::<Heavy>::from_snapshot(run.snapshot()).unwrap();
    assert!(Arc::ptr_eq(
        &run.peek::<Heavy>().unwrap(),
        &again.peek::<Heavy>().unwrap()
    ));
    assert_eq!(WRITTEN.load(Ordering::SeqCst), before);
}
