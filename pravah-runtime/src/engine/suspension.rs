//! Open suspensions: what waits for an answer from outside.

use std::{collections::VecDeque, sync::Arc};

use serde::de::Error as _;
use serde_json::Value;

use super::{
    each::ItemStep,
    marking::{Marking, Progress},
    outcome::guard,
    run::{NodePath, Out, Run},
};
use crate::{
    agent::{OpenCall, is_deep},
    error::{FlowError, brief_json},
    graph::{NodeIx, Table},
    node::NodeKind,
};

/// Something that waits for an answer: a gate, a tool that suspended, an answer to be reviewed.
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
    /// What to resume it with: `{node}::{tool}`, or `{node}` for a gate and for the review of an
    /// agent's answer under a [`Contract`](crate::Contract).
    pub tool_id: String,
    /// What it asks.
    pub value: Value,
}

impl Suspension {
    /// A suspension, for tests of what handles one.
    pub fn new(tool_id: impl Into<String>, value: Value) -> Self {
        Self {
            tool_id: tool_id.into(),
            value,
        }
    }
}

/// A suspension that was answered, and what it takes to open it again.
pub(super) struct Answered {
    at: usize,
    open: Open,
    before: Option<Progress>,
    /// Where the node and the items around it was in their queues, innermost first.
    places: Vec<Option<usize>>,
}

impl Open {
    /// The path to its node.
    fn path(&self) -> NodePath {
        NodePath::through(&self.items, self.node)
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
        path.is(&self.items, self.node)
    }
}

impl Run {
    /// Gives the suspension `id` its answer. Answers where the step is that waited for it, and what
    /// it takes to undo this.
    pub(super) fn answer(
        &mut self,
        id: &str,
        payload: Value,
    ) -> Result<(NodePath, Answered), FlowError> {
        let Some(first) = self.state.suspensions.first() else {
            return Err(FlowError::UnexpectedResumption(id.to_owned()));
        };
        let mut open = self.state.suspensions.iter().enumerate();
        let Some((at, open)) = open.find(|(_, open)| open.id == id) else {
            return Err(FlowError::ResumeMismatchError(first.id.clone()));
        };
        if is_deep(&payload) {
            return Err(FlowError::ResumePayload {
                id: open.id.clone(),
                source: serde_json::Error::custom("it is nested too deeply"),
            });
        }
        self.within_max_steps()?;
        let path = open.path();
        let (table, marking) = self.locate(&path.items_path)?;
        let progress = answered(table, marking, open, payload)?;
        let before = marking.progress(open.node).cloned();
        let mut places = Vec::new();
        accept(
            &self.table,
            &mut self.state.marking,
            &path.items_path,
            path.node,
            (progress, &mut places),
        )?;
        let open = self.state.suspensions.remove(at);
        let answered = Answered {
            at,
            open,
            before,
            places,
        };
        Ok((path, answered))
    }

    /// Takes an answer back that did not fit: the suspension is open again, where it was.
    pub(super) fn take_back(&mut self, answered: Answered) -> Result<(), FlowError> {
        let Answered {
            at,
            open,
            before,
            places,
        } = answered;
        let mut places = places.into_iter();
        take_back(
            &self.table,
            &mut self.state.marking,
            &open.path().items_path,
            open.node,
            (before, &mut places),
        )?;
        let at = at.min(self.state.suspensions.len());
        self.state.suspensions.insert(at, open);
        Ok(())
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

    /// Suspends a node on a question that has no tool call behind it.
    pub(super) fn put_question(&mut self, path: &NodePath, name: &str, question: Value) -> Out {
        let open = self.open(path, name, question, None);
        open.announced = true;
        open.out()
    }

    /// Opens a suspension under a name of its own.
    fn open(
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
            items: path.items().collect(),
            node: path.node,
            call,
            announced: false,
        });
        #[expect(clippy::indexing_slicing, reason = "it was just pushed there")]
        &mut self.state.suspensions[at]
    }

    /// Closes what is open, or waits for a time, inside nodes that were cleared away.
    pub(super) fn close_lost(&mut self) {
        let timers = std::mem::take(&mut self.state.timers);
        self.state.timers = timers
            .into_iter()
            .filter(|timer| {
                self.locate(&timer.path().items_path)
                    .is_ok_and(|(_, marking)| marking.progress(timer.node).is_some())
            })
            .collect();
        let suspensions = std::mem::take(&mut self.state.suspensions);
        self.state.suspensions = suspensions
            .into_iter()
            .filter(|open| {
                self.locate(&open.path().items_path)
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
    let lost = || FlowError::NotFound(format!("what waits for `{}`", open.id).into());
    match (&table.node(open.node)?.kind, marking.progress(open.node)) {
        (NodeKind::Gate(gate), _) => {
            let accepted = guard(&open.id, || (gate.fns.accepts)(&payload))?;
            accepted.map_err(|source| FlowError::ResumePayload {
                id: open.id.clone(),
                source: brief_json(source),
            })?;
            Ok(Progress::Gate(Some(payload.into())))
        }
        (NodeKind::Agent(agent), Some(Progress::Agent(progress))) => {
            let mut progress = (**progress).clone();
            let taken = match &open.call {
                Some(call) => progress.resume(call, payload),
                None => {
                    let reviewed = guard(&open.id, || progress.review(payload, &agent.spec))?;
                    reviewed.map_err(|source| FlowError::ResumePayload {
                        id: open.id.clone(),
                        source,
                    })?
                }
            };
            match taken {
                true => Ok(Progress::Agent(progress.into())),
                false => Err(lost()),
            }
        }
        _ => Err(lost()),
    }
}

/// Commits the answer: the node is ready again, and first in its queue. Notes where it was.
pub(super) fn accept(
    table: &Table,
    marking: &mut Marking,
    items_path: &[ItemStep],
    node: NodeIx,
    (progress, places): (Progress, &mut Vec<Option<usize>>),
) -> Result<(), FlowError> {
    let Some((item_step, inner)) = items_path.split_first() else {
        marking.set_progress(node, progress);
        places.push(marking.move_to_front(node));
        return Ok(());
    };
    let chain = super::each::chain(table, item_step.each)?;
    if let Some(each) = marking.each_mut(item_step.each)
        && let Some(item) = each.items.get_mut(&item_step.item)
    {
        accept(chain, item, inner, node, (progress, places))?;
        places.push(first(&mut each.active, item_step.item));
    }
    places.push(marking.move_to_front(item_step.each));
    Ok(())
}

/// Undoes what [`accept`] did.
fn take_back(
    table: &Table,
    marking: &mut Marking,
    items_path: &[ItemStep],
    node: NodeIx,
    (progress, places): (Option<Progress>, &mut std::vec::IntoIter<Option<usize>>),
) -> Result<(), FlowError> {
    let Some((item_step, inner)) = items_path.split_first() else {
        if let Some(progress) = progress {
            marking.set_progress(node, progress);
        }
        put_back(&mut marking.ready, places.next().flatten());
        return Ok(());
    };
    let chain = super::each::chain(table, item_step.each)?;
    if let Some(each) = marking.each_mut(item_step.each)
        && let Some(item) = each.items.get_mut(&item_step.item)
    {
        take_back(chain, item, inner, node, (progress, places))?;
        put_back(&mut each.active, places.next().flatten());
    }
    put_back(&mut marking.ready, places.next().flatten());
    Ok(())
}

/// Moves `one` to the front of a queue, and returns where it was.
pub(super) fn first<T: PartialEq>(queue: &mut VecDeque<T>, one: T) -> Option<usize> {
    let at = queue.iter().position(|other| *other == one);
    if let Some(at) = at {
        queue.remove(at);
    }
    queue.push_front(one);
    at
}

/// Puts the first of a queue where it was before, or out of it.
fn put_back<T>(queue: &mut VecDeque<T>, at: Option<usize>) {
    if let (Some(one), Some(at)) = (queue.pop_front(), at) {
        queue.insert(at.min(queue.len()), one);
    }
}
