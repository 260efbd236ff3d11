//! A released version of a flow, as a lock has it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::net::LockedNet;
use crate::{
    graph::{FlowGraph, FlowStart, FlowVersion, Table},
    state::SchemaOf,
};

/// A version of a flow of which runs may wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockedVersion {
    /// The release that has it, for people: `1.4.0`.
    pub release: String,
    /// Its [`FlowGraph::fingerprint`], which its snapshots carry.
    pub fingerprint: String,
    #[serde(flatten)]
    pub(super) net: LockedNet,
    /// The nodes that are in no net: those that agents call, and detached tasks.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    other_nodes: BTreeSet<String>,
    /// Who takes the states that wait there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    other_takers: BTreeMap<String, String>,
    /// Where the flows there start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    other_starts: BTreeMap<String, FlowStart>,
    /// What may follow the states there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    other_successors: BTreeMap<String, BTreeSet<String>>,
    /// What the flow returns, if a run may wait for detached tasks after that. Earlier releases did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) returned: Option<String>,
    /// What the states look like that may wait, by their keys without the nodes that take them.
    pub(super) schemas: BTreeMap<String, Schema>,
}

impl LockedVersion {
    pub(super) fn of(release: String, graph: &FlowGraph) -> Self {
        let mut schemas = BTreeMap::new();
        add_schemas(&graph.table, &mut schemas);
        let net = LockedNet::of(&graph.table);
        let output = graph.table.state_key(graph.table.output);
        let awaits_tasks = graph.table.may_wait_for_tasks();
        let FlowVersion {
            fingerprint,
            nodes: mut other_nodes,
            takers: mut other_takers,
            starts: mut other_starts,
            successors: mut other_successors,
        } = graph.version();
        let (mut nodes, mut takers) = (BTreeSet::new(), BTreeMap::new());
        net.add_nodes("", &mut nodes, &mut takers);
        other_nodes.retain(|node| !nodes.contains(node));
        other_takers.retain(|key, _| !takers.contains_key(key));
        let mut starts = BTreeMap::new();
        net.add_starts("", &mut starts);
        other_starts.retain(|key, _| !starts.contains_key(key));
        let mut successors = BTreeMap::new();
        net.add_successors("", &mut successors);
        other_successors.retain(|key, _| !successors.contains_key(key));
        Self {
            release,
            fingerprint,
            net,
            other_nodes,
            other_takers,
            other_starts,
            other_successors,
            returned: awaits_tasks.then(|| output.to_string()),
            schemas,
        }
    }

    /// Whether some of its nodes are in no net, so that the states there are not among the schemas.
    pub(super) fn calls_others(&self) -> bool {
        !self.other_nodes.is_empty()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
            && self.net.is_same(&other.net)
            && self.schemas == other.schemas
            && (other.returned.is_none() || self.returned == other.returned)
    }

    /// The nodes of the version, as [`LoadOptions::with_version`](crate::LoadOptions::with_version) takes them.
    pub fn version(&self) -> FlowVersion {
        let (mut nodes, mut takers) = (self.other_nodes.clone(), self.other_takers.clone());
        self.net.add_nodes("", &mut nodes, &mut takers);
        let mut starts = self.other_starts.clone();
        if !self.net.add_starts("", &mut starts) {
            // An earlier release wrote it: a flow that is not among them may have been there all the same.
            starts.clear();
        }
        let mut successors = self.other_successors.clone();
        self.net.add_successors("", &mut successors);
        FlowVersion {
            fingerprint: self.fingerprint.clone(),
            nodes,
            takers,
            starts,
            successors,
        }
    }
}

/// Adds the schemas of all states that may wait, those of items of lists included.
fn add_schemas(table: &Table, schemas: &mut BTreeMap<String, Schema>) {
    for state in &table.states {
        if let Some(schema) = state.schema {
            schemas.insert(state.key.to_string(), whole_schema(schema));
        }
    }
    for (_, chain) in table.lists() {
        add_schemas(chain, schemas);
    }
}

/// The schema of what is written of a state, with all that it refers to.
pub(crate) fn whole_schema(of: SchemaOf) -> Schema {
    let mut generator = SchemaSettings::default().for_serialize().into_generator();
    let mut schema = of(&mut generator);
    // What refers to itself is among the definitions alone.
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    let mut json = schema.to_value();
    remove_texts(&mut json);
    // An object is a schema, whatever was removed from it.
    Schema::try_from(json).unwrap_or_default()
}

/// Removes what is for readers: a comment that is edited is no change of a state.
fn remove_texts(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            for word in ["title", "description", "examples"] {
                schema.remove(word);
            }
            for (word, value) in schema {
                match (word.as_str(), value) {
                    // The names in there are those of users.
                    ("properties" | "patternProperties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(remove_texts);
                    }
                    ("const" | "enum" | "default", _) => {}
                    (_, value) => remove_texts(value),
                }
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(remove_texts),
        _ => {}
    }
}
