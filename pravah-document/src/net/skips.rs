//! Whether a node may be skipped, or may have failed, where another one reads its output.
//!
//! Conditions are taken to be independent of each other, unless they are written alike.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Net, fields::is_of_success};
use crate::{
    catalogue::Role,
    model::{Condition, MergeMode, Selector, Work},
    read::{Context, Names, Reference},
    when::When,
};

/// A binding without `?` and default, to a node that has ended before it is resolved.
pub(super) struct StrictRead<'n> {
    pub(super) reference: &'n Reference,
    /// The node that is read.
    pub(super) source: usize,
    /// The node that reads, and the one around it that is in the same graph as `source`.
    pub(super) node: usize,
    pub(super) reader: usize,
}

/// Runs that are imagined, numbered from 0. In the first all conditions hold and no node fails; in each of the others one
/// condition does not hold, or one node fails and the run continues.
struct Scenarios {
    count: usize,
    of_nodes: Vec<OfCondition>,
    of_edges: Vec<OfCondition>,
    /// For each node the scenario in which it fails.
    failures: Vec<Option<usize>>,
}

/// What the condition of a node or an edge means for scenarios.
#[derive(Default)]
struct OfCondition {
    /// Those in which a part of it does not hold.
    unmet: Vec<usize>,
    /// The nodes that have to have succeeded for it to hold.
    needs: Vec<usize>,
}

/// Scenarios are followed 64 at a time, one bit each.
const AT_ONCE: usize = u64::BITS as usize;

/// The most scenarios that are followed; to follow fewer only finds less.
const MAX_SCENARIOS: usize = 4_096;

impl Net<'_> {
    /// Warns of bindings that fail in a scenario in which their node runs.
    pub(super) fn check_skips(
        &self,
        reads: &[StrictRead<'_>],
        names: &Names<'_>,
        context: &mut Context<'_, '_>,
    ) {
        if reads.is_empty() {
            return;
        }
        let scenarios = self.scenarios(names);
        let mut warned = BTreeSet::new();
        for first in (0..scenarios.count.min(MAX_SCENARIOS)).step_by(AT_ONCE) {
            let batch = Batch {
                scenarios: &scenarios,
                first,
            };
            let skipped = self.skipped(&batch);
            for (index, read) in reads.iter().enumerate() {
                let around = self.up_to(read.node, read.reader);
                let idle = around.fold(0, |bits, node| bits | skipped[node]);
                let runs = !idle & batch.all();
                let is_skipped = runs & skipped[read.source] != 0;
                let has_failed = runs & self.failed(read.source, &batch) != 0;
                if (is_skipped || has_failed) && warned.insert(index) {
                    self.warn_of(read, is_skipped, context);
                }
            }
        }
    }

    fn scenarios(&self, names: &Names<'_>) -> Scenarios {
        let mut count = 1;
        let mut by_condition = BTreeMap::new();
        let mut of_condition = |when: Option<&When>| {
            let Some(when) = when else {
                return OfCondition::default();
            };
            let unmet = when.conjuncts().into_iter().map(|condition| {
                *by_condition.entry(condition).or_insert_with(|| {
                    count += 1;
                    count - 1
                })
            });
            OfCondition {
                unmet: unmet.collect(),
                needs: self.needed_by(when, names),
            }
        };
        let whens = self.drafts.iter().map(|draft| draft.when.as_ref());
        let of_nodes = whens.map(&mut of_condition).collect();
        let whens = self.edges.iter().map(|edge| edge.when.as_ref());
        let of_edges = whens.map(&mut of_condition).collect();
        let failures = (0..self.drafts.len()).map(|node| {
            self.goes_on_after_failure(node).then(|| {
                count += 1;
                count - 1
            })
        });
        Scenarios {
            failures: failures.collect(),
            of_nodes,
            of_edges,
            count,
        }
    }

    /// The nodes that have to have succeeded for a condition to hold, also through a `control.if` that it asks.
    fn needed_by(&self, when: &When, names: &Names<'_>) -> Vec<usize> {
        let asked = when.required_values().into_iter();
        let asked = asked.filter(|(_, value)| **value == Value::Bool(true));
        let asked = asked.filter_map(|(path, _)| {
            let node = names.get(path.strip_suffix(".condition")?)?;
            match &self.drafts[node].work {
                Some(Work::If(Condition::When(when))) => Some(when),
                _ => None,
            }
        });
        let whens = asked.chain([when]);
        let paths = whens.flat_map(When::needed_paths);
        let nodes = paths
            .filter(|path| is_of_success(path))
            .filter_map(|path| names.get(path.split('.').next()?));
        nodes.collect()
    }

    fn goes_on_after_failure(&self, node: usize) -> bool {
        let is_handled = |edge: &usize| self.edges[*edge].on != Selector::Success;
        !self.fail_fast
            || self.drafts[node].policy.continue_on_error
            || self.out[node].iter().any(is_handled)
    }

    /// In which of some scenarios each node is skipped.
    fn skipped(&self, batch: &Batch<'_>) -> Vec<u64> {
        let mut skipped = vec![0; self.drafts.len()];
        // Nodes in bodies may come before those around them.
        let has_bodies = self.parent.iter().any(Option::is_some);
        for _ in 0..=u8::from(has_bodies) {
            for node in self.order.iter().copied() {
                skipped[node] = self.node_skipped(node, &skipped, batch);
            }
        }
        skipped
    }

    fn node_skipped(&self, node: usize, skipped: &[u64], batch: &Batch<'_>) -> u64 {
        let edges = self.into[node]
            .iter()
            .map(|edge| self.edge_skipped(*edge, skipped, batch));
        let by_edges = if self.is_merge(node, MergeMode::All) {
            edges.reduce(|one, other| one | other)
        } else {
            edges.reduce(|one, other| one & other)
        };
        let condition = &batch.scenarios.of_nodes[node];
        by_edges.unwrap_or_default() | self.unmet(condition, skipped, batch)
    }

    fn edge_skipped(&self, index: usize, skipped: &[u64], batch: &Batch<'_>) -> u64 {
        let edge = &self.edges[index];
        let failed = self.failed(edge.from, batch);
        let by_outcome = match edge.on {
            Selector::Success => failed,
            Selector::Failure => !failed,
            Selector::Any => 0,
        };
        let condition = &batch.scenarios.of_edges[index];
        skipped[edge.from] | by_outcome | self.unmet(condition, skipped, batch)
    }

    /// In which scenarios a condition does not hold.
    fn unmet(&self, condition: &OfCondition, skipped: &[u64], batch: &Batch<'_>) -> u64 {
        let needs = condition.needs.iter();
        needs.fold(batch.bits(&condition.unmet), |bits, node| {
            bits | skipped[*node] | self.failed(*node, batch)
        })
    }

    /// In which scenarios a node fails.
    fn failed(&self, node: usize, batch: &Batch<'_>) -> u64 {
        match self.drafts[node].role {
            Some(Role::Fail) => u64::MAX,
            _ => batch.bits(&batch.scenarios.failures[node]),
        }
    }

    fn warn_of(&self, read: &StrictRead<'_>, is_skipped: bool, context: &mut Context<'_, '_>) {
        let (source, node) = (self.id(read.source), self.id(read.node));
        let path = &read.reference.path;
        let span = context.narrow(read.reference.span, path);
        let (code, what) = if is_skipped {
            ("may-be-skipped", "be skipped")
        } else {
            ("may-have-failed", "have failed")
        };
        let message =
            format!("`{source}` may {what} where `{node}` runs: there is no `{path}` then");
        let help = format!(
            "write `{{{{? {path} }}}}`, give a default, `{{{{ {path} | default: … }}}}`, or give `{node}` a condition on `{source}`"
        );
        context.sink.warn(code, span, message).help(help);
    }
}

/// Up to 64 of the scenarios.
struct Batch<'s> {
    scenarios: &'s Scenarios,
    /// The number of the first of them.
    first: usize,
}

impl Batch<'_> {
    fn all(&self) -> u64 {
        match self.scenarios.count - self.first {
            count if count < AT_ONCE => (1 << count) - 1,
            _ => u64::MAX,
        }
    }

    fn bits<'n>(&self, numbers: impl IntoIterator<Item = &'n usize>) -> u64 {
        let offsets = numbers
            .into_iter()
            .filter_map(|number| number.checked_sub(self.first));
        offsets
            .filter(|offset| *offset < AT_ONCE)
            .fold(0, |bits, offset| bits | 1 << offset)
    }
}
