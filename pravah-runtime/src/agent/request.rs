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
    /// How often models that share its answers were asked, in each visit so far; empty where none of the
    /// agent's models wants to know.
    pub(crate) asked: Vec<u32>,
}

impl Model {
    /// Whether it takes its answers from the same script as the model of this URL and client, or, where
    /// neither says so, from the same client or the same scheme.
    pub(crate) fn shares_answers(&self, url: &ModelUrl, client: &Arc<dyn ModelClient>) -> bool {
        match (self.client.script(), client.script()) {
            (Some(script), Some(other)) => script.is_clone_of(other),
            (None, None) => Arc::ptr_eq(&self.client, client) || self.url.scheme() == url.scheme(),
            _ => false,
        }
    }
}

/// The model that a request is for.
pub(super) struct ModelEndpoint {
    pub(super) url: ModelUrl,
    pub(super) client: Arc<dyn ModelClient>,
}

pub(super) fn request(
    spec: &AgentSpec,
    progress: &AgentProgress,
    node: &str,
    model: Model,
    ctx: &Context,
) -> (ModelRequest, ModelEndpoint) {
    let Model {
        url,
        client,
        options,
        asked,
    } = model;
    let (tools, output) = spec.asks_for();
    let request = ModelRequest {
        node: node.to_owned(),
        items: ctx.step().items().to_vec(),
        visit: u32::try_from(asked.len()).map_or(u32::MAX, |visits| visits.max(1)),
        asked,
        model: url.model().to_owned(),
        messages: bound::without_stale(&url, &spec.system, &tools, progress),
        system: spec.system.clone(),
        tools,
        output,
        token_probabilities: spec
            .config
            .contract
            .as_ref()
            .is_some_and(Contract::is_token_level),
        options,
    };
    (request, ModelEndpoint { url, client })
}
