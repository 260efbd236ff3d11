//! Where a run is: which states wait where, which nodes are ready, what is half done.
//!
//! Everything is sparse: a marking costs what its live states cost, and nothing for the size of
//! the graph. Cloning it shares all payloads.

use std::{collections::VecDeque, sync::Arc};

use serde_json::Value;

use super::{each::EachProgress, suspension::first};
use crate::{
    agent::AgentProgress,
    error::{FlowError, Stuck},
    graph::{NodeIx, Scope, Sequence, SlotIx, StateIx, Table, Target},
    node::{Emission, Emitted, Inputs, Token},
    state::Live,
};

#[derive(Clone, Default)]
pub(crate) struct Marking {
    /// Sorted by slot.
    pub(super) waiting: Vec<Token>,
    /// In the order in which they became ready.
    pub(super) ready: VecDeque<NodeIx>,
    /// Sorted by node, as the next two are by what they are found by.
    progress: Vec<(NodeIx, Progress)>,
    visits: Vec<(NodeIx, u32)>,
    /// The inputs of the flow and of the flows inlined in it that have not ended.
    pub(super) inputs: Arc<Vec<(StateIx, Live)>>,
}

/// What a node has done towards its step's end.
#[derive(Clone)]
pub(crate) enum Progress {
    Agent(Arc<AgentProgress>),
    /// A gate, with the answer if somebody gave one.
    Gate(Option<Arc<Value>>),
    Each(Arc<EachProgress>),
}

impl Marking {
    /// The marking in which a flow starts.
    pub(super) fn start(table: &Table, input: Live) -> Self {
        let mut marking = Self::default();
        marking.put(table, None, table.entry, input);
        marking
    }

    /// The state that waits in `slot`.
    pub(super) fn token(&self, slot: SlotIx) -> Option<&Token> {
        let at = self
            .waiting
            .binary_search_by_key(&slot, |token| token.slot)
            .ok()?;
        self.waiting.get(at)
    }

    pub(super) fn tokens(&self) -> &[Token] {
        &self.waiting
    }

    pub(super) fn progress(&self, node: NodeIx) -> Option<&Progress> {
        find(&self.progress, node)
    }

    pub(super) fn all_progress(&self) -> &[(NodeIx, Progress)] {
        &self.progress
    }

    pub(super) fn set_progress(&mut self, node: NodeIx, progress: Progress) {
        set(&mut self.progress, node, progress);
        let progress = self.progress.iter_mut().find(|(other, _)| *other == node);
        if let Some((_, Progress::Agent(agent))) = progress {
            // The progress before is gone: unless a snapshot shares the conversation, it grows in place.
            Arc::make_mut(agent).commit_said();
        }
    }

    /// The list that `node` is working on, opened where it has not started.
    pub(super) fn each_mut(&mut self, node: NodeIx) -> Option<&mut EachProgress> {
        if self.progress(node).is_none() {
            self.set_progress(node, Progress::Each(Arc::default()));
        }
        self.progress
            .iter_mut()
            .find_map(|(other, progress)| match progress {
                Progress::Each(each) if *other == node => Some(Arc::make_mut(each)),
                _ => None,
            })
    }

    pub(super) fn visits(&self, node: NodeIx) -> u32 {
        find(&self.visits, node).copied().unwrap_or_default()
    }

    pub(super) fn all_visits(&self) -> &[(NodeIx, u32)] {
        &self.visits
    }

    pub(super) fn set_visits(&mut self, node: NodeIx, visits: u32) {
        set(&mut self.visits, node, visits);
    }

    /// The input of the flow that `state` opens.
    pub(super) fn input(&self, state: StateIx) -> Option<&Live> {
        find(&self.inputs, state)
    }

    pub(super) fn set_input(&mut self, state: StateIx, live: Live) {
        set(Arc::make_mut(&mut self.inputs), state, live);
    }

    /// The states that wait for a node, which may be moved out.
    pub(super) fn inputs_of<'a>(&'a mut self, slots: &'a [SlotIx], table: &'a Table) -> Inputs<'a> {
        Inputs::new(slots, &mut self.waiting, table)
    }

    /// The list at `node`, if it has started.
    pub(super) fn started_each_mut(&mut self, node: NodeIx) -> Option<&mut EachProgress> {
        self.progress(node)?;
        self.each_mut(node)
    }

    /// Takes away what `node` consumed, and puts in what it returned. Answers the flow's output, if
    /// that was it. An error changes nothing.
    pub(super) fn fire(
        &mut self,
        table: &Table,
        node: NodeIx,
        emitted: Emitted,
    ) -> Result<Option<Live>, FlowError> {
        let entry = table.node(node)?;
        let ways: &[StateIx] = match &emitted.0 {
            Emission::Way(way, _) => entry.ways.get(*way..=*way).unwrap_or_default(),
            Emission::All(_) => &entry.ways,
        };
        self.check_fire(table, node, ways)?;
        self.consume(table, node);
        match emitted.0 {
            Emission::Way(_, live) => {
                let put = |&state| self.put(table, Some(entry.scope), state, live);
                let done = ways.first().and_then(put);
                self.leave_scopes(table, entry.scope, ways);
                Ok(done)
            }
            Emission::All(states) => {
                let before = self.ready.len();
                let mut done = None;
                for (&state, live) in ways.iter().zip(states) {
                    done = self.put(table, Some(entry.scope), state, live).or(done);
                }
                // What becomes ready at once is in the order of declaration.
                self.ready
                    .make_contiguous()
                    .split_at_mut(before)
                    .1
                    .sort_unstable();
                Ok(done)
            }
        }
    }

    /// Whether `node` can return these states.
    pub(super) fn check_fire(
        &self,
        table: &Table,
        node: NodeIx,
        ways: &[StateIx],
    ) -> Result<(), FlowError> {
        if ways.is_empty() {
            let node = table.node_id(node);
            return Err(FlowError::NotFound(format!("a way of `{node}`").into()));
        }
        for &state in ways {
            self.check_free(table, state, |other| other == node)?;
        }
        Ok(())
    }

    /// The node that takes every state that waits, if none of its states is missing and it has not started.
    /// Snapshots leave out `ready` where it is just this node.
    pub(super) fn sole_node(&self, table: &Table) -> Option<NodeIx> {
        if !self.progress.is_empty() {
            return None;
        }
        let node = table.node_of(self.waiting.first()?.slot)?;
        let slots = self.waiting.iter().map(|token| token.slot);
        slots
            .eq(table.node(node).ok()?.slots.iter().copied())
            .then_some(node)
    }

    /// Whether nothing waits but one state, in `slot`.
    #[inline]
    pub(super) fn is_only(&self, slot: SlotIx) -> bool {
        matches!(&*self.waiting, [token] if token.slot == slot) && self.progress.is_empty()
    }

    /// Makes the move of a sequence, where [nothing else waits](Self::is_only). Answers the flow's
    /// output, if that was it.
    #[inline]
    pub(super) fn move_only(&mut self, sequence: &Sequence, live: Live) -> Option<Live> {
        let Some((slot, next)) = sequence.next else {
            self.waiting.clear();
            self.ready.clear();
            return Some(live);
        };
        if let ([token], Some(node)) = (&mut *self.waiting, self.ready.front_mut()) {
            *token = Token {
                slot,
                state: sequence.output,
                live,
            };
            *node = next;
        }
        None
    }

    /// A sound net never puts a state where one waits, nor ends while one does; a snapshot from
    /// elsewhere may make it. What waits for a node that `leaves` will be gone by then.
    pub(super) fn check_free(
        &self,
        table: &Table,
        state: StateIx,
        leaves: impl Fn(NodeIx) -> bool,
    ) -> Result<(), FlowError> {
        let stays = |token: &&Token| table.node_of(token.slot).is_some_and(|node| !leaves(node));
        match table.target(state) {
            Some(Target::Slot { slot, .. }) => match self.token(slot).filter(stays) {
                Some(_) => {
                    let state = table.state_key(state);
                    let reason = format!("`{state}` came again before it was taken");
                    Err(FlowError::Deadlock(Stuck::new(reason, [state])))
                }
                None => Ok(()),
            },
            _ => match self.waiting.iter().find(stays) {
                Some(token) => {
                    let state = table.state_key(token.state);
                    let reason = format!("the flow ends while `{state}` waits");
                    Err(FlowError::Deadlock(Stuck::new(reason, [state])))
                }
                None => Ok(()),
            },
        }
    }

    /// Takes `node` out of the ready queue, with the states it took and whatever it had started. That was a
    /// visit of it.
    pub(super) fn consume(&mut self, table: &Table, node: NodeIx) {
        let Ok(entry) = table.node(node) else { return };
        for slot in &entry.slots {
            if let Ok(at) = self.waiting.binary_search_by_key(slot, |token| token.slot) {
                self.waiting.remove(at);
            }
        }
        self.dequeue(node);
        if !self.progress.is_empty() {
            self.progress.retain(|(other, _)| *other != node);
        }
        if entry.on_cycle {
            self.set_visits(node, self.visits(node).saturating_add(1));
        }
    }

    /// Forgets the inputs of the inlined flows around a node that end with what it returned.
    fn leave_scopes(&mut self, table: &Table, scope: usize, outputs: &[StateIx]) {
        for (_, scope) in table
            .enclosing(scope)
            .take_while(|(_, scope)| outputs.contains(&scope.output))
        {
            self.forget_input(table, scope);
        }
    }

    /// The flow itself keeps its input, also from a flow that it starts with.
    fn forget_input(&mut self, table: &Table, scope: &Scope) {
        let shared = |parent| {
            table
                .enclosing(parent)
                .any(|(_, around)| around.entry == scope.entry)
        };
        if let Some(parent) = scope.parent
            && !shared(parent)
        {
            Arc::make_mut(&mut self.inputs).retain(|(state, _)| *state != scope.entry);
        }
    }

    /// Takes `node` out of the ready queue: what it waits for must come from outside.
    pub(super) fn dequeue(&mut self, node: NodeIx) {
        if self.ready.front() == Some(&node) {
            self.ready.pop_front();
        } else {
            self.ready.retain(|other| *other != node);
        }
    }

    /// Moves `node` to the front of the ready queue, and returns where it was.
    pub(super) fn move_to_front(&mut self, node: NodeIx) -> Option<usize> {
        first(&mut self.ready, node)
    }

    /// Puts a state where it waits; the flow's output is answered instead. It comes out of the flow
    /// number `from`, or from outside of all.
    pub(super) fn put(
        &mut self,
        table: &Table,
        from: Option<usize>,
        state: StateIx,
        live: Live,
    ) -> Option<Live> {
        // A loop back to where a flow begins is no new input of it.
        let is_inside = |from| table.enclosing(from).any(|(_, scope)| scope.entry == state);
        if table.opens(state) && !from.is_some_and(is_inside) {
            self.set_input(state, live.clone());
        }
        let Some(Target::Slot { slot, .. }) = table.target(state) else {
            return Some(live);
        };
        if let Err(at) = self.waiting.binary_search_by_key(&slot, |token| token.slot) {
            let token = Token::new(table, slot, state, live);
            self.waiting.insert(at, token);
            self.ready_if_complete(table, slot);
        }
        None
    }

    fn ready_if_complete(&mut self, table: &Table, slot: SlotIx) {
        let Some(node) = table.node_of(slot) else {
            return;
        };
        let Ok(entry) = table.node(node) else { return };
        if entry.slots.len() == 1 || entry.slots.iter().all(|slot| self.token(*slot).is_some()) {
            self.ready.push_back(node);
        }
    }

    /// Removes everything that waits or is half done in the inlined flow `scope`.
    pub(super) fn clear(&mut self, table: &Table, scope: usize) {
        let inside = |node: NodeIx| table.scopes_of(node).any(|(index, _)| index == scope);
        let mut started: Vec<NodeIx> = self.ready.iter().copied().collect();
        started.extend(self.progress.iter().map(|(node, _)| *node));
        started.sort_unstable();
        started.dedup();
        for node in started.into_iter().filter(|node| inside(*node)) {
            self.consume(table, node);
        }
        // What is left waits for its like.
        self.waiting
            .retain(|token| table.node_of(token.slot).is_none_or(|node| !inside(node)));
        for (index, ended) in table.scopes.iter().enumerate() {
            if table.enclosing(index).any(|(around, _)| around == scope) {
                self.forget_input(table, ended);
            }
        }
    }

    /// Restores a state from a snapshot; whether its node is ready is in the snapshot too.
    pub(super) fn restore(
        &mut self,
        table: &Table,
        (slot, state): (SlotIx, StateIx),
        live: Live,
    ) -> Result<(), ()> {
        match self.waiting.binary_search_by_key(&slot, |token| token.slot) {
            Ok(_) => Err(()),
            Err(at) => {
                let token = Token::new(table, slot, state, live);
                self.waiting.insert(at, token);
                Ok(())
            }
        }
    }
}

/// What is under `key` in a list that is sorted by it.
fn find<K: Ord, V>(entries: &[(K, V)], key: K) -> Option<&V> {
    let at = entries
        .binary_search_by(|(other, _)| other.cmp(&key))
        .ok()?;
    entries.get(at).map(|(_, value)| value)
}

fn set<K: Ord, V>(entries: &mut Vec<(K, V)>, key: K, value: V) {
    let at = entries.partition_point(|(other, _)| *other < key);
    match entries.get_mut(at) {
        Some((other, known)) if *other == key => *known = value,
        _ => entries.insert(at, (key, value)),
    }
}
