//! Tool calls that a person looks at before they run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentSpec, ToolAnnotations, call::arguments_of, contract::verdicts};
use crate::{json, model::ToolCall};

/// What a person is asked before a tool runs that needs [approval](crate::ToolBox::with_approval): the
/// [`value`](crate::Suspension::value) of its suspension, to be read from its JSON. The answer is a
/// [`Review`](crate::Review) of the arguments.
///
/// ```
/// use pravah_runtime::{Review, prelude::*};
/// use serde_json::{from_value, json};
///
/// #[state] struct Claim { text: String }
/// #[state] struct Closed { note: String }
///
/// /// Pays a customer.
/// #[tool(destructive, approve)]
/// async fn pay(euros: u32) -> Result<String, ToolError> {
///     Ok(format!("paid {euros} euros"))
/// }
///
/// /// You settle claims.
/// #[agent(model = "openai://gpt-4o-mini", output = Closed, tools = [pay])]
/// fn settle(claim: &Claim) -> String { claim.text.clone() }
///
/// #[flow]
/// fn claims(claim: Claim) -> Closed { flow! { settle } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = ScriptedModel::new()
///     .call("settle", "pay", json!({ "euros": 900 }))
///     .call("settle", "submit", json!({ "note": "settled" }));
/// let mut run = FlowRuntime::new(Claim { text: "It broke.".into() })?
///     .with_factory(script);
/// let RunOut::Suspend { value, tool_id } = run.run(Context::default()).await? else {
///     panic!("a question");
/// };
/// let question: ApprovalQuestion = from_value(value)?;
/// assert_eq!((&*tool_id, &*question.tool), ("settle::pay", "pay"));
/// assert_eq!(question.arguments, json!({ "euros": 900 }));
/// assert!(question.annotations.is_destructive());
///
/// run.answer(Context::default(), &tool_id, Review::Edit { output: json!({ "euros": 90 }) }).await?;
/// assert!(matches!(run.run(Context::default()).await?, RunOut::Done(_)));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalQuestion {
    /// The tool that the model calls.
    pub tool: String,
    /// What the tool is for, as the model reads it.
    pub description: String,
    /// What the model calls it with.
    #[serde(deserialize_with = "json::value")]
    pub arguments: Value,
    /// What the tool says of its effects.
    #[serde(default, skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// What the agent took.
    #[serde(default, deserialize_with = "json::value")]
    pub state: Value,
    /// The JSON Schema of the answer, with that of the arguments in it.
    #[serde(deserialize_with = "json::value")]
    pub schema: Value,
}

/// The question about a call, without the `state`; nothing if its tool is gone.
pub(super) fn question(spec: &AgentSpec, call: &ToolCall) -> Value {
    let Some(tool) = spec.config.tools.get(&call.name) else {
        return Value::Null;
    };
    let question = ApprovalQuestion {
        tool: call.name.clone(),
        description: tool.spec.description.clone(),
        arguments: arguments_of(call).map_or(Value::Null, Cow::into_owned),
        annotations: tool.annotations,
        state: Value::Null,
        schema: verdicts(&tool.spec.parameters),
    };
    serde_json::to_value(question).unwrap_or_default()
}

/// What the model reads of a call that a person rejected.
pub(super) fn rejection(reason: Option<&str>) -> String {
    let rejected = "a person rejected this call";
    match reason {
        Some(reason) => format!("{rejected}: {reason}"),
        None => rejected.to_owned(),
    }
}

/// What the model reads of a call, with what a person put in place of its arguments.
pub(super) fn with_edit<'a>(text: &'a str, edited: Option<&Value>) -> Cow<'a, str> {
    match edited {
        Some(edited) => {
            format!("A person changed the arguments to {edited}. The result: {text}").into()
        }
        None => text.into(),
    }
}
