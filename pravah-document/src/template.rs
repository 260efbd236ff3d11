//! Inputs with bindings in them.

use serde_json::Value;

use crate::scope::Scope;

/// A JSON value in which some strings are, or hold, bindings.
#[derive(Clone, Debug)]
pub struct Template;

impl Template {
    /// The value, with every binding replaced.
    ///
    /// # Errors
    ///
    /// The first binding that names nothing.
    pub fn resolve(&self, _scope: &dyn Scope) -> Result<Value, BindingError> {
        todo!()
    }

    /// The ids of the nodes whose outputs it reads, each once, in order of mention; `flow` for the flow's input.
    pub fn roots(&self) -> Vec<&str> {
        todo!()
    }
}

/// A binding that names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingError {
    /// The path as it is written: `facts.capital`.
    pub path: String,
    /// How much of it names something: `facts`, or nothing.
    pub found: String,
}
