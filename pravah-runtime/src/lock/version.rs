//! A released version of a flow, as a lock has it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::net::LockedNet;
use crate::graph::{FlowGraph, FlowVersion, Table};

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
    /// What the states look like that may wait, by their keys without the nodes that take them.
    pub(super) schemas: BTreeMap<String, Schema>,
}

impl LockedVersion {
    pub(super) fn of(release: String, graph: &FlowGraph) -> Self {
        let mut schemas = BTreeMap::new();
        add_schemas(&graph.table, &mut schemas);
        Self {
            release,
            fingerprint: graph.fingerprint().to_string(),
            net: LockedNet::of(&graph.table),
            schemas,
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.net == other.net && self.schemas == other.schemas
    }

    /// The nodes of the version, as [`LoadOptions::with_version`](crate::LoadOptions::with_version) takes them.
    pub fn version(&self) -> FlowVersion {
        let (mut nodes, mut takers) = (BTreeSet::new(), BTreeMap::new());
        self.net.add_nodes("", &mut nodes, &mut takers);
        FlowVersion {
            fingerprint: self.fingerprint.clone(),
            nodes,
            takers,
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

/// A schema with all that it refers to.
pub(super) fn whole_schema(of: fn(&mut SchemaGenerator) -> Schema) -> Schema {
    let mut generator = SchemaGenerator::default();
    let mut schema = of(&mut generator);
    // What refers to itself is among the definitions alone.
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema
}
