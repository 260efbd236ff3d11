//! Every provider that the crate `genai` knows: `genai://MODEL`, where the name of the model leads to
//! the provider.

mod failure;
mod lift;
mod lower;

use std::sync::Arc;

use futures_util::StreamExt as _;
use genai::{
    Client, ClientBuilder, ServiceTarget,
    chat::{ChatOptions, ChatRequest, ChatStreamEvent},
    resolver::AuthData,
};
use reqwest::Url;

use super::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, OnText,
    Timeouts, Usage, http,
};

use super::url::GENAI as SCHEME;

/// How the caller sets the client up.
pub(super) type SetUp = Arc<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>;

pub(super) struct GenaiClient {
    client: Client,
}

impl GenaiClient {
    pub(super) fn new(set_up: Option<&SetUp>) -> Result<Self, ModelError> {
        let config = |error: Box<dyn std::error::Error + Send + Sync>| {
            let what = "the client of `genai` could not be set up";
            ModelError::new(ModelErrorKind::Config, what).with_source(error)
        };
        // Which address it is for is known to `genai` alone; nearly all of them are reached by TLS.
        let any = Url::parse("https://genai.invalid").map_err(|e| config(e.into()))?;
        let timeouts = Timeouts::default();
        let web_client = http::builder(&any, timeouts.connect)?
            .read_timeout(timeouts.first_byte)
            .timeout(timeouts.total);
        let builder = Client::builder().with_reqwest(http::build(web_client)?);
        let builder = match set_up {
            Some(set_up) => set_up(builder),
            None => builder,
        };
        let client = builder.build().map_err(|e| config(e.into()))?;
        Ok(Self { client })
    }

    /// Where a model is asked, and with which key.
    async fn target(&self, request: &ModelRequest) -> Result<ServiceTarget, ModelError> {
        let target = self.client.resolve_service_target(&request.model).await;
        target.map_err(failure::of)
    }

    /// Asks, as a stream where somebody listens.
    async fn answer(
        &self,
        request: &ModelRequest,
        on_text: Option<OnText<'_>>,
    ) -> Result<ModelResponse, ModelError> {
        let asked = lower::lower(request)?;
        let target = self.target(request).await?;
        let (auth, address) = (target.auth.clone(), target.endpoint.base_url().to_owned());
        let answer = match on_text {
            Some(on_text) => self.listen(&request.model, asked, target, on_text).await,
            None => self.ask(&request.model, asked, target).await,
        };
        answer.map_err(|error| {
            let error = match error.address() {
                Some(_) => error,
                None => error.with_address(&address),
            };
            let secrets = secrets_in(&auth);
            let error = error.with_why_refused(None);
            error.without_secrets(secrets.iter().map(String::as_str))
        })
    }

    async fn ask(
        &self,
        model: &str,
        (chat, options): (ChatRequest, ChatOptions),
        target: ServiceTarget,
    ) -> Result<ModelResponse, ModelError> {
        let asked = self.client.exec_chat(target, chat, Some(&options));
        let response = asked.await.map_err(failure::of)?;
        let answer = lift::Answer {
            content: response.content,
            reasoning: response.reasoning_content,
            stop: response.stop_reason,
            usage: response.usage,
        };
        Ok(answer.lift(model))
    }

    async fn listen(
        &self,
        model: &str,
        (chat, options): (ChatRequest, ChatOptions),
        target: ServiceTarget,
        on_text: OnText<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let asked = self.client.exec_chat_stream(target, chat, Some(&options));
        let mut stream = asked.await.map_err(failure::of)?.stream;
        let mut has_started = false;
        while let Some(event) = stream.next().await {
            let event = event.map_err(|error| match has_started {
                true => failure::of(error).with_usage(Usage::default()),
                false => failure::of(error),
            })?;
            match event {
                ChatStreamEvent::Start => continue,
                ChatStreamEvent::Chunk(chunk) if !chunk.content.is_empty() => {
                    on_text(&chunk.content);
                }
                ChatStreamEvent::End(end) => {
                    let answer = lift::Answer {
                        content: end.captured_content.unwrap_or_default(),
                        reasoning: end.captured_reasoning_content,
                        stop: end.captured_stop_reason,
                        usage: end.captured_usage.unwrap_or_default(),
                    };
                    return Ok(answer.lift(model));
                }
                _ => {}
            }
            has_started = true;
        }
        Err(failure::broke_off())
    }
}

/// The secrets that are sent with a request.
fn secrets_in(auth: &AuthData) -> Vec<String> {
    match auth {
        AuthData::MultiKeys(keys) => keys.values().cloned().collect(),
        AuthData::RequestOverride { headers, .. } => {
            let values = headers.iter().map(|(_, value)| value.as_str());
            // Without the scheme: `Bearer KEY`.
            let bare = |value: &str| value.rsplit(' ').next().map(str::to_owned);
            values.filter_map(bare).collect()
        }
        auth => auth.single_key_value().into_iter().collect(),
    }
}

impl ModelClient for GenaiClient {
    fn check(&self, request: &ModelRequest) -> Result<(), ModelError> {
        lower::lower(request).map(drop)
    }

    fn wants_counts(&self) -> bool {
        false
    }

    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(self.answer(request, None))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(self.answer(request, Some(on_text)))
    }
}
