//! Ours, of this repository, through the builder.

use pravah_runtime::{Context, Flow, FlowError, FlowGraph, FlowRuntime, RunOut};

use crate::{
    NODES, call_time,
    chain::{Link, next, state},
    step_time, ten,
};

impl Flow for Link<0> {
    type Output = Link<10>;

    fn build() -> Result<FlowGraph, FlowError> {
        let mut builder = FlowGraph::builder();
        macro_rules! add {
            ($from:literal $to:literal) => {
                builder = builder
                    .clones::<Link<$from>>()
                    .work::<Link<$from>, Link<$to>, _, _>(
                        |state, _| async move { Ok(next(state)) },
                    );
            };
        }
        ten!(add);
        builder.build()
    }
}

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
            ($from:literal $to:literal) => {
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

pub async fn by_value(size: usize) -> f64 {
    let (input, ctx) = (state::<0>(size), Context::default());
    step_time(
        NODES,
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
    step_time(NODES, start, async |run| drive(run, &ctx).await).await
}

pub async fn start() -> f64 {
    call_time(async || started()).await
}

pub fn started() -> FlowRuntime<Link<0>> {
    FlowRuntime::new(state::<0>(16)).expect("a run")
}

/// Makes the steps of a run that is stored and read back before each.
pub async fn drive_stored(run: &mut FlowRuntime<Link<0>>, ctx: &Context) -> Link<10> {
    loop {
        let bytes = serde_json::to_vec(&*run).expect("bytes");
        let snapshot = serde_json::from_slice(&bytes).expect("a snapshot");
        *run = FlowRuntime::from_snapshot(snapshot).expect("a run");
        if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
            return out;
        }
    }
}

pub async fn stored_step() -> f64 {
    let ctx = Context::default();
    step_time(NODES, started, async |run| drive_stored(run, &ctx).await).await
}
