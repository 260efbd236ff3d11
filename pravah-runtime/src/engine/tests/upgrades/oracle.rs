//! What should be loaded, by the definition: every marking from there on is visited.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pravah_graph::{Net, NodeId, Place};
use serde_json::{Map, Value};

use crate::graph::{NodeIx, NodeKind, Scope, Table};

/// How many markings are visited before one is given up as too large.
const LIMIT: usize = 3_000;

/// Whether a snapshot should be loaded; unknown where there is too much to visit.
pub(super) struct Expected {
    pub(super) strict: Option<bool>,
    /// The same where what nodes have done may be dropped.
    pub(super) dropping: Option<bool>,
}

pub(super) struct Oracle<'a> {
    table: &'a Arc<Table>,
    net: Net,
    /// Whether it is the chain of a list.
    is_item: bool,
}

type Tokens = BTreeMap<Place, u8>;

impl<'a> Oracle<'a> {
    pub(super) fn new(table: &'a Arc<Table>) -> Self {
        Self {
            net: table.net(),
            table,
            is_item: false,
        }
    }

    pub(super) fn expects(&self, frame: &Value) -> Expected {
        let marked = self.marked(frame);
        let has_states = marked.as_ref().is_some_and(|marked| !marked.is_empty());
        let dropping = match marked {
            None => Some(false),
            // It is done.
            Some(marked) if marked.is_empty() => Some(true),
            Some(marked) => self.can_finish(marked),
        };
        let strict = match dropping {
            Some(true) if has_states => self.progress_fits(frame),
            other => other,
        };
        Expected { strict, dropping }
    }

    /// Where the states wait, if each has a place and no `catch` lacks an input.
    fn marked(&self, frame: &Value) -> Option<Tokens> {
        let mut inputs: BTreeSet<String> = section(frame, "inputs").keys().cloned().collect();
        // One that still waits is not written twice, nor is an item, which is in its list.
        inputs.extend(section(frame, "states").keys().cloned());
        if self.is_item {
            inputs.insert(self.table.state_key(self.table.entry.state).to_string());
        }
        let mut marked = Tokens::new();
        for key in section(frame, "states").keys() {
            let place = self.table.place_by_key.get(&**key)?;
            let node = self.table.slot(place.slot).node;
            let mut caught = self.table.scopes_of(node).map(|(_, scope)| scope);
            if caught.any(|it| it.catch.is_some() && !self.has_input(it, &inputs)) {
                return None;
            }
            *marked.entry(self.table.net_place(place.slot)).or_default() += 1;
        }
        Some(marked)
    }

    /// Whether the input of a flow is there, or that of one around it that starts with the same.
    fn has_input(&self, scope: &Scope, inputs: &BTreeSet<String>) -> bool {
        let around = |scope: &&Scope| Some(self.table.scope(scope.shares_entry_with?));
        let mut alike = std::iter::successors(Some(scope), around);
        alike.any(|scope| inputs.contains(&*scope.key))
    }

    fn progress_fits(&self, frame: &Value) -> Option<bool> {
        let mut known = Some(true);
        for (key, gate) in section(frame, "gates") {
            let node = self.node(frame, &key);
            let is_gate = |node: &NodeIx| matches!(self.table.node(*node).kind, NodeKind::Gate(_));
            if !node.is_some_and(|node| is_gate(&node) && self.is_same(node, &gate)) {
                return Some(false);
            }
        }
        for key in section(frame, "failed").keys() {
            if self.node(frame, key).is_none() {
                return Some(false);
            }
        }
        for (key, list) in section(frame, "lists") {
            let node = self
                .node(frame, &key)
                .filter(|node| self.is_same(*node, &list));
            let Some(chain) = node.and_then(|node| self.table.chain(node)) else {
                return Some(false);
            };
            let is_item = true;
            let inner = Oracle {
                is_item,
                ..Oracle::new(chain)
            };
            for item in section(&list, "items").values() {
                match inner.expects(item).strict {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    None => known = None,
                }
            }
        }
        known
    }

    /// The node that takes a state, if all of its states are there.
    fn node(&self, frame: &Value, key: &str) -> Option<NodeIx> {
        let node = self.table.slot(self.table.place_by_key.get(key)?.slot).node;
        let states = section(frame, "states");
        let waiting: BTreeSet<_> = states
            .keys()
            .filter_map(|key| Some(self.table.place_by_key.get(&**key)?.slot))
            .collect();
        let slots = &self.table.node(node).slots;
        slots
            .iter()
            .all(|slot| waiting.contains(slot))
            .then_some(node)
    }

    fn is_same(&self, node: NodeIx, stored: &Value) -> bool {
        stored["returns"].as_str() == Some(&**self.table.returns(node))
    }

    /// Whether every run from here can end with done alone, and marks it only so.
    fn can_finish(&self, start: Tokens) -> Option<bool> {
        let done = Tokens::from([(Place::Done, 1)]);
        let mut before: BTreeMap<Tokens, Vec<Tokens>> = BTreeMap::new();
        let mut reached = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(tokens) = open.pop() {
            if tokens.contains_key(&Place::Done) && tokens != done {
                return Some(false);
            }
            for next in self.fired(&tokens) {
                before.entry(next.clone()).or_default().push(tokens.clone());
                if reached.insert(next.clone()) {
                    open.push(next);
                }
            }
            if reached.len() > LIMIT {
                return None;
            }
        }
        let mut can = BTreeSet::from([done.clone()]);
        let mut open = vec![done];
        while let Some(tokens) = open.pop() {
            for earlier in before.get(&tokens).into_iter().flatten() {
                if can.insert(earlier.clone()) {
                    open.push(earlier.clone());
                }
            }
        }
        Some(reached.is_subset(&can))
    }

    fn fired(&self, tokens: &Tokens) -> Vec<Tokens> {
        let mut all = Vec::new();
        for node in (0..self.net.node_count()).map(NodeId) {
            let slots = (0..self.net.slots(node)).map(|slot| Place::Slot { node, slot });
            let slots: Vec<Place> = slots.collect();
            if !slots.iter().all(|slot| tokens.contains_key(slot)) {
                continue;
            }
            for outputs in self.net.outcomes(node) {
                let mut next = tokens.clone();
                for slot in &slots {
                    let count = next.get_mut(slot).unwrap();
                    *count -= 1;
                    if *count == 0 {
                        next.remove(slot);
                    }
                }
                for place in outputs {
                    *next.entry(*place).or_default() += 1;
                }
                all.push(next);
            }
        }
        all
    }
}

fn section(frame: &Value, name: &str) -> Map<String, Value> {
    frame[name].as_object().cloned().unwrap_or_default()
}
