//! What an agent asks its model.

use std::sync::Arc;

use super::{AgentProgress, AgentSpec, Contract, bound};
use crate::{
    Context,
    model::{ModelClient, ModelOptions, ModelRequest, ModelUrl},
};

/// The model that an agent asks.
pub(crate) struct Model {
    pub(crate) url: ModelUrl,
    pub(crate) client: Arc<dyn ModelClient>,
    /// What requests to it say.
    pub(crate) options: ModelOptions,
    /// How often it has answered the agent, or failed to, before this visit.
    pub(crate) answered: u32,
}

pub(super) fn request(
    spec: &AgentSpec,
    progress: &AgentProgress,
    node: &str,
    model: &Model,
    ctx: &Context,
) -> ModelRequest {
    let (tools, output) = spec.asks_for();
    let messages = Arc::clone(progress.conversation());
    ModelRequest {
        node: node.to_owned(),
        items: ctx
            .step()
            .map(|step| step.items().to_vec())
            .unwrap_or_default(),
        visit: ctx.step().map_or(1, |step| step.visit),
        answered: model.answered,
        failed: progress.questions.saturating_sub(progress.turns),
        model: model.url.model().to_owned(),
        messages: bound::without_stale(&model.url, &spec.system, &tools, messages),
        system: spec.system.clone(),
        tools,
        output,
        token_probabilities: spec
            .config
            .contract
            .as_ref()
            .is_some_and(Contract::is_token_level),
        options: model.options.clone(),
    }
}
