//! The network beneath the providers: one adapter for all of them.

mod endpoint;
mod headers;
mod stream;
mod tls;

use std::time::Duration;

use reqwest::{Client, Response, Url, header::CONTENT_TYPE, redirect};
use secrecy::ExposeSecret;
use serde_json::Value;

pub(super) use self::endpoint::Settings;
use self::endpoint::{Endpoint, config};
#[cfg(feature = "genai")]
pub(super) use self::headers::hints;
use super::{
    Message, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse,
    ModelUrl, OnText, Provider, Usage,
    schema::Cache,
    wire::{Anthropic, Chat, Gemini, Ollama, Responses, Wire, failure},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Models may think for long before the first byte comes.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(600);
/// The longest silence within an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(300);
/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 16 << 20;
/// The same of one that comes as a stream, where each word has an event around it.
const MAX_STREAM: usize = 4 * MAX_BODY;

/// A client of one provider; it keeps its connections.
pub(super) struct HttpClient {
    wire: Box<dyn Wire>,
    endpoint: Endpoint,
    client: Client,
    schemas: Cache,
}

impl HttpClient {
    pub(super) fn new(
        provider: Provider,
        settings: &Settings,
        url: &ModelUrl,
    ) -> Result<Self, ModelError> {
        let endpoint = Endpoint::new(provider, settings, url)?;
        Ok(Self {
            wire: wire(provider),
            client: web_client(&endpoint.base)?,
            endpoint,
            schemas: Cache::default(),
        })
    }

    /// Sends a request, and hands out the answer if its status is a success.
    async fn send(&self, request: &ModelRequest, stream: bool) -> Result<Response, ModelError> {
        self.check_parts(request)?;
        let body = self.wire.lower(request, &self.schemas, stream)?;
        let body = serde_json::to_vec(&body).map_err(|error| {
            let what = "the request could not be written";
            ModelError::new(ModelErrorKind::InvalidRequest, what).with_source(error)
        })?;
        let response = self
            .client
            .post(self.endpoint.at(&self.wire.path(&request.model, stream))?)
            .header(CONTENT_TYPE, "application/json")
            .headers(self.endpoint.headers.clone())
            .body(body)
            .send()
            .await
            .map_err(transport)?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let hints = headers::hints(response.headers());
        let body = stream::read(response).await?;
        let error = serde_json::from_slice(&body)
            .ok()
            .and_then(|body| self.wire.error(&body));
        Err(failure(status.as_u16(), error, hints))
    }

    /// What the interface cannot take is not sent.
    fn check_parts(&self, request: &ModelRequest) -> Result<(), ModelError> {
        let mut parts = request.messages.iter().flat_map(|message| match message {
            Message::User { parts } => parts.as_slice(),
            _ => &[],
        });
        match parts.find_map(|part| self.wire.lacks(part)) {
            Some(what) => Err(ModelError::new(
                ModelErrorKind::InvalidRequest,
                format!("`{}` takes no {what}", request.model),
            )),
            None => Ok(()),
        }
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let response = self.send(request, false).await?;
        let body = stream::read(response).await;
        let body = body.and_then(|body| {
            serde_json::from_slice(&body).map_err(|error| stream::not_json("the answer", error))
        });
        let body = body.map_err(|error| self.charged(error, &Value::Null))?;
        let answer = self.wire.lift(&body, &request.model);
        answer.map_err(|error| self.charged(error, &body))
    }

    async fn listen(
        &self,
        request: &ModelRequest,
        on_text: OnText<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let response = self.send(request, true).await?;
        let mut body = Value::Null;
        let end = stream::collect(&*self.wire, response, &mut body, on_text).await;
        let answer = end.and_then(|()| self.wire.lift(&body, &request.model));
        answer.map_err(|error| self.charged(error, &body))
    }

    /// An error within an answer whose status is a success, with what `body` says of its cost. What
    /// broke off or cannot be read is charged for; an error that the provider reports itself, only if it
    /// says so.
    fn charged(&self, error: ModelError, body: &Value) -> ModelError {
        let usage = self.wire.usage(body);
        let is_reported = !matches!(
            error.kind(),
            ModelErrorKind::Malformed | ModelErrorKind::Transport | ModelErrorKind::TimedOut
        );
        match is_reported && usage == Usage::default() {
            true => error,
            false => error.with_usage(usage),
        }
    }

    /// Providers may quote what they got.
    fn without_key(&self, error: ModelError) -> ModelError {
        match &self.endpoint.key {
            Some(key) => error.without(key.expose_secret().trim()),
            None => error,
        }
    }
}

impl ModelClient for HttpClient {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move { self.ask(request).await.map_err(|e| self.without_key(e)) })
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(async move {
            let answer = self.listen(request, on_text).await;
            answer.map_err(|e| self.without_key(e))
        })
    }
}

fn wire(provider: Provider) -> Box<dyn Wire> {
    match provider {
        Provider::OpenAi => Box::new(Chat),
        Provider::OpenAiResponses => Box::new(Responses),
        Provider::Anthropic => Box::new(Anthropic),
        Provider::Gemini => Box::new(Gemini),
        Provider::Ollama => Box::new(Ollama),
    }
}

/// A client for an address.
pub(super) fn web_client(base: &Url) -> Result<Client, ModelError> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls::config(base).map_err(|e| config("TLS").with_source(e))?)
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .timeout(TOTAL_TIMEOUT)
        // A redirect would carry prompts to where nobody configured.
        .redirect(redirect::Policy::none());
    if tls::is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|error| config("the web client could not be set up").with_source(error))
}

pub(super) fn transport(error: reqwest::Error) -> ModelError {
    let cause = root_cause(&error);
    // The path and the query of an address may hold what nobody is to read.
    let address = match error.url() {
        Some(url) => format!(" at {}", url.origin().ascii_serialization()),
        None => String::new(),
    };
    let (kind, what) = if error.is_connect() {
        let what = format!("the provider{address} could not be reached: {cause}");
        (ModelErrorKind::Transport, what)
    } else if error.is_timeout() {
        let what = format!("the provider{address} took too long to answer");
        (ModelErrorKind::TimedOut, what)
    } else {
        let what = format!("the connection to the provider{address} broke: {cause}");
        (ModelErrorKind::Transport, what)
    };
    ModelError::new(kind, what).with_source(error.without_url())
}

/// What the innermost source of an error says: the layers around it say only where it happened.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
