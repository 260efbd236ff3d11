//! What the places of a flow are called in snapshots.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Place, SlotIx, StateIx, Table, flatten::Flat, is_written, table::SlotEntry, table::StateEntry,
    team::is_team_start,
};

/// For each slot the keys of the states that can fill it. A state that waits in one place only is its own key;
/// of one that several nodes take the node is part of it, `Draft@review`, and of one that a node takes more than
/// once the parameter, `Review@decide.second`, by its number where it has no name. In a team the node always is part of
/// it, so that another callee changes no key.
pub(super) fn slot_keys(
    flat: &Flat,
    slots: &[SlotEntry],
    states: &[StateEntry],
) -> Vec<Vec<Arc<str>>> {
    let is_team = (flat.nodes.first()).is_some_and(|node| is_team_start(&node.spec.id));
    let mut takers: BTreeMap<StateIx, Vec<u32>> = BTreeMap::new();
    for slot in slots {
        for state in &slot.states {
            takers.entry(*state).or_default().push(slot.node.0);
        }
    }
    let mut param = 0_usize;
    let mut before = None;
    let keys = slots.iter().map(|slot| {
        let node = slot.node.0;
        param = if before == Some(node) { param + 1 } else { 1 };
        before = Some(node);
        let spec = flat.nodes.get(node as usize).map(|node| &node.spec);
        let id = spec.map_or("", |spec| &spec.id);
        let called = spec.and_then(|spec| spec.about.name_of(param - 1));
        let called = called.map_or_else(|| param.to_string(), str::to_owned);
        let key = |state: &StateIx| -> Arc<str> {
            let name = states
                .get(state.0 as usize)
                .map(|state| Arc::clone(&state.key));
            let name = name.unwrap_or_else(|| Arc::from(""));
            let takers = takers.get(state).map_or(&[][..], Vec::as_slice);
            let times = takers.iter().filter(|taker| **taker == node).count();
            let is_alone = takers.len() <= 1 && !(is_team && is_written(&name));
            match (is_alone, times) {
                (true, _) => name,
                (_, ..=1) => format!("{name}@{id}").into(),
                _ => format!("{name}@{id}.{called}").into(),
            }
        };
        slot.states.iter().map(key).collect()
    });
    keys.collect()
}

/// The places of slots, each with its key.
pub(super) fn places(slots: &[SlotEntry]) -> impl Iterator<Item = (&Arc<str>, Place)> {
    (0..).map(SlotIx).zip(slots).flat_map(|(slot, entry)| {
        let keys = (0..).zip(&entry.keys);
        keys.map(move |(branch, key)| (key, Place { slot, branch }))
    })
}

/// The state in a key, and who takes it: `Draft` and `review` of `Draft@review`.
pub(crate) fn split(key: &str) -> (&str, Option<&str>) {
    match key.split_once('@') {
        Some((state, taker)) => (state, Some(taker)),
        None => (key, None),
    }
}

/// The node of a taker, which may be one of its parameters: `decide` of `decide.2`.
pub(crate) fn node_of_taker(taker: &str) -> &str {
    taker.split_once('.').map_or(taker, |(node, _)| node)
}

/// A key that means none of several places more than the others.
pub(crate) struct Ambiguous<'a> {
    /// What the places are called.
    pub(crate) candidates: Vec<&'a str>,
}

impl Table {
    /// The place that a key of another version of the flow means: that of the node that took the state there,
    /// else the only one of the state. `taker` is that node, where the key does not say so.
    pub(crate) fn place_of(
        &self,
        key: &str,
        taker: Option<&str>,
    ) -> Result<Option<Place>, Ambiguous<'_>> {
        if let Some(place) = self.place_by_key.get(key) {
            return Ok(Some(*place));
        }
        let (state, own) = split(key);
        let candidates: Vec<(&str, Place)> = self.places_of(state).collect();
        if let Some(taker) = own.or(taker) {
            let is_taken = |key: &str, by: &str| split(key).1 == Some(by);
            for by in [taker, node_of_taker(taker)] {
                let mut meant = candidates.iter().filter(|(key, _)| is_taken(key, by));
                if let (Some((_, place)), None) = (meant.next(), meant.next()) {
                    return Ok(Some(*place));
                }
            }
        }
        match *candidates {
            [] => Ok(None),
            [(_, only)] => Ok(Some(only)),
            _ => Err(Ambiguous {
                candidates: candidates.into_iter().map(|(key, _)| key).collect(),
            }),
        }
    }

    /// The places where a state of this name waits, with their keys.
    fn places_of(&self, state: &str) -> impl Iterator<Item = (&str, Place)> {
        let places = places(&self.slots).map(|(key, place)| (&**key, place));
        places.filter(move |(key, _)| split(key).0 == state)
    }

    /// Who takes the state that waits under a key: `review`, or `decide.2`.
    pub(super) fn taker_of(&self, place: Place) -> String {
        let key = self.place_key(place);
        match split(key).1 {
            Some(taker) => taker.to_owned(),
            None => self.node_id(self.slot(place.slot).node).to_owned(),
        }
    }
}
