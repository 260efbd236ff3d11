//! A flow of five nodes, each of which can be made to fail, to panic or to wait for ever.

use std::future::pending;

use pravah_runtime::{Context, Flow, FlowError, FlowGraph};

use super::{ran, states};

states!(Order, Left, Right, LeftDone, RightDone, Both, End);

/// Order -> (Left -> LeftDone, Right -> RightDone) -> Both -> End, each body logged; a body fails,
/// panics or waits where the context's [`Mood`] says so.
impl Flow for Order {
    type Output = End;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .fork::<Order, Left, Right, _>(|order, ctx| {
                mood(&ctx, "fork")?;
                Ok((Left { n: order.n }, Right { n: order.n * 2 }))
            })
            // Declared before `Left`'s node, which the fork gives first.
            .work::<Right, RightDone, _, _>(|right, ctx| async move {
                wait(&ctx, "right").await;
                mood(&ctx, "right")?;
                Ok(RightDone { n: right.n })
            })
            .work::<Left, LeftDone, _, _>(|left, ctx| async move {
                wait(&ctx, "left").await;
                mood(&ctx, "left")?;
                Ok(LeftDone { n: left.n })
            })
            .join::<LeftDone, RightDone, Both, _>(|left, right, ctx| {
                mood(&ctx, "join")?;
                Ok(Both {
                    n: left.n + right.n,
                })
            })
            .work::<Both, End, _, _>(|both, ctx| async move {
                wait(&ctx, "end").await;
                mood(&ctx, "end")?;
                Ok(End { n: both.n })
            })
            .build()
    }
}

/// Which node misbehaves, and how.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    Fails(&'static str),
    Panics(&'static str),
    Waits(&'static str),
}

pub(crate) fn mood(ctx: &Context, node: &str) -> Result<(), FlowError> {
    ran(ctx, node);
    match ctx.dep::<Mood>().as_deref() {
        Ok(Mood::Fails(name)) if *name == node => Err(FlowError::other("no")),
        Ok(Mood::Panics(name)) if *name == node => panic!("{node} fell over"),
        _ => Ok(()),
    }
}

pub(crate) async fn wait(ctx: &Context, node: &str) {
    if let Ok(Mood::Waits(name)) = ctx.dep::<Mood>().as_deref()
        && *name == node
    {
        pending::<()>().await;
    }
}

pub(crate) const NODES: [&str; 5] = ["fork", "right", "left", "join", "end"];
