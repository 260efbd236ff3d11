//! `graph-flow`: tasks that keep the state in the session's context.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{
    Context, ExecutionStatus, Graph, GraphBuilder, NextAction, Session, Task, TaskResult,
};

use crate::{
    NODES, call_time,
    chain::{Link, next, state},
    step_time,
};

struct Node {
    id: String,
    last: bool,
}

#[async_trait]
impl Task for Node {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let state: Link<0> = context.get("state").expect("the state");
        context.set("state", next::<0, 0>(state))?;
        let action = if self.last {
            NextAction::End
        } else {
            NextAction::Continue
        };
        Ok(TaskResult::new(None, action))
    }
}

pub fn graph() -> Graph {
    let mut builder = GraphBuilder::new("chain");
    for node in 0..10 {
        let id = format!("node{node}");
        builder = builder.add_task(Arc::new(Node {
            id: id.clone(),
            last: node == 9,
        }));
        if node > 0 {
            builder = builder.add_edge(format!("node{}", node - 1), id);
        }
    }
    builder.build().expect("a graph")
}

pub fn session(input: &Link<0>) -> Session {
    let session = Session::new_from_task("one".into(), "node0");
    session
        .context
        .set("state", input.clone())
        .expect("the state");
    session
}

pub async fn step(size: usize) -> f64 {
    let graph = graph();
    let input = state::<0>(size);
    step_time(
        NODES,
        || session(&input),
        async |session| {
            loop {
                let out = graph.execute_session(session).await.expect("a step");
                if matches!(out.status, ExecutionStatus::Completed) {
                    return;
                }
            }
        },
    )
    .await
}

pub async fn start() -> f64 {
    let input = state::<0>(16);
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

pub async fn stored_step() -> f64 {
    let (graph, input) = (graph(), state::<0>(16));
    let start = || session(&input);
    step_time(NODES, start, async |session| {
        drive_stored(session, &graph).await
    })
    .await
}
