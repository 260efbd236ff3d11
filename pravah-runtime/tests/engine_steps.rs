//! One step at a time: order, commits, errors, panics, dropped futures, limits, the end.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod engine_support;

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use engine_support::{Log, json, poll_once, ran, restart, states};
use pravah_runtime::{
    Context, Either, Flow, FlowError, FlowGraph, FlowRuntime, RunOut, StepKind, __private,
};

states!(Order, Left, Right, LeftDone, RightDone, Both, End);

/// Order -> (Left -> LeftDone, Right -> RightDone) -> Both -> End, each body logged; a body fails,
/// panics or waits where the context's [`Mood`] says so.
impl Flow for Order {
    type Output = End;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Order, Left, Right, _>(|order, ctx| {
                mood(&ctx, "fork")?;
                Ok((Left { n: order.n }, Right { n: order.n * 2 }))
            })
            // Declared before `Left`'s node, which the fork gives first.
            .work::<Right, RightDone, _, _>(|right, ctx| async move {
                wait(&ctx, "right").await;
                mood(&ctx, "right")?;
                Ok(RightDone { n: right.n })
            })
            .work::<Left, LeftDone, _, _>(|left, ctx| async move {
                wait(&ctx, "left").await;
                mood(&ctx, "left")?;
                Ok(LeftDone { n: left.n })
            })
            .join::<LeftDone, RightDone, Both, _>(|left, right, ctx| {
                mood(&ctx, "join")?;
                Ok(Both { n: left.n + right.n })
            })
            .work::<Both, End, _, _>(|both, ctx| async move {
                wait(&ctx, "end").await;
                mood(&ctx, "end")?;
                Ok(End { n: both.n })
            })
            .build()
    }
}

/// Which node misbehaves, and how.
#[derive(Clone, Copy)]
enum Mood {
    Fails(&'static str),
    Panics(&'static str),
    Waits(&'static str),
}

fn mood(ctx: &Context, node: &str) -> Result<(), FlowError> {
    ran(ctx, node);
    match ctx.dep::<Mood>().as_deref() {
        Ok(Mood::Fails(name)) if *name == node => Err(FlowError::other("no")),
        Ok(Mood::Panics(name)) if *name == node => panic!("{node} fell over"),
        _ => Ok(()),
    }
}

async fn wait(ctx: &Context, node: &str) {
    if let Ok(Mood::Waits(name)) = ctx.dep::<Mood>().as_deref()
        && *name == node
    {
        pending::<()>().await;
    }
}

const NODES: [&str; 5] = ["fork", "right", "left", "join", "end"];

// S1.1, S1.12, S1.18, S1.20, S1.26
#[tokio::test]
async fn a_flow_runs_one_step_at_a_time_to_its_output() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    for made in 1..5 {
        assert_eq!(run.next(log.ctx()).await.unwrap(), RunOut::Continue);
        assert_eq!(log.entries().len(), made);
    }
    assert_eq!(run.next(log.ctx()).await.unwrap(), RunOut::Done(End { n: 3 }));
    assert_eq!(log.entries(), NODES);
}

#[tokio::test]
async fn what_becomes_ready_at_once_runs_in_the_order_of_declaration() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    assert_eq!(json(&run)["ready"], serde_json::json!(["Right", "Left"]));
}

states!(Early, Long1, Long2, Short1, Short2, Late);

impl Flow for Early {
    type Output = Late;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Early, Long1, Short1, _>(|early, _| Ok((Long1 { n: early.n }, Short1 { n: early.n })))
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
    FlowRuntime::new(Early { n: 1 }).unwrap().run(whole.ctx()).await.unwrap();
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
    assert!(matches!(run.next(Context::default()).await, Err(FlowError::Finished)));
    let mut run = restart(&run);
    assert!(matches!(run.next(Context::default()).await, Err(FlowError::Finished)));
    assert!(matches!(run.run(Context::default()).await, Err(FlowError::Finished)));
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
            assert!(matches!(&error, FlowError::Node { source, .. } if source.to_string() == "no"), "{error}");
            assert_eq!(json(&run), before, "{node}");
        }
        assert_eq!(run.run(Context::default()).await.unwrap(), RunOut::Done(End { n: 3 }));
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
        assert_eq!(run.run(Context::default()).await.unwrap(), RunOut::Done(End { n: 3 }));
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_keeps_the_steps_it_has_made() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    assert!(poll_once(run.run(log.ctx().with_dep(Mood::Waits("left")))).is_none());
    run.run(log.ctx()).await.unwrap();
    assert!(log.counts().values().all(|count| *count == 1), "{:?}", log.entries());
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
        let error = run.next(Context::default().with_dep(Mood::Panics(name))).await.unwrap_err();
        let FlowError::Panicked { node, message } = error else { panic!("{error}") };
        assert_eq!((node.as_str(), message), (id, format!("{name} fell over")));
        assert_eq!(json(&run), before);
        assert_eq!(run.run(Context::default()).await.unwrap(), RunOut::Done(End { n: 3 }));
    }
}

#[tokio::test]
async fn the_last_step_says_what_ran_and_what_it_gave() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap();
    assert_eq!(run.last_step(), None);
    run.next(Context::default()).await.unwrap();
    let step = run.last_step().unwrap();
    assert_eq!((step.step, step.kind, step.gave), (1, StepKind::Node, vec!["Left".into(), "Right".into()]));
    run.next(Context::default()).await.unwrap();
    assert_eq!(run.last_step().unwrap().to_string(), "2. Right -> RightDone");
    assert!(run.next(Context::default().with_dep(Mood::Fails("left"))).await.is_err());
    assert_eq!(run.last_step().unwrap().to_string(), "2. Right -> RightDone");
}

#[tokio::test]
async fn a_waiting_state_can_be_peeked_at_until_it_is_taken() {
    let mut run = FlowRuntime::new(Order { n: 4 }).unwrap();
    assert_eq!(run.peek::<Order>().unwrap().n, 4);
    assert!(run.peek::<Left>().is_none());
    run.next(Context::default()).await.unwrap();
    assert!(run.peek::<Order>().is_none());
    assert_eq!((run.peek::<Left>().unwrap().n, restart(&run).peek::<Right>().unwrap().n), (4, 8));
}

#[tokio::test]
async fn max_steps_ends_the_run_counting_those_before_a_restart() {
    let mut run = FlowRuntime::new(Order { n: 1 }).unwrap().with_max_steps(2);
    run.next(Context::default()).await.unwrap();
    let mut run = restart(&run).with_max_steps(2);
    run.next(Context::default()).await.unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::MaxSteps { limit: 2 }), "{error}");
    let mut run = run.with_max_steps(5);
    assert_eq!(run.run(Context::default()).await.unwrap(), RunOut::Done(End { n: 3 }));
}

#[test]
fn a_run_has_an_id_of_its_own_unless_it_is_given_one() {
    let ids = [(); 2].map(|()| FlowRuntime::new(Order { n: 1 }).unwrap().run_id().to_owned());
    assert_ne!(ids[0], ids[1]);
    let run = FlowRuntime::new(Order { n: 1 }).unwrap().with_run_id("mine");
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
        assert_eq!(run.next(Context::default()).await.unwrap(), RunOut::Done(Paid { n: paid }));
    }
}

states!(Keyed, Passed);

impl Flow for Keyed {
    type Output = Passed;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either::<Keyed, Turn, Passed, _>(|keyed, ctx| {
                ran(&ctx, &ctx.step_key().unwrap());
                mood(&ctx, "keyed")?;
                Ok(match keyed.n {
                    0 => Either::Right(Passed { n: 0 }),
                    n => Either::Left(Turn { n: n - 1 }),
                })
            })
            .work::<Turn, Keyed, _, _>(|turn, ctx| async move {
                ran(&ctx, &ctx.step_key().unwrap());
                Ok(Keyed { n: turn.n })
            })
            .build()
    }
}

states!(Turn);

#[tokio::test]
async fn a_step_key_is_the_same_for_every_attempt_and_no_other_step() {
    let log = Log::default();
    let mut run = FlowRuntime::new(Keyed { n: 2 }).unwrap().with_run_id("r");
    loop {
        let failing = log.ctx().with_dep(Mood::Fails("keyed"));
        let out = match run.next(failing).await {
            Ok(out) => out,
            Err(_) => {
                run = restart(&run);
                run.next(log.ctx()).await.unwrap()
            }
        };
        if out != RunOut::Continue {
            break;
        }
    }
    let mut keys = log.entries();
    keys.retain(|key| key != "keyed");
    let expected = ["r/Keyed#1", "r/Keyed#1", "r/Turn#1", "r/Keyed#2", "r/Keyed#2", "r/Turn#2", "r/Keyed#3", "r/Keyed#3"];
    assert_eq!(keys, expected);
}

#[test]
fn outside_a_run_there_is_no_step_key() {
    assert_eq!(Context::default().step_key(), None);
    assert!(Context::default().input::<Order>().is_err());
}

// S1.44
#[tokio::test]
async fn a_runaway_loop_is_an_error_that_names_the_loop_also_after_a_restart() {
    let mut run = FlowRuntime::new(Keyed { n: u64::MAX }).unwrap();
    for _ in 0..2_000 {
        run.next(Context::default()).await.unwrap();
    }
    assert_eq!(json(&run)["visits"], serde_json::json!({ "Keyed": 1000, "Turn": 1000 }));
    for mut run in [restart(&run), run] {
        let error = run.next(Context::default()).await.unwrap_err();
        assert_eq!(error.to_string(), "node `Keyed` ran 1000 times, on the loop `Keyed -> Turn -> Keyed`");
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
                    Ok(Third { n: ctx.input::<First>()?.n })
                })
                .build()
        }
    }

    let mut run = FlowRuntime::new(First { n: 7 }).unwrap();
    run.next(Context::default()).await.unwrap();
    for mut run in [restart(&run), run] {
        assert_eq!(run.next(Context::default()).await.unwrap(), RunOut::Done(Third { n: 7 }));
    }
}

// A flow as a function.
#[tokio::test]
async fn a_flow_can_be_called_as_a_function() {
    let end = __private::call::<Order>(Order { n: 1 }, Context::default()).await.unwrap();
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
            .work::<Heavy, Heavy2, _, _>(|heavy, _| async move { Ok(Heavy2 { n: heavy.text.len() as u64 }) })
            .build()
    }
}

states!(Heavy2);

#[test]
fn a_snapshot_shares_the_states_and_writes_none() {
    let run = FlowRuntime::new(Heavy { text: "x".repeat(1000) }).unwrap();
    let before = WRITTEN.load(Ordering::SeqCst);
    let again = FlowRuntime::<Heavy>::from_snapshot(run.snapshot()).unwrap();
    assert!(Arc::ptr_eq(&run.peek::<Heavy>().unwrap(), &again.peek::<Heavy>().unwrap()));
    assert_eq!(WRITTEN.load(Ordering::SeqCst), before);
}
