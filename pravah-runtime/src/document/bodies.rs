//! What nodes of a document do.

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

use super::{
    outcome::Outcome,
    regions::{Decision, Filled, kind},
    registry::{Implementation, NodeRegistry},
    rules::Condition,
};
use crate::{
    error::{BoxError, FlowError, NodeDataError},
    graph::NodeKind,
    model::explain,
    node::{Body, Emitted, Inputs, LatestStates, Running, Started},
    state::Live,
};

/// A body that returns at once, from what its node can name.
pub(super) trait Inline: Send + Sync + 'static {
    fn id(&self) -> &str;
    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError>;
}

struct Function<I>(I);

pub(super) fn function(inline: impl Inline) -> NodeKind {
    NodeKind::Function(Arc::new(Function(inline)))
}

static NOTHING: LatestStates = LatestStates::new();

pub(super) fn latest<'a>(inputs: &Inputs<'a>) -> &'a LatestStates {
    inputs.latest_states().unwrap_or(&NOTHING)
}

/// What a body goes on with.
pub(super) fn returned(output: Value) -> Emitted {
    Emitted::only(Live::new(Outcome::Succeeded(output)))
}

pub(super) fn failed(id: &str, source: NodeDataError) -> Box<FlowError> {
    let node = id.to_owned();
    Box::new(FlowError::NodeData { node, source })
}

impl<I: Inline> Body for Function<I> {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let output = self.0.run(latest(inputs));
        let output = output.map_err(|error| failed(self.0.id(), error))?;
        Ok(Running::Ready(Ok(returned(output))))
    }
}

/// What always returns the same.
pub(super) struct Constant(pub(super) Value);

impl Inline for Constant {
    fn id(&self) -> &str {
        ""
    }

    fn run(&self, _: &LatestStates) -> Result<Value, NodeDataError> {
        Ok(self.0.clone())
    }
}

/// `control.if`.
pub(super) struct If {
    pub(super) id: Box<str>,
    pub(super) condition: Decision,
}

impl Inline for If {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        Ok(json!({ "condition": self.condition.holds(latest)? }))
    }
}

/// `control.switch`.
pub(super) struct Switch {
    pub(super) id: Box<str>,
    pub(super) value: Filled,
    pub(super) cases: Vec<(Condition, Box<str>)>,
}

impl Inline for Switch {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let value = self.value.resolve(latest)?;
        let holds = |(case, _): &&(Condition, Box<str>)| {
            let values = case.reads.values(latest).with("value", &value);
            case.when.holds(&values)
        };
        let route = self.cases.iter().find(holds).map(|(_, route)| &**route);
        Ok(json!({ "route": route.unwrap_or("default"), "value": value }))
    }
}

/// `data.map`.
pub(super) struct Map {
    pub(super) id: Box<str>,
    pub(super) list: Filled,
    pub(super) template: Option<Filled>,
}

fn list(filled: &Filled, latest: &LatestStates) -> Result<Vec<Value>, NodeDataError> {
    match filled.resolve(latest)? {
        Value::Array(items) => Ok(items),
        other => {
            let problem = format!("`list` is no array: {}", kind(&other));
            Err(NodeDataError::input(problem))
        }
    }
}

impl Inline for Map {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let items = list(&self.list, latest)?;
        let Some(template) = &self.template else {
            return Ok(json!({ "list": items }));
        };
        let mapped = items.iter().enumerate().map(|(index, item)| {
            let index = json!(index);
            let values = template.reads.values(latest);
            let values = values.with("item", item).with("index", &index);
            Ok(template.template.resolve(&values)?)
        });
        let mapped: Result<Vec<Value>, NodeDataError> = mapped.collect();
        Ok(json!({ "list": mapped? }))
    }
}

/// `data.filter`.
pub(super) struct Filter {
    pub(super) id: Box<str>,
    pub(super) list: Filled,
    pub(super) condition: Condition,
}

impl Inline for Filter {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let items = list(&self.list, latest)?;
        let stays = |(index, item): &(usize, Value)| {
            let index = json!(index);
            let values = self.condition.reads.values(latest);
            let values = values.with("item", item).with("index", &index);
            self.condition.when.holds(&values)
        };
        let kept = items.into_iter().enumerate().filter(stays);
        let kept: Vec<Value> = kept.map(|(_, item)| item).collect();
        Ok(json!({ "list": kept }))
    }
}

/// `data.template`.
pub(super) struct Text {
    pub(super) id: Box<str>,
    pub(super) template: Filled,
    pub(super) values: Option<Filled>,
}

impl Inline for Text {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let own = self.values.as_ref().map(|values| values.resolve(latest));
        let own = match own.transpose()? {
            None | Some(Value::Null) => serde_json::Map::new(),
            Some(Value::Object(fields)) => fields,
            Some(other) => {
                let problem = format!("`values` is no object: {}", kind(&other));
                return Err(NodeDataError::input(problem));
            }
        };
        let mut values = self.template.reads.values(latest);
        for (name, value) in &own {
            values = values.with(name, value);
        }
        let text = match self.template.template.resolve(&values)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Ok(json!({ "text": text }))
    }
}

/// A node whose type the registry knows.
struct OfType {
    id: Box<str>,
    input: Filled,
    node_type: Arc<super::registry::Registered>,
}

pub(super) fn of_type(
    registry: &NodeRegistry,
    node: &Node,
    input: Filled,
) -> Result<NodeKind, FlowError> {
    let Some(node_type) = registry.registered(&node.kind) else {
        let problem = format!(
            "`{}` is of the type `{}`, which is unknown",
            node.id, node.kind
        );
        return Err(FlowError::BuildError(problem.into()));
    };
    let body = OfType {
        id: node.id.as_str().into(),
        input,
        node_type,
    };
    Ok(match body.node_type.implementation.typed() {
        Some(typed) => typed.clone().kind(body.id, body.input),
        None => NodeKind::Function(Arc::new(body)),
    })
}

impl OfType {
    /// The input, which fits the type.
    fn input(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let input = self.input.resolve(latest)?;
        match explain(&self.node_type.input, &input) {
            Some(problem) => Err(NodeDataError::input(problem)),
            None => Ok(input),
        }
    }
}

/// The output, if it fits the type.
fn output(schema: &Value, output: Value) -> Result<Emitted, BoxError> {
    match explain(schema, &output) {
        Some(problem) => Err(NodeDataError::Output(problem).into()),
        None => Ok(returned(output)),
    }
}

impl Body for OfType {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let input = self.input(latest(inputs));
        let input = input.map_err(|error| failed(&self.id, error))?;
        let node_type = Arc::clone(&self.node_type);
        Ok(match &node_type.implementation {
            Implementation::Sync(run) => {
                let returned = run(input).and_then(|value| output(&node_type.output, value));
                Running::Ready(returned)
            }
            Implementation::Async(run) => {
                let running = run(input, inputs.take_context());
                Running::later(async move { output(&node_type.output, running.await?) })
            }
            Implementation::Typed(_) | Implementation::Unknown => {
                let problem = format!("nothing runs nodes of the type `{}`", node_type.name);
                Running::Ready(Err(problem.into()))
            }
        })
    }
}

pub(super) fn agent(
    _registry: &NodeRegistry,
    node: &Node,
    _input: Filled,
) -> Result<NodeKind, FlowError> {
    let problem = format!("`{}` is an agent", node.id);
    Err(FlowError::BuildError(problem.into()))
}
