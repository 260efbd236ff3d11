//! Checks an agent's models before it starts, and decides when a fallback is used.

use super::{AgentProgress, AgentSpec, Model, request::request};
use crate::{
    Context, FlowError,
    model::{ModelError, ModelErrorKind, ModelUrl},
};

/// Looks whether the models of an agent that has just started could be asked, so that nothing is paid
/// for before a mistake in one that is asked later is found. The agent's own model comes first.
pub(crate) fn check_models(
    spec: &AgentSpec,
    progress: &AgentProgress,
    node: &str,
    models: Vec<Model>,
    ctx: &Context,
) -> Result<(), FlowError> {
    for (number, model) in models.into_iter().enumerate() {
        let (request, model) = request(spec, progress, node, model, ctx);
        let checked = model.client.check(&request);
        checked.map_err(|error| model_error(number, &model.url, node, error))?;
    }
    Ok(())
}

/// The error of an agent's model, or of the fallback of this number.
pub(crate) fn model_error(
    number: usize,
    url: &ModelUrl,
    node: &str,
    source: ModelError,
) -> FlowError {
    let source = match number {
        0 => source,
        _ => source.of(&format!("the fallback `{url}`")),
    };
    FlowError::model(node, source)
}

/// Whether another model may do what this one cannot: the fault is neither the request's nor the set-up's.
/// A source of tokens may be as unavailable as a provider.
pub(super) fn is_unavailable(error: &ModelError) -> bool {
    matches!(
        error.kind(),
        ModelErrorKind::RateLimited
            | ModelErrorKind::Quota
            | ModelErrorKind::Upstream
            | ModelErrorKind::Transport
            | ModelErrorKind::TimedOut
    ) || (error.kind() == ModelErrorKind::Auth && error.is_retryable())
}
