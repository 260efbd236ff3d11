//! Panics in what the user wrote, as errors.

use std::{
    any::Any,
    fmt::{self, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::FlowError;

/// Runs what the user wrote; a panic in it becomes an error of the node.
#[inline]
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

/// An error of the user's, whose `Display` may panic or fail.
pub(crate) struct MessageOf<'a, E: ?Sized>(pub(crate) &'a E);

impl<E: fmt::Display + ?Sized> fmt::Display for MessageOf<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (error, is_alternate) = (self.0, f.alternate());
        let mut text = String::new();
        let written = catch_unwind(AssertUnwindSafe(|| match is_alternate {
            true => write!(text, "{error:#}"),
            false => write!(text, "{error}"),
        }));
        match written {
            Ok(Ok(())) => f.write_str(&text),
            Ok(Err(_)) => f.write_str("an error whose `Display` fails"),
            Err(panic) => write!(
                f,
                "an error whose `Display` panics: {}",
                panic_message(panic)
            ),
        }
    }
}

/// Drops what may panic in a user's `Drop`: it is gone all the same.
pub(crate) fn quietly(drop_all: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(drop_all)) {
        // What was panicked with may panic in its turn.
        std::mem::forget(panic);
    }
}
