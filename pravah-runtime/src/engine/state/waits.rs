//! What a run waits for: answers from outside, times, and remote tasks.

use std::sync::Arc;

use super::{
    frame::Frame,
    path::{FramePath, FramePathBuf, ItemId, NodePath},
    progress::{Timer, WaitReason},
    rare::{Rare, empty},
    remote_task::{KnownTask, RemoteProgress},
};
use crate::{graph::NodeIx, sorted_map::SortedMap};

/// Where to find what the run waits for.
#[derive(Clone, Default)]
pub(crate) struct WaitIndex(Rare<Waits>);

#[derive(Clone)]
struct Waits {
    /// By the ids of the questions.
    by_id: SortedMap<Arc<str>, (u64, FramePathBuf)>,
    by_number: SortedMap<u64, Arc<str>>,
    by_time: SortedMap<(u64, NodePath), ()>,
    /// The deadlines of gates; `wait` and `run` do not sleep until them.
    deadlines: SortedMap<(u64, NodePath), ()>,
    /// The nodes that failed, with nothing left to try.
    failed: SortedMap<NodePath, ()>,
    /// The remote tasks that may go on.
    remotes: SortedMap<NodePath, Arc<KnownTask>>,
}

empty!(Waits {
    by_id: SortedMap::new(),
    by_number: SortedMap::new(),
    by_time: SortedMap::new(),
    deadlines: SortedMap::new(),
    failed: SortedMap::new(),
    remotes: SortedMap::new(),
});

impl Waits {
    fn is_empty(&self) -> bool {
        self.by_number.is_empty()
            && self.by_time.is_empty()
            && self.deadlines.is_empty()
            && self.failed.is_empty()
            && self.remotes.is_empty()
    }

    fn times_mut(&mut self, why: WaitReason) -> &mut SortedMap<(u64, NodePath), ()> {
        match why {
            WaitReason::Question => &mut self.deadlines,
            _ => &mut self.by_time,
        }
    }
}

impl WaitIndex {
    /// The index of everything that waits in a frame and in the items of its lists.
    pub(crate) fn of(frame: &Frame) -> Self {
        let mut index = Self::default();
        index.add(frame, &mut FramePathBuf::new());
        index
    }

    /// The same of one node, in the frame at `path`.
    pub(crate) fn of_node(frame: &Frame, path: &FramePath, node: NodeIx) -> Self {
        let mut index = Self::default();
        index.add_node(frame, &mut path.into(), node);
        index
    }

    /// The same of one item, of a node in the frame at `path`.
    pub(crate) fn of_item(frame: &Frame, path: &FramePath, item: ItemId) -> Self {
        let mut index = Self::default();
        if let Some(within) = frame.at(&[item]) {
            let mut path = FramePathBuf::from(path);
            path.push(item);
            index.add(within, &mut path);
        }
        index
    }

    fn add(&mut self, frame: &Frame, path: &mut FramePathBuf) {
        if frame.progress.is_unchanged() {
            return;
        }
        for (id, question) in frame.progress.questions.iter() {
            self.add_question(id, question.number, path);
        }
        for (node, timer) in frame.progress.timers.iter() {
            self.add_timer(*timer, NodePath::new(path, *node));
        }
        for node in frame.progress.failed.keys() {
            self.add_failed(NodePath::new(path, *node));
        }
        for (node, remote) in frame.progress.remotes.iter() {
            self.add_open_remote(remote, NodePath::new(path, *node));
        }
        for node in frame.progress.lists.keys() {
            self.add_items(frame, path, *node);
        }
    }

    fn add_node(&mut self, frame: &Frame, path: &mut FramePathBuf, node: NodeIx) {
        for (id, question) in frame.questions_of(node) {
            self.add_question(id, question.number, path);
        }
        if let Some(timer) = frame.progress.timers.get(&node) {
            self.add_timer(*timer, NodePath::new(path, node));
        }
        if frame.progress.failed.contains(&node) {
            self.add_failed(NodePath::new(path, node));
        }
        if let Some(remote) = frame.progress.remotes.get(&node) {
            self.add_open_remote(remote, NodePath::new(path, node));
        }
        self.add_items(frame, path, node);
    }

    fn add_open_remote(&mut self, remote: &RemoteProgress, path: NodePath) {
        if let Some(task) = remote.running_task() {
            self.add_remote(path, Arc::clone(task));
        }
    }

    /// Adds what waits in the items of a list.
    fn add_items(&mut self, frame: &Frame, path: &mut FramePathBuf, list: NodeIx) {
        let items = frame.progress.lists.get(&list).map(|it| it.items.iter());
        for (index, item) in items.into_iter().flatten() {
            let index = *index;
            path.push(ItemId { list, index });
            self.add(item, path);
            path.pop();
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_unchanged() || self.0.is_empty()
    }

    /// Takes out what is in `other`.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        for id in other.0.by_id.keys() {
            self.remove_question(id);
        }
        for time in other.0.by_time.keys() {
            self.0.by_time.remove(time);
        }
        for time in other.0.deadlines.keys() {
            self.0.deadlines.remove(time);
        }
        for path in other.0.failed.keys() {
            self.0.failed.remove(path);
        }
        for path in other.0.remotes.keys() {
            self.0.remotes.remove(path);
        }
    }

    pub(super) fn add_remote(&mut self, path: NodePath, task: Arc<KnownTask>) {
        self.0.remotes.insert(path, task);
    }

    pub(super) fn remove_remote(&mut self, path: &NodePath) {
        self.0.remotes.remove(path);
    }

    /// The nodes that wait for remote tasks, with these.
    pub(crate) fn remote_nodes(&self) -> impl Iterator<Item = (&NodePath, &Arc<KnownTask>)> {
        self.0.remotes.iter()
    }

    /// The remote tasks that may go on.
    pub(crate) fn remotes(&self) -> impl Iterator<Item = &Arc<KnownTask>> {
        self.0.remotes.values()
    }

    pub(crate) fn add_question(&mut self, id: &Arc<str>, number: u64, frame: &[ItemId]) {
        self.0.by_number.insert(number, Arc::clone(id));
        self.0.by_id.insert(Arc::clone(id), (number, frame.into()));
    }

    pub(crate) fn remove_question(&mut self, id: &Arc<str>) {
        if let Some((number, _)) = self.0.by_id.remove(id) {
            self.0.by_number.remove(&number);
        }
    }

    pub(crate) fn add_timer(&mut self, timer: Timer, path: NodePath) {
        self.0.times_mut(timer.why).insert((timer.until, path), ());
    }

    pub(crate) fn remove_timer(&mut self, timer: Timer, path: NodePath) {
        self.0.times_mut(timer.why).remove(&(timer.until, path));
    }

    pub(crate) fn add_failed(&mut self, path: NodePath) {
        self.0.failed.insert(path, ());
    }

    /// Whether it was there.
    pub(crate) fn remove_failed(&mut self, path: &NodePath) -> bool {
        let waits = self.0.get_mut();
        waits.is_some_and(|waits| waits.failed.remove(path).is_some())
    }

    /// The nodes that failed, with nothing left to try.
    pub(crate) fn failed(&self) -> impl Iterator<Item = &NodePath> {
        self.0.failed.keys()
    }

    /// Where the question of this id is asked.
    pub(crate) fn frame_of(&self, id: &str) -> Option<&FramePath> {
        self.0.by_id.get(&Arc::from(id)).map(|(_, frame)| &**frame)
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.frame_of(id).is_some()
    }

    /// The id of the question of this number.
    pub(crate) fn id_of(&self, number: u64) -> Option<&Arc<str>> {
        self.0.by_number.get(&number)
    }

    /// The ids of the open questions, in the order in which they were asked.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.by_number.values()
    }

    /// The numbers of the open questions, the smallest first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.0.by_number.keys().copied()
    }

    /// Whether the index is of so many questions, none of which has the id or the number of another.
    pub(crate) fn has_questions(&self, count: usize) -> bool {
        self.0.by_id.len() == count && self.0.by_number.len() == count
    }

    pub(crate) fn last_number(&self) -> Option<u64> {
        self.0.by_number.last().map(|(number, _)| *number)
    }

    /// The times that are waited for, the first one first.
    pub(crate) fn times(&self) -> impl Iterator<Item = (u64, &NodePath)> {
        self.0.by_time.keys().map(|(until, path)| (*until, path))
    }

    /// The first time at which something is due.
    #[inline]
    pub(crate) fn first_time(&self) -> Option<u64> {
        match self.0.is_unchanged() {
            true => None,
            false => self.first_time_slow(),
        }
    }

    #[inline(never)]
    fn first_time_slow(&self) -> Option<u64> {
        let (time, deadline) = (self.0.by_time.first(), self.0.deadlines.first());
        let times = time.into_iter().chain(deadline);
        times.map(|((until, _), ())| *until).min()
    }

    /// The first time after `now` at which something is due.
    pub(crate) fn first_time_after(&self, now: u64) -> Option<u64> {
        let times = [&self.0.by_time, &self.0.deadlines].map(|times| {
            let mut times = times.keys().map(|(until, _)| *until);
            times.find(|until| *until > now)
        });
        times.into_iter().flatten().min()
    }

    /// The nodes whose time has come.
    pub(crate) fn due(&self, now: u64) -> impl Iterator<Item = &NodePath> {
        let is_due = move |(until, _): &&(u64, NodePath)| *until <= now;
        let times = self.0.by_time.keys().take_while(is_due);
        let deadlines = self.0.deadlines.keys().take_while(is_due);
        times.chain(deadlines).map(|(_, path)| path)
    }
}
