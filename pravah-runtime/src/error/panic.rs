//! Panics in what the user wrote, as errors.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::FlowError;

/// Runs what the user wrote; a panic in it becomes an error of the node.
pub(crate) fn guard<R>(node: &str, body: impl FnOnce() -> R) -> Result<R, FlowError> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| panicked(node, panic))
}

/// The error of a panic.
pub(crate) fn panicked(node: &str, panic: Box<dyn Any + Send>) -> FlowError {
    FlowError::Panicked {
        node: node.to_owned(),
        message: panic_message(panic),
    }
}

/// What a panic said.
pub(crate) fn panic_message(panic: Box<dyn Any + Send>) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .map(|message| (*message).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    // What was panicked with may panic once more.
    quietly(|| drop(panic));
    message
}

/// Drops what may panic in a user's `Drop`: it is gone all the same.
pub(crate) fn quietly(drop_all: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(drop_all)) {
        // What was panicked with may panic in its turn.
        std::mem::forget(panic);
    }
}
