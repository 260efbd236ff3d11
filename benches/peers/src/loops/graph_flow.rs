//! `graph-flow`: a task that goes to itself.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{Context, GraphBuilder, NextAction, Session, Task, TaskResult};

use super::STEPS;
use crate::chain::graph_flow::finish;

struct Count;

#[async_trait]
impl Task for Count {
    fn id(&self) -> &str {
        "count"
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let n = context.get::<u64>("n").expect("a number") + 1;
        context.set("n", n)?;
        let next = match n {
            ..STEPS => NextAction::GoTo("count".into()),
            _ => NextAction::End,
        };
        Ok(TaskResult::new(None, next))
    }
}

pub async fn run() {
    let builder = GraphBuilder::new("counting").add_task(Arc::new(Count));
    let graph = builder.build().expect("a graph");
    let mut session = Session::new_from_task("one".into(), "count");
    session.context.set("n", 0_u64).expect("a number");
    finish(&graph, &mut session).await;
}
