//! What the builder's closures get: the value itself, whatever its type is and whoever else holds it.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pravah_runtime::{FlowGraphBuilder, prelude::*};

/// What a node saw of its state: what JSON leaves out, and what it cannot say.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Seen {
    live: u32,
    numbers: bool,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Other {
    n: u32,
}

thread_local! {
    /// Whether the numbers of states are such that JSON has them, for tests that write them.
    static ARE_FINITE: Cell<bool> = const { Cell::new(false) };
}

/// The numbers of a state.
fn numbers() -> (f64, f32) {
    match ARE_FINITE.get() {
        true => (0.5, 1.5),
        false => (f64::NAN, f32::INFINITY),
    }
}

/// Makes the first attempt at a step fail.
#[derive(Clone, Default)]
pub(crate) struct Once(Arc<AtomicBool>);

pub(crate) fn meet(ctx: &Context) -> Result<(), FlowError> {
    match ctx.dep::<Once>() {
        Ok(once) if !once.0.swap(true, Ordering::Relaxed) => Err(FlowError::other("once")),
        _ => Ok(()),
    }
}

macro_rules! flows {
    (
        $module:ident, after = $after:literal, clones = $clones:expr;
        $(#[$attribute:meta])* struct Value;
    ) => {
        mod $module {
            use super::*;

            $(#[$attribute])*
            struct Value {
                nan: f64,
                infinite: f32,
                #[serde(skip)]
                live: u32,
            }

            impl Value {
                fn new() -> Self {
                    Self { nan: numbers().0, infinite: numbers().1, live: 7 }
                }

                fn seen(&self) -> Seen {
                    let (nan, infinite) = numbers();
                let is_nan = self.nan.is_nan() && nan.is_nan();
                let numbers = (is_nan || self.nan == nan) && self.infinite == infinite;
                    Seen { live: self.live, numbers }
                }
            }

            macro_rules! flow {
                ($start:ident, $build:expr) => {
                    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
                    struct $start {}

                    impl Flow for $start {
                        type Output = Seen;

                        fn build() -> Result<FlowGraph, FlowError> {
                            let build: fn(FlowGraphBuilder) -> FlowGraphBuilder = $build;
                            let clones: fn(FlowGraphBuilder) -> FlowGraphBuilder = $clones;
                            let graph = FlowGraph::builder();
                            // It may be told after the nodes that need it.
                            clones(build(graph)).build()
                        }
                    }
                };
            }

            flow!(Work, |graph| graph
                .work::<Work, Value, _, _>(|_, _| async { Ok(Value::new()) })
                .work::<Value, Seen, _, _>(|value, ctx| async move {
                    meet(&ctx)?;
                    Ok(value.seen())
                }));
            flow!(Shared, |graph| graph
                .work::<Shared, Value, _, _>(|_, _| async { Ok(Value::new()) })
                .work_shared::<Value, Seen, _, _>(|value: Arc<Value>, ctx| async move {
                    meet(&ctx)?;
                    Ok(value.seen())
                }));
            flow!(Chosen, |graph| graph
                .work::<Chosen, Value, _, _>(|_, _| async { Ok(Value::new()) })
                .either::<Value, Seen, Other, _>(|value, ctx| {
                    meet(&ctx)?;
                    Ok(Either::Left(value.seen()))
                })
                .work::<Other, Seen, _, _>(|_, _| async { Err(FlowError::other("wrong")) }));
            flow!(Joined, |graph| graph
                .fork::<Joined, Value, Other, _>(|_, _| Ok((Value::new(), Other { n: 1 })))
                .join::<Other, Value, Seen, _>(|_, value, ctx| {
                    meet(&ctx)?;
                    Ok(value.seen())
                }));
            flow!(Caught, |graph| graph
                .work::<Caught, Value, _, _>(|_, _| async { Ok(Value::new()) })
                .work_shared::<Value, Seen, _, _>(|_, _| async { Err(FlowError::other("always")) })
                .work::<Failure<Value>, Seen, _, _>(|failure, _| async move {
                    Ok(failure.input.seen())
                }));

            #[tokio::test]
            async fn a_closure_gets_the_value_itself() {
                let itself = Seen { live: 7, numbers: true };
                for held in [false, true] {
                    assert_eq!(through(Work {}, held, false).await, itself);
                    assert_eq!(through(Shared {}, held, false).await, itself);
                    assert_eq!(through(Chosen {}, held, false).await, itself);
                    assert_eq!(through(Joined {}, held, false).await, itself);
                    assert_eq!(through(Caught {}, held, false).await, itself);
                }
            }

            #[tokio::test]
            async fn another_attempt_gets_what_stayed() {
                let stayed = Seen { live: $after, numbers: true };
                for held in [false, true] {
                    assert_eq!(through(Work {}, held, true).await, stayed);
                    assert_eq!(through(Chosen {}, held, true).await, stayed);
                    assert_eq!(through(Joined {}, held, true).await, stayed);
                    // Shared, it was never gone.
                    let itself = Seen { live: 7, numbers: true };
                    assert_eq!(through(Shared {}, held, true).await, itself);
                }
            }
        }
    };
}

flows! {
    a_state_of_the_macro, after = 7, clones = |graph| graph;
    #[state]
    #[derive(Clone)]
    struct Value;
}

flows! {
    a_type_that_is_told_to_be_clone, after = 7, clones = |graph| graph.clones::<Value>();
    #[derive(Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Value;
}

flows! {
    a_type_that_is_not_clone, after = 0, clones = |graph| graph;
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Value;
}

async fn through<F: Flow<Output = Seen>>(input: F, held: bool, trouble: bool) -> Seen {
    let mut run = FlowRuntime::new(input).unwrap();
    let mut ctx = Context::default();
    if trouble {
        ctx = ctx.with_dep(Once::default());
    }
    // JSON has no other numbers.
    ARE_FINITE.set(held);
    let mut snapshots = Vec::new();
    for _ in 0..10 {
        if held {
            snapshots.push((
                run.snapshot(),
                serde_json::to_value(run.snapshot()).unwrap(),
            ));
        }
        match run.next(ctx.clone()).await {
            Ok(RunOut::Done(seen)) => {
                for (snapshot, json) in &snapshots {
                    assert_eq!(serde_json::to_value(snapshot).unwrap(), *json);
                }
                return seen;
            }
            Ok(_) => {}
            Err(error) => assert!(trouble, "{error}"),
        }
    }
    panic!("the run does not end")
}

/// A state that counts on nobody to write or to clone it.
mod untouched {
    use super::*;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Text {
        text: String,
    }

    impl Clone for Text {
        fn clone(&self) -> Self {
            assert_ne!(self.text, "uncloned");
            Self {
                text: self.text.clone(),
            }
        }
    }

    impl serde::Serialize for Text {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("it is not to be written"))
        }
    }

    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Start {
        text: String,
    }

    impl Flow for Start {
        type Output = Other;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .clones::<Text>()
                .work::<Start, Text, _, _>(|start, _| async { Ok(Text { text: start.text }) })
                .work::<Text, Other, _, _>(|text, _| async move {
                    Ok(Other {
                        n: text.text.len() as u32,
                    })
                })
                .build()
        }
    }

    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Large {
        text: String,
    }

    impl Flow for Large {
        type Output = Other;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder()
                .clones::<Text>()
                .work::<Large, Text, _, _>(|start, _| async { Ok(Text { text: start.text }) })
                .work_shared::<Text, Other, _, _>(|text, ctx| async move {
                    let at = Arc::as_ptr(&text) as usize;
                    assert_eq!(at, ctx.dep::<At>().map_or(at, |known| known.0));
                    Ok(Other {
                        n: text.text.len() as u32,
                    })
                })
                .build()
        }
    }

    struct At(usize);

    #[tokio::test]
    async fn a_step_writes_no_state_that_can_be_cloned() {
        let mut run = FlowRuntime::new(Start {
            text: "four".into(),
        })
        .unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Done(Other { n: 4 })));
    }

    #[tokio::test]
    async fn a_shared_state_is_neither_cloned_nor_moved() {
        let mut run = FlowRuntime::new(Large {
            text: "uncloned".into(),
        })
        .unwrap();
        run.next(Context::default()).await.unwrap();
        let at = Arc::as_ptr(&run.peek::<Text>().unwrap()) as usize;
        let ctx = Context::default().with_dep(At(at));
        let out = run.run(ctx).await.unwrap();
        assert!(matches!(out, RunOut::Done(Other { n: 8 })));
    }
}
