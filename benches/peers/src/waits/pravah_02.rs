//! `pravah` 0.2.0, whose forks have two branches: a tree of them, in which fork `N` leads to `2 * N` and `2 * N + 1`.

use pravah_02::{
    Context, FlowConf,
    flows::{Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
};
use serde::{Deserialize, Serialize};

use crate::call_time;

#[derive(Serialize, Deserialize)]
struct Start<const N: usize>(u64);

#[derive(Serialize, Deserialize)]
struct Waited<const N: usize>(u64);

macro_rules! schema {
    ($name:ident) => {
        impl<const N: usize> schemars_08::JsonSchema for $name<N> {
            fn schema_name() -> String {
                format!("{}{N}", stringify!($name))
            }

            fn json_schema(
                generator: &mut schemars_08::r#gen::SchemaGenerator,
            ) -> schemars_08::schema::Schema {
                u64::json_schema(generator)
            }
        }
    };
}
schema!(Start);
schema!(Waited);

impl Flow for Start<1> {
    type Output = Waited<1>;

    fn build() -> Result<FlowGraph, FlowError> {
        let mut builder = FlowGraph::builder();
        macro_rules! fork {
            ($($n:literal)+) => {$(
                builder = builder
                    .fork(|start: Start<$n>, _| {
                        Ok((Start::<{ 2 * $n }>(start.0), Start::<{ 2 * $n + 1 }>(start.0)))
                    })
                    .join(|a: Waited<{ 2 * $n }>, b: Waited<{ 2 * $n + 1 }>, _| {
                        Ok(Waited::<$n>(a.0 + b.0))
                    });
            )+};
        }
        macro_rules! branch {
            ($($n:literal)+) => {$(
                builder = builder.work(|start: Start<$n>, _: Context| async move {
                    super::wait().await;
                    Ok::<_, FlowError>(Waited::<$n>(start.0))
                });
            )+};
        }
        fork!(1 2 3 4 5 6 7);
        branch!(8 9 10 11 12 13 14 15);
        builder.build()
    }
}

pub fn context() -> Context {
    Context::new(FlowConf::default())
}

pub async fn once(ctx: &Context) {
    let mut run = FlowRuntime::new(Start::<1>(1)).expect("a run");
    loop {
        if let RunOut::Done(_) = run.next(ctx.clone()).await.expect("a step") {
            return;
        }
    }
}

pub async fn fork() -> f64 {
    let ctx = context();
    call_time(async || once(&ctx).await).await
}
