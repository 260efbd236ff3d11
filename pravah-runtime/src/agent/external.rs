//! External tools: those that are executed outside the run, by whoever drives it.

use std::sync::Arc;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    ToolAnnotations,
    toolbox::{CallFailure, Entry},
};
use crate::{Context, ToolError, json, model::explain};

/// A call of a `#[tool(external)]`, for whoever drives the run to execute: the
/// [`value`](crate::Suspension::value) of its suspension, read with `serde_json::from_value`. Answer with what the
/// function returns; the model reads that.
///
/// In JSON it also has the field `type`, which is `external_call`: the question of an
/// [approval](crate::ApprovalQuestion) has none, and is not read as a call.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use serde_json::{from_value, json};
///
/// #[state] struct Wish { text: String }
/// #[state] struct Closed { note: String }
///
/// /// Picks a file on the user's machine.
/// #[tool(external)]
/// async fn pick_file(ending: String) -> String;
///
/// /// You help with files.
/// #[agent(model = "openai://gpt-4o-mini", output = Closed, tools = [pick_file])]
/// fn help(wish: &Wish) -> String { wish.text.clone() }
///
/// #[flow]
/// fn helping(wish: Wish) -> Closed { flow! { help } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = ScriptedModel::new()
///     .call("help", "pick_file", json!({ "ending": "md" }))
///     .call("help", "submit", json!({ "note": "read notes.md" }));
/// let mut run = FlowRuntime::new(Wish { text: "Read my notes.".into() })?
///     .with_factory(script);
/// let RunOut::Suspend { value, tool_id } = run.run(Context::default()).await? else {
///     panic!("a call");
/// };
/// let call: ExternalCall = from_value(value)?;
/// assert_eq!((&*call.tool, call.arguments), ("pick_file", json!({ "ending": "md" })));
///
/// run.answer(Context::default(), &tool_id, "notes.md").await?;
/// assert!(matches!(run.run(Context::default()).await?, RunOut::Done(_)));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExternalCall {
    // Read as well as written: the question of an approval has all other fields too.
    #[serde(rename = "type")]
    kind: Kind,
    /// The tool that the model calls.
    pub tool: String,
    /// What the tool is for, as the model reads it.
    pub description: String,
    /// What the model calls it with; they fit the schema of its arguments.
    #[serde(deserialize_with = "json::value")]
    pub arguments: Value,
    /// What the tool says of its effects.
    #[serde(default, skip_serializing_if = "ToolAnnotations::is_empty")]
    pub annotations: ToolAnnotations,
    /// The JSON Schema of the answer.
    #[serde(deserialize_with = "json::value")]
    pub schema: Value,
}

/// What an [`ExternalCall`] is called in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    ExternalCall,
}

/// What the answer to a call of an external tool has to be.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ExternalAnswer {
    schema: fn() -> Value,
    /// Whether an answer can be read as what the tool returns.
    read: fn(&Value) -> Result<(), serde_json::Error>,
}

/// What an external tool may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an external tool cannot return `{Self}`",
    label = "cannot be read from an answer",
    note = "an external tool returns what is answered, and no `Result` with an error of this program: a type that implements `Deserialize` and `JsonSchema`, as every `#[state]` does"
)]
pub trait ExternalReturn {
    const ANSWER: ExternalAnswer;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ExternalReturn for T {
    const ANSWER: ExternalAnswer = ExternalAnswer {
        schema: || schema_for!(T).to_value(),
        read: |answer| T::deserialize(answer).map(drop),
    };
}

impl ExternalAnswer {
    /// The JSON Schema of an answer, as its type gives it.
    pub(super) fn schema(self) -> Value {
        (self.schema)()
    }
}

/// What the answer to a call of an external tool has to be, with its schema, which is made once.
#[derive(Clone)]
pub(super) struct Expected {
    pub(super) answer: ExternalAnswer,
    pub(super) schema: Arc<Value>,
}

impl Expected {
    /// Checks that `answer` can be read as what the tool returns, and fits its schema.
    fn check(&self, answer: &Value) -> Result<(), serde_json::Error> {
        (self.answer.read)(answer)?;
        match explain(&self.schema, answer) {
            Some(reason) => Err(serde::de::Error::custom(reason)),
            None => Ok(()),
        }
    }
}

/// The result of a call of an external tool: the answer, once there is one; a suspension before.
pub(super) fn call(
    tool: &Entry,
    expected: &Expected,
    arguments: &Value,
    ctx: &Context,
) -> Result<Value, CallFailure> {
    (tool.accepts)(arguments).map_err(CallFailure::Arguments)?;
    let read = |answer: &Value| expected.check(answer).map(|()| answer.clone());
    if let Some(answer) = ctx.resumed_with(read).map_err(CallFailure::Tool)? {
        return Ok(answer);
    }
    Err(CallFailure::Tool(ToolError::suspend(ExternalCall {
        kind: Kind::ExternalCall,
        tool: tool.spec.name.clone(),
        description: tool.spec.description.clone(),
        arguments: arguments.clone(),
        annotations: tool.annotations,
        schema: (*expected.schema).clone(),
    })))
}

/// The error of an external tool that is called as a function of this program.
#[doc(hidden)]
pub fn called_inside(tool: &str) -> ToolError {
    ToolError::other(format!(
        "`{tool}` is an external tool: whoever drives the run executes it"
    ))
}
