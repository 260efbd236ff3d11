//! `graph-flow`: a task that goes to itself.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{Context, Graph, GraphBuilder, NextAction, Session, Task, TaskResult};

use super::{PEERS_STEPS, Saved};
use crate::{chain::graph_flow::finish, step_time};

struct Count;

#[async_trait]
impl Task for Count {
    fn id(&self) -> &str {
        "count"
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let mut left: Vec<u64> = context.get("left").expect("what is left");
        let mut counted: Vec<u64> = context.get("counted").expect("what is counted");
        if let Some(n) = left.pop() {
            counted.push(n + 1);
        }
        if left.is_empty() {
            context.set("sum", counted.iter().sum::<u64>())?;
            return Ok(TaskResult::new(None, NextAction::End));
        }
        context.set("left", left)?;
        context.set("counted", counted)?;
        Ok(TaskResult::new(None, NextAction::GoTo("count".into())))
    }
}

pub fn graph() -> Graph {
    let builder = GraphBuilder::new("counting").add_task(Arc::new(Count));
    builder.build().expect("a graph")
}

fn started(items: u64) -> Session {
    let session = Session::new_from_task("one".into(), "count");
    let left: Vec<u64> = (0..items).collect();
    session.context.set("left", left).expect("a list");
    session.context.set("counted", [0_u64; 0]).expect("a list");
    session
}

pub async fn item(items: u64) -> f64 {
    let graph = graph();
    let drive = async |session: &mut Session| finish(&graph, session).await;
    step_time(items, || started(items), drive).await
}

pub async fn once(items: u64, graph: &Graph) {
    finish(graph, &mut started(items)).await;
}

pub async fn saved_step(items: u64) -> Saved {
    let graph = graph();
    let steps = items.min(PEERS_STEPS);
    let mut bytes = 0;
    let start = || started(items);
    let time = step_time(steps, start, async |session| {
        bytes = 0;
        for _ in 0..steps {
            graph.execute_session(session).await.expect("a step");
            bytes += serde_json::to_vec(session).expect("bytes").len();
        }
    })
    .await;
    Saved {
        bytes: bytes as f64 / steps as f64,
        time,
    }
}
