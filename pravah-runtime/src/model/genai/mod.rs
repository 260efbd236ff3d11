//! Every provider that the crate `genai` knows: `genai://MODEL`, where the name of the model leads to
//! the provider.

mod failure;
mod lift;
mod lower;

use std::sync::Arc;

use futures_util::StreamExt as _;
use genai::{Client, ClientBuilder, chat::ChatStreamEvent};
use reqwest::Url;

use super::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, OnText,
    http::web_client,
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
        let builder = Client::builder().with_reqwest(web_client(&any)?);
        let builder = match set_up {
            Some(set_up) => set_up(builder),
            None => builder,
        };
        let client = builder.build().map_err(|e| config(e.into()))?;
        Ok(Self { client })
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let (chat, options) = lower::lower(request);
        let asked = self.client.exec_chat(&request.model, chat, Some(&options));
        let response = asked.await.map_err(failure::of)?;
        let answer = lift::Answer {
            content: response.content,
            reasoning: response.reasoning_content,
            stop: response.stop_reason,
            usage: response.usage,
        };
        Ok(answer.lift(&request.model))
    }

    async fn listen(
        &self,
        request: &ModelRequest,
        on_text: OnText<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let (chat, options) = lower::lower(request);
        let asked = self
            .client
            .exec_chat_stream(&request.model, chat, Some(&options));
        let mut stream = asked.await.map_err(failure::of)?.stream;
        while let Some(event) = stream.next().await {
            match event.map_err(failure::of)? {
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
                    return Ok(answer.lift(&request.model));
                }
                _ => {}
            }
        }
        let what = "the stream ended before the answer did";
        Err(ModelError::new(ModelErrorKind::Transport, what))
    }
}

impl ModelClient for GenaiClient {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(self.ask(request))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(self.listen(request, on_text))
    }
}
