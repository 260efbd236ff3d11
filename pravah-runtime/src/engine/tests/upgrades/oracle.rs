//! What should be loaded, by the definition: every marking from there on is visited.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pravah_graph::{Net, NodeId, Place};
use serde_json::{Map, Value};

use crate::{
    graph::{LatestIx, NodeEntry, NodeIx, NodeKind, OutputArc, Scope, ScopeIx, SlotIx, Table},
    topology::ShapeKind,
};

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
    /// If it is the chain of a list, the entries that its items may start with, each with what it is called around
    /// the list.
    captured: Option<BTreeMap<LatestIx, Arc<str>>>,
}

type Tokens = BTreeMap<Place, u8>;

impl<'a> Oracle<'a> {
    pub(super) fn new(table: &'a Arc<Table>) -> Self {
        Self {
            net: table.net(),
            table,
            captured: None,
        }
    }

    pub(super) fn expects(&self, frame: &Value) -> Expected {
        let marked = self.marked(frame);
        let has_states = marked.as_ref().is_some_and(|marked| !marked.is_empty());
        let dropping = match marked {
            None => Some(false),
            // It is done.
            Some(marked) if marked.is_empty() => Some(true),
            Some(marked) => match self.can_finish(marked) {
                Some(true) => Some(self.can_read(frame)),
                other => other,
            },
        };
        let strict = match dropping {
            Some(true) if has_states => self.progress_fits(frame),
            other => other,
        };
        Expected { strict, dropping }
    }

    /// Where the states wait, if each has a place and no `catch` lacks an input.
    fn marked(&self, frame: &Value) -> Option<Tokens> {
        let mut marked = Tokens::new();
        for key in waiting(frame) {
            let place = self.table.place_by_key.get(&*key)?;
            let node = self.table.slot(place.slot).node;
            let mut caught = self.table.scopes_of(node).map(|(_, scope)| scope);
            if caught.any(|it| it.catch.is_some() && !self.has_input(it, frame)) {
                return None;
            }
            *marked.entry(self.table.net_place(place.slot)).or_default() += 1;
        }
        Some(marked)
    }

    /// The keys of the inputs that are there.
    fn inputs(&self, frame: &Value) -> BTreeSet<String> {
        let mut inputs: BTreeSet<String> = section(frame, "inputs").keys().cloned().collect();
        // One that still waits is not written twice, nor is an item, which is in its list.
        inputs.extend(section(frame, "latest_inputs").keys().cloned());
        inputs.extend(waiting(frame));
        if self.captured.is_some() {
            inputs.insert(self.table.state_key(self.table.entry.state).to_string());
        }
        inputs
    }

    /// Whether the input of a flow is there or still waits, or that of one around it of which the snapshot says that it
    /// is the same.
    fn has_input(&self, scope: &Scope, frame: &Value) -> bool {
        let (inputs, shared) = (self.inputs(frame), section(frame, "shared_inputs"));
        let waiting = waiting(frame);
        let mut starts = scope.starts_at.iter();
        if starts.any(|place| {
            waiting
                .iter()
                .any(|key| **key == *self.table.place_key(*place))
        }) {
            return true;
        }
        let around = |scope: &&Scope| {
            let around = self.table.scope(scope.shares_entry_with?);
            (shared.get(&*scope.key)? == &*around.key).then_some(around)
        };
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
            let Some(chain) = node.and_then(|node| self.table.inner(node)) else {
                return Some(false);
            };
            let inner = Oracle {
                captured: node.map(|node| self.captured_at(node, frame)),
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
        let waiting: BTreeSet<_> = waiting(frame)
            .iter()
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

    /// What is kept for those that read it.
    fn kept(&self, frame: &Value) -> BTreeSet<LatestIx> {
        let sections = ["latest", "shared_latest"].into_iter();
        let mut keys: BTreeSet<String> = sections
            .flat_map(|name| section(frame, name).keys().cloned().collect::<Vec<_>>())
            .collect();
        let captured = self.captured.iter().flatten();
        let is_captured = |latest: &LatestIx, around: &str| {
            section(frame, "captured").get(&*self.table.latest(*latest).key) == Some(&around.into())
        };
        let captured = captured.filter(|(latest, around)| is_captured(latest, around));
        keys.extend(captured.map(|(latest, _)| self.table.latest(*latest).key.to_string()));
        let entries = (0..).map(LatestIx).zip(&self.table.latest);
        let kept = entries.filter(|(index, entry)| {
            let scope = self.table.scope(entry.scope);
            keys.contains(&*entry.key)
                || self.is_made_by_the_start_alone(*index) && self.has_input(scope, frame)
        });
        kept.map(|(index, _)| index).collect()
    }

    fn is_made_by_the_start_alone(&self, latest: LatestIx) -> bool {
        let is_kept = |arc: &OutputArc| arc.kept_as.contains(&latest);
        let is_made = |node: &NodeEntry| {
            let failed = node.catch.iter().map(|(arc, _)| arc);
            node.outputs.iter().chain(failed).any(is_kept)
        };
        let mut failed = self.table.scopes.iter().filter_map(|it| it.catch.as_ref());
        is_kept(&self.table.entry)
            && !self.table.nodes.iter().any(is_made)
            && !failed.any(|(arc, _)| is_kept(arc))
    }

    fn captured_at(&self, list: NodeIx, frame: &Value) -> BTreeMap<LatestIx, Arc<str>> {
        let kept = self.kept(frame);
        let captures = self.table.node(list).captures.iter();
        let captures = captures.filter(|(around, _)| kept.contains(around));
        let named = captures.map(|(around, inside)| {
            let key = &self.table.latest(*around).key;
            (*inside, Arc::clone(key))
        });
        named.collect()
    }

    /// Whether every node that reads something and that a run can come to from here finds it.
    fn can_read(&self, frame: &Value) -> bool {
        let kept = self.kept(frame);
        let waiting = waiting(frame).into_iter();
        let waiting: BTreeSet<SlotIx> = waiting
            .filter_map(|key| Some(self.table.place_by_key.get(&*key)?.slot))
            .collect();
        let entries = (0..).map(LatestIx).take(self.table.latest.len());
        let mut missing = entries.filter(|latest| !kept.contains(latest));
        missing.all(|latest| {
            let scope = self.table.latest(latest).scope;
            let mut start = waiting.clone();
            start.retain(|slot| self.table.is_within(self.table.slot(*slot).node, scope));
            !self.is_read_unmade(latest, start)
        })
    }

    fn is_read_unmade(&self, latest: LatestIx, start: BTreeSet<SlotIx>) -> bool {
        let mut reached = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(slots) = open.pop() {
            for (index, node) in (0..).map(NodeIx).zip(&self.table.nodes) {
                if !node.slots.iter().all(|slot| slots.contains(slot)) {
                    continue;
                }
                let mut captures = node.captures.iter();
                if node.reads.contains(&latest) || captures.any(|(around, _)| *around == latest) {
                    return true;
                }
                for next in self.without_making(latest, &slots, (index, node)) {
                    if reached.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        false
    }

    /// What waits after a node has returned something else, or has failed.
    fn without_making(
        &self,
        latest: LatestIx,
        slots: &BTreeSet<SlotIx>,
        (index, node): (NodeIx, &NodeEntry),
    ) -> Vec<BTreeSet<SlotIx>> {
        let scope = self.table.latest(latest).scope;
        let mut outcomes: Vec<Vec<&OutputArc>> = match node.shape {
            ShapeKind::Choice => node.outputs.iter().map(|arc| vec![arc]).collect(),
            ShapeKind::One | ShapeKind::Fork => vec![node.outputs.iter().collect()],
        };
        outcomes.extend(node.catch.iter().map(|(arc, _)| vec![arc]));
        let own = |slot: &SlotIx| self.table.slot(*slot).node == index;
        let returned = outcomes.into_iter().map(|arcs| (left(slots, &own), arcs));
        let around = self.table.scopes_of(index);
        let around = around.take_while(|(around, _)| *around != scope);
        let failed = around.filter_map(|(failed, it)| {
            let inside = |slot: &SlotIx| self.is_inside(*slot, failed);
            Some((left(slots, &inside), vec![&it.catch.as_ref()?.0]))
        });
        let all = returned.chain(failed).filter(|(_, arcs)| {
            let mut arcs = arcs.iter();
            !arcs.any(|arc| arc.kept_as.contains(&latest) || arc.ends.contains(&scope))
        });
        let next = all.map(|(mut slots, arcs)| {
            slots.extend(arcs.iter().flat_map(|arc| &arc.to).map(|place| place.slot));
            slots
        });
        next.collect()
    }

    fn is_inside(&self, slot: SlotIx, scope: ScopeIx) -> bool {
        self.table.is_within(self.table.slot(slot).node, scope)
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

/// What waits that is not taken.
fn left(slots: &BTreeSet<SlotIx>, is_taken: &dyn Fn(&SlotIx) -> bool) -> BTreeSet<SlotIx> {
    slots
        .iter()
        .copied()
        .filter(|slot| !is_taken(slot))
        .collect()
}

/// The keys of the states that wait, whatever holds them.
fn waiting(frame: &Value) -> Vec<String> {
    let sections = ["states", "shared_states", "latest_states"].into_iter();
    let keys = sections.flat_map(|name| section(frame, name).keys().cloned().collect::<Vec<_>>());
    keys.collect()
}

fn section(frame: &Value, name: &str) -> Map<String, Value> {
    frame[name].as_object().cloned().unwrap_or_default()
}
