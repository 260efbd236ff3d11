//! `graph-flow`: a `FanOutTask`.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{Context, FanOutTask, Graph, GraphBuilder, NextAction, Session, Task, TaskResult};

use crate::{call_time, chain::graph_flow::finish};

struct Branch(String);

#[async_trait]
impl Task for Branch {
    fn id(&self) -> &str {
        &self.0
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        super::wait().await;
        context.set(&self.0, 1_u64)?;
        Ok(TaskResult::new(None, NextAction::End))
    }
}

struct Gather;

#[async_trait]
impl Task for Gather {
    fn id(&self) -> &str {
        "gather"
    }

    async fn run(&self, _: Context) -> graph_flow::Result<TaskResult> {
        Ok(TaskResult::new(None, NextAction::End))
    }
}

pub fn graph() -> Graph {
    let branches = (0..8).map(|n| Arc::new(Branch(format!("branch{n}"))) as Arc<dyn Task>);
    GraphBuilder::new("fork")
        .add_task(FanOutTask::new("fork", branches.collect()))
        .add_task(Arc::new(Gather))
        .add_edge("fork", "gather")
        .build()
        .expect("a graph")
}

pub async fn once(graph: &Graph) {
    let mut session = Session::new_from_task("one".into(), "fork");
    finish(graph, &mut session).await;
}

pub async fn fork() -> f64 {
    let graph = graph();
    call_time(async || once(&graph).await).await
}
