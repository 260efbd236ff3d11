//! One step of an agent that waits for tools: runs the calls, side by side.

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use serde_json::Value;

use super::{
    AgentProgress, AgentSpec, AgentStep, SUBMIT, explain::explain, is_deep, progress::Pending,
    toolbox::CallFailure,
};
use crate::{
    Context, FlowError, ToolError,
    channel::{ForModel, ToModel},
    context::CallScope,
    error::{BoxError, Signal},
    model::{Arguments, Message, ToolCall, ToolResult},
};

/// What the model is told of arguments that cannot be read.
pub(super) const NOT_JSON: &str = "the arguments are not JSON, or nested too deeply";

/// How a call ended.
enum Outcome {
    Result(ToolResult),
    Suspended(Value),
    Fatal(BoxError),
    /// The tool could not read what it was resumed with.
    Misfit(String),
}

/// Runs the calls that are asked for or resumed, and answers the model once all are done. A payload
/// that a tool cannot read is an error if it has just come, and asked for again otherwise.
pub(super) async fn run(
    spec: &AgentSpec,
    mut progress: AgentProgress,
    node: &str,
    ctx: &Context,
) -> Result<AgentStep, FlowError> {
    let calls = progress.asked().to_vec();
    if calls.len() != progress.pending.len() {
        return Err(FlowError::SnapLoadError(format!(
            "the progress of agent `{node}` does not fit its conversation"
        )));
    }
    let turn = progress.turns;
    let just_resumed = ctx.step().is_some_and(|step| step.just_resumed);
    let outcomes = join_all(calls.iter().zip(&progress.pending).map(
        |(call, pending)| async move {
            match pending {
                Pending::Asked => Some(run_one(spec, call, None, turn, ctx).await),
                Pending::Resumed { payload, .. } => {
                    Some(run_one(spec, call, Some(payload.clone()), turn, ctx).await)
                }
                Pending::Suspended { .. } | Pending::Done(_) => None,
            }
        },
    ))
    .await;
    let resumed = progress.resumed.take().filter(|_| just_resumed);
    let pending = progress.pending.iter_mut().enumerate();
    for (((index, pending), call), outcome) in pending.zip(&calls).zip(outcomes) {
        match outcome {
            None => {}
            Some(Outcome::Result(result)) => *pending = Pending::Done(result),
            Some(Outcome::Suspended(value)) => {
                let times = pending.times().saturating_add(1);
                *pending = Pending::Suspended { value, times };
            }
            Some(Outcome::Misfit(reason)) if resumed == Some(index) => {
                return Err(FlowError::ResumePayload {
                    id: format!("{node}::{}", call.name),
                    source: serde::de::Error::custom(reason),
                });
            }
            // Whoever resumed it has gone: the question is asked again.
            Some(Outcome::Misfit(_)) => {
                if let Pending::Resumed { value, times, .. } = pending {
                    *pending = Pending::Suspended {
                        value: value.take(),
                        times: *times,
                    };
                }
            }
            Some(Outcome::Fatal(error)) => {
                return Err(FlowError::Tool {
                    node: node.to_owned(),
                    tool: call.name.clone(),
                    source: error.into(),
                });
            }
        }
    }
    let open = progress.open();
    if !open.is_empty() {
        return Ok(AgentStep::Suspended {
            progress,
            calls: open,
        });
    }
    let results = std::mem::take(&mut progress.pending)
        .into_iter()
        .filter_map(|pending| match pending {
            Pending::Done(result) => Some(result),
            _ => None,
        })
        .collect();
    progress.say(Message::Tool { results });
    Ok(AgentStep::Ran(progress))
}

async fn run_one(
    spec: &AgentSpec,
    call: &ToolCall,
    resumed: Option<Value>,
    turn: u32,
    ctx: &Context,
) -> Outcome {
    let Some(tool) = spec.config.tools.get(&call.name) else {
        let names: Vec<&str> = spec.config.tools.names().chain([SUBMIT]).collect();
        let unknown = ToolError::UnknownTool(call.name.clone());
        let reason = unknown.for_model();
        let reason = format!("{reason}: the tools are {}", names.join(", "));
        return failed(call, &reason);
    };
    let arguments = match &call.arguments {
        // A tool without arguments may be called with `null`.
        Arguments::Json(Value::Null) => Value::Object(serde_json::Map::new()),
        Arguments::Json(arguments) => arguments.clone(),
        Arguments::Text(_) => {
            return failed(call, NOT_JSON);
        }
    };
    // What the type does not say, such as a bound, its schema may.
    if let Some(reason) = explain(&tool.spec.parameters, &arguments) {
        return failed(call, &format!("the arguments do not fit: {reason}"));
    }
    let scope = Arc::new(CallScope {
        call_id: match ctx.step_key() {
            Some(key) => format!("{key}/{turn}/{}", call.id),
            None => call.id.clone(),
        },
        turn,
        resumed,
        misfit: Mutex::default(),
    });
    let ctx = ctx.in_call(Arc::clone(&scope));
    match (tool.call)(arguments, ctx).await {
        Ok(value) => Outcome::Result(result(call, &render(value), false)),
        Err(CallFailure::Arguments) => failed(call, "the arguments do not fit the tool's schema"),
        Err(CallFailure::Tool(error)) => match error.into_signal() {
            Ok(Signal::Suspend(value)) if is_deep(&value) => {
                Outcome::Fatal("what it suspends with is nested too deeply".into())
            }
            Ok(Signal::Suspend(value)) => Outcome::Suspended(value),
            Ok(Signal::Fatal(error)) => Outcome::Fatal(error),
            Err(error) => match scope.misfit() {
                Some(reason) => Outcome::Misfit(reason),
                None => failed(call, &error),
            },
        },
    }
}

/// A result as the model reads it: a text as it is, anything else as JSON.
fn render(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
}

fn failed(call: &ToolCall, reason: &(impl ForModel + ?Sized)) -> Outcome {
    Outcome::Result(result(call, reason, true))
}

/// The result of a call, on its way to the model.
pub(super) fn result(
    call: &ToolCall,
    text: &(impl ForModel + ?Sized),
    is_error: bool,
) -> ToolResult {
    ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        text: text.to_model(),
        is_error,
    }
}
