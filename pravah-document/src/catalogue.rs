//! What is known of node types without running them.

mod agent;
mod basics;
mod control;
mod data;
mod integration;
mod system;
mod tutorial;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub use self::agent::{AUTO_APPROVE_ABOVE, SUPPRESS_BELOW};

/// The longest wait, in milliseconds: the largest number that every reader of JSON knows exactly.
const MAX_MILLIS: u64 = 9_007_199_254_740_991;

/// The node types that documents are checked against.
///
/// ```
/// use pravah_document::{Catalogue, NodeType};
/// use serde_json::json;
///
/// let words = NodeType::new("words.count", "words", "Counts words.")
///     .input(json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }))
///     .output(json!({ "type": "integer" }))
///     .example(json!({ "text": "one two" }), json!(2));
/// let catalogue = Catalogue::standard().with(words);
/// assert_eq!(catalogue.get("words.count").unwrap().pack, "words");
/// assert_eq!(catalogue.packs(), ["claude", "core", "integration", "tutorial", "words"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    types: BTreeMap<String, NodeType>,
}

impl Catalogue {
    /// The version of the standard types, by [semantic versioning](https://semver.org): a new major one where a
    /// document that was in order may not be in order any more, a minor one for new types and fields.
    ///
    /// `docs/nodes.json` is what this version has.
    pub const VERSION: &str = "1.2.0";

    /// No types at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The types of the packs `core`, `claude`, `integration` and `tutorial`.
    pub fn standard() -> Self {
        let families = [
            control::types(),
            basics::types(),
            data::types(),
            system::types(),
            agent::types(),
            integration::types(),
            tutorial::types(),
        ];
        families
            .into_iter()
            .flatten()
            .fold(Self::empty(), Self::with)
    }

    /// Adds a type, in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, node_type: NodeType) -> Self {
        self.types.insert(node_type.name.clone(), node_type);
        self
    }

    /// The types of some packs only.
    #[must_use]
    pub fn only(mut self, packs: &[&str]) -> Self {
        self.types
            .retain(|_, node_type| packs.contains(&node_type.pack.as_str()));
        self
    }

    /// The type of this name.
    pub fn get(&self, name: &str) -> Option<&NodeType> {
        self.types.get(name)
    }

    /// All types, ordered by their names.
    pub fn types(&self) -> impl Iterator<Item = &NodeType> {
        self.types.values()
    }

    /// The packs that its types are in, ordered by their names.
    pub fn packs(&self) -> Vec<&str> {
        let packs: BTreeSet<_> = self
            .types()
            .map(|node_type| node_type.pack.as_str())
            .collect();
        packs.into_iter().collect()
    }
}

/// A type of nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeType {
    /// What documents call it: `http.request`.
    pub name: String,
    /// The pack that it is in: `integration`.
    pub pack: String,
    /// What it does, in a sentence.
    pub description: String,
    /// The JSON Schema of its input.
    pub input: Value,
    /// The JSON Schema of its output.
    pub output: Value,
    /// The JSON Schema of its settings; nothing if it has none.
    pub config: Option<Value>,
    /// What it makes of some inputs.
    pub examples: Vec<Example>,
    /// What it is to the language.
    pub role: Role,
    /// What can be done with a running node of it.
    pub capabilities: Capabilities,
}

impl NodeType {
    /// A type whose body runs with its input, whatever that is.
    pub fn new(
        name: impl Into<String>,
        pack: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            pack: pack.into(),
            description: description.into(),
            input: json!({}),
            output: json!({}),
            config: None,
            examples: Vec::new(),
            role: Role::Run,
            capabilities: Capabilities::default(),
        }
    }

    /// Sets the JSON Schema of its input.
    #[must_use]
    pub fn input(mut self, schema: Value) -> Self {
        self.input = schema;
        self
    }

    /// Sets the JSON Schema of its output.
    #[must_use]
    pub fn output(mut self, schema: Value) -> Self {
        self.output = schema;
        self
    }

    /// Sets the JSON Schema of its settings.
    #[must_use]
    pub fn config(mut self, schema: Value) -> Self {
        self.config = Some(schema);
        self
    }

    /// Adds an input, and what becomes of it.
    #[must_use]
    pub fn example(mut self, input: Value, output: Value) -> Self {
        let output = Some(output);
        self.examples.push(Example { input, output });
        self
    }

    /// Adds an input whose output differs from run to run.
    #[must_use]
    pub fn example_input(mut self, input: Value) -> Self {
        self.examples.push(Example {
            input,
            output: None,
        });
        self
    }

    /// Makes it a type whose nodes run an agent, with the settings of agents.
    #[must_use]
    pub fn agent(mut self) -> Self {
        self.config = Some(agent::config());
        self.role = Role::Agent;
        self.capabilities = Capabilities {
            is_agent: true,
            supports_multi_turn: true,
            is_streaming: true,
        };
        self
    }

    fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
}

/// An input of a node type, and its output.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The input.
    pub input: Value,
    /// The output, if it is always the same.
    pub output: Option<Value>,
}

/// What can be done with a running node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether it runs an agent.
    pub is_agent: bool,
    /// Whether it takes messages while it runs.
    pub supports_multi_turn: bool,
    /// Whether its text can be watched as it comes.
    pub is_streaming: bool,
}

/// What a node type is to the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A body that runs with its input.
    Run,
    /// `control.if`.
    If,
    /// `control.switch`.
    Switch,
    /// `control.merge`.
    Merge,
    /// `control.foreach`.
    Foreach,
    /// `control.loop`.
    Loop,
    /// `control.wait`.
    Wait,
    /// `control.gate`.
    Gate,
    /// `control.subflow`.
    Subflow,
    /// `control.fail`.
    Fail,
    /// `data.map`.
    Map,
    /// `data.filter`.
    Filter,
    /// `data.template`.
    Template,
    /// A body that is an agent.
    Agent,
}

/// The schema of an object with these fields and no others.
fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A schema with the description of what it describes.
fn field(kind: &str, description: &str) -> Value {
    json!({ "type": kind, "description": description })
}

/// The schema of any value.
fn any(description: &str) -> Value {
    json!({ "description": description })
}

#[cfg(test)]
mod tests;
