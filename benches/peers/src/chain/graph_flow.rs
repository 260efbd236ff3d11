//! `graph-flow`: tasks that keep the state in the session's context.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{
    Context, ExecutionStatus, Graph, GraphBuilder, NextAction, Session, Task, TaskResult,
};

use super::{Link, next, state};
use crate::{call_time, step_time};

/// A node of the chain, which are types of their own for everybody.
struct Node<const N: usize, const M: usize> {
    id: String,
    is_last: bool,
}

#[async_trait]
impl<const N: usize, const M: usize> Task for Node<N, M> {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let state: Link<N> = context.get("state").expect("the state");
        context.set("state", next::<N, M>(state))?;
        let action = match self.is_last {
            true => NextAction::End,
            false => NextAction::Continue,
        };
        Ok(TaskResult::new(None, action))
    }
}

fn add<const N: usize, const M: usize>(builder: GraphBuilder) -> GraphBuilder {
    // Where the chain of ten ends, and that of a hundred.
    let is_last = M == 10 || M == 200;
    let id = format!("node{N}");
    let builder = builder.add_task(Arc::new(Node::<N, M> {
        id: id.clone(),
        is_last,
    }));
    match is_last {
        true => builder,
        false => builder.add_edge(id, format!("node{M}")),
    }
}

macro_rules! add {
    ($builder:ident $from:tt $to:tt) => {
        let $builder = add::<$from, $to>($builder);
    };
}

pub fn ten() -> Graph {
    let builder = GraphBuilder::new("chain");
    crate::ten!(add builder);
    builder.build().expect("a graph")
}

pub fn hundred() -> Graph {
    let builder = GraphBuilder::new("chain");
    crate::hundred!(add builder);
    builder.build().expect("a graph")
}

pub fn session<const N: usize>(input: &Link<N>) -> Session {
    let session = Session::new_from_task("one".into(), &format!("node{N}"));
    session
        .context
        .set("state", input.clone())
        .expect("the state");
    session
}

/// Makes steps until the session has ended.
pub async fn finish(graph: &Graph, session: &mut Session) {
    loop {
        let out = graph.execute_session(session).await.expect("a step");
        if matches!(out.status, ExecutionStatus::Completed) {
            return;
        }
    }
}

pub async fn step<const N: usize>(graph: Graph, nodes: u64, size: usize) -> f64 {
    let input = state::<N>(size);
    let start = || session(&input);
    step_time(nodes, start, async |session| finish(&graph, session).await).await
}

pub async fn start<const N: usize>() -> f64 {
    let input = state::<N>(16);
    call_time(async || session(&input)).await
}

/// Makes the steps of a run that is stored and read back before each. graph-flow keeps a run in its session, so the session
/// is what is stored.
pub async fn drive_stored(session: &mut Session, graph: &Graph) {
    loop {
        let bytes = serde_json::to_vec(session).expect("bytes");
        *session = serde_json::from_slice(&bytes).expect("a session");
        let out = graph.execute_session(session).await.expect("a step");
        if matches!(out.status, ExecutionStatus::Completed) {
            return;
        }
    }
}

pub async fn stored_step<const N: usize>(graph: Graph, nodes: u64) -> f64 {
    let input = state::<N>(16);
    let start = || session(&input);
    step_time(nodes, start, async |session| {
        drive_stored(session, &graph).await
    })
    .await
}
