//! What a remote agent is told, and how what it returns is read.

use serde_json::Value;

use crate::{
    error::FlowError,
    graph::RemoteAgent,
    invocation::{self, AgentRef, RemoteCall},
    json,
    model::Message,
    node::Inputs,
    state::Live,
};

fn has_media(message: &Message) -> bool {
    let Message::User { parts } = message else {
        return false;
    };
    parts.iter().any(|part| part.as_text().is_none())
}

impl RemoteAgent {
    /// Whom the runner is to run, and what that is told.
    pub(super) fn call(&self, inputs: &mut Inputs<'_>, id: &str) -> Result<RemoteCall, FlowError> {
        let prompt = (self.prompt)(inputs).map_err(|error| error.in_node(id))?;
        let last = prompt.last();
        if last.is_some_and(has_media) {
            let why = "its prompt has images or files, and a remote agent is told text alone";
            return Err(FlowError::BuildError(format!("`{id}`: {why}").into()));
        }
        let last = last.and_then(Message::user_text);
        Ok(RemoteCall {
            agent: AgentRef::Named {
                agent_id: self.agent_id.to_string(),
            },
            message: invocation::Message::user(last.unwrap_or_default()),
            runner: self.runner.clone(),
        })
    }

    /// Reads what it has returned as its output. A protocol may have no more than a text for JSON.
    pub(super) fn read(&self, content: &Value) -> Result<Live, serde_json::Error> {
        let read = self.spec.read_valid_output(content);
        match (read, content) {
            (Err(error), Value::String(text)) => match json::from_str(text) {
                Ok(content) => self.spec.read_valid_output(&content),
                Err(_) => Err(error),
            },
            (read, _) => read,
        }
    }
}
