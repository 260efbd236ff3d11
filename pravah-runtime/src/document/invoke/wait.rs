//! `agent.wait`: waits for detached tasks.

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

use super::{check_no_time_limit, ended, with_team};
use crate::{
    agent::TaskEnd,
    document::{
        bodies::{failed, latest},
        bound::BoundTemplate,
        registry::{NodeRegistry, Registered},
    },
    error::FlowError,
    graph::{CombineResults, EndedCalls, InvokeNode, NodeKind},
    node::{Body, Emission, Emitted, Inputs, NodeCalls, Running, Started},
    state::Live,
};

/// Waits for the tasks whose ids its input has.
struct TaskWait {
    id: Box<str>,
    input: BoundTemplate,
    node_type: Arc<Registered>,
}

pub(in crate::document) fn wait_kind(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
    node_type: Arc<Registered>,
) -> Result<NodeKind, FlowError> {
    check_no_time_limit(
        node,
        "it waits until all tasks have ended: leave `timeoutMs` and `totalTimeoutMs` out, and limit what `agent.invoke` calls",
    )?;
    let wait = Arc::new(TaskWait {
        id: node.id.as_str().into(),
        input,
        node_type,
    });
    let body = Arc::clone(&wait);
    with_team(
        registry,
        node,
        InvokeNode::of_registry(body, registry.agents(), wait),
    )
}

impl Body for TaskWait {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let input = self.input.resolve_as(&self.node_type.input, latest(inputs));
        let input = input.map_err(|error| failed(&self.id, error))?;
        let task_ids = input.get("taskIds").and_then(Value::as_array);
        let task_ids = task_ids.into_iter().flatten().filter_map(Value::as_str);
        let tasks = NodeCalls::Tasks(task_ids.map(str::to_owned).collect());
        Ok(Running::Ready(Ok(Emitted(Emission::Calls(tasks)))))
    }
}

impl CombineResults for TaskWait {
    fn awaited(&self, task_id: &str, end: &TaskEnd) -> Option<Live> {
        Some(Live::new(ended(task_id, end.clone().in_json())))
    }

    fn combine(&self, calls: EndedCalls, _: &Inputs<'_>) -> Result<Live, FlowError> {
        let results = calls.ends.iter().map(TaskEnd::value);
        Ok(Live::new(json!({ "results": results.collect::<Value>() })))
    }
}
