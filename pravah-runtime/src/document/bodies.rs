//! What nodes of a document do.

use std::sync::Arc;

use pravah_document::{Node, Work, kind};
use serde_json::{Value, json};

use super::{
    agent,
    bound::{BoundCondition, BoundTemplate, BoundWhen},
    invoke,
    outcome::Outcome,
    registry::{Implementation, NodeRegistry, Registered, Schemas},
    rules::Returns,
    run_state, said,
};
use crate::{
    error::{BoxError, FlowError, NodeDataError},
    graph::NodeKind,
    json as literal,
    model::explain_untyped,
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

pub(super) fn failed(id: &str, error: NodeDataError) -> Box<FlowError> {
    Box::new(error.in_node(id))
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
    pub(super) condition: BoundCondition,
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
    pub(super) value: BoundTemplate,
    pub(super) cases: Vec<(BoundWhen, Box<str>)>,
}

impl Inline for Switch {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let value = self.value.resolve(latest)?;
        let holds = |(case, _): &&(BoundWhen, Box<str>)| {
            let values = case.references.values(latest).with("value", &value);
            case.when.holds(&values)
        };
        let route = self.cases.iter().find(holds).map(|(_, route)| &**route);
        Ok(json!({ "route": route.unwrap_or("default"), "value": value }))
    }
}

/// `data.map`.
pub(super) struct Map {
    pub(super) id: Box<str>,
    pub(super) list: BoundTemplate,
    pub(super) template: Option<BoundTemplate>,
}

fn list(list: &BoundTemplate, latest: &LatestStates) -> Result<Vec<Value>, NodeDataError> {
    match list.resolve(latest)? {
        Value::Array(items) => Ok(items),
        other => {
            let problem = format!("`list` is {}, and has to be a list", kind(&other));
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
            let values = template.references.values(latest);
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
    pub(super) list: BoundTemplate,
    pub(super) condition: BoundWhen,
}

impl Inline for Filter {
    fn id(&self) -> &str {
        &self.id
    }

    fn run(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        let items = list(&self.list, latest)?;
        let stays = |(index, item): &(usize, Value)| {
            let index = json!(index);
            let values = self.condition.references.values(latest);
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
    pub(super) template: BoundTemplate,
    pub(super) values: Option<BoundTemplate>,
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
                let problem = format!("`values` is {}, and has to be an object", kind(&other));
                return Err(NodeDataError::input(problem));
            }
        };
        let mut values = self.template.references.values(latest);
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
    input: BoundTemplate,
    node_type: Arc<Registered>,
    schemas: Arc<Schemas>,
}

pub(super) fn of_type(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
) -> Result<NodeKind, FlowError> {
    let Some(node_type) = registry.registered(&node.type_name) else {
        let problem = format!(
            "`{}` is of the type `{}`, which is unknown",
            node.id, node.type_name
        );
        return Err(FlowError::BuildError(problem.into()));
    };
    let body = OfType {
        id: node.id.as_str().into(),
        input,
        node_type,
        schemas: Arc::clone(registry.schemas()),
    };
    if body.node_type.implementation.is_unknown() {
        let problem = format!(
            "`{}` is of the type `{}`, which this build cannot run: it may need a feature of `pravah-runtime`",
            node.id, node.type_name
        );
        return Err(FlowError::BuildError(problem.into()));
    }
    match body.node_type.implementation {
        Implementation::Invoke => {
            return invoke::kind(registry, node, body.input, body.node_type);
        }
        Implementation::Wait => {
            return invoke::wait_kind(registry, node, body.input, body.node_type);
        }
        _ => {}
    }
    let Some(typed) = body.node_type.implementation.typed() else {
        return Ok(NodeKind::Function(Arc::new(body)));
    };
    let written = &node.policy;
    let is_limited = written.timeout.or(written.total_timeout).is_some();
    if typed.is_flow() && (is_limited || written.retry.is_some()) {
        let problem = format!(
            "`{}` runs a flow: retries and timeouts belong to the nodes in it",
            node.id
        );
        return Err(FlowError::BuildError(problem.into()));
    }
    let kind = Arc::clone(typed).kind(body.id, body.input);
    kind.map_err(|problem| FlowError::BuildError(problem.into()))
}

/// What the body of a node returns.
pub(super) fn returns(registry: &NodeRegistry, node: &Node, kind: &NodeKind) -> Returns {
    match (&node.work, kind) {
        (Work::Agent(_), NodeKind::Agent(_)) => agent::returns(node),
        // One of Rust, which knows of no documents.
        (_, NodeKind::Agent(_)) => Returns::Value,
        (Work::Run(_), _) => match registry.registered(&node.type_name) {
            Some(known) => known.implementation.returns(),
            None => Returns::Outcome,
        },
        _ => Returns::Outcome,
    }
}

/// An agent; a type of the host's may have a body of its own.
pub(super) fn agent(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
) -> Result<NodeKind, FlowError> {
    match registry.registered(&node.type_name) {
        Some(known) if known.implementation.is_unknown() => {
            agent::kind(registry, node, input, known)
        }
        _ => of_type(registry, node, input),
    }
}

/// The output, if it fits the type and a snapshot can carry it.
fn output(schema: &Value, output: Value) -> Result<Emitted, BoxError> {
    let unfit = literal::check(&output).err();
    let problem = unfit.map(|unfit| format!("the value is {unfit}"));
    match problem.or_else(|| explain_untyped(schema, &output)) {
        Some(problem) => Err(NodeDataError::Output(problem).into()),
        None => Ok(returned(output)),
    }
}

impl Body for OfType {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let input = self.input.resolve_as(&self.node_type.input, latest(inputs));
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
            Implementation::WithSchemas(run) => {
                let returned = run(&input, &self.schemas);
                Running::Ready(returned.and_then(|value| output(&node_type.output, value)))
            }
            Implementation::GetState => {
                let value = run_state::get(&input, inputs);
                let value = value.map_err(|error| failed(&self.id, error))?;
                Running::Ready(Ok(returned(value)))
            }
            Implementation::SetState => Running::Ready(Ok(run_state::set(input))),
            Implementation::Say(says) => {
                says(&input, inputs.context());
                Running::Ready(Ok(said::emitted(&node_type.name, input)))
            }
            Implementation::Invoke
            | Implementation::Wait
            | Implementation::Typed(_)
            | Implementation::Unknown => {
                let problem = format!("nothing runs nodes of the type `{}`", node_type.name);
                Running::Ready(Err(problem.into()))
            }
        })
    }
}
