//! How often the models of each agent were asked, visit by visit, so that a script goes on where it
//! stopped, also in another process.

use std::sync::Arc;

use super::{RunState, frame::Frame, path::NodePath, progress::ModelCounts};
use crate::graph::Table;

impl NodePath {
    /// Whether a run can come back to it: it is on a loop, or a list around it is.
    fn comes_again(&self, table: &Arc<Table>) -> bool {
        let mut table = table;
        for inner in &self.frame {
            if table.node(inner.owner).on_cycle {
                return true;
            }
            match table.chain(inner.owner) {
                Some(chain) => table = chain,
                None => return false,
            }
        }
        table.node(self.node).on_cycle
    }
}

/// Which visit of each list around the node at `path` this is, and which one of the node.
fn visits_of(root: &Frame, path: &NodePath) -> impl Iterator<Item = u32> + Clone {
    let around = path.frame.iter().enumerate().filter_map(|(depth, inner)| {
        let frame = root.at(path.frame.get(..depth)?)?;
        Some(frame.visit(inner.owner))
    });
    let own = root.at(&path.frame).map(|frame| frame.visit(path.node));
    around.chain(own)
}

impl RunState {
    /// Counts a question to the model of this number of the agent at `path`.
    pub(crate) fn count_question(&mut self, path: &NodePath, model: usize) {
        let asked = &mut self.spending.asked;
        let counts = asked.get_or_insert_with(path.clone(), Arc::default);
        Arc::make_mut(counts).add(visits_of(&self.root, path), model);
    }

    /// How often the models for which `is_counted` holds were asked by the agent at `path`, visit by
    /// visit, this visit last.
    pub(crate) fn asked_so_far(
        &self,
        path: &NodePath,
        is_counted: impl Fn(usize) -> bool,
    ) -> Vec<u32> {
        let Some(asked) = self.spending.asked.get(path) else {
            return vec![0];
        };
        let sum = |visit: &ModelCounts| {
            let models = visit.iter().enumerate();
            let counted = models.filter(|(model, count)| **count > 0 && is_counted(*model));
            counted.fold(0, |sum: u32, (_, count)| sum.saturating_add(*count))
        };
        let mut visits: Vec<u32> = asked.counts.iter().map(sum).collect();
        if visits.is_empty() || !asked.is_last(visits_of(&self.root, path)) {
            visits.push(0);
        }
        visits
    }

    /// Forgets the agent at `path`, which is done, unless it may be asked again.
    pub(crate) fn forget_asked(&mut self, path: &NodePath) {
        if !path.comes_again(&self.root.table) {
            self.spending.asked.remove(path);
        }
    }

    /// Forgets the agents that were cleared away and cannot be asked again.
    pub(crate) fn forget_lost_agents(&mut self) {
        let lost = self.spending.asked.keys().filter(|path| {
            let frame = self.root.at(&path.frame);
            let goes_on = frame.is_some_and(|frame| frame.progress.agents.contains(&path.node));
            !goes_on && !path.comes_again(&self.root.table)
        });
        let lost: Vec<NodePath> = lost.cloned().collect();
        for path in lost {
            self.spending.asked.remove(&path);
        }
    }
}
