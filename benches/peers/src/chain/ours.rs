//! Ours, of this repository, through the builder.

use pravah_runtime::{Context, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};

use super::{Link, next, state};
use crate::{call_time, hundred, step_time, ten};

macro_rules! flow {
    ($from:literal to $to:literal, $nodes:ident) => {
        impl Flow for Link<$from> {
            type Output = Link<$to>;

            fn build() -> Result<FlowGraph, FlowError> {
                let builder = FlowGraph::builder();
                $nodes!(add builder);
                builder.build()
            }
        }
    };
}
macro_rules! add {
    ($builder:ident $from:tt $to:tt) => {
        let $builder = $builder
            .clones::<Link<$from>>()
            .work::<Link<$from>, Link<$to>, _, _>(|state, _| async move { Ok(next(state)) });
    };
}
flow!(0 to 10, ten);
flow!(100 to 200, hundred);

/// A state whose payload goes on without a copy.
#[derive(serde::Serialize, serde::Deserialize)]
struct Held<const N: usize> {
    n: u64,
    payload: std::sync::Arc<str>,
}

impl<const N: usize> schemars::JsonSchema for Held<N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Held{N}").into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// The same chain, whose nodes share their states.
impl Flow for Held<0> {
    type Output = Held<10>;

    fn build() -> Result<FlowGraph, FlowError> {
        let mut builder = FlowGraph::builder();
        macro_rules! add {
            ($from:tt $to:tt) => {
                builder =
                    builder.work_shared::<Held<$from>, Held<$to>, _, _>(|state, _| async move {
                        let payload = std::sync::Arc::clone(&state.payload);
                        Ok(Held {
                            n: state.n + 1,
                            payload,
                        })
                    });
            };
        }
        ten!(add);
        builder.build()
    }
}

async fn drive<F: Flow>(run: &mut FlowRuntime<F>, ctx: &Context) -> F::Output {
    loop {
        if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
            return out;
        }
    }
}

pub async fn by_value<const N: usize>(nodes: u64, size: usize) -> f64
where
    Link<N>: Flow,
{
    let (input, ctx) = (state::<N>(size), Context::default());
    step_time(
        nodes,
        || FlowRuntime::new(input.clone()).expect("a run"),
        async |run| drive(run, &ctx).await,
    )
    .await
}

pub async fn shared(size: usize) -> f64 {
    let start = || {
        let payload = "x".repeat(size).into();
        FlowRuntime::new(Held::<0> { n: 0, payload }).expect("a run")
    };
    let ctx = Context::default();
    step_time(10, start, async |run| drive(run, &ctx).await).await
}

pub async fn start<const N: usize>() -> f64
where
    Link<N>: Flow,
{
    call_time(async || started::<N>()).await
}

pub fn started<const N: usize>() -> FlowRuntime<Link<N>>
where
    Link<N>: Flow,
{
    FlowRuntime::new(state::<N>(16)).expect("a run")
}

/// Makes the steps of a run that is stored and read back before each.
pub async fn drive_stored<F: Flow>(run: &mut FlowRuntime<F>, ctx: &Context) -> F::Output {
    loop {
        let bytes = serde_json::to_vec(&*run).expect("bytes");
        let snapshot = serde_json::from_slice(&bytes).expect("a snapshot");
        *run = FlowRuntime::from_snapshot(snapshot).expect("a run");
        if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
            return out;
        }
    }
}

pub async fn stored_step<const N: usize>(nodes: u64) -> f64
where
    Link<N>: Flow,
{
    let ctx = Context::default();
    let drive = async |run: &mut FlowRuntime<Link<N>>| drive_stored(run, &ctx).await;
    step_time(nodes, started::<N>, drive).await
}
