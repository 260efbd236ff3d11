//! `agent.wait`: waits for detached tasks.

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

use super::{check_limits, ended, node_kind};
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

/// The tasks that a node waits for.
struct Awaited {
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
    check_limits(node)?;
    let awaited = Arc::new(Awaited {
        id: node.id.as_str().into(),
        input,
        node_type,
    });
    let body = Arc::clone(&awaited);
    node_kind(
        registry,
        node,
        InvokeNode::of_registry(body, registry.agents(), awaited),
    )
}

impl Awaited {
    fn task_ids(&self, inputs: &Inputs<'_>) -> Result<Vec<String>, NodeDataError> {
        let input = self
            .input
            .resolve_as(&self.node_type.input, latest(inputs))?;
        let task_ids = input.get("taskIds").and_then(Value::as_array);
        let task_ids = task_ids.into_iter().flatten().filter_map(Value::as_str);
        Ok(task_ids.map(str::to_owned).collect())
    }
}

impl Body for Awaited {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let task_ids = self.task_ids(inputs);
        let task_ids = task_ids.map_err(|error| failed(&self.id, error))?;
        let calls = Emission::Calls(NodeCalls::Tasks(task_ids));
        Ok(Running::Ready(Ok(Emitted(calls))))
    }
}

impl CombineResults for Awaited {
    fn combine(&self, calls: EndedCalls, inputs: &Inputs<'_>) -> Result<Live, FlowError> {
        let task_ids = self.task_ids(inputs);
        let task_ids = task_ids.map_err(|error| error.in_node(&*self.id))?;
        let results = task_ids.into_iter().zip(calls.ends);
        let results = results.map(|(id, end)| ended(&id, &end.in_json()));
        Ok(Live::new(json!({ "results": results.collect::<Value>() })))
    }
}
