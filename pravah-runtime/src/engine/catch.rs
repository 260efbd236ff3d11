//! Failures that a `catch` takes.

use std::{error::Error, sync::Arc};

use super::{
    outcome::{StepOutcome, guard, kind_of},
    run::{NodePath, Run, marking_mut},
};
use crate::{
    channel::ToModel as _,
    error::{FlowError, ToolError},
    graph::{NodeIx, SlotIx, StateIx},
    model::ModelError,
    node::{CatchSpec, Inputs, Token},
    state::Live,
};

/// A failure on its way to the node that rescues.
pub(super) struct Caught {
    /// How many of the place's lists are around the `catch`.
    pub(super) depth: usize,
    pub(super) target: CatchTarget,
    pub(super) state: StateIx,
    pub(super) failure: Live,
}

/// What the `catch` is for.
#[derive(Clone, Copy)]
pub(super) enum CatchTarget {
    Node(NodeIx),
    /// A flow inlined here.
    Scope(usize),
}

impl Run {
    /// Hands `error` to the innermost `catch` around `path`, or answers it.
    pub(super) fn catch(
        &mut self,
        path: &mut NodePath,
        error: FlowError,
    ) -> Result<StepOutcome, FlowError> {
        if is_suspension(&error) || matches!(error, FlowError::ResumePayload { .. }) {
            return Err(error);
        }
        for depth in (0..=path.items_path.len()).rev() {
            let node = path
                .items_path
                .get(depth)
                .map_or(path.node, |item_step| item_step.each);
            let items_path = path.items_path.get_mut(..depth).unwrap_or_default();
            let table = Arc::clone(self.locate(items_path)?.0);
            let marking = marking_mut(&self.table, &mut self.state.marking, items_path)?;
            let entry = table.node(node)?;
            if let Some((state, catch)) = &entry.catch {
                let inputs = &mut marking.inputs_of(&entry.slots, &table);
                let failure = make(catch, inputs, &error);
                return caught(depth, CatchTarget::Node(node), *state, failure, error);
            }
            for (index, known) in table.scopes_of(node) {
                if let Some((state, catch)) = &known.catch {
                    let slot = SlotIx(0);
                    let input = marking.input(known.entry).map(|live| Token {
                        slot,
                        state: known.entry,
                        live: live.clone(),
                    });
                    let mut input = Vec::from_iter(input);
                    let slots = [slot];
                    let inputs = &mut Inputs::new(&slots, &mut input, &table);
                    let failure = make(catch, inputs, &error);
                    return caught(depth, CatchTarget::Scope(index), *state, failure, error);
                }
            }
        }
        Err(error)
    }
}

/// A flow that a body called as a function waits for an answer: its snapshot must not be lost.
fn is_suspension(error: &FlowError) -> bool {
    match error {
        FlowError::Suspended { .. } => true,
        FlowError::Node { source, .. } => source.downcast_ref().is_some_and(is_suspension),
        _ => false,
    }
}

fn make(catch: &CatchSpec, inputs: &mut Inputs<'_>, error: &FlowError) -> Result<Live, FlowError> {
    guard(&catch.name, || handed_on(catch, inputs, error))?
}

fn handed_on(
    catch: &CatchSpec,
    inputs: &mut Inputs<'_>,
    error: &FlowError,
) -> Result<Live, FlowError> {
    let message = words_for_rescue(error);
    (catch.make)(inputs, kind_of(error), message, 1)
}

/// A failure in words. They may become a prompt: what a provider says of an error, and what is behind one,
/// is for the operator alone, however deep it is.
fn words_for_rescue(error: &FlowError) -> String {
    let text = match error {
        FlowError::Node { source, .. } => source.to_string(),
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

/// A failure that cannot be handed on, since the input cannot be read, stays the error it was.
fn caught(
    depth: usize,
    target: CatchTarget,
    state: StateIx,
    failure: Result<Live, FlowError>,
    error: FlowError,
) -> Result<StepOutcome, FlowError> {
    match failure {
        Ok(failure) => Ok(StepOutcome::Caught(Box::new(Caught {
            depth,
            target,
            state,
            failure,
        }))),
        Err(_) => Err(error),
    }
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
