//! Conditions: `equals`, `not`, `and`, `or`, `exists`, `in`, `gt`, `gte`, `lt`, `lte`.

use crate::scope::Scope;

/// A condition of a node, an edge or a case.
#[derive(Clone, Debug)]
pub struct When;

impl When {
    /// Whether it holds. What is missing makes a comparison false.
    pub fn holds(&self, _scope: &dyn Scope) -> bool {
        todo!()
    }

    /// The ids of the nodes whose outputs it reads, each once, in order of mention; `flow` for the flow's input.
    pub fn roots(&self) -> Vec<&str> {
        todo!()
    }
}
