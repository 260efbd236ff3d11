//! Nodes that are written in Rust, as node types of documents.

mod bodies;

use std::sync::Arc;

use pravah_document::NodeType;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use self::bodies::{TypedBody, TypedFlow, TypedFunction, TypedGate};
use super::bound::BoundTemplate;
use crate::{
    error::NodeDataError,
    graph::{EachNode, NodeKind, NodeSpec},
    index::{LatestIx, Names, Place, SlotIx},
    node::{Emission, Emitted, Policy, Token, Tokens},
    state::{Live, RawState, StateFns},
    topology::ShapeKind,
};

/// A `#[node]`, an `#[agent]`, a `#[gate]` or a `#[flow]` of Rust.
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
        let mut node_type = NodeType::new(name, "host", description)
            .input(input)
            .output(output);
        if let NodeKind::Agent(agent) = &self.spec.kind {
            node_type.capabilities.is_agent = true;
            node_type.capabilities.is_streaming = true;
            node_type.capabilities.supports_multi_turn = agent.spec.config.turns.is_some();
        }
        node_type
    }

    fn param(&self, number: usize) -> String {
        let name = self.spec.about.name_of(number);
        name.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// How the engine runs a node of the type.
    pub(super) fn kind(
        self: Arc<Self>,
        id: Box<str>,
        input: BoundTemplate,
    ) -> Result<NodeKind, String> {
        let name = &self.name;
        if let Some(read) = self.spec.reads.first() {
            return Err(format!(
                "`{name}` reads `Latest<{read}>`, and documents keep no states"
            ));
        }
        let typed = TypedBody {
            id,
            input,
            node: Arc::clone(&self),
        };
        Ok(match &self.spec.kind {
            NodeKind::Function(body) => {
                let body = Arc::clone(body);
                NodeKind::Function(Arc::new(TypedFunction { typed, body }))
            }
            NodeKind::Gate(gate) => {
                let gate = Arc::clone(gate);
                NodeKind::Gate(Arc::new(TypedGate { typed, gate }))
            }
            NodeKind::Agent(agent) => NodeKind::Agent(bodies::agent(typed, agent)?),
            NodeKind::Flow(flow) => {
                let list = Arc::new(TypedFlow(typed));
                NodeKind::Each(EachNode::of_document(flow.clone(), 1, list))
            }
            NodeKind::Invoke(_) => {
                let why = "calls agents; put a `#[flow]` around it, and that into the document";
                return Err(format!("`{name}` {why}"));
            }
            NodeKind::Each(_) => return Err(format!("`{name}` is a list")),
            NodeKind::Remote(_) => {
                return Err(format!(
                    "`{name}` is a remote agent: call it with `agent.invoke`"
                ));
            }
            NodeKind::AwaitTask | NodeKind::Detached(_) => {
                return Err(format!("`{name}` is for detached tasks"));
            }
            NodeKind::Broken(problem) => return Err(format!("`{name}`: {problem}")),
        })
    }

    /// Whether it is a flow, whose nodes have policies of their own.
    pub(super) const fn is_flow(&self) -> bool {
        matches!(self.spec.kind, NodeKind::Flow(_))
    }

    /// What its attribute says of its attempts, where a document says nothing.
    pub(super) fn policy(&self) -> Policy {
        self.spec.effective_policy()
    }

    /// Its states, from an input.
    fn tokens(&self, input: Value) -> Result<Tokens, NodeDataError> {
        let mut tokens = Tokens::new();
        let mut fields = match (self.slots.len(), input) {
            (1, input) => Map::from_iter([(self.param(0), input)]),
            (_, Value::Object(fields)) => fields,
            _ => return Err(NodeDataError::input("it is not an object")),
        };
        for (number, slot) in self.slots.iter().enumerate() {
            let name = self.param(number);
            let Some(value) = fields.remove(&name) else {
                return Err(NodeDataError::input(format!("`{name}` is missing")));
            };
            tokens.insert(*slot, self.token(number, &value)?);
        }
        Ok(tokens)
    }

    /// The state for a parameter: the first of its types that can be read from the value.
    fn token(&self, number: usize, value: &Value) -> Result<Token, NodeDataError> {
        let json = serde_json::to_string(value)
            .and_then(|json| serde_json::from_str::<RawState>(&json))
            .map_err(|error| NodeDataError::input(error.to_string()))?;
        let states = self.spec.about.params.get(number);
        let mut problem = None;
        for (branch, state) in (0..).zip(states.into_iter().flatten()) {
            let live = Live::raw(json.clone());
            match live.check((state.type_of)()) {
                Ok(()) => {
                    return Ok(Token {
                        branch,
                        since: 0,
                        live,
                    });
                }
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        let problem = problem.map_or_else(String::new, |problem| format!(": {problem}"));
        let name = self.param(number);
        Err(NodeDataError::input(format!(
            "`{name}` cannot be read{problem}"
        )))
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
            Emission::Calls(_) => Ok(Value::Null),
        }
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
