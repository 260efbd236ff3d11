//! `pravah` 0.2.0.

use pravah_02::{
    Context, FlowConf,
    flows::{Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
};

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
                builder = builder.work(|state: Link<$from>, _: Context| async move {
                    Ok::<Link<$to>, FlowError>(next(state))
                });
            };
        }
        ten!(add);
        builder.build()
    }
}

async fn drive(run: &mut FlowRuntime<Link<0>>, ctx: &Context) -> Link<10> {
    loop {
        if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
            return out;
        }
    }
}

fn new(input: &Link<0>) -> FlowRuntime<Link<0>> {
    FlowRuntime::new(input.clone()).expect("a run")
}

pub async fn step(size: usize) -> f64 {
    let ctx = Context::new(FlowConf::default());
    let input = state::<0>(size);
    step_time(NODES, || new(&input), async |run| drive(run, &ctx).await).await
}

pub async fn start() -> f64 {
    let input = state::<0>(16);
    call_time(async || new(&input)).await
}

pub async fn stored_step() -> f64 {
    let ctx = Context::new(FlowConf::default());
    let input = state::<0>(16);
    step_time(
        NODES,
        || new(&input),
        async |run| {
            loop {
                let bytes = serde_json::to_vec(&run.snapshot()).expect("bytes");
                let snapshot = serde_json::from_slice(&bytes).expect("a snapshot");
                *run = FlowRuntime::<Link<0>>::from_snapshot(snapshot).expect("a run");
                if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
                    return out;
                }
            }
        },
    )
    .await
}
