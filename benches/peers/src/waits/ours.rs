//! Ours.

use pravah_runtime::prelude::*;

use crate::call_time;

#[state]
struct Start {
    n: u64,
}

#[state]
struct Waited {
    n: u64,
}

#[state]
struct End {
    n: u64,
}

#[node]
async fn wait(start: &Start) -> Waited {
    super::wait().await;
    Waited { n: start.n }
}

macro_rules! gather {
    ($($name:ident),+) => {
        #[node]
        fn gather($($name: &Waited),+) -> End {
            End { n: [$($name.n),+].iter().sum() }
        }
    };
}
gather!(a, b, c, d, e, f, g, h);

/// Eight branches that are one node, as those of graph-flow are of one task.
#[flow]
fn waiting(start: Start) -> End {
    flow! {
        fork(
            wait as a, wait as b, wait as c, wait as d, wait as e, wait as f, wait as g, wait as h
        ) -> join(gather)
    }
}

pub async fn once(ctx: &Context) {
    let run = FlowRuntime::new(Start { n: 1 }).expect("a run");
    let mut run = run.with_concurrency(8);
    run.run(ctx.clone()).await.expect("an output");
}

pub async fn fork() -> f64 {
    let ctx = Context::default();
    call_time(async || once(&ctx).await).await
}
