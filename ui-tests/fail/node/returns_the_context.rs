use pravah_runtime::prelude::*;

#[state] struct A {}

#[node] async fn run(_: A, ctx: Context) -> Result<Context, FlowError> { Ok(ctx) }

fn main() {}
