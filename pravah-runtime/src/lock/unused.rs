//! Migrations that no run of any version in a lock needs.

use std::sync::Arc;

use super::{
    FlowLock, UnusedMigration,
    net::LockedNet,
    schema::{lives, refuses_its_own},
    version::{LockedVersion, whole_schema},
};
use crate::{
    engine::{LoadOptions, MigrationName, Migrations},
    graph::{FlowGraph, Table},
    quoted::one,
    state::{SchemaOf, StateType},
};

/// The migrations that no run of any of the versions needs.
pub(super) fn unused(
    lock: &FlowLock,
    graph: &FlowGraph,
    options: &LoadOptions,
) -> Vec<UnusedMigration> {
    let migrations = options.migrations();
    if lock.versions.is_empty() || migrations.is_empty() {
        return Vec::new();
    }
    let mut used = Used {
        migrations,
        names: Vec::new(),
        moved: Vec::new(),
        kept: Vec::new(),
    };
    for version in &lock.versions {
        used.net(version, &version.net, &graph.table);
        used.states(version, &graph.table);
        used.returned(version, &graph.table);
    }
    // The states of agents and flows that nodes call are in no lock.
    let this = LockedVersion::of(String::new(), graph);
    let is_known = !this.calls_others() && !lock.versions.iter().any(LockedVersion::calls_others);
    let reading = migrations.names().filter(|it| is_known && !used.has(it));
    let reading = reading.map(|name| (&**name, why_not_read(name, &graph.table, migrations)));
    let moving = migrations
        .moved_states()
        .filter_map(|(key, name)| Some((name, used.why_not_moved(key, is_known)?)));
    let unused = reading.chain(moving).map(|(name, why)| UnusedMigration {
        migration: name.to_string(),
        why,
    });
    unused.collect()
}

/// What runs of the versions need.
struct Used<'a> {
    migrations: &'a Migrations,
    /// The migrations that read a state.
    names: Vec<&'a Arc<MigrationName>>,
    /// The keys of states that have no place any more.
    moved: Vec<String>,
    /// The keys of states that have one.
    kept: Vec<String>,
}

impl Used<'_> {
    fn has(&self, name: &Arc<MigrationName>) -> bool {
        self.names.iter().any(|it| Arc::ptr_eq(it, name))
    }

    /// Why no state under this key is moved, if none is; what is in no lock is not known.
    fn why_not_moved(&self, key: &str, is_known: bool) -> Option<String> {
        let is_among = |keys: &[String]| keys.iter().any(|it| it == key);
        if is_among(&self.moved) || !is_known && !is_among(&self.kept) {
            return None;
        }
        Some(match is_among(&self.kept) {
            true => format!("`{key}` still has a place in this version"),
            false => {
                format!("it moves `{key}`, which is a state of no version in the lock file")
            }
        })
    }

    fn net(&mut self, version: &LockedVersion, net: &LockedNet, table: &Table) {
        for node in &net.nodes {
            for key in node.takes.iter().flatten() {
                match table.place_of(key, Some(node.taker_of(key))) {
                    Ok(Some(_)) => self.kept.push(key.clone()),
                    Ok(None) | Err(_) => self.moved(version, key),
                }
            }
            let place = node.key().map(|key| table.place_of(key, Some(&node.id)));
            let here = place.and_then(Result::ok).flatten();
            let inner = here.and_then(|place| table.inner(table.slot(place.slot).node));
            if let (Some(chain), Some(inner)) = (&node.chain, inner) {
                self.net(version, chain, inner);
            }
        }
    }

    fn returned(&mut self, version: &LockedVersion, table: &Table) {
        if let Some(returned) = &version.returned
            && **returned != **table.state_key(table.output)
        {
            self.moved(version, returned);
        }
    }

    fn moved(&mut self, version: &LockedVersion, key: &str) {
        for moved in self.migrations.moves_of(key) {
            self.read(version, key, moved.form());
        }
        self.moved.push(key.to_owned());
    }

    fn states(&mut self, version: &LockedVersion, table: &Table) {
        for state in &table.states {
            if let (Some(schema), Some(type_of)) = (state.schema, state.type_of) {
                self.read(version, &state.key, (schema, type_of()));
            }
        }
        for (_, chain) in table.lists() {
            self.states(version, chain);
        }
    }

    /// Notes what reads a state of a version where its form has changed.
    fn read(&mut self, version: &LockedVersion, key: &str, (schema, to): (SchemaOf, StateType)) {
        let schema = whole_schema(schema);
        let Some(stored) = version.schemas.get(key).filter(|it| **it != schema) else {
            return;
        };
        if refuses_its_own(&schema, to) {
            self.names.extend(self.migrations.names_on_ways(None, to));
        }
        for live in lives(stored) {
            self.names
                .extend(self.migrations.names_on_ways(Some(&live), to));
        }
    }
}

/// Why a migration reads no state of any version.
fn why_not_read(name: &MigrationName, table: &Table, migrations: &Migrations) -> String {
    let makes = &name.makes;
    let is_read = migrations.names().any(|it| it.reads == *makes);
    match has_state(table, makes) || is_read {
        true => {
            "no state of a version in the lock file was stored in the form that it reads".to_owned()
        }
        false => format!("it makes {}, which is no state of this flow", one(makes)),
    }
}

/// Whether a flow has a state of this name.
fn has_state(table: &Table, name: &str) -> bool {
    let is_it =
        |key: &str| key == name || key.strip_suffix(name).is_some_and(|it| it.ends_with("::"));
    let mut lists = table.lists();
    table.states.iter().any(|state| is_it(&state.key))
        || lists.any(|(_, chain)| has_state(chain, name))
}
