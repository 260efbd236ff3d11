//! How spans open and end.

use std::mem::replace;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tracing::{Instrument as _, Span, field::Empty, info_span, level_filters::LevelFilter};

use super::{TARGET, attributes as a};
use crate::{
    Step,
    model::{ModelUrl, ToolCall},
    node::FailureKind,
};

/// Whether anybody may want spans.
#[inline]
pub(crate) fn is_wanted() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
}

/// A run of the flow `name`, from now on.
pub(crate) fn workflow(name: &str, run_id: &str) -> Span {
    info_span!(
        target: TARGET,
        "invoke_workflow",
        { a::SPAN_NAME } = format!("invoke_workflow {name}"),
        { a::SPAN_KIND } = "internal",
        { a::OPERATION } = "invoke_workflow",
        { a::WORKFLOW_NAME } = name,
        { a::AGENT_NAME } = name,
        { a::CONVERSATION } = run_id,
        { a::ERROR_TYPE } = Empty,
        { a::STATUS } = Empty,
    )
}

/// A run of the agent `name`, whose id is `agent_run`.
pub(crate) fn agent(name: &str, agent_run: &str, model: Option<&ModelUrl>, run_id: &str) -> Span {
    info_span!(
        target: TARGET,
        "invoke_agent",
        { a::SPAN_NAME } = format!("invoke_agent {name}"),
        { a::SPAN_KIND } = "internal",
        { a::OPERATION } = "invoke_agent",
        { a::AGENT_NAME } = name,
        { a::AGENT_RUN } = agent_run,
        { a::PROVIDER } = model.map(|model| a::provider(model.scheme())),
        { a::MODEL } = model.map(ModelUrl::model),
        { a::CONVERSATION } = run_id,
        { a::ERROR_TYPE } = Empty,
        { a::STATUS } = Empty,
    )
}

/// A tool call that is made.
pub(crate) fn tool(call: &ToolCall, step: &Step) -> OpenSpan {
    OpenSpan(info_span!(
        target: TARGET,
        "execute_tool",
        { a::SPAN_NAME } = format!("execute_tool {}", call.name),
        { a::SPAN_KIND } = "internal",
        { a::OPERATION } = "execute_tool",
        { a::TOOL_NAME } = &*call.name,
        { a::TOOL_TYPE } = "function",
        { a::TOOL_CALL } = &*call.id,
        // Read inside the macro, as in `chat`.
        { a::CONVERSATION } = step.run_id(),
        { a::TOOL_ARGUMENTS } = Empty,
        { a::TOOL_RESULT } = Empty,
        { a::ERROR_TYPE } = Empty,
        { a::STATUS } = Empty,
    ))
}

/// Notes in a span that what it is of has failed.
pub(crate) fn fail(span: &Span, kind: FailureKind) {
    note_error(span, kind.name());
}

/// The future, which runs within the span if somebody wants that.
pub(crate) fn within<'a, T>(span: &Span, future: BoxFuture<'a, T>) -> BoxFuture<'a, T>
where
    T: Send + 'a,
{
    match span.is_disabled() {
        true => future,
        false => Box::pin(future.instrument(span.clone())),
    }
}

/// The span of what may be dropped before it has ended: it is cancelled then.
pub(crate) struct OpenSpan(Span);

impl OpenSpan {
    pub(super) fn new(span: Span) -> Self {
        Self(span)
    }

    /// A span of nothing, which nobody sees.
    pub(crate) const fn none() -> Self {
        Self(Span::none())
    }

    pub(crate) fn span(&self) -> &Span {
        &self.0
    }

    /// It has ended well.
    pub(crate) fn end(mut self) {
        drop(self.take());
    }

    /// It has failed.
    pub(crate) fn fail(self, kind: FailureKind) {
        self.fail_as(kind.name());
    }

    /// It has failed, with this `error.type`.
    pub(super) fn fail_as(mut self, error: &str) {
        note_error(&self.take(), error);
    }

    pub(crate) fn record_arguments(&self, arguments: &Value) {
        self.0.record(a::TOOL_ARGUMENTS, arguments.to_string());
    }

    pub(crate) fn record_result(&self, result: &str) {
        self.0.record(a::TOOL_RESULT, result);
    }

    fn take(&mut self) -> Span {
        replace(&mut self.0, Span::none())
    }
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        fail(&self.0, FailureKind::Cancelled);
    }
}

fn note_error(span: &Span, error: &str) {
    span.record(a::ERROR_TYPE, error);
    span.record(a::STATUS, "ERROR");
}
