//! `pravah` 0.2.0: two choices in turn, since a node cannot return the type that it takes.

use either::Either;
use pravah_02::{
    Context, FlowConf,
    flows::{Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
};
use schemars_08 as schemars;
use schemars_08::JsonSchema;
use serde::{Deserialize, Serialize};

use super::STEPS;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Even(u64);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Odd(u64);

#[derive(Serialize, Deserialize, JsonSchema)]
struct End(u64);

impl Flow for Even {
    type Output = End;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .either(|Even(n), _| {
                Ok(match n + 1 {
                    n @ ..STEPS => Either::Left(Odd(n)),
                    n => Either::Right(End(n)),
                })
            })
            .either(|Odd(n), _| {
                Ok(match n + 1 {
                    n @ ..STEPS => Either::Left(Even(n)),
                    n => Either::Right(End(n)),
                })
            })
            .build()
    }
}

pub async fn run() {
    let ctx = Context::new(FlowConf::default());
    let mut run = FlowRuntime::new(Even(0)).expect("a run");
    loop {
        if let RunOut::Done(_) = run.next(ctx.clone()).await.expect("a step") {
            return;
        }
    }
}
