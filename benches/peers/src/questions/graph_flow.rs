//! `graph-flow`: a task that waits for input. A run is its session.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{
    Context, ExecutionStatus, Graph, GraphBuilder, NextAction, Session, Task, TaskResult,
};

use super::{bytes_of, text};
use crate::call_time;

struct Ask;

#[async_trait]
impl Task for Ask {
    fn id(&self) -> &str {
        "ask"
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        match context.get::<bool>("answer") {
            Some(_) => Ok(TaskResult::new(None, NextAction::End)),
            None => Ok(TaskResult::new(
                Some("Well?".into()),
                NextAction::WaitForInput,
            )),
        }
    }
}

fn graph() -> Graph {
    let builder = GraphBuilder::new("asking").add_task(Arc::new(Ask));
    builder.build().expect("a graph")
}

async fn session(graph: &Graph, is_asked: bool) -> Session {
    let mut session = Session::new_from_task("one".into(), "ask");
    session.context.set("text", text()).expect("a text");
    if is_asked {
        let out = graph.execute_session(&mut session).await.expect("a step");
        assert!(matches!(out.status, ExecutionStatus::WaitingForInput));
    }
    session
}

pub async fn held() -> f64 {
    let graph = graph();
    bytes_of(async |is_asked| session(&graph, is_asked).await).await
}

pub async fn loaded() -> f64 {
    let json = serde_json::to_vec(&session(&graph(), true).await).expect("bytes");
    call_time(async || serde_json::from_slice::<Session>(&json).expect("a session")).await
}
