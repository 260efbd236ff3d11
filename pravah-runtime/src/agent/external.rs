//! Tools that whoever drives the run executes.

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    ToolAnnotations,
    toolbox::{CallFailure, Entry},
};
use crate::{
    Context, ToolError, json,
    model::{explain, strip},
};

/// A call that whoever drives the run is to execute, as `#[tool(external)]` asks for: the
/// [`value`](crate::Suspension::value) of its suspension, to be read from its JSON. The answer is what the tool
/// returns, which the model reads.
///
/// In JSON it has the field `type` as well, which is `external_call`.
///
/// ```
/// use pravah_runtime::{ExternalCall, prelude::*};
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
///     .with_factory(ClientFactory::new().with_scripted(script));
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
#[serde(tag = "type", rename = "external_call")]
#[non_exhaustive]
pub struct ExternalCall {
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

/// What the client that executes a tool answers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ClientAnswer {
    schema: fn() -> Value,
    read: fn(&Value) -> Result<(), serde_json::Error>,
}

/// What an external tool may return.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an external tool cannot return `{Self}`",
    label = "cannot be read from the answer of a client",
    note = "an external tool returns what the client answers, and no `Result` with an error of this program: a type that implements `Deserialize` and `JsonSchema`, as every `#[state]` does"
)]
pub trait AnsweredByClient {
    const ANSWER: ClientAnswer;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> AnsweredByClient for T {
    const ANSWER: ClientAnswer = ClientAnswer {
        schema: || {
            let schema = schema_for!(T).to_value();
            strip(&schema).unwrap_or(schema)
        },
        read: |answer| T::deserialize(answer).map(drop),
    };
}

impl ClientAnswer {
    /// Whether this is an answer.
    fn check(self, answer: &Value) -> Result<(), serde_json::Error> {
        (self.read)(answer)?;
        match explain(&(self.schema)(), answer) {
            Some(reason) => Err(serde::de::Error::custom(reason)),
            None => Ok(()),
        }
    }
}

/// Calls a tool that a client executes: waits for the answer, and returns that.
pub(super) fn call(
    tool: &Entry,
    expected: ClientAnswer,
    arguments: &Value,
    ctx: &Context,
) -> Result<Value, CallFailure> {
    (tool.accepts)(arguments).map_err(CallFailure::Arguments)?;
    let answer = ctx.resumed_with(|answer| expected.check(answer).map(|()| answer.clone()));
    answer.map_err(CallFailure::Tool)?.ok_or_else(|| {
        CallFailure::Tool(ToolError::suspend(ExternalCall {
            tool: tool.spec.name.clone(),
            description: tool.spec.description.clone(),
            arguments: arguments.clone(),
            annotations: tool.annotations,
            schema: (expected.schema)(),
        }))
    })
}

/// The error of an external tool that is called as a function of this program.
#[doc(hidden)]
pub fn not_here(tool: &str) -> ToolError {
    ToolError::other(format!(
        "`{tool}` is an external tool: whoever drives the run executes it"
    ))
}
