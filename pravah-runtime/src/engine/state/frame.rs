//! A net being run: which states wait where, which nodes are ready, what is half done. The flow itself is
//! one, and so is every item of a list.
//!
//! Everything is sparse: a frame costs what waits in it, and nothing for the size of its graph. Cloning
//! it shares all payloads.
//!
//! A frame has its progress, that has its lists, and each list has frames: so the three types are in this file,
//! and what a list can do is in `list`.

use std::sync::Arc;

use super::{
    path::{FramePath, ItemId},
    progress::{Attempts, FailedNode, GateAnswer, Question, Timer},
    rare::{Rare, empty},
    remote_task::RemoteProgress,
};
use crate::{
    agent::AgentProgress,
    graph::{NodeIx, Place, ScopeIx, SlotIx, Table},
    node::{Inputs, LatestStates, Token, Tokens},
    sorted_map::SortedMap,
    state::Live,
};

/// The inputs of a flow and of the flows inlined in it that have not ended. Flows that start with one state
/// have an input each: the inner one may start anew while the outer one goes on.
pub(crate) type FlowInputs = SortedMap<ScopeIx, Live>;

/// When a node became ready: at which step. Those of one step come in the order of their declaration.
pub(crate) type QueueKey = (u64, NodeIx);

/// The nodes with rules that have all of their states, for whom it is to be seen whether they run.
pub(crate) type Fed = Vec<NodeIx>;

/// The step in the key of what waited for an answer or a time: before all others.
pub(super) const AT_ONCE: u64 = 0;

#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) table: Arc<Table>,
    pub(crate) tokens: Tokens,
    /// The nodes that can move, the next one first.
    pub(crate) ready: SortedMap<QueueKey, ()>,
    /// Of each node with several slots, how many are filled. Not in `progress`, which every join would then allocate.
    pub(super) filled: SortedMap<NodeIx, usize>,
    pub(crate) flow_inputs: FlowInputs,
    pub(crate) latest: Rare<LatestStates>,
    pub(crate) progress: Rare<Progress>,
    /// Whether a step in it was committed. Before that it is not part of the run's state.
    pub(crate) is_started: bool,
}

/// How far a list has come.
#[derive(Clone, Default)]
pub(crate) struct List {
    /// What the items are made of, once one was started in this process.
    pub(crate) source: Option<Arc<[Live]>>,
    pub(crate) len: usize,
    /// The first item that was not started.
    pub(crate) next: usize,
    /// How many items may be neither done nor yet to start, where that is limited.
    pub(crate) most_open: Option<usize>,
    /// Of detached tasks: the last step after which any of them could move.
    pub(crate) ready_since: u64,
    /// The items that can move.
    pub(crate) movable: SortedMap<usize, ()>,
    /// The items that are neither done nor yet to start.
    pub(crate) items: SortedMap<usize, Arc<Frame>>,
    /// What the other items returned.
    pub(crate) done: SortedMap<usize, Live>,
}

/// What the nodes of a frame have done, and what they wait for besides their states.
#[derive(Clone)]
pub(crate) struct Progress {
    pub(crate) agents: SortedMap<NodeIx, Arc<AgentProgress>>,
    pub(crate) gates: SortedMap<NodeIx, GateAnswer>,
    pub(crate) remotes: SortedMap<NodeIx, Arc<RemoteProgress>>,
    pub(crate) lists: SortedMap<NodeIx, Arc<List>>,
    pub(crate) questions: SortedMap<Arc<str>, Question>,
    pub(crate) timers: SortedMap<NodeIx, Timer>,
    pub(crate) visits: SortedMap<NodeIx, u32>,
    /// Those of nodes that this version does not have, by their keys: a later one may have them again.
    pub(crate) gone_visits: SortedMap<Arc<str>, u32>,
    /// The flows whose inputs are not known, as long as they have none; see [`Frame::lacks_input`].
    pub(crate) unknown_inputs: SortedMap<ScopeIx, ()>,
    /// Of the nodes that have failed at this visit, or whose time is limited.
    pub(crate) attempts: SortedMap<NodeIx, Attempts>,
    /// The nodes that have failed, with nothing left to try.
    pub(crate) failed: SortedMap<NodeIx, Arc<FailedNode>>,
}

empty!(Progress {
    agents: SortedMap::new(),
    gates: SortedMap::new(),
    remotes: SortedMap::new(),
    lists: SortedMap::new(),
    questions: SortedMap::new(),
    timers: SortedMap::new(),
    visits: SortedMap::new(),
    gone_visits: SortedMap::new(),
    unknown_inputs: SortedMap::new(),
    attempts: SortedMap::new(),
    failed: SortedMap::new(),
});

impl Progress {
    /// Drops whatever a node has done towards its step's end.
    pub(super) fn forget(&mut self, node: NodeIx) {
        self.agents.remove(&node);
        self.gates.remove(&node);
        self.remotes.remove(&node);
        self.lists.remove(&node);
        self.timers.remove(&node);
        self.attempts.remove(&node);
        self.failed.remove(&node);
        let over = self.questions_of(node).map(|(id, _)| Arc::clone(id));
        for id in over.collect::<Vec<_>>() {
            self.questions.remove(&id);
        }
    }

    /// Which visit of `node` the next one is, from 1.
    pub(crate) fn visit(&self, node: NodeIx) -> u32 {
        let visits = self.visits.get(&node).copied().unwrap_or_default();
        visits.saturating_add(1)
    }

    /// Whether a node that takes several steps has made one.
    pub(crate) fn has_started(&self, node: NodeIx) -> bool {
        self.agents.contains(&node)
            || self.gates.contains(&node)
            || self.remotes.contains(&node)
            || self.lists.contains(&node)
    }

    /// Whether an agent is in the middle of its work, or waits for another attempt.
    pub(crate) fn goes_on(&self, node: NodeIx) -> bool {
        self.agents.contains(&node) || self.attempts.get(&node).is_some_and(|it| it.failed > 0)
    }

    /// Whether anything of a node is known besides the states that wait for it.
    pub(super) fn has_begun(&self, node: NodeIx) -> bool {
        self.has_started(node) || self.attempts.contains(&node) || self.failed.contains(&node)
    }

    /// The open questions of a node, with their ids.
    pub(super) fn questions_of(
        &self,
        node: NodeIx,
    ) -> impl Iterator<Item = (&Arc<str>, &Question)> {
        let questions = self.questions.iter();
        questions.filter(move |(_, question)| question.node == node)
    }
}

impl Frame {
    /// A net in which nothing waits.
    pub(crate) fn new(table: Arc<Table>) -> Self {
        Self {
            table,
            tokens: SortedMap::default(),
            ready: SortedMap::default(),
            filled: SortedMap::default(),
            flow_inputs: SortedMap::default(),
            latest: Rare::default(),
            progress: Rare::default(),
            is_started: false,
        }
    }

    /// A net that is about to start with `input`, and with what was made before it.
    pub(crate) fn start(table: &Arc<Table>, input: Live, latest: Rare<LatestStates>) -> Self {
        let mut frame = Self::new(Arc::clone(table));
        frame.latest = latest;
        frame.start_with(table, input);
        frame
    }

    /// Puts the input of the net where it waits. `table` is the frame's own, borrowed from the caller.
    pub(super) fn start_with(&mut self, table: &Table, input: Live) {
        let mut fed = Fed::new();
        self.put(&table.entry, input, AT_ONCE, &mut fed);
        self.pass_at_start(fed);
    }

    /// The frame that `path` leads to.
    #[inline]
    pub(crate) fn at(&self, path: &FramePath) -> Option<&Self> {
        let mut frame = self;
        for item in path {
            frame = frame.item(*item)?;
        }
        Some(frame)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn at_mut(&mut self, path: &FramePath) -> Option<&mut Self> {
        let mut frame = self;
        for item in path {
            frame = frame.item_mut(*item)?;
        }
        Some(frame)
    }

    /// The frame of an item of one of its lists.
    pub(crate) fn item(&self, item: ItemId) -> Option<&Self> {
        let list = self.progress.lists.get(&item.list)?;
        list.items.get(&item.index).map(|item| &**item)
    }

    fn item_mut(&mut self, item: ItemId) -> Option<&mut Self> {
        let list = self.list_mut(item.list)?;
        list.items.get_mut(&item.index).map(Arc::make_mut)
    }

    pub(crate) fn list_mut(&mut self, node: NodeIx) -> Option<&mut List> {
        self.progress
            .get_mut()?
            .lists
            .get_mut(&node)
            .map(Arc::make_mut)
    }

    pub(crate) fn set_agent(&mut self, node: NodeIx, agent: impl Into<Arc<AgentProgress>>) {
        self.progress.agents.insert(node, agent.into());
    }

    /// The nodes that have done something towards their step's end, or wait for a time.
    pub(crate) fn started_nodes(&self) -> impl Iterator<Item = NodeIx> {
        let agents = self
            .progress
            .agents
            .keys()
            .chain(self.progress.gates.keys())
            .chain(self.progress.remotes.keys());
        let waiting = self
            .progress
            .timers
            .keys()
            .chain(self.progress.failed.keys());
        // Nobody sees a list of which no step was committed.
        let lists = self
            .progress
            .lists
            .iter()
            .filter(|(_, list)| list.is_started());
        let lists = lists.map(|(node, _)| node);
        agents.chain(lists).chain(waiting).copied()
    }

    /// Which visit of `node` the next one is, from 1.
    pub(crate) fn visit(&self, node: NodeIx) -> u32 {
        self.progress.visit(node)
    }

    /// What waits at a place.
    pub(crate) fn waiting_at(&self, place: Place) -> Option<&Token> {
        let token = self.tokens.get(&place.slot);
        token.filter(|token| token.branch == place.branch)
    }

    /// All that waits, with its places.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (Place, &Token)> {
        self.tokens.iter().map(|(slot, token)| {
            let (slot, branch) = (*slot, token.branch);
            (Place { slot, branch }, token)
        })
    }

    /// The slots within a flow in which something waits.
    pub(crate) fn waiting_within(&self, scope: ScopeIx) -> impl Iterator<Item = SlotIx> {
        let slots = self.tokens.keys().copied();
        slots.filter(move |slot| self.table.is_within(self.table.slot(*slot).node, scope))
    }

    /// Whether all states that `node` takes are there.
    pub(crate) fn is_fed(&self, node: NodeIx) -> bool {
        let slots = &self.table.node(node).slots;
        slots.iter().all(|slot| self.tokens.contains(slot))
    }

    /// Takes the states out that wait, to hand them to a body, which may move values out of them. They
    /// have to be [put back](Self::restore_tokens).
    pub(crate) fn take_tokens(&mut self) -> Tokens {
        std::mem::take(&mut self.tokens)
    }

    pub(crate) fn restore_tokens(&mut self, tokens: Tokens) {
        self.tokens = tokens;
    }

    /// The states that wait for `node`.
    pub(crate) fn inputs_of<'a>(&'a mut self, node: NodeIx) -> Inputs<'a> {
        let slots = &self.table.node(node).slots;
        Inputs::new(slots, &mut self.tokens, &*self.table)
    }

    /// The open questions of a node, with their ids.
    pub(crate) fn questions_of(
        &self,
        node: NodeIx,
    ) -> impl Iterator<Item = (&Arc<str>, &Question)> {
        self.progress.questions_of(node)
    }
}

impl PartialEq for Frame {
    /// By address: frames with equal contents may still be different ones.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl PartialEq for List {
    /// By address: lists with equal contents may still be different ones.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}
