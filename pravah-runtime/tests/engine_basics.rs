//! One step at a time: order, commits, errors, the end.

use pravah_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! states {
    ($($name:ident),+) => {$(
        #[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        struct $name { n: u64 }
    )+};
}

states!(A, B, C, D, E);

impl Flow for A {
    type Output = E;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<A, B, C, _>(|a, _| Ok((B { n: a.n + 1 }, C { n: a.n + 2 })))
            .join::<B, C, D, _>(|b, c, _| Ok(D { n: b.n + c.n }))
            .work::<D, E, _, _>(|d, _| async move { Ok(E { n: d.n * 10 }) })
            .build()
    }
}

#[tokio::test]
async fn a_flow_runs_one_step_at_a_time_to_its_output() {
    let ctx = Context::default();
    let mut run = FlowRuntime::new(A { n: 1 }).unwrap();
    assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Continue);
    assert_eq!(run.peek::<B>().unwrap().n, 2);
    println!("{}", serde_json::to_string_pretty(&run.snapshot()).unwrap());
    assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Continue);
    assert_eq!(run.last_step().unwrap().to_string(), "2. B -> D");
    let json = serde_json::to_value(run.snapshot()).unwrap();
    let snapshot: FlowSnapshot = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&snapshot).unwrap(), json);
    let mut again = FlowRuntime::<A>::from_snapshot(snapshot).unwrap();
    assert_eq!(again.next(ctx.clone()).await.unwrap(), RunOut::Done(E { n: 50 }));
    assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Done(E { n: 50 }));
    assert!(matches!(run.next(ctx).await, Err(FlowError::Finished)));
}
