//! What the places of a flow are called in snapshots.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    StateIx,
    flatten::Flat,
    table::{SlotEntry, StateEntry},
};

/// For each slot the keys of the states that can fill it. A state that waits in one place only is its own key;
/// of one that several nodes take the node is part of it, `Draft@review`, and of one that a node takes more than
/// once the number of the parameter, `Review@decide.2`.
pub(super) fn slot_keys(
    flat: &Flat,
    slots: &[SlotEntry],
    states: &[StateEntry],
) -> Vec<Vec<Arc<str>>> {
    let mut takers: BTreeMap<StateIx, Vec<u32>> = BTreeMap::new();
    for slot in slots {
        for state in &slot.states {
            takers.entry(*state).or_default().push(slot.node.0);
        }
    }
    let mut param = 0;
    let mut before = None;
    let keys = slots.iter().map(|slot| {
        let node = slot.node.0;
        param = if before == Some(node) { param + 1 } else { 1 };
        before = Some(node);
        let id = flat
            .nodes
            .get(node as usize)
            .map_or("", |node| &node.spec.id);
        let key = |state: &StateIx| -> Arc<str> {
            let name = states
                .get(state.0 as usize)
                .map(|state| Arc::clone(&state.key));
            let name = name.unwrap_or_else(|| Arc::from(""));
            let takers = takers.get(state).map_or(&[][..], Vec::as_slice);
            let times = takers.iter().filter(|taker| **taker == node).count();
            match (takers.len(), times) {
                (..=1, _) => name,
                (_, ..=1) => format!("{name}@{id}").into(),
                _ => format!("{name}@{id}.{param}").into(),
            }
        };
        slot.states.iter().map(key).collect()
    });
    keys.collect()
}
