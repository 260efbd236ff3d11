//! The contract of each node of a graph, as data: for catalogs, reviews and other programs.

use std::{collections::BTreeSet, time::Duration};

use schemars::SchemaGenerator;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{
    FlowGraph, Name, NodeKind, NodeSpec,
    draw::{inside, kind},
};
use crate::{
    agent::{Constraints, ToolContract},
    numbers::millis,
    state::StateFns,
    topology::ShapeKind,
};

/// What a node is, takes and returns, as data; see [`FlowGraph::node_contracts`].
///
/// As JSON its fields are `kind`, `typeId`, `title`, `description`, `inputSchema`, `outputSchema`,
/// `constraints`, `tools`, `agents` and `inside`; what is absent is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NodeContract {
    /// What the node does: `work`, `choice`, `fork`, `join`, `merge`, `rescue`, `gate`, `agent`, `each`
    /// or `flow`.
    pub kind: &'static str,
    /// The path of the function or type that defines the node, such as `desk::support::triage`; for a
    /// list its source text, `each(review)`; for a closure of the builder the path of its input type.
    pub type_id: String,
    /// What the node is called in its flow.
    pub title: String,
    /// The doc comment above the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of what it takes, with the names of states as titles: of one state, of any of
    /// those that one parameter takes (`anyOf`), or of several parameters an array with an item for
    /// each (`prefixItems`).
    pub input_schema: Value,
    /// The JSON Schema of what it returns: of one state, of a choice (`anyOf`), or of all the states of
    /// a fork (`prefixItems`).
    pub output_schema: Value,
    /// What limits the node.
    pub constraints: NodeConstraints,
    /// The tools of an agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolContract>,
    /// The agents and flows that an agent may call, with the tools that they have then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<NodeContract>,
    /// The nodes of the flow that the node is, or of the chain that a list runs for each item.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<NodeContract>,
}

/// What limits a node; see [`NodeContract`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NodeConstraints {
    /// How long one attempt at the node may take: the shortest of the `timeout` and `total_timeout` of its
    /// [`Policy`](crate::Policy) and, of an agent, the `max_duration` of its
    /// [`Constraints`](crate::Constraints) and the budget of its [`Contract`](crate::Contract). A gate
    /// has none, however long it waits. As JSON it is `maxDurationMs`, in milliseconds.
    #[serde(
        rename = "maxDurationMs",
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_millis"
    )]
    pub max_duration: Option<Duration>,
    /// Whether [`no_network`](crate::Constraints::no_network) keeps the network from an agent's tools.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_network_access: bool,
    /// Whether [`no_commands`](crate::Constraints::no_commands) keeps commands from them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_execution_authority: bool,
    /// Whether [`no_credentials`](crate::Constraints::no_credentials) keeps dependencies from them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_credential_access: bool,
}

impl FlowGraph {
    /// The contract of each node, in the order in which the flow names them.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Text { text: String }
    /// #[state] struct Words { count: usize }
    ///
    /// /// Counts the words of a text.
    /// #[node]
    /// fn count(text: Text) -> Words {
    ///     Words { count: text.text.split_whitespace().count() }
    /// }
    ///
    /// #[flow]
    /// fn statistics(text: Text) -> Words { flow! { count } }
    ///
    /// let contracts = statistics::graph()?.node_contracts();
    /// assert_eq!(contracts[0].title, "count");
    /// assert_eq!(contracts[0].description.as_deref(), Some("Counts the words of a text."));
    /// assert_eq!(contracts[0].input_schema["properties"]["text"]["type"], "string");
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn node_contracts(&self) -> Vec<NodeContract> {
        self.specs.iter().map(contract).collect()
    }
}

fn contract(spec: &NodeSpec) -> NodeContract {
    let about = &spec.about;
    let params = spec.params.iter().zip(&about.params);
    let params: Vec<Schemas<'_>> = params
        .map(|(names, states)| any_of(names, states))
        .collect();
    let input = match <[Schemas<'_>; 1]>::try_from(params) {
        Ok([only]) => only,
        Err(params) => Schemas::Tuple(params),
    };
    let output = match spec.shape {
        ShapeKind::Fork => Schemas::Tuple(each_of(&spec.outputs, &about.outputs)),
        ShapeKind::One | ShapeKind::Choice => any_of(&spec.outputs, &about.outputs),
    };
    NodeContract {
        kind: kind(spec).as_str(),
        type_id: about.path.to_string(),
        title: spec.id.to_string(),
        description: about.description.map(str::to_owned),
        input_schema: input.schema(),
        output_schema: output.schema(),
        constraints: constraints(spec),
        tools: tools(spec),
        agents: agents(spec),
        inside: inside(spec).map_or_else(Vec::new, FlowGraph::node_contracts),
    }
}

fn tools(spec: &NodeSpec) -> Vec<ToolContract> {
    match &spec.kind {
        NodeKind::Agent(agent) => agent.spec.config.tools.contracts(),
        _ => Vec::new(),
    }
}

fn agents(spec: &NodeSpec) -> Vec<NodeContract> {
    spec.kind.callees().iter().map(contract).collect()
}

fn constraints(spec: &NodeSpec) -> NodeConstraints {
    let config = match &spec.kind {
        NodeKind::Agent(agent) => Some(&agent.spec.config),
        _ => None,
    };
    let (policy, contract) = (
        spec.effective_policy(),
        config.and_then(|config| config.contract.as_ref()),
    );
    let refuses = |refuses: fn(&Constraints) -> bool| {
        config.is_some_and(|config| refuses(&config.constraints))
    };
    let limits = match &spec.kind {
        NodeKind::Gate(_) => [None; 3],
        _ => [
            policy.timeout,
            policy.total_timeout,
            contract.and_then(|contract| contract.budget),
        ],
    };
    NodeConstraints {
        max_duration: limits.into_iter().flatten().min(),
        no_network_access: refuses(|it| it.no_network),
        no_execution_authority: refuses(|it| it.no_commands),
        no_credential_access: refuses(|it| it.no_credentials),
    }
}

/// The schemas of what a node takes or returns.
enum Schemas<'a> {
    One(&'a Name, &'a StateFns),
    Any(Vec<Schemas<'a>>),
    Tuple(Vec<Schemas<'a>>),
}

fn each_of<'a>(names: &'a [Name], states: &'a [StateFns]) -> Vec<Schemas<'a>> {
    let states = names.iter().zip(states);
    states
        .map(|(name, state)| Schemas::One(name, state))
        .collect()
}

fn any_of<'a>(names: &'a [Name], states: &'a [StateFns]) -> Schemas<'a> {
    match (names, states) {
        ([name], [state]) => Schemas::One(name, state),
        (names, states) => Schemas::Any(each_of(names, states)),
    }
}

impl Schemas<'_> {
    /// One schema, with what it refers to under `$defs`.
    fn schema(&self) -> Value {
        let mut generator = SchemaGenerator::default();
        let mut definitions = Map::new();
        let mut schema = self.within(&mut generator, &mut definitions);
        definitions.extend(generator.take_definitions(true));
        if let Value::Object(schema) = &mut schema
            && !definitions.is_empty()
        {
            schema.insert("$defs".to_owned(), definitions.into());
        }
        schema
    }

    /// The schema without its definitions; those that a type brings itself go to `definitions`.
    fn within(
        &self,
        generator: &mut SchemaGenerator,
        definitions: &mut Map<String, Value>,
    ) -> Value {
        match self {
            Self::One(name, state) => {
                let mut schema = (state.schema)(generator);
                schema.insert("title".to_owned(), Value::from(&***name));
                let own = schema.remove("$defs");
                embed(name, schema.to_value(), own, definitions)
            }
            Self::Any(states) => {
                let states: Vec<Value> = states
                    .iter()
                    .map(|state| state.within(generator, definitions))
                    .collect();
                json!({ "anyOf": states })
            }
            Self::Tuple(states) => {
                let states: Vec<Value> = states
                    .iter()
                    .map(|state| state.within(generator, definitions))
                    .collect();
                let number = states.len();
                json!({
                    "type": "array",
                    "prefixItems": states,
                    "minItems": number,
                    "maxItems": number,
                })
            }
        }
    }
}

/// A schema as part of a larger one. What it brings itself is called after it there, since two states may
/// call different things alike, and what it says of itself refers to a definition.
fn embed(
    name: &Name,
    mut schema: Value,
    own: Option<Value>,
    definitions: &mut Map<String, Value>,
) -> Value {
    let mut own = match own {
        Some(Value::Object(own)) => own,
        _ => Map::new(),
    };
    let keys: BTreeSet<String> = own.keys().cloned().collect();
    let mut names_itself = false;
    let mut rename = |target: &mut String| {
        let within = target.strip_prefix("#/$defs/").map(|rest| rest.split('/'));
        let key = within.and_then(|mut path| path.next());
        if target == "#" {
            names_itself = true;
            *target = format!("#/$defs/{name}");
        } else if key.is_some_and(|key| keys.contains(key)) {
            *target = target.replacen("#/$defs/", &format!("#/$defs/{name}."), 1);
        }
    };
    rename_refs(&mut schema, &mut rename);
    own.values_mut()
        .for_each(|own| rename_refs(own, &mut rename));
    let own = own
        .into_iter()
        .map(|(key, own)| (format!("{name}.{key}"), own));
    definitions.extend(own);
    if names_itself {
        definitions.insert(name.to_string(), schema.clone());
    }
    schema
}

/// Renames the targets of all references in a schema.
fn rename_refs(schema: &mut Value, rename: &mut dyn FnMut(&mut String)) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match value {
                    Value::String(target) if keyword == "$ref" => rename(target),
                    value => rename_refs(value, rename),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_refs(item, rename)),
        _ => {}
    }
}

fn as_millis<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(millis).serialize(serializer)
}
