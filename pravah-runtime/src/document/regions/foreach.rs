//! `control.foreach`.

use std::sync::Arc;

use pravah_document::kind;
use serde_json::{Map, Value, json};

use super::outputs_of;
use crate::{
    document::{bound::BoundTemplate, ends::BodyOutput, outcome::Outcome},
    error::{FlowError, NodeDataError},
    graph::{ListBody, ListInput},
    state::Live,
};

/// What runs for each item of a list.
pub(in crate::document) struct Foreach {
    pub(in crate::document) id: Box<str>,
    pub(in crate::document) list: BoundTemplate,
    /// What the body calls an item.
    pub(in crate::document) item: Box<str>,
}

impl ListBody for Foreach {
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let list = self.list.resolve(input.latest);
        match list.map_err(|error| error.in_node(&*self.id))? {
            Value::Array(items) => Ok(items.into_iter().map(Live::new).collect()),
            other => {
                let problem = format!("`list` is {}, and has to be a list", kind(&other));
                Err(NodeDataError::input(problem).in_node(&*self.id))
            }
        }
    }

    fn item(&self, items: &[Live], index: usize, place: &dyn Fn() -> String) -> Option<Live> {
        let item = items.get(index)?.get::<Value>().ok()?;
        let mut names = Map::new();
        for (name, value) in [
            ("index", json!(index)),
            ("count", json!(items.len())),
            ("$index", json!(index)),
            ("$count", json!(items.len())),
            ("$first", json!(index == 0)),
            ("$last", json!(index + 1 == items.len())),
            (
                "sessionId",
                json!(format!("{}/{}[{index}]", place(), self.id)),
            ),
        ] {
            names.insert(name.to_owned(), value);
        }
        names.insert(self.item.to_string(), Value::clone(&item));
        Some(Live::new(Outcome::Succeeded(Value::Object(names))))
    }

    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        let iterations = outputs_of(&self.id, done, input, |output| self.iteration(output))?;
        let output = json!({ "count": iterations.len(), "iterations": iterations });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}

impl Foreach {
    /// What is returned of an item.
    fn iteration(&self, output: &BodyOutput) -> Value {
        let names = output.names.value();
        let name = |name: &str| names.get(name).cloned().unwrap_or_default();
        json!({
            "item": name(&self.item),
            "index": name("index"),
            "count": name("count"),
            "sessionId": name("sessionId"),
            "outputs": output.outputs(),
        })
    }
}
