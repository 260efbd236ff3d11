//! How often the models of each agent were asked, visit by visit, so that a script goes on where it
//! stopped, also in another process.

use std::collections::BTreeMap;

use super::{
    each::chain,
    marking::Progress,
    run::{NodePath, Run},
};
use crate::{
    error::FlowError,
    graph::{NodeIx, Table},
};

/// An agent, within the lists and items around it, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) items: Vec<(NodeIx, usize)>,
    pub(super) node: NodeIx,
}

/// How often the models of each agent were asked: of those that may be asked again.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions(BTreeMap<Place, VisitCounts>);

/// How often the models of an agent were asked in each of its visits.
#[derive(Clone, Debug, Default)]
pub(super) struct VisitCounts {
    /// Which visit the last of `counts` is of: that of each list around the agent, and the agent's own.
    pub(super) last_visit: Vec<u32>,
    /// For each visit in which a model was asked, how often each was: the agent's own first, then its
    /// fallbacks.
    pub(super) counts: Vec<Vec<u32>>,
}

impl Questions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Place, &VisitCounts)> {
        self.0.iter()
    }

    /// Restores a place; whether it was not there yet.
    pub(super) fn restore(&mut self, place: Place, counts: VisitCounts) -> bool {
        self.0.insert(place, counts).is_none()
    }
}

impl VisitCounts {
    /// Counts a question to the model of this number in a visit.
    fn add(&mut self, visit: Vec<u32>, model: usize) {
        if self.last_visit != visit || self.counts.is_empty() {
            self.last_visit = visit;
            self.counts.push(Vec::new());
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
    fn place(&self) -> Place {
        Place {
            items: self.items().collect(),
            node: self.node,
        }
    }
}

impl Place {
    /// Whether a run can come back to it: it is on a loop, or a list around it is.
    fn comes_again(&self, table: &Table) -> bool {
        let on_cycle = |table: &Table, node| table.node(node).is_ok_and(|entry| entry.on_cycle);
        let mut table = table;
        for (each, _) in &self.items {
            if on_cycle(table, *each) {
                return true;
            }
            match chain(table, *each) {
                Ok(inner) => table = inner,
                Err(_) => return false,
            }
        }
        on_cycle(table, self.node)
    }
}

impl Run {
    /// Counts a question to the model of this number of the agent at `path`.
    pub(super) fn count_question(
        &mut self,
        path: &NodePath,
        model: usize,
    ) -> Result<(), FlowError> {
        let visit = self.visit_of(path)?;
        let asked = self.state.questions.0.entry(path.place()).or_default();
        asked.add(visit, model);
        Ok(())
    }

    /// How often the models for which `is_counted` holds were asked by the agent at `path`, visit by
    /// visit, this visit last.
    pub(super) fn asked(
        &self,
        path: &NodePath,
        is_counted: impl Fn(usize) -> bool,
    ) -> Result<Vec<u32>, FlowError> {
        let Some(asked) = self.state.questions.0.get(&path.place()) else {
            return Ok(vec![0]);
        };
        let sum = |visit: &Vec<u32>| {
            let models = visit.iter().enumerate();
            let counted = models.filter(|(model, count)| **count > 0 && is_counted(*model));
            counted.fold(0, |sum: u32, (_, count)| sum.saturating_add(*count))
        };
        let mut visits: Vec<u32> = asked.counts.iter().map(sum).collect();
        if visits.is_empty() || asked.last_visit != self.visit_of(path)? {
            visits.push(0);
        }
        Ok(visits)
    }

    /// Which visit of each list around the node at `path` this is, and which one of the node.
    fn visit_of(&self, path: &NodePath) -> Result<Vec<u32>, FlowError> {
        let nodes = path.items().map(|(each, _)| each).chain([path.node]);
        nodes
            .enumerate()
            .map(|(depth, node)| {
                let (around, _) = path.items_path.split_at(depth);
                let (_, marking) = self.locate(around)?;
                Ok(marking.visits(node).saturating_add(1))
            })
            .collect()
    }

    /// Forgets the agent at `path`, which is done, unless it may be asked again.
    pub(super) fn forget_questions(&mut self, path: &NodePath) {
        let place = path.place();
        if !place.comes_again(&self.table) {
            self.state.questions.0.remove(&place);
        }
    }

    /// Forgets the agents that were cleared away and cannot be asked again.
    pub(super) fn forget_lost_questions(&mut self) {
        if self.state.questions.is_empty() {
            return;
        }
        let mut questions = std::mem::take(&mut self.state.questions);
        questions.0.retain(|place, _| {
            let path = NodePath::through(&place.items, place.node);
            let goes_on = self.locate(&path.items_path).is_ok_and(|(_, marking)| {
                matches!(marking.progress(place.node), Some(Progress::Agent(_)))
            });
            goes_on || place.comes_again(&self.table)
        });
        self.state.questions = questions;
    }
}
