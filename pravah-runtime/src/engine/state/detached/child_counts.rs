//! How many agents those have called that have started detached tasks.

use crate::{
    engine::state::{RunState, detached_task::ChildCount, path::NodePath},
    graph::NodeKind,
};

impl RunState {
    /// Counts detached tasks of the agent at `path` for it and its callers. The counts are kept from now on, because a
    /// caller may end before its tasks.
    pub(super) fn count_detached(&mut self, path: &NodePath, count: usize) {
        self.count_children(path, u32::try_from(count).unwrap_or(u32::MAX));
        for path in self.calling_agents(path) {
            let key = self.owner_key(&path);
            let frame = self.frame(&path.frame);
            let NodeKind::Agent(agent) = &frame.table.node(path.node).kind else {
                continue;
            };
            let limit = agent.spec.config.delegation.max_children;
            let left = frame.progress.agents.get(&path.node);
            let left = left.map_or(limit, |progress| progress.children_left(limit));
            let count = limit.saturating_sub(left);
            let counts = &mut self.detached.child_counts;
            counts.get_or_insert_with(key, || ChildCount { count, limit });
        }
    }

    /// Counts agents that were called at `path` for those of its owners that have started detached tasks.
    pub(in crate::engine::state) fn count_for_owners(&mut self, path: &NodePath, children: u32) {
        if self.detached.child_counts.is_empty() {
            return;
        }
        for owner in self.owners(path) {
            if let Some(child_count) = self.detached.child_counts.get_mut(&owner) {
                child_count.count = child_count.count.saturating_add(children);
            }
        }
    }

    /// How many more agents may be called at `path` under the limits of its owners; `None` where none of them has
    /// started a detached task.
    pub(in crate::engine::state) fn left_by_owners(&self, path: &NodePath) -> Option<u32> {
        let counts = &self.detached.child_counts;
        if counts.is_empty() {
            return None;
        }
        let owners = self.owners(path);
        let counts = owners.iter().filter_map(|owner| counts.get(owner));
        counts.map(|it| it.limit.saturating_sub(it.count)).min()
    }
}
