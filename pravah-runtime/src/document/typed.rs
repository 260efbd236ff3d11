//! Nodes that are written in Rust, as node types of documents.

use std::sync::Arc;

use pravah_document::NodeType;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::regions::Filled;
use crate::{
    error::{BoxError, FlowError, NodeDataError},
    graph::{NodeKind, NodeSpec},
    index::{LatestIx, Names, Place, SlotIx},
    node::{Body, Emission, Emitted, Inputs, LatestStates, Running, Started, Token, Tokens},
    state::{Live, RawState, StateFns},
    topology::ShapeKind,
};

/// A `#[node]` of Rust.
pub(super) struct TypedNode {
    name: Box<str>,
    spec: NodeSpec,
    /// The slots of its parameters, of which nobody knows outside.
    slots: Vec<SlotIx>,
}

/// The places of a typed node have no names: what cannot be read is said of its input.
struct NoNames;

impl Names for NoNames {
    fn place_key(&self, _: Place) -> &str {
        "input"
    }

    fn latest_name(&self, _: LatestIx) -> &str {
        ""
    }
}

impl TypedNode {
    pub(super) fn new(name: &str, spec: NodeSpec) -> Self {
        let slots = (0..spec.params.len()).filter_map(|slot| u32::try_from(slot).ok());
        Self {
            name: name.into(),
            slots: slots.map(SlotIx).collect(),
            spec,
        }
    }

    /// What the catalogue says of it.
    pub(super) fn node_type(&self, name: &str) -> NodeType {
        let about = &self.spec.about;
        let description = about.description.unwrap_or_default().trim();
        let params: Vec<(String, Value)> = (0..)
            .zip(&about.params)
            .map(|(number, states)| (self.param(number), schema_of(states)))
            .collect();
        let input = match params.as_slice() {
            [(_, only)] => only.clone(),
            params => {
                let names: Vec<&str> = params.iter().map(|(name, _)| &**name).collect();
                let properties: Map<String, Value> = params.iter().cloned().collect();
                json!({ "type": "object", "properties": properties, "required": names })
            }
        };
        let value = schema_of(&about.outputs);
        let output = match self.spec.shape {
            ShapeKind::Choice => json!({
                "type": "object",
                "properties": { "route": { "enum": self.spec.outputs }, "value": value },
                "required": ["route", "value"],
            }),
            _ => value,
        };
        NodeType::new(name, "host", description)
            .input(input)
            .output(output)
    }

    fn param(&self, number: usize) -> String {
        let name = self.spec.about.name_of(number);
        name.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// How the engine runs a node of the type.
    pub(super) fn kind(self: Arc<Self>, id: Box<str>, input: Filled) -> NodeKind {
        NodeKind::Function(Arc::new(TypedBody {
            id,
            input,
            node: self,
        }))
    }

    /// Its states, from an input.
    fn tokens(&self, input: Value) -> Result<Tokens, NodeDataError> {
        let mut tokens = Tokens::new();
        let mut fields = match (self.slots.len(), input) {
            (1, input) => Map::from_iter([(self.param(0), input)]),
            (_, Value::Object(fields)) => fields,
            _ => return Err(NodeDataError::input("it is no object")),
        };
        for (number, slot) in self.slots.iter().enumerate() {
            let name = self.param(number);
            let Some(value) = fields.remove(&name) else {
                return Err(NodeDataError::input(format!("`{name}` is missing")));
            };
            let json = serde_json::to_string(&value)
                .and_then(|json| serde_json::from_str::<RawState>(&json));
            let raw = json.map_err(|error| NodeDataError::input(error.to_string()))?;
            let token = Token {
                branch: 0,
                since: 0,
                live: Live::raw(raw),
            };
            tokens.insert(*slot, token);
        }
        Ok(tokens)
    }

    /// What it returned, as JSON.
    fn output(&self, emitted: &Emitted) -> Result<Value, serde_json::Error> {
        match &emitted.0 {
            Emission::Branch(branch, live) => {
                let value = live.to_value()?;
                Ok(match self.spec.shape {
                    ShapeKind::Choice => {
                        let route = self.spec.outputs.get(*branch);
                        json!({ "route": route, "value": value })
                    }
                    _ => value,
                })
            }
            Emission::All(states) => {
                let states = self.spec.outputs.iter().zip(states);
                let states: Result<Map<String, Value>, _> = states
                    .map(|(name, state)| Ok((name.to_string(), state.to_value()?)))
                    .collect();
                Ok(Value::Object(states?))
            }
        }
    }
}

/// A node of a document that is one of Rust.
struct TypedBody {
    id: Box<str>,
    input: Filled,
    node: Arc<TypedNode>,
}

impl TypedBody {
    fn failed(&self, source: NodeDataError) -> Box<FlowError> {
        let node = self.id.to_string();
        Box::new(FlowError::NodeData { node, source })
    }
}

impl Body for TypedBody {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let latest = inputs.latest_states();
        let input = match latest {
            Some(latest) => self.input.resolve(latest),
            None => self.input.resolve(&LatestStates::new()),
        };
        let input = input.map_err(|error| self.failed(error))?;
        let mut tokens = self
            .node
            .tokens(input)
            .map_err(|error| self.failed(error))?;
        let NodeKind::Function(body) = &self.node.spec.kind else {
            let problem = format!("`{}` is no function", self.node.name);
            return Err(Box::new(FlowError::BuildError(problem.into())));
        };
        let own = Inputs::new(&self.node.slots, &mut tokens, &NoNames);
        let running = body.start(&mut own.with_made_context(inputs.take_context()))?;
        let node = Arc::clone(&self.node);
        let emitted = move |returned: Result<Emitted, BoxError>| {
            let output = node.output(&returned?)?;
            Ok(Emitted::only(Live::new(
                super::outcome::Outcome::Succeeded(output),
            )))
        };
        Ok(match running {
            Running::Ready(returned) => Running::Ready(emitted(returned)),
            Running::Pending(body) => Running::later(async move { emitted(body.await) }),
        })
    }
}

/// The schema of a state, or of any of several.
fn schema_of(states: &[StateFns]) -> Value {
    let mut generator = SchemaGenerator::default();
    let schemas: Vec<Value> = states
        .iter()
        .map(|state| (state.schema)(&mut generator).to_value())
        .collect();
    let mut schema = match <[Value; 1]>::try_from(schemas) {
        Ok([only]) => only,
        Err(schemas) => json!({ "anyOf": schemas }),
    };
    let definitions = generator.take_definitions(true);
    if let Value::Object(schema) = &mut schema
        && !definitions.is_empty()
    {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}
