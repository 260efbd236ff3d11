//! An agent, made once for its graph.

use std::sync::Arc;

use serde_json::Value;

use super::{AgentConfig, SUBMIT, envelope};
use crate::model::{OutputSpec, ToolSpec, strip};

pub(crate) struct AgentSpec {
    pub(crate) config: AgentConfig,
    /// What the model is told of the output, but for the object around it.
    pub(super) output_schema: Value,
    /// Whether a value can be read as the output; if not, why, for the operator.
    pub(super) accepts: fn(&Value) -> Result<(), String>,
    output: OutputSpec,
    problems: Vec<String>,
}

impl AgentSpec {
    pub(crate) fn new(
        config: AgentConfig,
        output_name: String,
        schema: Value,
        accepts: fn(&Value) -> Result<(), String>,
    ) -> Self {
        let mut problems = config.check().err().unwrap_or_default();
        let output_schema = strip(&schema).unwrap_or_else(|error| {
            problems.push(format!("its output `{output_name}`: {error}"));
            schema
        });
        let output = OutputSpec {
            name: output_name,
            schema: Arc::new(envelope::seal(&output_schema)),
        };
        Self {
            config,
            output_schema,
            accepts,
            output,
            problems,
        }
    }

    /// What is wrong with it, in words.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The tools that the model may call, or the JSON that it is to answer with.
    pub(super) fn asks_for(&self) -> (Vec<ToolSpec>, Option<OutputSpec>) {
        if self.config.tools.is_empty() {
            return (Vec::new(), Some(self.output.clone()));
        }
        let submit = ToolSpec {
            name: SUBMIT.to_owned(),
            description: "Hands in the result and ends the work.".to_owned(),
            parameters: Arc::clone(&self.output.schema),
        };
        (
            self.config.tools.specs().cloned().chain([submit]).collect(),
            None,
        )
    }
}
