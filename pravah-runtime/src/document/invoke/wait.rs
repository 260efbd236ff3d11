//! `agent.wait`: waits for detached tasks.

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

use super::{check_no_time_limit, ended, with_team};
use crate::{
    document::{
        bodies::{failed, latest},
        bound::BoundTemplate,
        registry::{NodeRegistry, Registered},
    },
    error::{FlowError, NodeDataError},
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

impl TaskWait {
    fn task_ids(&self, inputs: &Inputs<'_>) -> Result<Vec<String>, NodeDataError> {
        let input = self
            .input
            .resolve_as(&self.node_type.input, latest(inputs))?;
        let task_ids = input.get("taskIds").and_then(Value::as_array);
        let task_ids = task_ids.into_iter().flatten().filter_map(Value::as_str);
        Ok(task_ids.map(str::to_owned).collect())
    }
}

impl Body for TaskWait {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let task_ids = self.task_ids(inputs);
        let task_ids = task_ids.map_err(|error| failed(&self.id, error))?;
        let calls = Emission::Calls(NodeCalls::Tasks(task_ids));
        Ok(Running::Ready(Ok(Emitted(calls))))
    }
}

impl CombineResults for TaskWait {
    fn combine(&self, calls: EndedCalls, inputs: &Inputs<'_>) -> Result<Live, FlowError> {
        let task_ids = self.task_ids(inputs);
        let task_ids = task_ids.map_err(|error| error.in_node(&*self.id))?;
        if task_ids.len() != calls.ends.len() {
            let error = NodeDataError::input("`taskIds` has changed while the node waited");
            return Err(error.in_node(&*self.id));
        }
        let results = task_ids.into_iter().zip(calls.ends);
        let results = results.map(|(id, end)| ended(&id, &end.in_json()));
        Ok(Live::new(json!({ "results": results.collect::<Value>() })))
    }
}
