//! What a snapshot has of a run.
//!
//! A `frame` is a net being run, with the states that wait in it, its `ready` queue, the `progress` of its nodes,
//! the inputs of its flows (`flow_inputs`) and the `latest` states that nodes read; a `list` has a frame for each
//! item, and a `path` leads to each, which `walk` visits. `fire` exchanges what a node consumed for what it returned,
//! and `rules` say in a document what follows from that.
//! `waits` finds the questions and timers of all frames. `spending` is what models cost against a `budget`, with
//! how often they were `asked`; `run_id` names the run. `detached` are the
//! tasks that run in the background, and `remote` those of remote agents; what is known of each is a `detached_task` and a
//! `remote_task`. `values` are what nodes of documents keep for all others. What
//! most runs never need is `rare`, and `erased` are the boxes for it.

pub(crate) mod asked;
pub(crate) mod budget;
pub(crate) mod detached;
pub(crate) mod detached_task;
pub(crate) mod erased;
mod fire;
pub(crate) mod flow_inputs;
pub(crate) mod frame;
pub(crate) mod latest;
pub(crate) mod list;
pub(crate) mod path;
pub(crate) mod progress;
pub(crate) mod rare;
mod ready;
mod remote;
pub(crate) mod remote_task;
mod rules;
pub(crate) mod run_id;
pub(crate) mod spending;
pub(crate) mod tasks;
pub(crate) mod values;
pub(crate) mod waits;
mod walk;

use std::sync::Arc;

use serde_json::Value;

use self::{
    detached_task::Detached,
    frame::Frame,
    path::{FramePath, NodePath, within_items},
    progress::{FailedNode, Question, Timer},
    rare::Rare,
    remote_task::PendingCancels,
    run_id::RunId,
    spending::Spending,
    values::RunValues,
    waits::WaitIndex,
};
use crate::{
    graph::{NodeIx, Table},
    hub::Queue,
    json,
    node::Emitted,
    state::Live,
};

#[derive(Clone)]
pub(crate) struct RunState {
    pub(crate) id: RunId,
    /// The flow itself.
    pub(crate) root: Frame,
    /// Where to find the questions and timers of all frames.
    pub(crate) waits: WaitIndex,
    pub(crate) steps: u64,
    /// How it ended, if it has.
    pub(crate) end: Option<End>,
    pub(crate) is_paused: bool,
    /// How many questions it has asked.
    pub(crate) questions_asked: u64,
    /// How many tasks it has had runners start.
    pub(crate) remote_tasks: u64,
    /// The last span of the run, as a `traceparent`, if somebody traces it.
    pub(crate) traceparent: Option<Arc<str>>,
    pub(crate) spending: Rare<Spending>,
    pub(crate) detached: Rare<Detached>,
    pub(crate) remote_cancels: Rare<PendingCancels>,
    /// What nodes of a document have kept.
    pub(crate) values: Rare<RunValues>,
    /// The commands that the run has not taken: in a snapshot only, those of a run are in its inbox.
    pub(crate) inbox: Queue,
}

/// How a run ended.
#[derive(Clone, PartialEq)]
pub(crate) enum End {
    /// With this output.
    Done(Live),
    /// Somebody cancelled it, for this reason.
    Cancelled(Arc<str>),
}

impl RunState {
    /// A run that is about to start, in the box in which it stays.
    pub(crate) fn start(table: &Arc<Table>, input: Live) -> Box<Self> {
        let mut state = Box::new(Self {
            id: RunId::default(),
            root: Frame::new(Arc::clone(table)),
            waits: WaitIndex::default(),
            steps: 0,
            end: None,
            is_paused: false,
            questions_asked: 0,
            remote_tasks: 0,
            traceparent: None,
            spending: Rare::default(),
            detached: Rare::default(),
            remote_cancels: Rare::default(),
            values: Rare::default(),
            inbox: Queue::new(),
        });
        // In its box: a frame that was filled before would be moved there.
        state.root.start_with(table, input);
        state
    }

    /// What the flow returned, if it is done.
    pub(crate) fn output(&self) -> Option<&Live> {
        match &self.end {
            Some(End::Done(output)) => Some(output),
            Some(End::Cancelled(_)) | None => None,
        }
    }

    /// The same, also while the run waits for detached tasks.
    pub(crate) fn returned(&self) -> Option<&Live> {
        self.output().or(self.detached.returned.as_ref())
    }

    /// Ends the run with the flow's output.
    pub(crate) fn finish(&mut self, output: Live) {
        self.end = Some(End::Done(output));
    }

    /// The frame that `path` leads to. A path is kept only as long as there is one.
    #[expect(clippy::expect_used, reason = "a path to nowhere is a bug")]
    pub(crate) fn frame(&self, path: &FramePath) -> &Frame {
        self.root.at(path).expect("a path leads to a frame")
    }

    #[expect(clippy::expect_used, reason = "a path to nowhere is a bug")]
    pub(crate) fn frame_mut(&mut self, path: &FramePath) -> &mut Frame {
        self.root.at_mut(path).expect("a path leads to a frame")
    }

    /// The number of the step that is being committed.
    pub(crate) fn this_step(&self) -> u64 {
        self.steps.saturating_add(1)
    }

    /// Exchanges what the node consumed for what it returned. Returns the flow's output, if that was it.
    pub(crate) fn fire(&mut self, path: &NodePath, emitted: Emitted) -> Option<Live> {
        let step = self.this_step();
        self.keep_value(path, &emitted);
        self.unindex(&path.frame, path.node);
        let done = self.frame_mut(&path.frame).fire(path.node, emitted, step);
        self.settle(&path.frame, done)
    }

    /// Lets the node at `path` emit what it does where it must not run. Returns the flow's output, if that was it.
    pub(crate) fn skip(&mut self, path: &NodePath) -> Option<Live> {
        let step = self.this_step();
        self.unindex(&path.frame, path.node);
        let done = self.frame_mut(&path.frame).skip(path.node, step);
        self.settle(&path.frame, done)
    }

    /// Lets the lists around a frame know of a step in it: from the inside out, as far as they are done
    /// by it. Returns the flow's output, if that was it.
    #[inline]
    pub(crate) fn settle(&mut self, path: &FramePath, done: Option<Live>) -> Option<Live> {
        match path.is_empty() {
            true => done,
            false => self.settle_slow(path, done),
        }
    }

    #[inline(never)]
    fn settle_slow(&mut self, path: &FramePath, mut done: Option<Live>) -> Option<Live> {
        let step = self.this_step();
        let mut path = path;
        while let Some((item, around)) = path.split_last() {
            // An item that is done loses its frame just below: to mark it would only copy one that a snapshot shares.
            if done.is_none() {
                self.frame_mut(path).is_started = true;
            }
            done = self.frame_mut(around).note_item_step(*item, done, step);
            path = around;
        }
        done
    }

    /// Takes a node out of the ready queue: it waits for an answer or a time. What it has called goes on.
    pub(crate) fn suspend(&mut self, path: &NodePath) {
        let frame = self.frame_mut(&path.frame);
        frame.dequeue(path.node);
        if frame.has_tasks(path.node) {
            frame.update_queue(path.node);
        }
        self.settle(&path.frame, None);
    }

    /// Opens a question under a name of its own, and returns its id and its number.
    pub(crate) fn ask(
        &mut self,
        path: &NodePath,
        name: &str,
        value: &Value,
        call: Option<String>,
    ) -> (Arc<str>, u64) {
        let name = within_items(name, &path.frame);
        let numbered = (2..).map(|n: u64| format!("{name}#{n}"));
        let mut ids = [name.clone()].into_iter().chain(numbered);
        let id: Arc<str> = ids
            .find(|id| !self.waits.is_open(id))
            .unwrap_or_default()
            .into();
        let number = self.questions_asked;
        self.questions_asked = number.saturating_add(1);
        self.waits.add_question(&id, number, &path.frame);
        let question = Question {
            number,
            node: path.node,
            event: call.is_none().then(|| Question::event_in(value)).flatten(),
            call,
            value: json::Text::of(value),
        };
        let frame = self.frame_mut(&path.frame);
        frame.progress.questions.insert(Arc::clone(&id), question);
        (id, number)
    }

    /// Closes a question that was answered.
    pub(crate) fn close(&mut self, frame: &FramePath, id: &Arc<str>) {
        self.waits.remove_question(id);
        self.frame_mut(frame).progress.questions.remove(id);
    }

    /// Closes the questions of a node.
    pub(crate) fn forget_questions(&mut self, path: &NodePath) {
        if self.waits.is_empty() {
            return;
        }
        let questions = self.frame(&path.frame).questions_of(path.node);
        let ids: Vec<Arc<str>> = questions.map(|(id, _)| Arc::clone(id)).collect();
        for id in ids {
            self.close(&path.frame, &id);
        }
    }

    /// Notes that nothing is left to try at a node.
    pub(crate) fn note_failed(&mut self, path: &NodePath, failed: Arc<FailedNode>) {
        let frame = self.frame_mut(&path.frame);
        frame.progress.attempts.remove(&path.node);
        frame.progress.failed.insert(path.node, failed);
        self.waits.add_failed(path.clone());
    }

    /// Makes a node that failed the next to move.
    pub(crate) fn try_again(&mut self, path: &NodePath) {
        let failed = &mut self.frame_mut(&path.frame).progress.failed;
        if let Some(failed) = failed
            .get_mut(&path.node)
            .filter(|failed| failed.is_tried_last)
        {
            Arc::make_mut(failed).is_tried_last = false;
        }
        self.move_to_front(path);
    }

    /// Forgets that a node failed, of which a step is committed.
    pub(crate) fn forget_failed(&mut self, path: &NodePath) {
        if self.waits.remove_failed(path) {
            self.frame_mut(&path.frame)
                .progress
                .failed
                .remove(&path.node);
        }
    }

    /// Lets a node wait for a time.
    pub(crate) fn set_timer(&mut self, path: &NodePath, timer: Timer) {
        self.clear_timer(path);
        let frame = self.frame_mut(&path.frame);
        frame.progress.timers.insert(path.node, timer);
        self.waits.add_timer(timer, path.clone());
    }

    pub(crate) fn clear_timer(&mut self, path: &NodePath) {
        let frame = self.frame_mut(&path.frame);
        let progress = frame.progress.get_mut();
        if let Some(timer) = progress.and_then(|progress| progress.timers.remove(&path.node)) {
            self.waits.remove_timer(timer, path.clone());
        }
    }

    /// Makes a node, and the items around it, the next to move.
    pub(crate) fn move_to_front(&mut self, path: &NodePath) {
        self.frame_mut(&path.frame).move_to_front(path.node);
        let mut path = path.frame.as_slice();
        while let Some((item, around)) = path.split_last() {
            let frame = self.frame_mut(around);
            if let Some(list) = frame.list_mut(item.list) {
                list.movable.insert(item.index, ());
            }
            frame.move_to_front(item.list);
            path = around;
        }
    }

    /// Puts a node, and the lists around it, back where they were in the ready queues of `before`. Where it `goes_on`, or
    /// another item of a list can move by now, they stay ready all the same.
    pub(crate) fn restore_queue_position(&mut self, path: &NodePath, before: &Self, goes_on: bool) {
        let frame = self.frame_mut(&path.frame);
        frame.restore_queue_position(path.node, before.frame(&path.frame));
        if frame.progress.agents.contains(&path.node) {
            frame.update_queue(path.node);
        } else if goes_on && !frame.is_ready(path.node) {
            frame.move_to_front(path.node);
        }
        let mut around = path.frame.as_slice();
        while let Some((item, frame)) = around.split_last() {
            let was = before.frame(frame);
            self.frame_mut(frame).restore_queue_position(item.list, was);
            around = frame;
        }
        self.root.update_queues_around(&path.frame);
    }

    /// Takes what waits at a node, and in the items of it, out of the index: it is about to go.
    #[inline]
    pub(crate) fn unindex(&mut self, path: &FramePath, node: NodeIx) {
        if !self.waits.is_empty() {
            self.unindex_slow(path, node);
        }
    }

    #[inline(never)]
    fn unindex_slow(&mut self, path: &FramePath, node: NodeIx) {
        let gone = WaitIndex::of_node(self.frame(path), path, node);
        self.forget_waits(&gone);
    }

    /// The open question of this id, and where it is asked.
    pub(crate) fn question(&self, id: &str) -> Option<(&FramePath, &Question)> {
        let path = self.waits.frame_of(id)?;
        let question = self.frame(path).progress.questions.get(&Arc::from(id))?;
        Some((path, question))
    }

    /// The open questions with their ids, in the order in which they were asked.
    pub(crate) fn questions(&self) -> impl Iterator<Item = (&Arc<str>, &Question)> {
        let ids = self.waits.ids();
        ids.filter_map(|id| Some((id, self.question(id)?.1)))
    }
}
