//! Flows that are written as YAML or JSON, on the engine that annotated flows run on.

mod agent;
mod ask;
mod bodies;
mod bound;
mod catalogue;
mod ends;
mod flow;
mod invoke;
mod net;
mod outcome;
mod regions;
mod registry;
mod rules;
mod run_state;
mod said;
mod scope;
mod session;
#[cfg(test)]
mod tests;
mod typed;

pub use ends::DocumentOutput;
pub use flow::{DocumentError, DocumentFlow};
pub use pravah_document::{Catalogue, Document, NodeType, Problem, Problems};
pub use registry::NodeRegistry;
pub use session::{Session, SessionResult, SessionStatus};

use serde_json::Value;

/// One value with another put over it: objects are merged, everything else is replaced.
fn merged(below: Value, above: Value) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (key, value) in above {
                let value = match below.remove(&key) {
                    Some(old) => merged(old, value),
                    None => value,
                };
                below.insert(key, value);
            }
            Value::Object(below)
        }
        (_, above) => above,
    }
}
