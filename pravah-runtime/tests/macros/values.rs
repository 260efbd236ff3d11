//! The value itself goes to the node, whatever its type is and whoever else holds the state.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use pravah_runtime::{FlowDef, prelude::*};

use futures_util::FutureExt as _;

/// What the first attempt at a step meets.
#[derive(Clone)]
struct Trouble {
    kind: &'static str,
    left: Arc<AtomicU32>,
}

impl Trouble {
    fn once(kind: &'static str) -> Self {
        let left = Arc::new(AtomicU32::new(1));
        Self { kind, left }
    }
}

fn is_in_trouble(ctx: &Context) -> Option<&'static str> {
    let trouble = ctx.dep::<Trouble>().ok()?;
    let left = trouble
        .left
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
    left.is_ok().then_some(trouble.kind)
}

fn meet(ctx: &Context) -> Result<(), String> {
    match is_in_trouble(ctx) {
        Some("error") => Err("once".into()),
        Some("panic") => panic!("once"),
        _ => Ok(()),
    }
}

async fn meet_later(ctx: &Context) -> Result<(), String> {
    match is_in_trouble(ctx) {
        Some("error") => Err("once".into()),
        Some("panic") => panic!("once"),
        Some("drop") => std::future::pending().await,
        _ => Ok(()),
    }
}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Start {
    n: u32,
}

/// What a node saw of its state: what JSON leaves out, and what it cannot say.
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    live: Vec<u32>,
    numbers: bool,
}

impl Seen {
    fn live(live: impl IntoIterator<Item = u32>) -> Self {
        Self {
            live: live.into_iter().collect(),
            numbers: true,
        }
    }
}

thread_local! {
    /// Whether the numbers of states are such that JSON has them, for tests that write them.
    static ARE_FINITE: Cell<bool> = const { Cell::new(false) };
}

/// The numbers of a state.
fn numbers() -> (f64, f32) {
    match ARE_FINITE.get() {
        true => (0.5, 1.5),
        false => (f64::NAN, f32::NEG_INFINITY),
    }
}

/// A state with a field that JSON leaves out and numbers that it cannot say.
macro_rules! value {
    ($name:ident $(, $without:ident)?) => {
        #[state($(manual($without))?)]
        struct $name {
            nan: f64,
            infinite: f32,
            #[serde(skip)]
            live: u32,
        }

        impl $name {
            fn new(live: u32) -> Self {
                Self { nan: numbers().0, infinite: numbers().1, live }
            }

            fn seen(&self) -> Seen {
                let (nan, infinite) = numbers();
                let is_nan = self.nan.is_nan() && nan.is_nan();
                let numbers = (is_nan || self.nan == nan) && self.infinite == infinite;
                Seen { live: vec![self.live], numbers }
            }
        }
    };
}

/// Flows that look at a state in every way a node can take it; `$after` is what is live of it at a
/// second attempt.
macro_rules! flows {
    ($module:ident, $after:literal $(, $without:ident)?) => {
        mod $module {
            use super::*;

            value!(Value $(, $without)?);

            const AFTER: u32 = $after;

            #[node]
            fn make(_start: Start) -> Value {
                Value::new(7)
            }

            #[node]
            fn by_value(value: Value, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                Ok(value.seen())
            }

            #[node]
            async fn later(value: Value, ctx: Context) -> Result<Seen, String> {
                meet_later(&ctx).await?;
                Ok(value.seen())
            }

            #[node]
            fn by_ref(value: &Value, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                Ok(value.seen())
            }

            #[node]
            async fn by_ref_later(value: &Value, ctx: Context) -> Result<Seen, String> {
                meet_later(&ctx).await?;
                Ok(value.seen())
            }

            #[flow(named)]
            fn value_flow(start: Start) -> Seen { flow! { make -> by_value } }
            #[flow(named)]
            fn later_flow(start: Start) -> Seen { flow! { make -> later } }
            #[flow(named)]
            fn ref_flow(start: Start) -> Seen { flow! { make -> by_ref } }
            #[flow(named)]
            fn ref_later_flow(start: Start) -> Seen { flow! { make -> by_ref_later } }
            // The input of a flow waits twice: for its node, and for `Context::input`.
            #[flow(named)]
            fn input_flow(value: Value) -> Seen { flow! { by_value } }

            #[state]
            #[derive(Clone)]
            struct Other { n: u32 }

            #[node]
            fn choose(_start: Start) -> Either<Value, Other> { Either::Left(Value::new(7)) }

            #[node]
            fn merge(came: Either<Value, Other>, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                match came {
                    Either::Left(value) => Ok(value.seen()),
                    Either::Right(_) => Err("the wrong way".into()),
                }
            }

            #[node]
            fn merge_ref(came: &Either<Value, Other>, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                match came {
                    Either::Left(value) => Ok(value.seen()),
                    Either::Right(_) => Err("the wrong way".into()),
                }
            }

            #[node]
            fn split(_start: Start) -> (Value, Other) { (Value::new(7), Other { n: 1 }) }

            #[node]
            fn together(value: Value, other: &Other, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                assert_eq!(other.n, 1);
                Ok(value.seen())
            }

            #[flow(named)]
            fn merge_flow(start: Start) -> Seen { flow! { choose -> either(join(merge), join(merge)) } }
            #[flow(named)]
            fn merge_ref_flow(start: Start) -> Seen {
                flow! { choose -> either(join(merge_ref), join(merge_ref)) }
            }
            #[flow(named)]
            fn join_flow(start: Start) -> Seen { flow! { split -> fork(join(together), join(together)) } }

            #[state]
            struct Looked { seen: Seen, #[serde(skip)] live: u32 }

            #[node]
            fn list(_start: Start) -> Each<Value> { (7..10).map(Value::new).collect() }

            #[node]
            fn look(value: Value, ctx: Context) -> Result<Looked, String> {
                meet(&ctx)?;
                Ok(Looked { seen: value.seen(), live: value.live })
            }

            #[node]
            fn gather(looked: Each<Looked>) -> Seen {
                let numbers = looked.iter().all(|looked| looked.seen.numbers);
                let live = looked.iter().flat_map(|looked| {
                    [looked.seen.live.clone(), vec![looked.live]].concat()
                });
                Seen { live: live.collect(), numbers }
            }

            #[flow(named)]
            fn each_flow(start: Start) -> Seen { flow! { list -> each(look) -> gather } }

            #[node]
            fn fails(_value: &Value) -> Result<Seen, String> { Err("always".into()) }

            #[node]
            fn fails_with(_value: Value) -> Result<Seen, String> { Err("always".into()) }

            #[node]
            fn rescue(failure: Failure<Value>) -> Seen { failure.input.seen() }

            #[flow(named)]
            fn caught_flow(start: Start) -> Seen {
                flow! { make -> fails; catch(fails) -> rescue }
            }
            #[flow(named)]
            fn caught_value_flow(start: Start) -> Seen {
                flow! { make -> fails_with; catch(fails_with) -> rescue }
            }

            #[gate(prompt = "go on?")]
            fn ask(value: Value, answer: bool, ctx: Context) -> Result<Seen, String> {
                meet(&ctx)?;
                assert!(answer);
                Ok(value.seen())
            }

            #[flow(named)]
            fn gate_flow(start: Start) -> Seen { flow! { make -> ask } }

            #[tokio::test]
            async fn every_node_gets_the_value_itself() {
                for held in [false, true] {
                    let seven = Seen::live([7]);
                    assert_eq!(through(value_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(later_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(ref_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(ref_later_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(input_flow::start(Value::new(7)), held, None).await, seven);
                    assert_eq!(through(merge_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(merge_ref_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(join_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(gate_flow::start(Start { n: 1 }), held, None).await, seven);
                    assert_eq!(through(caught_flow::start(Start { n: 1 }), held, None).await, seven);
                    let all = Seen::live([7, 7, 8, 8, 9, 9]);
                    assert_eq!(through(each_flow::start(Start { n: 1 }), held, None).await, all);
                }
            }

            #[tokio::test]
            async fn another_attempt_gets_what_stayed() {
                let stayed = Seen::live([AFTER]);
                for (trouble, held) in [("error", false), ("error", true), ("panic", false), ("panic", true)] {
                    let trouble = Some(trouble);
                    assert_eq!(through(value_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    assert_eq!(through(later_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    assert_eq!(through(input_flow::start(Value::new(7)), held, trouble).await, stayed);
                    assert_eq!(through(merge_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    assert_eq!(through(merge_ref_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    assert_eq!(through(join_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    assert_eq!(through(gate_flow::start(Start { n: 1 }), held, trouble).await, stayed);
                    // What nobody took is still there.
                    assert_eq!(through(ref_flow::start(Start { n: 1 }), held, trouble).await, Seen::live([7]));
                    let all = Seen::live([AFTER, AFTER, 8, 8, 9, 9]);
                    assert_eq!(through(each_flow::start(Start { n: 1 }), held, trouble).await, all);
                }
                assert_eq!(through(caught_value_flow::start(Start { n: 1 }), false, None).await, stayed);
            }

            #[tokio::test]
            async fn a_dropped_step_leaves_what_the_next_one_takes() {
                for held in [false, true] {
                    let drop = Some("drop");
                    let stayed = Seen::live([AFTER]);
                    assert_eq!(through(later_flow::start(Start { n: 1 }), held, drop).await, stayed);
                    let seven = Seen::live([7]);
                    assert_eq!(through(ref_later_flow::start(Start { n: 1 }), held, drop).await, seven);
                }
            }
        }
    };
}

flows!(with_clone, 7);
flows!(without_clone, 0, Clone);

/// Drives a run to its end; with `held` there is a snapshot of every step. The first attempt at a step
/// that may meets `trouble`.
async fn through<F: FlowDef<Output = Seen>>(
    run: Result<FlowRuntime<F>, FlowError>,
    held: bool,
    trouble: Option<&'static str>,
) -> Seen {
    let mut run = run.unwrap();
    let mut ctx = Context::default();
    if let Some(kind) = trouble {
        ctx = ctx.with_dep(Trouble::once(kind));
    }
    // JSON has no other numbers.
    ARE_FINITE.set(held);
    let mut snapshots = Vec::new();
    for _ in 0..30 {
        if held {
            snapshots.push((
                run.snapshot(),
                serde_json::to_value(run.snapshot()).unwrap(),
            ));
        }
        match run.next(ctx.clone()).now_or_never() {
            Some(Ok(RunOut::Done(seen))) => {
                for (snapshot, json) in &snapshots {
                    assert_eq!(serde_json::to_value(snapshot).unwrap(), *json);
                }
                return seen;
            }
            Some(Ok(RunOut::Suspend { tool_id, .. })) => {
                match run.resume(ctx.clone(), (tool_id, true)).await {
                    Ok(RunOut::Done(seen)) => return seen,
                    // The answer is kept where the step fails.
                    out => assert!(trouble.is_some(), "{out:?}"),
                }
            }
            Some(Ok(_)) | None => {}
            Some(Err(error)) => assert!(trouble.is_some(), "{error}"),
        }
    }
    panic!("the run does not end")
}
