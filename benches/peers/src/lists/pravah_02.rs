//! `pravah` 0.2.0: two choices in turn, since a node cannot return the type that it takes.

use either::Either;
use pravah_02::{
    Context, FlowConf,
    flows::{Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
};
use schemars_08 as schemars;
use schemars_08::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PEERS_STEPS, Saved};
use crate::step_time;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Odd(Items);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Even(Items);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Items {
    left: Vec<u64>,
    counted: Vec<u64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sum(u64);

impl Items {
    /// Counts one item, and returns the sum after the last one.
    fn count(mut self) -> Either<Self, Sum> {
        if let Some(n) = self.left.pop() {
            self.counted.push(n + 1);
        }
        match self.left.is_empty() {
            true => Either::Right(Sum(self.counted.iter().sum())),
            false => Either::Left(self),
        }
    }
}

impl Flow for Even {
    type Output = Sum;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either(|Even(items), _| Ok(items.count().map_left(Odd)))
            .either(|Odd(items), _| Ok(items.count().map_left(Even)))
            .build()
    }
}

fn started(items: u64) -> FlowRuntime<Even> {
    let items = Items {
        left: (0..items).collect(),
        counted: Vec::new(),
    };
    FlowRuntime::new(Even(items)).expect("a run")
}

pub async fn item(items: u64) -> f64 {
    let ctx = Context::new(FlowConf::default());
    step_time(
        items,
        || started(items),
        async |run| loop {
            if let RunOut::Done(sum) = run.next(ctx.clone()).await.expect("a step") {
                return sum;
            }
        },
    )
    .await
}

pub async fn saved_step(items: u64) -> Saved {
    let ctx = Context::new(FlowConf::default());
    let steps = items.min(PEERS_STEPS);
    let mut bytes = 0;
    let start = || started(items);
    let time = step_time(steps, start, async |run| {
        bytes = 0;
        for _ in 0..steps {
            run.next(ctx.clone()).await.expect("a step");
            bytes += serde_json::to_vec(&run.snapshot()).expect("bytes").len();
        }
    })
    .await;
    Saved {
        bytes: bytes as f64 / steps as f64,
        time,
    }
}
