//! What models have cost a run, and how often they were asked.

use std::sync::Arc;

use super::{
    asked::{ModelCounts, RequestCounts, visits_of},
    budget::Budget,
    frame::Frame,
    path::NodePath,
    rare::empty,
};
use crate::{model::Usage, sorted_map::SortedMap};

/// What models have cost a run, what they may cost, and what they were asked.
#[derive(Clone)]
pub(crate) struct Spending {
    /// By node.
    pub(crate) usage: SortedMap<Arc<str>, Usage>,
    /// How many model calls were paid for.
    pub(crate) calls: u64,
    /// How many calls and tokens the whole run may use.
    pub(crate) budget: Budget,
    /// How often the models of each agent were asked.
    pub(crate) asked: RequestCounts,
}

empty!(Spending {
    usage: SortedMap::new(),
    calls: 0,
    budget: Budget::UNLIMITED,
    asked: SortedMap::new(),
});

impl Spending {
    /// Counts a request to the model of this number of the agent at `path`.
    pub(crate) fn count_request(&mut self, root: &Frame, path: &NodePath, model: usize) {
        let counts = self.asked.get_or_insert_with(path.clone(), Arc::default);
        Arc::make_mut(counts).add(visits_of(root, path), model);
    }

    /// How often the models for which `is_counted` holds were asked by the agent at `path`, visit by
    /// visit, this visit last.
    pub(crate) fn asked_so_far(
        &self,
        root: &Frame,
        path: &NodePath,
        is_counted: impl Fn(usize) -> bool,
    ) -> Vec<u32> {
        let Some(asked) = self.asked.get(path) else {
            return vec![0];
        };
        let sum = |visit: &ModelCounts| {
            let models = visit.iter().enumerate();
            let counted = models.filter(|(model, count)| **count > 0 && is_counted(*model));
            counted.fold(0, |sum: u32, (_, count)| sum.saturating_add(*count))
        };
        let mut visits: Vec<u32> = asked.counts.iter().map(sum).collect();
        if visits.is_empty() || !asked.is_last(visits_of(root, path)) {
            visits.push(0);
        }
        visits
    }

    /// Forgets the agent at `path`, which is done, unless it may be asked again.
    pub(crate) fn forget_asked(&mut self, root: &Frame, path: &NodePath) {
        if !path.comes_again(root) {
            self.asked.remove(path);
        }
    }

    /// Forgets the agents that the node at `path` has called, which is done, unless it may call them again.
    pub(crate) fn forget_called(&mut self, root: &Frame, path: &NodePath) {
        if path.comes_again(root) {
            return;
        }
        let called = self.asked.keys().filter(|asked| *asked != path);
        let called = called.filter(|asked| asked.is_within(&path.frame, path.node));
        for called in called.cloned().collect::<Vec<_>>() {
            self.asked.remove(&called);
        }
    }

    /// Forgets the agents that were cleared away and cannot be asked again.
    pub(crate) fn forget_lost_agents(&mut self, root: &Frame) {
        let lost = self.asked.keys().filter(|path| {
            let frame = root.at(&path.frame);
            let goes_on = frame.is_some_and(|frame| frame.progress.goes_on(path.node));
            !goes_on && !path.comes_again(root)
        });
        let lost: Vec<NodePath> = lost.cloned().collect();
        for path in lost {
            self.asked.remove(&path);
        }
    }
}
