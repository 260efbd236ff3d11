//! Open suspensions: what waits for an answer from outside.

use std::sync::Arc;

use serde_json::Value;

use super::{
    each::Hop,
    marking::{Marking, Progress},
    outcome::guard,
    run::{NodePath, Out, Run},
};
use crate::{
    agent::OpenCall,
    error::FlowError,
    graph::{NodeIx, Table},
    node::NodeKind,
};

/// Something that waits for an answer: a gate, or a tool that suspended.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) id: String,
    pub(super) value: Arc<Value>,
    /// The lists and items around the node, outermost first.
    pub(super) items: Vec<(NodeIx, usize)>,
    pub(super) node: NodeIx,
    /// The tool call, if it is one.
    pub(super) call: Option<String>,
    /// Whether a step has answered with it.
    pub(super) announced: bool,
}

/// A suspension that waits to be resumed; see [`FlowRuntime::suspensions`].
///
/// [`FlowRuntime::suspensions`]: crate::FlowRuntime::suspensions
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suspension {
    /// What to resume it with: `{node}::{tool}`, or `{node}` for a gate.
    pub tool_id: String,
    /// What it asks.
    pub value: Value,
}

impl Open {
    /// The way to its node, through items that have begun.
    fn hops(&self) -> Vec<Hop> {
        let items = self.items.iter();
        items
            .map(|&(each, item)| Hop {
                each,
                item,
                fresh: None,
            })
            .collect()
    }

    pub(super) fn out(&self) -> Out {
        Out::Suspend {
            value: (*self.value).clone(),
            tool_id: self.id.clone(),
        }
    }

    pub(super) fn is_for_the_same_as(&self, other: &Self) -> bool {
        (&self.items, self.node, &self.call) == (&other.items, other.node, &other.call)
    }

    fn is_at(&self, path: &NodePath) -> bool {
        self.node == path.node
            && self
                .items
                .iter()
                .copied()
                .eq(path.hops.iter().map(|hop| (hop.each, hop.item)))
    }
}

impl Run {
    /// Gives the suspension `id` its answer, and answers where the step is that waited for it.
    pub(super) fn answer(&mut self, id: &str, payload: Value) -> Result<NodePath, FlowError> {
        let Some(first) = self.state.suspensions.first() else {
            return Err(FlowError::UnexpectedResumption(id.to_owned()));
        };
        let mut open = self.state.suspensions.iter().enumerate();
        let Some((at, open)) = open.find(|(_, open)| open.id == id) else {
            return Err(FlowError::ResumeMismatchError(first.id.clone()));
        };
        self.within_max_steps()?;
        let hops = open.hops();
        let (table, marking) = self.locate(&hops)?;
        let progress = answered(table, marking, open, payload)?;
        let node = open.node;
        accept(&self.table, &mut self.state.marking, &hops, node, progress)?;
        self.state.suspensions.remove(at);
        Ok(NodePath { hops, node })
    }

    /// Opens the suspensions of `path` that are new, and closes those that are no more. Answers
    /// the first new one.
    pub(super) fn reopen(&mut self, path: &NodePath, node_id: &str, calls: Vec<OpenCall>) -> Out {
        self.state.suspensions.retain(|open| {
            !open.is_at(path)
                || calls
                    .iter()
                    .any(|call| open.call.as_deref() == Some(&*call.call_id))
        });
        let mut out = Out::Continue;
        for call in calls {
            let known =
                |open: &Open| open.is_at(path) && open.call.as_deref() == Some(&*call.call_id);
            if !self.state.suspensions.iter().any(known) {
                let name = format!("{node_id}::{}", call.tool);
                let opened = self.open(path, &name, call.value, Some(call.call_id));
                if let Out::Continue = out {
                    opened.announced = true;
                    out = opened.out();
                }
            }
        }
        out
    }

    /// Opens a suspension under a name of its own.
    pub(super) fn open(
        &mut self,
        path: &NodePath,
        name: &str,
        value: Value,
        call: Option<String>,
    ) -> &mut Open {
        let id = path.within_items(name);
        let taken = |id: &str| self.state.suspensions.iter().any(|open| open.id == id);
        let id = (1..)
            .map(|n| {
                if n == 1 {
                    id.clone()
                } else {
                    format!("{id}#{n}")
                }
            })
            .find(|id| !taken(id))
            .unwrap_or_default();
        let at = self.state.suspensions.len();
        self.state.suspensions.push(Open {
            id,
            value: value.into(),
            items: path.hops.iter().map(|hop| (hop.each, hop.item)).collect(),
            node: path.node,
            call,
            announced: false,
        });
        #[expect(clippy::indexing_slicing, reason = "it was just pushed there")]
        &mut self.state.suspensions[at]
    }

    /// Closes what is open inside nodes that were cleared away.
    pub(super) fn close_lost(&mut self) {
        let suspensions = std::mem::take(&mut self.state.suspensions);
        self.state.suspensions = suspensions
            .into_iter()
            .filter(|open| {
                self.locate(&open.hops())
                    .is_ok_and(|(_, marking)| marking.progress(open.node).is_some())
            })
            .collect();
    }
}

/// The progress of the node that was suspended, with its answer.
fn answered(
    table: &Table,
    marking: &Marking,
    open: &Open,
    payload: Value,
) -> Result<Progress, FlowError> {
    let lost = || FlowError::NotFound(format!("what waits for `{}`", open.id));
    match (&table.node(open.node)?.kind, marking.progress(open.node)) {
        (NodeKind::Gate(gate), _) => {
            let accepted = guard(&open.id, || (gate.fns.accepts)(&payload))?;
            accepted.map_err(|source| FlowError::ResumePayload {
                id: open.id.clone(),
                source,
            })?;
            Ok(Progress::Gate(Some(payload.into())))
        }
        (NodeKind::Agent(_), Some(Progress::Agent(progress))) => {
            let mut progress = (**progress).clone();
            match progress.resume(open.call.as_deref().unwrap_or_default(), payload) {
                true => Ok(Progress::Agent(progress.into())),
                false => Err(lost()),
            }
        }
        _ => Err(lost()),
    }
}

/// Commits the answer: the node is ready again, and first in line.
fn accept(
    table: &Table,
    marking: &mut Marking,
    hops: &[Hop],
    node: NodeIx,
    progress: Progress,
) -> Result<(), FlowError> {
    let Some((hop, inner)) = hops.split_first() else {
        marking.set_progress(node, progress);
        marking.first_in_line(node);
        return Ok(());
    };
    let chain = super::each::chain(table, hop.each)?;
    if let Some(each) = marking.each_mut(hop.each)
        && let Some(item) = each.items.get_mut(&hop.item)
    {
        accept(chain, item, inner, node, progress)?;
        each.active.retain(|other| *other != hop.item);
        each.active.push_front(hop.item);
    }
    marking.first_in_line(hop.each);
    Ok(())
}
