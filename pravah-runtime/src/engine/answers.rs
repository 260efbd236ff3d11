//! How often the model of each agent was asked, so that a script goes on where an earlier visit ended, also
//! in another process.

use std::collections::BTreeMap;

use super::{
    each::chain,
    marking::Progress,
    run::{NodePath, Run},
};
use crate::graph::{NodeIx, Table};

/// An agent, within the lists and items around it, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) items: Vec<(NodeIx, usize)>,
    pub(super) node: NodeIx,
}

/// How often the model of each agent has answered or failed to: of those that may be asked again.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(BTreeMap<Place, u32>);

impl Answers {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Place, u32)> {
        self.0.iter().map(|(place, answers)| (place, *answers))
    }

    /// Counts `more` answers; whether the place was not there yet.
    pub(super) fn add(&mut self, place: Place, more: u32) -> bool {
        let is_new = !self.0.contains_key(&place);
        let answers = self.0.entry(place).or_default();
        *answers = answers.saturating_add(more);
        is_new
    }

    fn of(&self, path: &NodePath) -> u32 {
        self.0.get(&path.place()).copied().unwrap_or_default()
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
    /// Counts questions that the model of the agent at `path` has answered, or failed to.
    pub(super) fn count_answers(&mut self, path: &NodePath, more: u32) {
        if more > 0 {
            self.state.answers.add(path.place(), more);
        }
    }

    /// How many there were before this visit, in which there have been `now`.
    pub(super) fn answered_before(&self, path: &NodePath, now: u32) -> u32 {
        self.state.answers.of(path).saturating_sub(now)
    }

    /// Forgets the agent at `path`, which is done, unless it may be asked again.
    pub(super) fn forget_answers(&mut self, path: &NodePath) {
        let place = path.place();
        if !place.comes_again(&self.table) {
            self.state.answers.0.remove(&place);
        }
    }

    /// Forgets the agents that were cleared away and cannot be asked again.
    pub(super) fn forget_lost_answers(&mut self) {
        if self.state.answers.is_empty() {
            return;
        }
        let mut answers = std::mem::take(&mut self.state.answers);
        answers.0.retain(|place, _| {
            let path = NodePath::through(&place.items, place.node);
            let goes_on = self.locate(&path.items_path).is_ok_and(|(_, marking)| {
                matches!(marking.progress(place.node), Some(Progress::Agent(_)))
            });
            goes_on || place.comes_again(&self.table)
        });
        self.state.answers = answers;
    }
}
