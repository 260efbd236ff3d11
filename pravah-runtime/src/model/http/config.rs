//! What a client is set up from, and the error where that is wrong.

use crate::model::{ModelError, ModelErrorKind};

/// A variable of the environment, unless it is empty.
pub(super) fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The error of a client that cannot be set up.
pub(super) fn config_error(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelErrorKind::Config, message)
}
