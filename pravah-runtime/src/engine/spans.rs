//! The spans of a run in this process. That of the run starts with a step, and ends when the run is done, fails or
//! waits for a person; the next one is linked to it. Those of agents are within it, from their start to their answer
//! or until they wait for somebody.

use tracing::{Span, span::EnteredSpan};

use super::{
    options::Spans,
    outcome::{StepOutcome, kind_of},
    run::{Out, Run},
    state::{path::NodePath, progress::WaitReason},
};
use crate::{agent::AgentStep, error::FlowError, graph::NodeKind, node::FailureKind, trace};

impl Run {
    /// Enters the span of the run, which starts here if somebody wants one. Boxed: a step without a span
    /// only drops a null pointer.
    #[inline]
    pub(super) fn enter_span(&mut self) -> Option<Box<EnteredSpan>> {
        match trace::is_wanted() {
            true => self.open_span(),
            false => None,
        }
    }

    #[cold]
    fn open_span(&mut self) -> Option<Box<EnteredSpan>> {
        if self.options.spans.run.is_none() {
            let span = trace::workflow(&self.known.name, self.state.id.get());
            self.link_span(&span);
            self.options.spans.run = span;
        }
        let span = &self.options.spans.run;
        (!span.is_disabled()).then(|| span.clone().entered().into())
    }

    /// Links the span to the one before it, of this process or another, and notes what the next one is linked to.
    #[cfg(feature = "opentelemetry")]
    fn link_span(&mut self, span: &Span) {
        if let Some(earlier) = &self.state.traceparent {
            trace::link(span, earlier);
        }
        if let Some(traceparent) = trace::traceparent(span) {
            self.state.traceparent = Some(traceparent.into());
        }
    }

    #[cfg(not(feature = "opentelemetry"))]
    #[expect(clippy::unused_self, reason = "only OpenTelemetry has links")]
    fn link_span(&self, _: &Span) {}

    /// Starts the span of an agent, if one is at `path` and the run has a span.
    pub(super) fn open_agent_span(&mut self, path: &NodePath) {
        let table = &self.state.frame(&path.frame).table;
        let entry = table.node(path.node);
        let NodeKind::Agent(agent) = &entry.kind else {
            return;
        };
        if self.options.spans.agents.contains_key(path) {
            return;
        }
        let model = match self.options.models.get(&*entry.id) {
            Some(model) => Some(model.clone()),
            None => agent.spec.config.model_url(0).ok(),
        };
        let agent_run = self.agent_run_id(path);
        let span = trace::agent(&entry.id, &agent_run, model.as_ref(), self.state.id.get());
        self.options.spans.agents.insert(path.clone(), span);
    }

    /// Ends the span of an agent that has come to its end, or waits for somebody.
    #[inline]
    pub(super) fn end_agent_span(&mut self, path: &NodePath, outcome: &StepOutcome) {
        if !self.options.spans.agents.is_empty() {
            self.end_agent_span_slow(path, outcome);
        }
    }

    #[cold]
    fn end_agent_span_slow(&mut self, path: &NodePath, outcome: &StepOutcome) {
        let failure = match outcome {
            StepOutcome::Agent(AgentStep::Asked | AgentStep::Ran | AgentStep::Waits { .. }, _) => {
                return;
            }
            StepOutcome::Failed(error, _) => Some(kind_of(error)),
            _ => None,
        };
        let span = self.options.spans.agents.remove(path);
        if let (Some(span), Some(kind)) = (span, failure) {
            trace::fail(&span, kind);
        }
    }

    /// Ends the spans of the agents for which `is_dropped` holds: nobody waits for them any more.
    pub(super) fn cancel_agent_spans(&mut self, is_dropped: impl Fn(&NodePath) -> bool) {
        if self.options.spans.agents.is_empty() {
            return;
        }
        let agents = &mut self.options.spans.agents;
        for (_, span) in agents.extract_if(.., |path, _| is_dropped(path)) {
            trace::fail(&span, FailureKind::Cancelled);
        }
    }

    /// Ends the span of the run where this outcome of a step is the last for now.
    #[inline]
    pub(super) fn end_span_after(&mut self, out: &Result<Out, FlowError>) {
        if !self.options.spans.run.is_none() {
            self.end_open_span_after(out);
        }
    }

    #[cold]
    fn end_open_span_after(&mut self, out: &Result<Out, FlowError>) {
        match out {
            Ok(Out::Continue | Out::Suspend { .. }) => {}
            Ok(Out::Waiting { why, .. }) => match why {
                WaitReason::Model | WaitReason::Retry => {}
                _ => self.end_span(None),
            },
            Ok(Out::Done(())) | Err(FlowError::ResumeRequired(_)) => self.end_span(None),
            Err(FlowError::Cancelled { .. }) => self.end_span(Some(FailureKind::Cancelled)),
            Err(error) => self.end_span(Some(kind_of(error))),
        }
    }

    /// Ends the span of the run, and those of its agents before it.
    pub(super) fn end_span(&mut self, failure: Option<FailureKind>) {
        let Some(options) = self.options.get_mut() else {
            return;
        };
        let Spans { run, agents } = std::mem::replace(&mut options.spans, Spans::NONE);
        for span in agents.values().chain([&run]) {
            if let Some(kind) = failure {
                trace::fail(span, kind);
            }
        }
        drop(agents);
    }
}
