//! Firing a node: what it consumed goes out of its frame, and what it returned comes in.

use std::sync::Arc;

use super::frame::{Fed, Frame};
use crate::{
    graph::{NodeIx, OutputArc, Place, ScopeIx, SlotIx},
    node::{Emission, Emitted, Token},
    state::Live,
};

impl Frame {
    /// Takes away what `node` consumed, and puts in what it returned. Returns the flow's output, if that
    /// was it.
    pub(crate) fn fire(&mut self, node: NodeIx, emitted: Emitted, step: u64) -> Option<Live> {
        match &self.table.node(node).rules {
            None => self.emit(node, emitted, step, &mut Fed::new()),
            Some(_) => self.fire_by_rules(node, emitted, step),
        }
    }

    /// The same for what the node emits, without what follows from that by the rules of others. The nodes that have
    /// all of their states by it are added to `fed`.
    pub(super) fn emit(
        &mut self,
        node: NodeIx,
        emitted: Emitted,
        step: u64,
        fed: &mut Fed,
    ) -> Option<Live> {
        self.consume(node);
        let table = Arc::clone(&self.table);
        let outputs = &table.node(node).outputs;
        match emitted.0 {
            Emission::Branch(branch, live) => self.put(outputs.get(branch)?, live, step, fed),
            Emission::All(states) => {
                self.reserve(states.len());
                let mut done = None;
                for (arc, live) in outputs.iter().zip(states) {
                    done = self.put(arc, live, step, fed).or(done);
                }
                done
            }
            // Their results go on once all have ended.
            Emission::Calls(_) => None,
        }
    }

    /// Makes the plain move of a node, where nothing waits but what it takes. Returns the flow's output, if
    /// that was it.
    #[inline]
    pub(crate) fn move_on(&mut self, node: NodeIx, live: Live, step: u64) -> Option<Live> {
        let plain_move = self.table.node(node).plain_move.as_ref();
        let to = plain_move.and_then(|plain_move| plain_move.to.as_ref());
        let (waiting, ready) = (self.tokens.only_mut(), self.ready.only_mut());
        let (Some((place, next)), Some((slot, token)), Some((first, ()))) = (to, waiting, ready)
        else {
            self.tokens.clear();
            self.ready.clear();
            self.forget_all_latest();
            return Some(live);
        };
        *slot = place.slot;
        *token = Token {
            branch: place.branch,
            since: step,
            live,
        };
        *first = (step, *next);
        None
    }

    /// Takes `node` out of the ready queue, with the states it took and whatever it had started. That was a
    /// visit of it.
    pub(crate) fn consume(&mut self, node: NodeIx) {
        let entry = self.table.node(node);
        let mut since = None;
        // The last one first, so that fewer others have to move up.
        for slot in entry.slots.iter().rev() {
            since = since.max(self.tokens.remove(slot).map(|token| token.since));
        }
        let since = since.unwrap_or_else(|| self.detached_since(node));
        if entry.slots.len() > 1 {
            self.filled.remove(&node);
        }
        if let Some(progress) = self.progress.get_mut() {
            progress.forget(node);
        }
        // A node on no loop has a count only where a deploy has put it behind a step that it made.
        if entry.on_cycle || self.progress.visits.contains(&node) {
            let visit = self.visit(node);
            self.progress.visits.insert(node, visit);
        }
        self.remove_ready(node, since);
    }

    /// Puts a state where its arc leads, at the step of this number. The flow's output is returned instead. The
    /// nodes that have all of their states by it are added to `fed`.
    pub(crate) fn put(
        &mut self,
        arc: &OutputArc,
        mut live: Live,
        step: u64,
        fed: &mut Fed,
    ) -> Option<Live> {
        self.keep_inputs(arc, &mut live);
        let Some((last, others)) = arc.to.split_last() else {
            if !arc.is_output {
                self.keep_latest_only(arc, live);
                return None;
            }
            self.forget_all_latest();
            return Some(live);
        };
        self.keep_latest(arc, &mut live);
        if !others.is_empty() {
            // Each of them takes it when its turn comes.
            live.share();
            self.reserve(arc.to.len());
        }
        for place in others {
            self.put_at(*place, live.clone(), step, fed);
        }
        self.put_at(*last, live, step, fed);
        None
    }

    /// Reserves space for `more` waiting states, and as many nodes that are ready: one allocation in place of several.
    fn reserve(&mut self, more: usize) {
        self.tokens.reserve(more);
        self.ready.reserve(more);
    }

    fn put_at(&mut self, place: Place, live: Live, step: u64, fed: &mut Fed) {
        let token = Token {
            branch: place.branch,
            since: step,
            live,
        };
        self.place(place.slot, token);
        let node = self.table.slot(place.slot).node;
        let is_fed = self.fill(node);
        let held = match &self.table.node(node).rules {
            None => false,
            Some(rules) => rules.is_held,
        };
        if is_fed && !held {
            self.ready.insert((step, node), ());
        }
        if self.table.node(node).rules.is_some() {
            if is_fed && !held {
                fed.push(node);
            }
            if let Some(released) = self.release_by(node, place.slot, step) {
                fed.push(released);
            }
        }
    }

    /// Puts a state where it waits. A list is there taken apart, one item after another.
    pub(crate) fn place(&mut self, slot: SlotIx, mut token: Token) {
        if self.table.slot(slot).is_list {
            token.live = token.live.in_cell();
        }
        self.tokens.insert(slot, token);
    }

    /// Counts a slot of `node` that was filled, and says whether that was the last.
    pub(crate) fn fill(&mut self, node: NodeIx) -> bool {
        let slots = self.table.node(node).slots.len();
        if slots == 1 {
            return true;
        }
        let filled = self.filled.get_or_insert_with(node, || 0);
        *filled = filled.saturating_add(1);
        *filled == slots
    }

    /// Removes everything that waits or is half done in the inlined flow `scope`, and its inputs.
    pub(crate) fn clear(&mut self, scope: ScopeIx) {
        let table = Arc::clone(&self.table);
        let inside = |node: &NodeIx| table.is_within(*node, scope);
        let mut started: Vec<NodeIx> = self.ready.keys().map(|(_, node)| *node).collect();
        started.extend(self.started_nodes());
        started.sort_unstable();
        started.dedup();
        for node in started.into_iter().filter(inside) {
            self.consume(node);
        }
        // What is left fills some slots of a node and waits for the others.
        let left = self.tokens.keys().copied();
        let left: Vec<SlotIx> = left
            .filter(|slot| inside(&table.slot(*slot).node))
            .collect();
        for slot in left {
            self.tokens.remove(&slot);
            self.filled.remove(&table.slot(slot).node);
        }
        self.drop_inputs(scope);
        self.forget_latest(scope);
    }
}
