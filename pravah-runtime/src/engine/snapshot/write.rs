//! A run as what is stored of it: the whole, or what has changed since an earlier state. Nothing is
//! copied.

mod progress;
mod shared;
mod writer;

use std::{borrow::Cow, sync::Arc};

use self::{
    shared::{ListOfItem, key_of_latest},
    writer::Writer,
};
use super::{
    super::state::{
        End, RunState,
        asked::VisitCounts,
        frame::{Frame, QueueKey},
        path::NodePath,
    },
    map::Map,
    stored::{
        Key, Stored, StoredAsked, StoredFingerprint, StoredFrame, StoredHead, StoredResults,
        StoredState, VERSION, sections,
    },
};
use crate::{
    graph::{NodeIx, Place, ScopeIx, Table},
    sorted_map::SortedMap,
    state::Live,
};

/// The whole of a run.
pub(super) fn whole<'a>(flow: &'a str, state: &'a RunState) -> Stored<'a> {
    Writer::default().run(flow, state, None)
}

pub(super) fn head<'a>(flow: &'a str, state: &'a RunState) -> StoredHead<'a> {
    StoredHead {
        version: VERSION,
        flow: flow.into(),
        run_id: Cow::Borrowed(&state.id),
        fingerprint: StoredFingerprint::Known(&state.root.table.fingerprint_json),
        steps: state.steps,
        calls: state.spending.calls,
        budget: state.spending.budget,
        paused: state.is_paused,
        awaits_tasks: state.detached.returned.is_some(),
        cancelled: match &state.end {
            Some(End::Cancelled(reason)) => Some(Arc::clone(reason)),
            _ => None,
        },
        questions_asked: state.questions_asked,
        remote_tasks: state.remote_tasks,
        traceparent: state.traceparent.clone(),
    }
}

/// What was put since `before`, and the JSON pointers of what was deleted.
pub(super) fn changes<'a>(
    flow: &'a str,
    state: &'a RunState,
    before: &'a RunState,
) -> (Stored<'a>, Vec<String>) {
    let mut writer = Writer::default();
    let put = writer.run(flow, state, Some(before));
    (put, writer.deleted)
}

impl Writer {
    fn run<'a>(
        &mut self,
        flow: &'a str,
        state: &'a RunState,
        before: Option<&'a RunState>,
    ) -> Stored<'a> {
        Stored {
            head: head(flow, state),
            results: self.results(state, before),
            frame: self.frame(&state.root, before.map(|before| &before.root), None),
        }
    }

    /// What the flow returned, what its models cost, the commands that wait, what its nodes have kept, and which tasks are
    /// to be cancelled; `None` where there is nothing of that.
    fn results<'a>(
        &mut self,
        state: &'a RunState,
        before: Option<&'a RunState>,
    ) -> Option<Box<StoredResults<'a>>> {
        let mut states = [Some(state), before].into_iter().flatten();
        let is_empty = |it: &RunState| {
            it.spending.is_unchanged()
                && it.values.is_unchanged()
                && it.detached.is_unchanged()
                && it.remote_cancels.is_unchanged()
                && it.inbox.is_empty()
        };
        if state.output().is_none() && states.all(is_empty) {
            return None;
        }
        let table = &*state.root.table;
        let usage = before.map(|before| &before.spending.usage);
        let asked = before.map(|before| &before.spending.asked);
        Some(Box::new(StoredResults {
            output: self.output(state, before),
            usage: self.section(
                (sections::usage, &state.spending.usage, usage),
                |id, _| Some(Cow::Borrowed(&**id)),
                |_, _, usage, _| *usage,
            ),
            asked: self.section(
                (sections::asked, &state.spending.asked, asked),
                |path, _| Some(Cow::Owned(path_key(table, path))),
                |_, path, asked, _| stored_asked(table, path, asked),
            ),
            inbox: self.section(
                (sections::inbox, &state.inbox, before.map(|it| &it.inbox)),
                |number, _| Some(*number),
                |_, _, command, _| Arc::clone(command),
            ),
            values: self.section(
                (
                    sections::values,
                    &state.values,
                    before.map(|it| &*it.values),
                ),
                |name, _| Some(Cow::Borrowed(&**name)),
                |_, _, value, _| StoredState::Live(value),
            ),
            tasks: self.section(
                (
                    sections::tasks,
                    &state.detached.tasks,
                    before.map(|it| &it.detached.tasks),
                ),
                |number, _| Some(*number),
                |_, _, task, _| Cow::Borrowed(&**task),
            ),
            child_counts: self.section(
                (
                    sections::child_counts,
                    &state.detached.child_counts,
                    before.map(|it| &it.detached.child_counts),
                ),
                |visit, _| Some(Cow::Borrowed(&**visit)),
                |_, _, count, _| *count,
            ),
            remote_cancels: self.section(
                (
                    sections::remote_cancels,
                    &state.remote_cancels.tasks,
                    before.map(|it| &it.remote_cancels.tasks),
                ),
                |task_id, _| Some(Cow::Borrowed(&**task_id)),
                |_, _, handle, _| Cow::Borrowed(&**handle),
            ),
        }))
    }

    fn frame<'a>(
        &mut self,
        frame: &'a Frame,
        before: Option<&'a Frame>,
        list: ListOfItem<'a>,
    ) -> StoredFrame<'a> {
        let table = &*frame.table;
        static NOTHING: SortedMap<QueueKey, ()> = SortedMap::new();
        let ready = |frame| written_ready(frame).unwrap_or(&NOTHING);
        let mut stored = StoredFrame::default();
        self.states(&mut stored, (frame, before), list);
        self.inputs(&mut stored, (frame, before), list.is_some());
        stored.ready = self.section(
            (sections::ready, ready(frame), before.map(ready)),
            |(_, node), ()| Some(node_key(table, *node)),
            |_, (since, _), (), _| *since,
        );
        stored.progress = self.progress(frame, before, stored.progress);
        stored
    }

    /// The states that wait, and which of them are that of another place.
    fn states<'a>(
        &mut self,
        stored: &mut StoredFrame<'a>,
        (frame, before): (&'a Frame, Option<&'a Frame>),
        list: ListOfItem<'a>,
    ) {
        let table = &*frame.table;
        if table.has_shared_states || !table.latest.is_empty() {
            self.shared_sections(stored, (frame, before), list);
            return;
        }
        stored.states = self.section(
            (sections::states, &frame.tokens, before.map(|it| &it.tokens)),
            |slot, token| {
                let (slot, branch) = (*slot, token.branch);
                Some(Cow::Borrowed(table.place_key(Place { slot, branch })))
            },
            |_, _, token, _| StoredState::Live(&token.live),
        );
    }

    /// The inputs of flows, and which flows have the same input as one around them. What still waits is among
    /// the states, and the input of an item in its list.
    fn inputs<'a>(
        &mut self,
        stored: &mut StoredFrame<'a>,
        (frame, before): (&'a Frame, Option<&'a Frame>),
        is_item: bool,
    ) {
        let table = &frame.table;
        let key = |scope: ScopeIx| Cow::Borrowed(&*table.scope(scope).key);
        let written = |frame: &'a Frame, scope| WrittenInput::of(frame, scope, is_item);
        for scope in frame.flow_inputs.keys().copied() {
            let now = written(frame, scope);
            if before.is_some_and(|before| written(before, scope) == now) {
                continue;
            }
            match now {
                Some(WrittenInput::Own(input)) => {
                    stored.inputs.push(key(scope), StoredState::Live(input));
                }
                Some(WrittenInput::Latest(latest)) => {
                    let progress = stored.progress.get_or_insert_default();
                    let latest = Cow::Borrowed(latest);
                    progress.latest_inputs.push(key(scope), latest);
                }
                Some(WrittenInput::Shared(around)) => {
                    stored.shared_inputs.push(key(scope), key(around));
                }
                None => {}
            }
        }
        let known = before.into_iter().flat_map(|before| {
            let scopes = before.flow_inputs.keys().copied();
            scopes.filter_map(move |scope| Some((scope, written(before, scope)?)))
        });
        for (scope, old) in known {
            let section = old.section();
            if written(frame, scope).is_none_or(|now| now.section() != section) {
                self.delete(section, &table.scope(scope).key);
            }
        }
        stored.inputs.sort();
        stored.shared_inputs.sort();
        if let Some(progress) = &mut stored.progress {
            progress.latest_inputs.sort();
        }
    }

    fn output<'a>(
        &self,
        state: &'a RunState,
        before: Option<&RunState>,
    ) -> Map<Key<'a>, StoredState<'a>> {
        let is_new = before.is_none_or(|before| before.returned().is_none());
        let table = &state.root.table;
        let output = state.returned().filter(|_| is_new).map(|live| {
            let key = Cow::Borrowed(&**table.state_key(table.output));
            (key, StoredState::Live(live))
        });
        output.into_iter().collect()
    }
}

/// How the input of a flow is written.
#[derive(PartialEq)]
enum WrittenInput<'a> {
    Own(&'a Live),
    /// It is the last state that was made of this key.
    Latest(&'a str),
    /// It is that of this flow around it.
    Shared(ScopeIx),
}

impl<'a> WrittenInput<'a> {
    /// `None` where it is to be found elsewhere: among the states that wait, or in a list.
    fn of(frame: &'a Frame, scope: ScopeIx, is_item: bool) -> Option<Self> {
        let is_item = is_item && scope == ScopeIx::FLOW;
        let input = frame.flow_inputs.get(&scope).filter(|_| !is_item)?;
        let waiting = frame.waiting_at_start(scope);
        if waiting.is_some_and(|waiting| waiting.is_same(input)) {
            return None;
        }
        if let Some(latest) = key_of_latest(frame, input) {
            return Some(Self::Latest(latest));
        }
        Some(match frame.shares_input_with(scope) {
            Some(around) => Self::Shared(around),
            None => Self::Own(input),
        })
    }

    fn section(&self) -> &'static str {
        match self {
            Self::Own(_) => sections::inputs,
            Self::Latest(_) => sections::latest_inputs,
            Self::Shared(_) => sections::shared_inputs,
        }
    }
}

/// What of the ready queue is written: nothing, where it follows from the states.
fn written_ready(frame: &Frame) -> Option<&SortedMap<QueueKey, ()>> {
    let first = frame.ready.first().map(|(next, ())| *next);
    let is_sole = frame.ready.len() < 2 && first == frame.sole_ready();
    (!is_sole).then_some(&frame.ready)
}

fn node_key(table: &Table, node: NodeIx) -> Key<'_> {
    Cow::Borrowed(&*table.node(node).key)
}

/// A node within its lists: `Item[3]/Draft`.
fn path_key(table: &Table, path: &NodePath) -> String {
    let (items, node) = place(table, path);
    let items = items.iter().map(|(list, item)| format!("{list}[{item}]/"));
    items.chain([node.to_string()]).collect()
}

/// The lists and items around a node by their keys, and its own.
fn place<'a>(table: &'a Table, path: &NodePath) -> (Vec<(Key<'a>, usize)>, Key<'a>) {
    let mut table = table;
    let mut items = Vec::with_capacity(path.frame.len());
    for item in &path.frame {
        items.push((node_key(table, item.list), item.index));
        if let Some(chain) = table.inner(item.list) {
            table = chain;
        }
    }
    (items, node_key(table, path.node))
}

fn stored_asked<'a>(table: &'a Table, path: &NodePath, asked: &'a VisitCounts) -> StoredAsked<'a> {
    let (items, node) = place(table, path);
    StoredAsked {
        items,
        node,
        visit: Cow::Borrowed(&asked.last_visit),
        counts: Cow::Borrowed(&asked.counts),
    }
}
