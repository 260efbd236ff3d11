//! How often the models of each agent were asked, visit by visit, so that a script goes on where it
//! stopped, also in another process.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{frame::Frame, path::NodePath};
use crate::sorted_map::SortedMap;

/// How often the models of each agent were asked: of those that may be asked again.
pub(crate) type RequestCounts = SortedMap<NodePath, Arc<VisitCounts>>;

/// How often each model of an agent was asked in a visit: the agent's own first, then its fallbacks.
pub(crate) type ModelCounts = SmallVec<[u32; 1]>;

/// How often the models of an agent were asked in each of its visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct VisitCounts {
    /// Which visit the last of `counts` is of: that of each list around the agent, and the agent's own.
    pub(crate) last_visit: SmallVec<[u32; 1]>,
    /// For each visit in which a model was asked.
    pub(crate) counts: SmallVec<[ModelCounts; 1]>,
}

impl VisitCounts {
    /// Whether this visit is the last that was counted.
    pub(crate) fn is_last(&self, visit: impl Iterator<Item = u32>) -> bool {
        self.last_visit.iter().copied().eq(visit)
    }

    /// Counts a request to the model of this number in a visit.
    pub(crate) fn add(&mut self, visit: impl Iterator<Item = u32> + Clone, model: usize) {
        if self.counts.is_empty() || !self.is_last(visit.clone()) {
            self.last_visit = visit.collect();
            self.counts.push(ModelCounts::new());
        }
        let Some(models) = self.counts.last_mut() else {
            return;
        };
        if models.len() <= model {
            models.resize(model.saturating_add(1), 0);
        }
        if let Some(count) = models.get_mut(model) {
            *count = count.saturating_add(1);
        }
    }
}

impl NodePath {
    /// Whether a run can come back to it: it is on a loop, or a list around it is; or a node calls it that may be tried
    /// again, and makes the same calls then.
    pub(super) fn comes_again(&self, root: &Frame) -> bool {
        let mut table = &root.table;
        for (depth, item) in self.frame.iter().enumerate() {
            let around = table.node(item.list);
            let is_tried_again = || {
                let frame = root.at(self.frame.get(..depth).unwrap_or_default());
                let is_there = frame.is_some_and(|frame| frame.is_fed(item.list));
                is_there && around.policy.retry.is_some()
            };
            let is_invoke = around.kind.is_invoke();
            if around.on_cycle || (is_invoke && is_tried_again()) {
                return true;
            }
            match table.inner(item.list) {
                Some(chain) => table = chain,
                None => return false,
            }
        }
        table.node(self.node).on_cycle
    }
}

/// Which visit of each list around the node at `path` this is, and which one of the node.
pub(super) fn visits_of(root: &Frame, path: &NodePath) -> impl Iterator<Item = u32> + Clone {
    let around = path.frame.iter().enumerate().filter_map(|(depth, item)| {
        let frame = root.at(path.frame.get(..depth)?)?;
        Some(frame.visit(item.list))
    });
    let own = root.at(&path.frame).map(|frame| frame.visit(path.node));
    around.chain(own)
}
