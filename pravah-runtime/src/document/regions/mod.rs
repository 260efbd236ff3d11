//! Bodies that run for each item of a list, in rounds, or as a flow of their own.

mod foreach;
mod rounds;
mod subflow;

use serde_json::Value;

pub(super) use self::{
    foreach::Foreach,
    rounds::{Loop, Repeated, Rounds},
    subflow::Subflow,
};
use super::ends::BodyOutput;
use crate::{error::FlowError, graph::ListInput, state::Live};

/// What a list returns of each of its items; an error if a node has failed in one that nothing handled.
fn outputs_of(
    id: &str,
    done: &mut dyn Iterator<Item = &mut Live>,
    input: &ListInput<'_>,
    output: impl Fn(&BodyOutput) -> Value,
) -> Result<Vec<Value>, FlowError> {
    let mut failed = None;
    let item = |item: &mut Live| {
        let item = item.get::<BodyOutput>()?;
        failed = failed.take().or_else(|| item.failed().map(str::to_owned));
        Ok(output(&item))
    };
    let outputs: Result<Vec<Value>, _> = done.map(item).collect();
    let outputs = outputs.map_err(|error| input.unreadable(error))?;
    match failed {
        Some(failed) => Err(failed_inside(id, &failed, "body")),
        None => Ok(outputs),
    }
}

/// The failure of a node in which another has failed that nothing handled, and everything else went on.
fn failed_inside(id: &str, failed: &str, inside: &str) -> FlowError {
    FlowError::node(id, format!("`{failed}` has failed in the {inside}"))
}
