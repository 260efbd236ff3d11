//! Failures that a `catch` takes.

use std::{error::Error, sync::Arc};

use super::{
    outcome::{is_retried, kind_of},
    run::{Out, Run},
    state::{
        RunState,
        frame::{Fed, Frame},
        path::{FramePath, ItemId, NodePath},
    },
};
use crate::{
    agent::TaskEnd,
    error::{FlowError, MessageOf, ToolError, guard},
    graph::{CatchSpec, FailedBody, NodeIx, NodeKind, OutputArc, ScopeIx},
    invocation::RunnerErrorKind,
    model::ModelError,
    model_text::ToModel as _,
    node::{Emitted, FailureKind, Inputs, Token, Tokens},
    state::Live,
};

/// Who takes a failure.
pub(super) enum Caught {
    /// A `catch`, with so many lists and tasks around it.
    Catch { depth: usize, by: CaughtBy },
    /// The agent at this depth that has called the one that failed.
    Caller {
        depth: usize,
        task: ItemId,
        end: TaskEnd,
    },
}

/// What takes the failure.
pub(super) enum CaughtBy {
    /// A `catch` around a node.
    Node(NodeIx, Live),
    /// One around a flow inlined here.
    Scope(ScopeIx, Live),
    /// The rules of a node, which emits this.
    Rules(NodeIx, Emitted),
}

impl Run {
    /// The innermost `catch` around `path`, with what it makes of the error. One that cannot be handed
    /// on, since the input cannot be read, stays the error it was.
    pub(super) fn catch(
        &mut self,
        path: &NodePath,
        error: &FlowError,
        attempts: u32,
    ) -> Option<Caught> {
        if lacks_runner(error) {
            return None;
        }
        let (mut node, mut may_be_retried) = (path.node, is_retried(error));
        for depth in (0..=path.frame.len()).rev() {
            let (around, within) = path.frame.split_at_checked(depth)?;
            node = within.first().map_or(node, |item| item.list);
            let frame = self.state.frame_mut(around);
            if let Some(item) = within.first()
                && frame.has_tasks(node)
                && !frame.passes_budget_error_on(node, error)
            {
                let end = TaskEnd::failed(words_for_rescue(error)).with_kind(kind_of(error));
                let task = *item;
                return Some(Caught::Caller { depth, task, end });
            }
            // What a node within says of its failure holds for those around it too.
            let rules = frame.table.node(node).rules.as_ref();
            may_be_retried &= rules.is_none_or(|it| it.rules.may_be_retried());
            if !within.is_empty() && frame.hands_failures_on(node) {
                continue;
            }
            if let Some(by) = catch_in(frame, node, error, (attempts, may_be_retried)) {
                let by = by.ok()?;
                return Some(Caught::Catch { depth, by });
            }
        }
        None
    }

    pub(super) fn commit_failure(&mut self, path: &NodePath, caught: Caught) -> Out {
        let around = |depth| path.frame.get(..depth).unwrap_or_default();
        let done = match caught {
            Caught::Catch { depth, by } => self.commit_caught(around(depth), by),
            Caught::Caller { depth, task, end } => {
                self.fail_task(around(depth), task, end);
                None
            }
        };
        let RunState { root, spending, .. } = &mut *self.state;
        spending.forget_lost_agents(root);
        self.finish(done)
    }

    /// Hands a failure on that something in the frame at `around` has caught. Returns the flow's output, if that came
    /// of it.
    fn commit_caught(&mut self, around: &FramePath, by: CaughtBy) -> Option<Live> {
        let step = self.state.this_step();
        let table = Arc::clone(&self.state.frame(around).table);
        let is_over = |node| match &by {
            CaughtBy::Node(failed, _) | CaughtBy::Rules(failed, _) => node == *failed,
            CaughtBy::Scope(scope, _) => table.is_within(node, *scope),
        };
        let nodes = (0..).map(NodeIx).take(table.nodes.len());
        for node in nodes.filter(|node| is_over(*node)) {
            self.state.unindex(around, node);
            self.drop_steps(|path| path.is_within(around, node));
        }
        let frame = self.state.frame_mut(around);
        let put = |frame: &mut Frame, arc: &Option<(OutputArc, CatchSpec)>, failure| {
            let (arc, _) = arc.as_ref()?;
            frame.put(arc, failure, step, &mut Fed::new())
        };
        let done = match by {
            CaughtBy::Node(node, failure) => {
                frame.consume(node);
                put(frame, &table.node(node).catch, failure)
            }
            CaughtBy::Scope(scope, failure) => {
                frame.clear(scope);
                put(frame, &table.scope(scope).catch, failure)
            }
            CaughtBy::Rules(node, emitted) => frame.fire_emitted(node, emitted, step),
        };
        self.state.settle(around, done)
    }
}

impl Frame {
    /// Whether the error is a used-up budget in what a node has called, also in the background: with a larger one the call
    /// goes on. An agent learns of it instead, as of any failure, and so does a node that has waited for a task of an agent.
    fn passes_budget_error_on(&self, node: NodeIx, error: &FlowError) -> bool {
        let is_of_node = match &self.table.node(node).kind {
            NodeKind::Invoke(_) => true,
            NodeKind::Detached(tasks) => tasks.are_of_node,
            _ => false,
        };
        let has_ended = matches!(error, FlowError::Failed { .. });
        is_of_node && !has_ended && kind_of(error) == FailureKind::Budget
    }
}

/// The innermost `catch` around a node in a frame, or its rules, with what they make of the error.
fn catch_in(
    frame: &mut Frame,
    node: NodeIx,
    error: &FlowError,
    (attempts, may_be_retried): (u32, bool),
) -> Option<Result<CaughtBy, FlowError>> {
    let table = Arc::clone(&frame.table);
    if table.node(node).rules.is_some() {
        let failure = FailedBody {
            kind: kind_of(error),
            is_retryable: may_be_retried,
            message: words_for_rescue(error),
            attempts,
        };
        let emitted = frame.emission_of_failure(node, &failure);
        return emitted.map(|emitted| Ok(CaughtBy::Rules(node, emitted)));
    }
    if let Some((_, catch)) = &table.node(node).catch {
        let failure = make_failure(catch, &mut frame.inputs_of(node), error, attempts);
        return Some(failure.map(|failure| CaughtBy::Node(node, failure)));
    }
    let mut scopes = table.scopes_of(node);
    let (index, scope, catch) = scopes.find_map(|(index, scope)| {
        let (_, catch) = scope.catch.as_ref()?;
        Some((index, scope, catch))
    })?;
    let mut tokens = Tokens::default();
    let mut slots = Vec::new();
    if let (Some(place), Some(live)) = (scope.starts_at.first(), frame.flow_inputs.get(&index)) {
        let token = Token {
            branch: place.branch,
            since: 0,
            live: live.clone(),
        };
        tokens.insert(place.slot, token);
        slots.push(place.slot);
    }
    let inputs = &mut Inputs::new(&slots, &mut tokens, &*table);
    let failure = make_failure(catch, inputs, error, attempts);
    Some(failure.map(|failure| CaughtBy::Scope(index, failure)))
}

/// Whether the host has forgotten a runner: with it the run goes on, and no task is lost.
pub(super) fn lacks_runner(error: &FlowError) -> bool {
    let FlowError::Runner { source, .. } = error else {
        return false;
    };
    source.kind() == RunnerErrorKind::UnknownRunner
}

/// What is no failure of the node.
pub(super) fn is_never_caught(error: &FlowError) -> bool {
    is_suspension(error) || matches!(error, FlowError::ResumePayload { .. })
}

/// A flow that a body called as a function waits for an answer: its snapshot must not be lost.
fn is_suspension(error: &FlowError) -> bool {
    match error {
        FlowError::Suspended { .. } => true,
        FlowError::Node { source, .. } => source.downcast_ref().is_some_and(is_suspension),
        _ => false,
    }
}

fn make_failure(
    catch: &CatchSpec,
    inputs: &mut Inputs<'_>,
    error: &FlowError,
    attempts: u32,
) -> Result<Live, FlowError> {
    let message = words_for_rescue(error);
    guard(&catch.name, || {
        (catch.make)(inputs, kind_of(error), message, attempts)
    })?
    .map_err(|error| *error)
}

/// A failure in words. They may become a prompt: what a provider says of an error, and what is behind one,
/// is for the operator alone, however deep it is.
fn words_for_rescue(error: &FlowError) -> String {
    let text = match error {
        FlowError::Node { source, .. } => MessageOf(source).to_string(),
        FlowError::NodeData { source, .. } => source.to_string(),
        error => error.to_string(),
    };
    match model_error_within(error) {
        Some(error) => {
            let words = match error.is_of_provider() {
                true => error.to_model().to_string(),
                false => error.message().to_owned(),
            };
            text.replace(&error.to_string(), &words)
        }
        None => text,
    }
}

/// The error of a model that is among the causes of an error.
fn model_error_within<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a ModelError> {
    if let Some(error) = error.downcast_ref() {
        return Some(error);
    }
    let cause = match (error.downcast_ref(), error.downcast_ref()) {
        (Some(error), _) => FlowError::get_ref(error).map(|cause| cause as _),
        (_, Some(error)) => ToolError::get_ref(error).map(|cause| cause as _),
        _ => error.source(),
    };
    model_error_within(cause?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelErrorKind;

    #[test]
    fn a_providers_words_are_left_out_however_deep_they_are() {
        let refused = || {
            let error = ModelError::new(ModelErrorKind::InvalidRequest, "planted");
            FlowError::model("triage", error.with_status(404))
        };
        for error in [
            refused(),
            FlowError::node("caller", refused()),
            FlowError::node("caller", ToolError::fatal(refused())),
            FlowError::tool("agent", "ask", ToolError::fatal(refused())),
            FlowError::Other(refused().into()),
        ] {
            let words = words_for_rescue(&error);
            assert!(
                !words.contains("planted") && !words.contains("404"),
                "{words}"
            );
            assert!(words.ends_with("the model of agent `triage` failed: upstream model error"));
        }
    }
}
