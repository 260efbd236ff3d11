//! Panics in what the user wrote, as errors.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::FlowError;

/// Runs what the user wrote; a panic in it becomes an error of the node.
pub(crate) fn guard<R>(node: &str, body: impl FnOnce() -> R) -> Result<R, FlowError> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| panicked(node, &*panic))
}

/// The error of a panic.
pub(crate) fn panicked(node: &str, panic: &(dyn Any + Send)) -> FlowError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    FlowError::Panicked {
        node: node.to_owned(),
        message,
    }
}
