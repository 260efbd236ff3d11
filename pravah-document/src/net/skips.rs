//! Whether a node may be skipped, or may have failed, where another one reads its output.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::{BTreeMap, BTreeSet};

use super::Net;
use crate::{
    model::{MergeMode, Selector},
    read::{Context, Reference},
    when::When,
};

/// A binding without `?` and default, to a node that has ended before it is resolved.
pub(super) struct StrictRead<'n> {
    pub(super) reference: &'n Reference,
    /// The node that is read.
    pub(super) source: usize,
    /// The node that reads, or the one around it that is in the same graph.
    pub(super) reader: usize,
}

/// The ways that a run may go, numbered: on the first all conditions hold and no node fails, and on each of the others one
/// condition does not hold, or one node fails and the run goes on.
struct Courses {
    count: usize,
    /// On which of them a condition of a node does not hold, and one of an edge.
    unmet_of_node: Vec<Vec<usize>>,
    unmet_of_edge: Vec<Vec<usize>>,
    /// On which of them a node fails.
    failure: Vec<Option<usize>>,
}

/// Courses are followed as many at once as a word has bits.
const AT_ONCE: usize = u64::BITS as usize;

/// The most courses that are followed; to follow fewer only finds less.
const MAX_COURSES: usize = 4_096;

impl Net<'_> {
    /// Warns of bindings that fail on a course on which their node runs.
    pub(super) fn check_skips(&self, reads: &[StrictRead<'_>], context: &mut Context<'_, '_>) {
        if reads.is_empty() {
            return;
        }
        let courses = self.courses();
        let mut warned = BTreeSet::new();
        for first in (0..courses.count.min(MAX_COURSES)).step_by(AT_ONCE) {
            let some = SomeCourses {
                courses: &courses,
                first,
            };
            let skipped = self.skipped(&some);
            for (index, read) in reads.iter().enumerate() {
                let runs = !skipped[read.reader] & some.all();
                let is_skipped = runs & skipped[read.source] != 0;
                let has_failed = runs & some.failed(read.source) != 0;
                if (is_skipped || has_failed) && warned.insert(index) {
                    self.warn_of(read, is_skipped, context);
                }
            }
        }
    }

    fn courses(&self) -> Courses {
        let mut count = 1;
        let mut by_condition = BTreeMap::new();
        let mut unmet = |when: Option<&When>| {
            let conditions = when.map(When::conjuncts).unwrap_or_default();
            let numbers = conditions.into_iter().map(|condition| {
                *by_condition.entry(condition).or_insert_with(|| {
                    count += 1;
                    count - 1
                })
            });
            numbers.collect()
        };
        let whens = self.drafts.iter().map(|draft| draft.when.as_ref());
        let unmet_of_node = whens.map(&mut unmet).collect();
        let whens = self.edges.iter().map(|edge| edge.when.as_ref());
        let unmet_of_edge = whens.map(&mut unmet).collect();
        let failures = (0..self.drafts.len()).map(|node| {
            self.goes_on_after_failure(node).then(|| {
                count += 1;
                count - 1
            })
        });
        Courses {
            failure: failures.collect(),
            unmet_of_node,
            unmet_of_edge,
            count,
        }
    }

    fn goes_on_after_failure(&self, node: usize) -> bool {
        let is_handled = |edge: &usize| self.edges[*edge].on != Selector::Success;
        self.drafts[node].policy.continue_on_error || self.out[node].iter().any(is_handled)
    }

    /// On which of some courses each node is skipped.
    fn skipped(&self, some: &SomeCourses<'_>) -> Vec<u64> {
        let mut skipped = vec![0; self.drafts.len()];
        for node in self.order.iter().copied() {
            let edges = self.into[node]
                .iter()
                .map(|edge| self.edge_skipped(*edge, &skipped, some));
            let by_edges = if self.is_merge(node, MergeMode::All) {
                edges.reduce(|one, other| one | other)
            } else {
                edges.reduce(|one, other| one & other)
            };
            let by_condition = some.bits(&some.courses.unmet_of_node[node]);
            skipped[node] = by_edges.unwrap_or_default() | by_condition;
        }
        skipped
    }

    fn edge_skipped(&self, index: usize, skipped: &[u64], some: &SomeCourses<'_>) -> u64 {
        let edge = &self.edges[index];
        let by_outcome = match edge.on {
            Selector::Success => some.failed(edge.from),
            Selector::Failure => !some.failed(edge.from),
            Selector::Any => 0,
        };
        skipped[edge.from] | by_outcome | some.bits(&some.courses.unmet_of_edge[index])
    }

    fn warn_of(&self, read: &StrictRead<'_>, is_skipped: bool, context: &mut Context<'_, '_>) {
        let (source, reader) = (self.id(read.source), self.id(read.reader));
        let path = &read.reference.path;
        let span = context.narrow(read.reference.span, path);
        let (code, what) = if is_skipped {
            ("may-be-skipped", "be skipped")
        } else {
            ("may-have-failed", "have failed")
        };
        let message =
            format!("`{source}` may {what} where `{reader}` runs: there is no `{path}` then");
        let help = format!(
            "write `{{{{? {path} }}}}`, or give a default: `{{{{ {path} | default: … }}}}`"
        );
        context.sink.warn(code, span, message).help(help);
    }
}

/// Some of the courses, a bit each.
struct SomeCourses<'c> {
    courses: &'c Courses,
    /// The number of the first of them.
    first: usize,
}

impl SomeCourses<'_> {
    fn all(&self) -> u64 {
        match self.courses.count - self.first {
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

    /// The course on which a node fails.
    fn failed(&self, node: usize) -> u64 {
        self.bits(&self.courses.failure[node])
    }
}
