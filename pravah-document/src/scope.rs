//! What bindings and conditions can name.

use serde_json::{Map, Value};

/// What a path can start with.
pub trait Scope {
    /// The value of this name: `flow` is an object with `input`, a node's id its output, and inside a body the names
    /// of the item and of its place.
    fn get(&self, name: &str) -> Option<&Value>;
}

impl Scope for Map<String, Value> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

/// The fields of an object; any other value names nothing.
impl Scope for Value {
    fn get(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}
