//! Starting detached tasks.

use std::sync::Arc;

use super::DetachedStart;
use crate::{
    agent::OnDone,
    engine::state::{
        RunState,
        detached_task::DetachedTask,
        frame::{Fed, Frame},
        path::{ItemId, NodePath},
    },
    graph::{NodeIx, NodeKind, TEAM_START},
    invocation::{RemoteCall, RunnerConfig},
    state::Live,
};

impl RunState {
    /// The node in which detached tasks of the caller at `path` run, if it may start any.
    fn node_for_detached(&self, path: &NodePath) -> Option<NodeIx> {
        let around = path.frame.iter().enumerate().map(|(depth, item)| {
            let frame = self.frame(path.frame.get(..depth).unwrap_or_default());
            frame.table.node(item.list)
        });
        let own = self.frame(&path.frame).table.node(path.node);
        self.root.table.detached_node(around.chain([own]))
    }

    /// Starts detached tasks of the caller at `path`, which is being committed. Returns their numbers.
    pub(crate) fn start_detached(
        &mut self,
        path: &NodePath,
        starts: Vec<DetachedStart>,
        now: u64,
    ) -> Vec<usize> {
        let Some(node) = self.node_for_detached(path) else {
            return Vec::new();
        };
        self.count_detached(path, starts.len());
        let owners = self.owners(path);
        let caller = &self.frame(&path.frame).table.node(path.node).kind;
        let delays_end = caller.on_done() == OnDone::Wait;
        let tools = caller.handed_on_tools();
        let parent = self.detached_at(&path.frame).map(|item| item.index);
        let mut numbers = Vec::with_capacity(starts.len());
        for start in starts {
            let DetachedStart {
                agent,
                context,
                start,
            } = start;
            let (end, input) = match start.input {
                Ok(input) => (None, Some(input)),
                Err(end) => (Some(end.in_json()), None),
            };
            let (runner, remote_id) = self.runner_of(node, start.callee, input.as_ref());
            let task = DetachedTask {
                agent,
                context,
                tools: tools.clone(),
                runner,
                remote_id,
                owners: owners.clone(),
                parent,
                delays_end,
                started_at: now,
                last_event_at: now,
                ended_at: end.is_some().then_some(now),
                end,
            };
            let item = ItemId {
                list: node,
                index: self.detached.next_number(),
            };
            self.detached.tasks.insert(item.index, Arc::new(task));
            if let Some(input) = input {
                self.detached.add_open(item);
                self.start_in_detached(item, start.callee, input);
            }
            numbers.push(item.index);
        }
        numbers
    }

    /// The runner of the callee of this number, if it is a remote agent, and what it is called there, if the call says
    /// that.
    fn runner_of(
        &self,
        list: NodeIx,
        callee: usize,
        input: Option<&Live>,
    ) -> (Option<RunnerConfig>, Option<String>) {
        let remote = self.root.table.inner(list).and_then(|team| {
            let place = team.node(TEAM_START).outputs.get(callee)?.to.first()?;
            match &team.node(team.slot(place.slot).node).kind {
                NodeKind::Remote(remote) => Some(remote),
                _ => None,
            }
        });
        match (remote.map(|remote| &remote.agent), input) {
            (Some(Some(agent)), _) => (Some(agent.runner.clone()), None),
            (Some(None), Some(input)) => match input.get::<RemoteCall>() {
                Ok(call) => (
                    Some(call.runner.clone()),
                    Some(call.agent.name().to_owned()),
                ),
                Err(_) => (None, None),
            },
            _ => (None, None),
        }
    }

    fn start_in_detached(&mut self, item: ItemId, callee: usize, input: Live) {
        let step = self.this_step();
        let Some(team) = self.root.table.inner(item.list).cloned() else {
            return;
        };
        let Some(arc) = team.node(TEAM_START).outputs.get(callee) else {
            return;
        };
        let mut frame = Frame::new(Arc::clone(&team));
        frame.is_started = true;
        frame.put(arc, input, step, &mut Fed::new());
        let lists = &mut self.root.progress.lists;
        let list = Arc::make_mut(lists.get_or_insert_with(item.list, Arc::default));
        list.items.insert(item.index, frame.into());
        list.movable.insert(item.index, ());
        self.root.requeue_detached(item.list, step);
    }
}
