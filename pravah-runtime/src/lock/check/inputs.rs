//! Whether the inputs of flows are there in another version that a `catch` hands on, or a node may ask for.

use std::collections::{BTreeMap, BTreeSet};

use super::{Checker, Placement, Placements};
use crate::{
    graph::{NodeIx, Place, Scope, ScopeIx, SlotIx, Table},
    lock::{LockProblem, net::LockedNet},
};

impl Checker<'_> {
    /// Whether the inputs of the flows around places are there, kept or waiting there themselves, if a `catch` hands them
    /// on or a node may ask for them.
    pub(super) fn inputs(&mut self, net: &LockedNet, table: &Table, placements: &Placements<'_>) {
        let needed = needed_inputs(table, placements);
        for locked in &net.nodes {
            let kept = || locked.within.iter().map(String::as_str).chain(net.input());
            for key in locked.takes.iter().flatten() {
                let Some(Placement { place, .. }) = placements.get(key.as_str()) else {
                    continue;
                };
                let node = table.slot(place.slot).node;
                let mut around = table.scopes_of(node).filter(|(index, scope)| {
                    let before_reader = || needed.get(index).is_some_and(|it| it.contains(&node));
                    scope.catch.is_some() || before_reader()
                });
                let missing = around.find(|(index, scope)| {
                    !kept().any(|key| *key == *scope.key)
                        && !is_input(net, (table, placements), (*index, scope), (key, *place))
                });
                if let Some((_, scope)) = missing {
                    self.problems.push(LockProblem::NoInput {
                        release: self.release(),
                        state: key.clone(),
                        input: scope.key.to_string(),
                    });
                }
            }
        }
    }
}

/// Whether what waits under a key is sure to be the input of a flow that was not around it.
fn is_input(
    net: &LockedNet,
    (table, placements): (&Table, &Placements<'_>),
    (index, scope): (ScopeIx, &Scope),
    (key, place): (&String, Place),
) -> bool {
    if !scope.starts_at.contains(&place) {
        return false;
    }
    let starts_here = |key: &&String| {
        let placement = placements.get(key.as_str());
        placement.is_some_and(|placement| scope.starts_at.contains(&placement.place))
    };
    let all = net
        .nodes
        .iter()
        .flat_map(|node| node.takes.iter().flatten());
    let slot_of = |key: &String| placements.get(key.as_str()).map(|it| it.place.slot);
    let all: BTreeSet<Option<SlotIx>> = all.filter(starts_here).map(slot_of).collect();
    // What one step leaves at several starts is one state.
    let left = net.left().map(|keys| keys.iter().filter(starts_here));
    let mut left = left.map(|keys| keys.map(slot_of).collect::<BTreeSet<_>>());
    if !left.all(|slots| slots.is_empty() || slots == all) {
        return false;
    }
    table.is_entrance(place, index) || is_input_of_run(net, table, key)
}

/// Whether what waits under a key is sure to be the input of the whole flow.
fn is_input_of_run(net: &LockedNet, table: &Table, key: &String) -> bool {
    let input = &table.scope(ScopeIx::FLOW).key;
    net.input() == Some(&**input) && net.start.contains(key) && !net.comes_back_to(key)
}

/// The nodes of each flow whose states may lead to one that asks for its input. (A run waits in any of these places, since
/// a join may need what waits in several.)
fn needed_inputs(table: &Table, placements: &Placements<'_>) -> BTreeMap<ScopeIx, Vec<NodeIx>> {
    let slots = || placements.values().map(|placement| placement.place.slot);
    let scopes = (0..).map(ScopeIx).take(table.scopes.len());
    let needed = scopes.map(|index| {
        let inside = slots().filter(|slot| table.is_within(table.slot(*slot).node, index));
        (index, table.nodes_before_readers_of_input(index, inside))
    });
    needed.collect()
}
