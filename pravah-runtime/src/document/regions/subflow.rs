//! `control.subflow`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::failed_inside;
use crate::{
    document::{DocumentOutput, bound::BoundTemplate, outcome::Outcome},
    error::FlowError,
    graph::{ListBody, ListInput},
    state::Live,
};

/// Another document.
pub(in crate::document) struct Subflow {
    pub(in crate::document) id: Box<str>,
    /// What it starts with, where nothing is given, and what is given.
    pub(in crate::document) default: Value,
    pub(in crate::document) input: Option<BoundTemplate>,
}

impl ListBody for Subflow {
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let given = self.input.as_ref().map(|given| given.resolve(input.latest));
        let given = given
            .transpose()
            .map_err(|error| error.in_node(&*self.id))?;
        let input = match given {
            Some(given) => crate::document::merged(self.default.clone(), given),
            None => self.default.clone(),
        };
        let flow = json!({ "input": input });
        Ok(Arc::from([Live::new(Outcome::Succeeded(flow))]))
    }

    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        let output = done.first().map(|done| done.get::<DocumentOutput>());
        let output = output
            .transpose()
            .map_err(|error| input.unreadable(error))?;
        let output = output.unwrap_or_default();
        if let Some(failed) = output.failed.first() {
            let marker = output.outputs.get(failed).unwrap_or(&Value::Null);
            return Err(failed_inside(&self.id, failed, "subflow", marker));
        }
        let output = json!({ "outputs": output.outputs });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}
