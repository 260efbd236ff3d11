//! One step of an agent that waits for tools: runs the calls, side by side.

mod one;

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt as _, future::join_all};
use serde_json::Value;

use self::one::{CallPlace, OneCall, Outcome, RunningCall};
use super::{
    AgentProgress, AgentSpec, AgentStep, CALL_AGENT, RUN_SKILL, Review, TaskEnd, approval,
    call::result, pending::Pending, supervision::TASK_TOOLS, toolbox::CallFailure,
};
use crate::{
    Context, FlowError,
    context::CallScope,
    events::Watch,
    model::{Message, ToolCall, ToolResult},
    node::FailureKind,
    trace,
};

/// Runs the calls that are asked for, approved or resumed, and answers the model once all are done. A payload
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
            messages: &messages,
        };
        let at = &at;
        let just_resumed = ctx.scope().is_some_and(|step| step.just_resumed);
        let outcomes = join_all(calls.iter().zip(&progress.pending).map(
            |(call, pending)| async move {
                match pending {
                    Pending::InReview
                    | Pending::Suspended { .. }
                    | Pending::Calls(_)
                    | Pending::TaskRequest(_)
                    | Pending::Delegated { .. }
                    | Pending::DelegatedAll { .. }
                    | Pending::AwaitsTask { .. }
                    | Pending::Done(_) => None,
                    // Observers receive its end once the step is committed.
                    Pending::Returned { result, .. } => Some(Outcome::Result(result.clone())),
                    Pending::Asked | Pending::Reviewed { .. } | Pending::Resumed { .. } => {
                        Some(at.call(call, pending).await)
                    }
                }
            },
        ))
        .await;
        let handoff_end = progress.handoff_end().cloned();
        take_outcomes(progress, calls, outcomes, just_resumed, node)?;
        if progress.waits_for_others() {
            return Ok(AgentStep::Suspended(progress.open(spec)));
        }
        let results = std::mem::take(&mut progress.pending)
            .into_iter()
            .filter_map(|pending| match pending {
                Pending::Done(result) => Some(result),
                _ => None,
            })
            .collect();
        progress.say(Message::Tool { results });
        match handoff_end {
            None => Ok(AgentStep::Ran),
            Some(end) => after_handoff(spec, end, node),
        }
    }
}

/// What follows where an agent has taken over: what it has returned is what the agent returns.
fn after_handoff(spec: &AgentSpec, end: TaskEnd, node: &str) -> Result<AgentStep, FlowError> {
    if end.has_failed() {
        return Err(FlowError::failed(node, FailureKind::Error, &end.text()));
    }
    let output = spec.read_output(&end.value());
    let output = output.map_err(|error| FlowError::DeserializeError(error.into()))?;
    Ok(AgentStep::HandedOff(output))
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
            Some(Outcome::NeedsApproval) => *pending = Pending::InReview,
            Some(Outcome::Calls(call)) => *pending = Pending::Calls(call),
            Some(Outcome::TaskRequest(request)) => *pending = Pending::TaskRequest(request),
            Some(Outcome::Suspended(value)) => *pending = pending.suspended(value),
            Some(Outcome::Unreadable(reason)) if resumed == Some(index) => {
                return Err(FlowError::ResumePayload {
                    id: format!("{node}::{}", call.name),
                    source: serde::de::Error::custom(reason),
                });
            }
            // Whoever resumed it has gone: the question is asked again.
            Some(Outcome::Unreadable(_)) => *pending = pending.reopened(),
            Some(Outcome::Panicked(error)) => return Err(error),
            Some(Outcome::Fatal(error)) => {
                return Err(FlowError::tool(node, &call.name, error));
            }
        }
    }
    Ok(())
}

impl CallPlace<'_> {
    /// Makes a call, and tells the observers where it starts and where it ends.
    async fn call(&self, call: &ToolCall, pending: &Pending) -> Outcome {
        let resumed = match pending {
            Pending::Resumed { payload, .. } => Some(payload.clone()),
            _ => None,
        };
        let scope = Arc::new(CallScope::new(call.id.clone(), self.turn, resumed));
        let one = OneCall {
            at: self,
            call,
            edited: pending.edited(),
            scope: &scope,
        };
        if let Pending::Asked = pending {
            one.notify_started();
        }
        let mut running = one.running();
        let outcome = match pending {
            Pending::Reviewed {
                review: Review::Reject { reason },
            } => Outcome::Result(rejected(call, reason.as_deref())),
            _ => self.run(&one, pending, &mut running).await,
        };
        running.end(&outcome);
        outcome
    }

    /// Runs a call, unless a person is to look at it first.
    async fn run(
        &self,
        one: &OneCall<'_>,
        pending: &Pending,
        running: &mut RunningCall<'_>,
    ) -> Outcome {
        let tools = &self.spec.config.tools;
        if one.call.name == CALL_AGENT && !self.spec.call_agent().is_empty() {
            return one.call_agent();
        }
        if one.call.name == RUN_SKILL && self.spec.call_agent().has_skills() {
            return one.run_skill();
        }
        if self.spec.manages_tasks() && TASK_TOOLS.contains(&&*one.call.name) {
            return one.task_request();
        }
        let Some(tool) = tools.get(&one.call.name) else {
            return one.unknown_tool();
        };
        let arguments = match one.arguments(&tool.spec.parameters) {
            Ok(arguments) => arguments,
            Err(reason) => return one.misread(&reason),
        };
        let needs_approval = matches!(pending, Pending::Asked) && tools.needs_approval(tool);
        let called = AssertUnwindSafe(async {
            if needs_approval {
                (tool.accepts)(&arguments).map_err(CallFailure::Arguments)?;
                return Ok(None);
            }
            let refused = self.spec.config.constraints.refused();
            let ctx = self.ctx.in_call(Arc::clone(one.scope), refused);
            let called = tool.call(&arguments, ctx);
            let span = running.open_span(&arguments);
            trace::within(span, called).await.map(Some)
        });
        match called.catch_unwind().await {
            Ok(Ok(None)) => Outcome::NeedsApproval,
            Ok(Ok(Some(value))) => one.ended(&render(value)),
            Ok(Err(failure)) => one.call_failed(failure),
            Err(panic) => one.panicked(panic),
        }
    }
}

/// The result of a call that a person rejected.
fn rejected(call: &ToolCall, reason: Option<&str>) -> ToolResult {
    result(call, &approval::rejection(reason), true)
}

/// A result as the model reads it: a text as it is, anything else as JSON.
fn render(value: Value) -> String {
    match value {
        Value::String(text) => text,
        value => value.to_string(),
    }
}
