//! A dependency that is missing.

use crate::quoted::quoted;

/// A typed dependency that nobody gave to the context.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the context has no `{type_name}`: add one with `Context::with_dep`{}", has(.known))]
pub struct DepsError {
    type_name: &'static str,
    known: Vec<&'static str>,
}

impl DepsError {
    pub(crate) fn missing<T: ?Sized>(known: Vec<&'static str>) -> Self {
        Self {
            type_name: std::any::type_name::<T>(),
            known,
        }
    }

    /// The type that is missing, with its path.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// The types that the context has, with their paths, in order.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}

fn has(known: &[&str]) -> String {
    match known {
        [] => String::new(),
        known => format!("; it has {}", quoted(known)),
    }
}
