//! Where an answer under a contract goes, and who is told.

use serde_json::Value;

use super::{
    AgentProgress, AgentSpec, AgentStep, Contract, Review, RouteDecision,
    contract::{Decided, Envelope, question},
};
use crate::{
    error::{FlowError, guard},
    events::{Audit, EventKind, Watch},
    model::{Message, ModelError, ModelRequest, ModelResponse, ModelUrl},
    model_text::ToModel,
    state::Live,
};

/// An answer, and what decides where it goes.
pub(super) struct Route<'a> {
    pub(super) contract: &'a Contract,
    pub(super) envelope: Envelope<Value>,
    pub(super) confidence: f64,
    /// What is in the envelope.
    pub(super) output: Live,
}

impl Route<'_> {
    /// The answer goes on, waits for a person, or is hidden: then the next step fails.
    pub(super) fn take(
        self,
        spec: &AgentSpec,
        progress: &mut AgentProgress,
        watch: &Watch,
    ) -> AgentStep {
        let Self {
            contract,
            envelope,
            confidence,
            output,
        } = self;
        let decision = contract.route(confidence, envelope.escalate);
        watch.notify(EventKind::Audit(Audit::RoutingDecision {
            decision,
            confidence,
            escalate: envelope.escalate,
            threshold: contract.threshold(decision),
            contract_version: contract.version.clone(),
        }));
        match decision {
            RouteDecision::AutoApprove => AgentStep::Done(output),
            RouteDecision::Suppress => {
                progress.suppress();
                AgentStep::Asked
            }
            RouteDecision::HumanReview => {
                watch.notify(EventKind::Audit(Audit::ReviewRequired {
                    primary_output: envelope.primary_output.clone(),
                    confidence,
                    reasoning: envelope.reasoning.clone(),
                }));
                let question = question(&envelope, confidence, contract, &spec.output_schema);
                let output = envelope.primary_output;
                progress.decided = Some(Decided::InReview { output });
                AgentStep::InReview(question)
            }
        }
    }
}

/// Acts on what was decided.
pub(super) fn resolve(
    spec: &AgentSpec,
    decided: Decided,
    progress: &mut AgentProgress,
    watch: &Watch,
) -> Result<AgentStep, FlowError> {
    let node = || watch.node.to_string();
    let read = |output: &Value| {
        let output = guard(&watch.node, || spec.read_output(output))?;
        output.map_err(|error| FlowError::DeserializeError(error.into()))
    };
    let (output, review) = match decided {
        // No message has come.
        Decided::Listening { output } => return Ok(AgentStep::Done(read(&output)?)),
        Decided::Suppressed => return Err(FlowError::Suppressed { node: node() }),
        Decided::InReview { .. } => {
            let node = &watch.node;
            let why =
                format!("the answer of agent `{node}` waits for a review, and yet it is its turn");
            return Err(FlowError::SnapLoadError(why.into()));
        }
        Decided::Reviewed { output, review } => (output, review),
    };
    watch.notify(EventKind::Audit(Audit::ReviewResolved {
        approved: !matches!(review, Review::Reject { .. }),
        edited: matches!(review, Review::Edit { .. }),
    }));
    let output = match review {
        Review::Approve => output,
        Review::Edit { output } => {
            // The record says who wrote what goes on.
            let text = format!("A person put this in place of the result: {output}");
            progress.say(Message::user(text.to_model()));
            output
        }
        Review::Reject { reason } => {
            let node = node();
            return Err(FlowError::Rejected { node, reason });
        }
    };
    Ok(AgentStep::Done(read(&output)?))
}

/// A model under a contract is asked. The observers are told when that ends, unless nothing was sent: of
/// a call that is dropped nobody knows.
pub(super) struct Invocation<'a> {
    watch: &'a Watch,
    entry: Option<Audit>,
}

impl<'a> Invocation<'a> {
    pub(super) fn new(
        contract: &Contract,
        request: &ModelRequest,
        model: &ModelUrl,
        watch: &'a Watch,
    ) -> Self {
        let input = request.messages.first().and_then(Message::user_text);
        let entry = Audit::Invocation {
            model: model.model().to_owned(),
            provider: model.scheme().to_owned(),
            input: input.unwrap_or_default(),
            contract_version: contract.version.clone(),
        };
        Self {
            watch,
            entry: Some(entry),
        }
    }

    /// Ends it with what came of it.
    pub(super) fn end(mut self, answer: &Result<ModelResponse, ModelError>) {
        if answer.as_ref().is_err_and(|error| !error.was_sent()) {
            self.entry = None;
        }
    }
}

impl Drop for Invocation<'_> {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.watch.notify(EventKind::Audit(entry));
        }
    }
}
