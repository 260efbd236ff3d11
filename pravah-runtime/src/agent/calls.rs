//! One step of an agent that waits for tools: runs the calls, side by side.

use std::{any::Any, borrow::Cow, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt as _, future::join_all};
use serde_json::Value;

use super::{
    AgentProgress, AgentSpec, AgentStep, SUBMIT, is_deep, pending::Pending, toolbox::CallFailure,
};
use crate::{
    Context, FlowError, ToolError,
    channel::{ForModel, ToModel, invalid_input},
    context::CallScope,
    error::{Signal, panic_message},
    events::{EventKind, Watch},
    model::{Arguments, Message, ToolCall, ToolResult, explain},
};

/// What the model reads of arguments that cannot be read.
pub(super) const NOT_JSON: &str = "the arguments are not JSON, or nested too deeply";

/// How a call ended.
enum Outcome {
    Result(ToolResult),
    Suspended(Value),
    Fatal(ToolError),
    Panicked(FlowError),
    /// The tool could not read what it was resumed with.
    Unreadable(String),
}

/// Runs the calls that are asked for or resumed, and answers the model once all are done. A payload
/// that a tool cannot read is an error if it has just come, and asked for again otherwise.
#[expect(
    clippy::manual_async_fn,
    reason = "the future of an `async fn` stores its arguments twice"
)]
pub(super) fn run(
    spec: &AgentSpec,
    progress: &mut AgentProgress,
    watch: &Watch,
    ctx: &Context,
) -> impl Future<Output = Result<AgentStep, FlowError>> + Send {
    async move {
        let node = &watch.node;
        let messages = progress.messages().clone();
        let calls = messages.last().map_or(&[][..], Message::calls);
        if !progress.fits_its_conversation() {
            let why = format!("the progress of agent `{node}` does not fit its conversation");
            return Err(FlowError::SnapLoadError(why.into()));
        }
        let at = CallPlace {
            spec,
            watch,
            turn: progress.turns,
            ctx,
        };
        let at = &at;
        let just_resumed = ctx.step().is_some_and(|step| step.just_resumed);
        let outcomes = join_all(calls.iter().zip(&progress.pending).map(
            |(call, pending)| async move {
                match pending {
                    Pending::Asked => Some(at.call(call, None).await),
                    Pending::Resumed { payload, .. } => {
                        Some(at.call(call, Some(payload.clone())).await)
                    }
                    Pending::Suspended { .. } | Pending::Done(_) => None,
                }
            },
        ))
        .await;
        take_outcomes(progress, calls, outcomes, just_resumed, node)?;
        let open = progress.open();
        if !open.is_empty() {
            return Ok(AgentStep::Suspended(open));
        }
        let results = std::mem::take(&mut progress.pending)
            .into_iter()
            .filter_map(|pending| match pending {
                Pending::Done(result) => Some(result),
                _ => None,
            })
            .collect();
        progress.say(Message::Tool { results });
        Ok(AgentStep::Ran)
    }
}

/// Notes in the progress how the calls ended; an error where the agent cannot go on.
fn take_outcomes(
    progress: &mut AgentProgress,
    calls: &[ToolCall],
    outcomes: Vec<Option<Outcome>>,
    just_resumed: bool,
    node: &str,
) -> Result<(), FlowError> {
    let resumed = progress.resumed.take().filter(|_| just_resumed);
    let pending = progress.pending.iter_mut().enumerate();
    for (((index, pending), call), outcome) in pending.zip(calls).zip(outcomes) {
        match outcome {
            None => {}
            Some(Outcome::Result(result)) => *pending = Pending::Done(result),
            Some(Outcome::Suspended(value)) => {
                let times = pending.times().saturating_add(1);
                *pending = Pending::Suspended { value, times };
            }
            Some(Outcome::Unreadable(reason)) if resumed == Some(index) => {
                return Err(FlowError::ResumePayload {
                    id: format!("{node}::{}", call.name),
                    source: serde::de::Error::custom(reason),
                });
            }
            // Whoever resumed it has gone: the question is asked again.
            Some(Outcome::Unreadable(_)) => {
                if let Pending::Resumed { value, times, .. } = pending {
                    *pending = Pending::Suspended {
                        value: value.take(),
                        times: *times,
                    };
                }
            }
            Some(Outcome::Panicked(error)) => return Err(error),
            Some(Outcome::Fatal(error)) => {
                return Err(FlowError::tool(node, &call.name, error));
            }
        }
    }
    Ok(())
}

/// The agent's step that calls are run in.
struct CallPlace<'a> {
    spec: &'a AgentSpec,
    watch: &'a Watch,
    /// Which model call of this visit asked for them.
    turn: u32,
    ctx: &'a Context,
}

impl CallPlace<'_> {
    async fn call(&self, call: &ToolCall, resumed: Option<Value>) -> Outcome {
        let scope = Arc::new(CallScope::new(call.id.clone(), self.turn, resumed));
        let failed = |error: ToolError, text: &str| {
            self.tell_failed(call, &scope, &error, Some(text));
            Outcome::Result(result(call, text, true))
        };
        let Some(tool) = self.spec.config.tools.get(&call.name) else {
            let names: Vec<&str> = self.spec.config.tools.names().chain([SUBMIT]).collect();
            let unknown = ToolError::UnknownTool(call.name.clone());
            let text = format!(
                "{}: the tools are {}",
                unknown.for_model(),
                names.join(", ")
            );
            return failed(unknown, &text);
        };
        let arguments = match arguments(call, &tool.spec.parameters) {
            Ok(arguments) => arguments,
            Err(reason) => return failed(misread(&reason), &invalid_input(&reason)),
        };
        let ctx = self.ctx.in_call(Arc::clone(&scope));
        let called = AssertUnwindSafe(async { (tool.call)(&arguments, ctx).await });
        let called = match called.catch_unwind().await {
            Ok(called) => called,
            Err(panic) => return self.panicked(call, &scope, panic),
        };
        let error = match called {
            Ok(value) => return Outcome::Result(result(call, &render(value), false)),
            Err(CallFailure::Arguments(error)) => {
                let text = invalid_input("the arguments do not fit the tool's schema");
                return failed(error.into(), &text);
            }
            Err(CallFailure::Tool(error)) => error,
        };
        let error = match error.into_signal() {
            Ok(Signal::Suspend(value)) if is_deep(&value) => {
                ToolError::other("what it suspends with is nested too deeply")
            }
            Ok(Signal::Suspend(value)) => return Outcome::Suspended(value),
            Ok(Signal::Fatal(error)) => ToolError::from(error),
            Err(error) => match scope.unreadable() {
                Some(reason) => {
                    self.tell_failed(call, &scope, &error, None);
                    return Outcome::Unreadable(reason);
                }
                None => {
                    let text = error.to_model();
                    return failed(error, &text);
                }
            },
        };
        self.tell_failed(call, &scope, &error, None);
        Outcome::Fatal(error)
    }

    /// Sends observers, if there are any, a call that failed, with what the model reads of it.
    fn tell_failed(
        &self,
        call: &ToolCall,
        scope: &CallScope,
        error: &ToolError,
        text: Option<&str>,
    ) {
        if self.watch.is_observed() {
            let name = scope.name(self.ctx.step());
            let text = text.map(ToModel::to_model);
            let failed = EventKind::tool_failed(&call.name, name, error, text);
            self.watch.tell(failed);
        }
    }

    /// The error of a tool that panicked; observers receive it as any other.
    fn panicked(&self, call: &ToolCall, scope: &CallScope, panic: Box<dyn Any + Send>) -> Outcome {
        let message = format!("in the tool `{}`: {}", call.name, panic_message(panic));
        let error = ToolError::other(message.clone());
        self.tell_failed(call, scope, &error, None);
        let node = self.watch.node.to_string();
        Outcome::Panicked(FlowError::Panicked { node, message })
    }
}

/// The arguments of a call, if they fit the schema; if not, why. What the type does not say, such as a
/// bound, its schema may.
fn arguments<'a>(call: &'a ToolCall, schema: &Value) -> Result<Cow<'a, Value>, String> {
    let arguments = match &call.arguments {
        // A tool without arguments may be called with `null`.
        Arguments::Json(Value::Null) => Cow::Owned(Value::Object(serde_json::Map::new())),
        Arguments::Json(arguments) => Cow::Borrowed(arguments),
        Arguments::Text(_) => return Err(NOT_JSON.to_owned()),
    };
    match explain(schema, &arguments) {
        Some(reason) => Err(reason),
        None => Ok(arguments),
    }
}

/// The error of arguments that cannot be read.
fn misread(reason: &str) -> ToolError {
    ToolError::Deserialize(serde::de::Error::custom(reason))
}

/// A result as the model reads it: a text as it is, anything else as JSON.
fn render(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
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
