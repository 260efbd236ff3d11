//! One tool call: what it is run with, and what its end means for the model, the observers and the agent.

use std::{any::Any, borrow::Cow, mem::replace, sync::Arc};

use serde_json::Value;
use tracing::Span;

use crate::{
    Context, FlowError, ToolError,
    agent::{
        AgentCall, AgentSpec, TaskRequest, approval,
        call::{NOT_JSON, arguments_of, result},
        call_agent::CallAgentTool,
        toolbox::CallFailure,
    },
    context::CallScope,
    error::{Signal, panic_message},
    events::{EventKind, Watch},
    json,
    model::{Messages, ToolCall, ToolResult, explain},
    model_text::{ForModel as _, ToModel, invalid_input},
    node::FailureKind,
    trace::{self, OpenSpan},
};

/// How a call ended.
pub(super) enum Outcome {
    Result(ToolResult),
    /// A person is to look at it first.
    NeedsApproval,
    Suspended(Value),
    /// It calls other agents.
    Calls(AgentCall),
    /// A request about detached tasks.
    TaskRequest(TaskRequest),
    Fatal(ToolError),
    Panicked(FlowError),
    /// The tool could not read what it was resumed with.
    Unreadable(String),
}

/// The agent's step that calls are run in.
pub(super) struct CallPlace<'a> {
    pub(super) spec: &'a AgentSpec,
    pub(super) watch: &'a Watch,
    /// Which model call of this visit asked for them.
    pub(super) turn: u32,
    pub(super) ctx: &'a Context,
    /// What was said so far; the calls are the last of it.
    pub(super) messages: &'a Messages,
}

pub(super) struct OneCall<'a> {
    pub(super) at: &'a CallPlace<'a>,
    pub(super) call: &'a ToolCall,
    /// What a person put in place of the arguments.
    pub(super) edited: Option<&'a Value>,
    pub(super) scope: &'a Arc<CallScope>,
}

impl<'a> OneCall<'a> {
    /// The arguments, if they fit the schema; if not, why. What the type does not say, such as a bound,
    /// its schema may.
    pub(super) fn arguments(&self, schema: &Value) -> Result<Cow<'a, Value>, String> {
        let arguments = match self.edited {
            Some(edited) => Cow::Borrowed(edited),
            None => arguments_of(self.call).ok_or(NOT_JSON)?,
        };
        match explain(schema, &arguments) {
            Some(reason) => Err(reason),
            None => Ok(arguments),
        }
    }

    /// It has a result, which the model reads.
    pub(super) fn ended(&self, text: &str) -> Outcome {
        let text = approval::with_edit(text, self.edited);
        Outcome::Result(result(self.call, &text, false))
    }

    /// It calls an agent or a flow, if that is one of those that it may call.
    pub(super) fn call_agent(&self) -> Outcome {
        self.calling(CallAgentTool::read)
    }

    /// It runs a skill, if that is one of those that it may run.
    pub(super) fn run_skill(&self) -> Outcome {
        self.calling(CallAgentTool::read_skill)
    }

    fn calling(
        &self,
        read: fn(&CallAgentTool, &Value, &Messages) -> Result<AgentCall, String>,
    ) -> Outcome {
        let read = match arguments_of(self.call) {
            Some(arguments) => read(self.at.spec.call_agent(), &arguments, self.at.messages),
            None => Err(NOT_JSON.to_owned()),
        };
        match read {
            Ok(call) => Outcome::Calls(call),
            Err(reason) => self.misread(&reason),
        }
    }

    /// It is a request about the detached tasks of the agent.
    pub(super) fn task_request(&self) -> Outcome {
        let read = match arguments_of(self.call) {
            Some(arguments) => TaskRequest::read(&self.call.name, &arguments),
            None => Err(NOT_JSON.to_owned()),
        };
        match read {
            Ok(request) => Outcome::TaskRequest(request),
            Err(reason) => self.misread(&reason),
        }
    }

    /// There is no such tool.
    pub(super) fn unknown_tool(&self) -> Outcome {
        let names: Vec<&str> = self.at.spec.tool_names().collect();
        let unknown = ToolError::UnknownTool(self.call.name.clone());
        let text = format!(
            "{}: the tools are {}",
            unknown.for_model(),
            names.join(", ")
        );
        self.failed(&unknown, &text)
    }

    /// Its arguments do not fit the schema.
    pub(super) fn misread(&self, reason: &str) -> Outcome {
        let error = ToolError::Deserialize(serde::de::Error::custom(reason));
        self.failed(&error, &invalid_input(reason))
    }

    pub(super) fn call_failed(&self, failure: CallFailure) -> Outcome {
        let error = match failure {
            CallFailure::Arguments(error) => {
                let text = invalid_input("the arguments do not fit the tool's schema");
                return self.failed(&error.into(), &text);
            }
            CallFailure::Tool(error) => error,
        };
        let error = match error.into_signal() {
            Ok(Signal::Suspend(value)) => match json::check(&value) {
                Ok(()) => return Outcome::Suspended(value),
                Err(unfit) => ToolError::other(format!("what it suspends with is {unfit}")),
            },
            Ok(Signal::Fatal(error)) => ToolError::from(error),
            Err(error) => match self.scope.unreadable() {
                Some(reason) => {
                    self.notify_failed(&error, None);
                    return Outcome::Unreadable(reason);
                }
                None => {
                    let text = error.to_model();
                    return self.failed(&error, &text);
                }
            },
        };
        self.notify_failed(&error, None);
        Outcome::Fatal(error)
    }

    /// The error of a tool that panicked; observers receive it as any other.
    pub(super) fn panicked(&self, panic: Box<dyn Any + Send>) -> Outcome {
        let message = format!("in the tool `{}`: {}", self.call.name, panic_message(panic));
        let error = ToolError::other(message.clone());
        self.notify_failed(&error, None);
        let node = self.at.watch.node.to_string();
        Outcome::Panicked(FlowError::Panicked { node, message })
    }

    /// It failed, and the model reads `text`.
    fn failed(&self, error: &ToolError, text: &str) -> Outcome {
        let text = approval::with_edit(text, self.edited);
        self.notify_failed(error, Some(&text));
        Outcome::Result(result(self.call, &text, true))
    }

    /// Sends observers, if there are any, that the model asked for the call.
    pub(super) fn notify_started(&self) {
        self.notify(|id| EventKind::tool_started(&self.call.name, id));
    }

    pub(super) fn running(&'a self) -> RunningCall<'a> {
        RunningCall {
            call: self,
            has_ended: false,
            span: OpenSpan::none(),
        }
    }

    fn notify_ended(&self, is_error: bool) {
        self.notify(|id| EventKind::tool_ended(&self.call.name, id, is_error));
    }

    /// Sends observers, if there are any, what happened to the call of this id.
    fn notify(&self, kind: impl FnOnce(&str) -> EventKind) {
        let CallPlace { watch, ctx, .. } = self.at;
        if watch.is_observed() {
            watch.notify(kind(self.scope.name(ctx.scope())));
        }
    }

    /// Sends observers, if there are any, a call that failed, with what the model reads of it.
    fn notify_failed(&self, error: &ToolError, text: Option<&str>) {
        self.notify(|id| {
            let text = text.map(ToModel::to_model);
            EventKind::tool_failed(&self.call.name, id, error, text)
        });
    }
}

/// A call that is being made. Observers receive its end also where its future is dropped: its time has passed, or
/// nobody waits for the step.
pub(super) struct RunningCall<'a> {
    call: &'a OneCall<'a>,
    has_ended: bool,
    span: OpenSpan,
}

impl RunningCall<'_> {
    /// The span in which the tool runs with these arguments.
    pub(super) fn open_span(&mut self, arguments: &Value) -> &Span {
        let ctx = self.call.at.ctx;
        self.span = trace::tool(self.call.call, ctx.step());
        if ctx.traces_content() {
            self.span.record_arguments(arguments);
        }
        self.span.span()
    }

    /// Sends observers, if there are any, that the call has ended, unless it waits for a person.
    pub(super) fn end(mut self, outcome: &Outcome) {
        self.has_ended = true;
        let span = replace(&mut self.span, OpenSpan::none());
        match outcome {
            Outcome::NeedsApproval
            | Outcome::Suspended(_)
            | Outcome::Calls(_)
            | Outcome::TaskRequest(_)
            | Outcome::Unreadable(_) => span.end(),
            Outcome::Result(result) => {
                if self.call.at.ctx.traces_content() {
                    span.record_result(&result.text);
                }
                match result.is_error {
                    true => span.fail(FailureKind::Error),
                    false => span.end(),
                }
                self.call.notify_ended(result.is_error);
            }
            Outcome::Fatal(_) => {
                span.fail(FailureKind::Error);
                self.call.notify_ended(true);
            }
            Outcome::Panicked(_) => {
                span.fail(FailureKind::Panic);
                self.call.notify_ended(true);
            }
        }
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.call.notify_ended(true);
        }
    }
}
