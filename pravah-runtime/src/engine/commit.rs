//! Committing a step: what it consumed goes out, what it returned comes in, together.

use std::sync::Arc;

use serde_json::Value;

use super::{
    catch::{CatchTarget, Caught},
    each::{ItemStep, chain, gather},
    last_step::{LastStep, Outputs, StepKind},
    marking::{Marking, Progress},
    outcome::{StepOutcome, guard},
    run::{NodePath, Out, Run},
    start::waiting_input,
};
use crate::{
    agent::{AgentProgress, Spent},
    error::FlowError,
    graph::{NodeIx, Table},
    node::{Emission, Emitted, NodeKind},
    state::Live,
};

impl Run {
    pub(super) fn commit(
        &mut self,
        path: &NodePath,
        outcome: StepOutcome,
    ) -> Result<Out, FlowError> {
        let last = LastStep::of(path, &outcome);
        let out = self.apply(path, outcome)?;
        Ok(self.committed(last, out))
    }

    /// Notes that a step was committed, and what came of it.
    #[inline]
    pub(super) fn committed(&mut self, last: LastStep, out: Out) -> Out {
        self.state.steps = self.state.steps.saturating_add(1);
        self.last = Some(last);
        self.refresh_view();
        self.state.finished = matches!(out, Out::Done(_));
        out
    }

    fn apply(&mut self, path: &NodePath, outcome: StepOutcome) -> Result<Out, FlowError> {
        if !self.state.timers.is_empty() {
            self.wake(path)?;
        }
        match outcome {
            StepOutcome::Outputs(emitted) => self.fire(path, emitted),
            StepOutcome::Asks(value) => {
                let id = self.node_id(path)?;
                self.suspend(path, Progress::Gate(None))?;
                Ok(self.put_question(path, &id, *value))
            }
            StepOutcome::AgentInReview(progress, mut question) => {
                let id = self.node_id(path)?;
                question.insert("state".to_owned(), self.shown_input(path)?);
                self.count_usage(path, &id, progress.spent())?;
                self.suspend(path, Progress::Agent((*progress).into()))?;
                Ok(self.put_question(path, &id, (*question).into()))
            }
            StepOutcome::AgentAsked(progress) | StepOutcome::AgentRan(progress) => {
                let id = self.node_id(path)?;
                self.count_usage(path, &id, progress.spent())?;
                self.update(&path.items_path, |_, marking| {
                    marking.set_progress(path.node, Progress::Agent((*progress).into()));
                    Ok(None)
                })?;
                Ok(Out::Continue)
            }
            StepOutcome::AgentWaits(progress, wait) => {
                let id = self.node_id(path)?;
                self.count_usage(path, &id, progress.spent())?;
                self.wait(path, *progress, wait)
            }
            StepOutcome::AgentSuspended(progress, calls) => {
                let id = self.node_id(path)?;
                self.count_usage(path, &id, progress.spent())?;
                self.suspend(path, Progress::Agent((*progress).into()))?;
                Ok(self.reopen(path, &id, calls))
            }
            StepOutcome::AgentDone(progress, emitted) => {
                let id = self.node_id(path)?;
                self.count_usage(path, &id, progress.spent())?;
                let out = self.fire(path, emitted)?;
                self.forget_questions(path);
                let conversation = progress.into_conversation();
                self.history.record(path.within_items(&id), conversation);
                Ok(out)
            }
            StepOutcome::Caught(caught) => self.apply_failure(path, *caught),
        }
    }

    /// What the node at `path` takes, as far as a JSON value can hold it: no number of 128 bits.
    fn shown_input(&self, path: &NodePath) -> Result<Value, FlowError> {
        let (table, marking) = self.locate(&path.items_path)?;
        let entry = table.node(path.node)?;
        let written = guard(&entry.id, || waiting_input(entry, marking))?;
        Ok(written.unwrap_or_default())
    }

    /// Keeps what a node has done so far, and takes it out of the ready queue.
    pub(super) fn suspend(&mut self, path: &NodePath, progress: Progress) -> Result<(), FlowError> {
        self.update(&path.items_path, |_, marking| {
            marking.set_progress(path.node, progress);
            marking.dequeue(path.node);
            Ok(None)
        })?;
        Ok(())
    }

    /// Adds what the agent's call cost in this step.
    pub(super) fn count_usage(
        &mut self,
        path: &NodePath,
        id: &str,
        spent: Spent,
    ) -> Result<(), FlowError> {
        let (_, marking) = self.locate(&path.items_path)?;
        let (before, model) = match marking.progress(path.node) {
            Some(Progress::Agent(before)) => (before.spent(), before.fallback()),
            _ => (Spent::default(), 0),
        };
        let cost = spent.usage - before.usage;
        let calls = spent.calls.saturating_sub(before.calls);
        if spent.questions > before.questions {
            self.count_question(path, model)?;
        }
        if (cost, calls) == Default::default() {
            return Ok(());
        }
        self.state.calls = self.state.calls.saturating_add(calls.into());
        match self.state.usage.get_mut(id) {
            Some(usage) => *usage += cost,
            None => {
                self.state.usage.insert(id.to_owned(), cost);
            }
        }
        Ok(())
    }

    /// Keeps in mind what an attempt has used that failed: it counts among what the visit may use.
    pub(super) fn count_lost(&mut self, path: &NodePath, spent: Spent) -> Result<(), FlowError> {
        self.update(&path.items_path, |_, marking| {
            let before = match marking.progress(path.node) {
                Some(Progress::Agent(before)) => Some(&**before),
                _ => None,
            };
            if let Some(after) = AgentProgress::before_next_attempt(before, spent) {
                marking.set_progress(path.node, Progress::Agent(after.into()));
            }
            Ok(None)
        })?;
        Ok(())
    }

    fn fire(&mut self, path: &NodePath, emitted: Emitted) -> Result<Out, FlowError> {
        let done = self.update(&path.items_path, |table, marking| {
            marking.fire(table, path.node, emitted)
        })?;
        Ok(done.map_or(Out::Continue, Out::Done))
    }

    fn apply_failure(&mut self, path: &NodePath, caught: Caught) -> Result<Out, FlowError> {
        let Caught {
            depth,
            target,
            state,
            failure,
        } = caught;
        let (items_path, _) = path.items_path.split_at(depth);
        let done = self.update(items_path, |table, marking| {
            let leaves = |node: NodeIx| match target {
                CatchTarget::Node(failed) => node == failed,
                CatchTarget::Scope(scope) => table.scopes_of(node).any(|(index, _)| index == scope),
            };
            marking.check_free(table, state, leaves)?;
            let from = match target {
                CatchTarget::Node(node) => {
                    marking.consume(table, node);
                    table.node(node).ok().map(|entry| entry.scope)
                }
                CatchTarget::Scope(scope) => {
                    marking.clear(table, scope);
                    table.scopes.get(scope).and_then(|scope| scope.parent)
                }
            };
            Ok(marking.put(table, from, state, failure))
        })?;
        self.close_lost();
        self.forget_lost_questions();
        Ok(done.map_or(Out::Continue, Out::Done))
    }

    pub(super) fn node_id(&self, path: &NodePath) -> Result<Arc<str>, FlowError> {
        Ok(Arc::clone(
            &self.locate(&path.items_path)?.0.node(path.node)?.id,
        ))
    }

    /// Changes the marking within the lists that `items_path` name.
    fn update<F: Change>(
        &mut self,
        items_path: &[ItemStep],
        change: F,
    ) -> Result<Option<Live>, FlowError> {
        update(&self.table, &mut self.state.marking, items_path, change)
    }
}

/// A change of one marking; it answers the output of its net, if it made it.
trait Change: FnOnce(&Table, &mut Marking) -> Result<Option<Live>, FlowError> {}

impl<F: FnOnce(&Table, &mut Marking) -> Result<Option<Live>, FlowError>> Change for F {}

fn update(
    table: &Table,
    marking: &mut Marking,
    items_path: &[ItemStep],
    change: impl Change,
) -> Result<Option<Live>, FlowError> {
    let Some((item_step, inner)) = items_path.split_first() else {
        return change(table, marking);
    };
    let lost = || item_step.lost(table);
    let chain = chain(table, item_step.each)?;
    let each = marking.each_mut(item_step.each).ok_or_else(lost)?;
    each.start(item_step);
    let item = each.items.get_mut(&item_step.item).ok_or_else(lost)?;
    match update(chain, item, inner, change)? {
        Some(output) => each.finish(item_step.item, output),
        None => each.requeue(item_step.item),
    }
    // A list that cannot be put together is complete all the same: its next step says why.
    let (complete, can_move) = (each.is_complete(), each.can_move());
    if complete && let NodeKind::Each(node) = &table.node(item_step.each)?.kind {
        let ways = &table.node(item_step.each)?.ways;
        marking.check_fire(table, item_step.each, ways)?;
        if let Ok(Ok(list)) = guard("", || gather(marking, item_step.each, node)) {
            return marking.fire(table, item_step.each, Emitted(Emission::Way(0, list)));
        }
    }
    if !can_move {
        marking.dequeue(item_step.each);
    }
    Ok(None)
}

impl LastStep {
    fn of(path: &NodePath, outcome: &StepOutcome) -> Self {
        let (kind, outputs) = match outcome {
            StepOutcome::Outputs(Emitted(Emission::Way(way, _))) => {
                (StepKind::Node, Outputs::Way(*way))
            }
            StepOutcome::Outputs(Emitted(Emission::All(_))) => (StepKind::Node, Outputs::All),
            StepOutcome::Asks(_) => (StepKind::Question, Outputs::Nothing),
            StepOutcome::AgentDone(progress, _) if progress.is_reviewed() => {
                (StepKind::Review, Outputs::Way(0))
            }
            StepOutcome::AgentDone(..) => (StepKind::ModelCall, Outputs::Way(0)),
            StepOutcome::AgentAsked(_) | StepOutcome::AgentInReview(..) => {
                (StepKind::ModelCall, Outputs::Nothing)
            }
            StepOutcome::AgentRan(_) | StepOutcome::AgentSuspended(..) => {
                (StepKind::ToolCalls, Outputs::Nothing)
            }
            StepOutcome::AgentWaits(..) => (StepKind::Wait, Outputs::Nothing),
            StepOutcome::Caught(_) => (StepKind::Failure, Outputs::Nothing),
        };
        Self {
            items: path.items().collect(),
            node: path.node,
            kind,
            outputs,
        }
    }
}
