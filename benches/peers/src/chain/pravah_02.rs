//! `pravah` 0.2.0.

use pravah_02::{
    Context, FlowConf,
    flows::{Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
};

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
        let $builder = $builder.work(|state: Link<$from>, _: Context| async move {
            Ok::<Link<$to>, FlowError>(next(state))
        });
    };
}
flow!(0 to 10, ten);
flow!(100 to 200, hundred);

async fn drive<F: Flow>(run: &mut FlowRuntime<F>, ctx: &Context) -> F::Output {
    loop {
        if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
            return out;
        }
    }
}

fn new<const N: usize>(input: &Link<N>) -> FlowRuntime<Link<N>>
where
    Link<N>: Flow,
{
    FlowRuntime::new(input.clone()).expect("a run")
}

pub async fn step<const N: usize>(nodes: u64, size: usize) -> f64
where
    Link<N>: Flow,
{
    let ctx = Context::new(FlowConf::default());
    let input = state::<N>(size);
    step_time(nodes, || new(&input), async |run| drive(run, &ctx).await).await
}

pub async fn start<const N: usize>() -> f64
where
    Link<N>: Flow,
{
    let input = state::<N>(16);
    call_time(async || new(&input)).await
}

pub async fn stored_step<const N: usize>(nodes: u64) -> f64
where
    Link<N>: Flow,
{
    let ctx = Context::new(FlowConf::default());
    let input = state::<N>(16);
    let drive = async |run: &mut FlowRuntime<Link<N>>| {
        loop {
            let bytes = serde_json::to_vec(&run.snapshot()).expect("bytes");
            let snapshot = serde_json::from_slice(&bytes).expect("a snapshot");
            *run = FlowRuntime::from_snapshot(snapshot).expect("a run");
            if let RunOut::Done(out) = run.next(ctx.clone()).await.expect("a step") {
                return out;
            }
        }
    };
    step_time(nodes, || new(&input), drive).await
}
