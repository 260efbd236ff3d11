//! Bodies that run for each item of a list, in rounds, or as a flow of their own.

mod foreach;
mod rounds;
mod subflow;

use std::sync::Arc;

use serde_json::Value;

pub(super) use self::{
    foreach::Foreach,
    rounds::{Loop, Repeated, Rounds},
    subflow::Subflow,
};
use super::{ends::BodyOutput, outcome::Outcome};
use crate::{error::FlowError, graph::ListInput, state::Live};

/// What a list returns of each of its items; an error if a node has failed in one that nothing handled.
fn outputs_of(
    id: &str,
    done: &[Live],
    input: &ListInput<'_>,
    output: impl Fn(&BodyOutput) -> Value,
) -> Result<Vec<Value>, FlowError> {
    let mut failed = None;
    let item = |item: &Live| {
        let item = item.get::<BodyOutput>()?;
        let outcome = |failed: &str| item.nodes.get(failed).map(Arc::clone);
        failed = failed.take().or_else(|| {
            let node = item.failed()?;
            Some((node.to_owned(), outcome(node)?))
        });
        Ok(output(&item))
    };
    let outputs: Result<Vec<Value>, _> = done.iter().map(item).collect();
    let outputs = outputs.map_err(|error| input.unreadable(error))?;
    match failed {
        Some((failed, outcome)) => Err(failed_inside(id, &failed, "body", outcome.value())),
        None => Ok(outputs),
    }
}

/// The failure of a node in which another has failed that nothing handled, and everything else went on: of the same
/// kind, by its marker.
fn failed_inside(id: &str, failed: &str, inside: &str, marker: &Value) -> FlowError {
    let error = Outcome::error_in(id, marker);
    let FlowError::Failed {
        node,
        kind,
        message,
        attempts,
    } = error
    else {
        return error;
    };
    FlowError::Failed {
        node,
        kind,
        message: format!("`{failed}` has failed in the {inside}: {message}"),
        attempts,
    }
}
