//! What is wrong with a script, where an agent could not use its answers.

use serde_json::Value;

use crate::{
    agent::{SUBMIT, is_envelope_schema},
    json,
    model::{Arguments, Message, Messages, OutputSpec, ToolCall, ToolSpec, explain, object},
    quoted::quoted,
};

/// An answer of a script that its agent could not use.
pub(crate) struct RejectedAnswer<'a> {
    pub(crate) node: &'a str,
    /// What the agent asked for: calls of these, or this output.
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) output: Option<&'a OutputSpec>,
    /// The conversation up to that answer.
    pub(crate) messages: Messages,
}

impl RejectedAnswer<'_> {
    /// The script's mistake, if the conversation shows one: a call of an unknown tool, or a result that does
    /// not fit.
    pub(crate) fn fault(&self) -> Option<String> {
        let what = self.unknown_tool().or_else(|| self.unfit_reply())?;
        Some(format!("the script is wrong: {what}"))
    }

    fn unknown_tool(&self) -> Option<String> {
        let mut calls = self.messages.iter().flat_map(Message::calls);
        calls.find_map(|call| unknown_tool(self.node, self.tools, call))
    }

    fn unfit_reply(&self) -> Option<String> {
        let is_answer = |message: &&Message| matches!(message, Message::Assistant { .. });
        let answer = self.messages.iter().rev().find(is_answer)?;
        let (schema, reply) = match self.output {
            Some(output) => (&output.schema, text_of(answer)?),
            None => {
                let submit = self.tools.iter().find(|tool| tool.name == SUBMIT)?;
                (&submit.parameters, submitted(answer)?)
            }
        };
        let reason = explain(schema, &reply)?;
        // An output that is no object may come bare or in `{ "value": … }`.
        explain(schema, &object::wrap_value(&reply))?;
        let node = self.node;
        Some(format!(
            "its reply for `{node}` does not fit: {reason}; {}",
            shape(schema)
        ))
    }
}

/// What is wrong with calls of tools in an answer: its model is told, and a script is not meant to be.
pub(super) fn wrong_calls(node: &str, tools: &[ToolSpec], calls: &[ToolCall]) -> Vec<String> {
    let wrong =
        |call| unknown_tool(node, tools, call).or_else(|| unfit_arguments(node, tools, call));
    calls.iter().filter_map(wrong).collect()
}

fn unknown_tool(node: &str, tools: &[ToolSpec], call: &ToolCall) -> Option<String> {
    let tool = &call.name;
    if tools.iter().any(|known| known.name == *tool) {
        return None;
    }
    Some(match tools {
        [] if tool == SUBMIT => format!(
            "it calls `{tool}` for `{node}`, which has no tools: write its output as a `reply`"
        ),
        [] => format!("it calls `{tool}` for `{node}`, which has no tools"),
        tools => {
            let tools = quoted(tools.iter().map(|tool| &tool.name));
            format!("it calls `{tool}` for `{node}`, whose tools are {tools}")
        }
    })
}

fn unfit_arguments(node: &str, tools: &[ToolSpec], call: &ToolCall) -> Option<String> {
    // A reply that does not fit is repaired, which takes another answer.
    let is_tool = |tool: &&ToolSpec| tool.name == call.name && tool.name != SUBMIT;
    let tool = tools.iter().find(is_tool)?;
    let Arguments::Json(arguments) = &call.arguments else {
        return None;
    };
    let reason = explain(&tool.parameters, arguments).filter(|_| !arguments.is_null())?;
    let tool = &tool.name;
    Some(format!(
        "its arguments of `{tool}` for `{node}` do not fit: {reason}"
    ))
}

/// What a reply has to be.
fn shape(schema: &Value) -> String {
    let required = json::texts(schema, "required");
    let fields = quoted(&required);
    match is_envelope_schema(schema) {
        true => format!("under a contract it must be an envelope: an object with {fields}"),
        false => format!("it must be an object with {fields}"),
    }
}

fn text_of(answer: &Message) -> Option<Value> {
    match answer {
        Message::Assistant { text, .. } => json::from_str(text.as_deref()?).ok(),
        _ => None,
    }
}

fn submitted(answer: &Message) -> Option<Value> {
    let submit = answer.calls().iter().find(|call| call.name == SUBMIT)?;
    match &submit.arguments {
        Arguments::Json(reply) => Some(reply.clone()),
        Arguments::Text(_) => None,
    }
}
