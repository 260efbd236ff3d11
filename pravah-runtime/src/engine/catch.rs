//! Failures that a `catch` takes.

use std::sync::Arc;

use super::{
    outcome::{StepOutcome, guard, kind_of},
    run::{NodePath, Run, marking_mut},
};
use crate::{
    channel::ToModel as _,
    error::FlowError,
    graph::{NodeIx, SlotIx, StateIx},
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
    let message = match error {
        FlowError::Node { source, .. } => source.to_string(),
        // It may become a prompt: what a provider says of an error, and what is behind one, is for the
        // operator alone.
        FlowError::Model { node, source } => {
            let words = match source.is_of_provider() {
                true => source.to_model().to_string(),
                false => source.message().to_owned(),
            };
            format!("the model of agent `{node}` failed: {words}")
        }
        error => error.to_string(),
    };
    (catch.make)(inputs, kind_of(error), message)
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
