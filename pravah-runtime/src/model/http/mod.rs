//! The network beneath the providers: one adapter for all of them.

mod config;
mod deadline;
mod endpoint;
mod headers;
mod key;
mod stream;
mod tls;

use std::time::Duration;

use reqwest::{
    Client, ClientBuilder, RequestBuilder, Response, Url,
    header::{CONTENT_TYPE, LOCATION},
    redirect,
};
use serde_json::Value;

#[cfg(feature = "genai")]
pub(super) use self::headers::hints;
pub(crate) use self::tls::of_any_server as tls_of_any_server;
use self::{config::config_error, deadline::Deadline, endpoint::Endpoint, stream::Body};
use super::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, ModelUrl,
    OnText, Provider, Server, Timeouts, Usage, known,
    redact::public_address,
    schema::Cache,
    wire::{Anthropic, Chat, Gemini, Ollama, Responses, Wire, failure},
};
use crate::json;

/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 16 << 20;
/// The same of one that comes as a stream, where each word has an event around it.
const MAX_STREAM: usize = 4 * MAX_BODY;

/// A client of one server; it keeps its connections.
pub(super) struct HttpClient {
    wire: Box<dyn Wire>,
    /// Where OpenAI's models are asked that take no tools in chat completions.
    responses: Option<Responses>,
    endpoint: Endpoint,
    client: Client,
    timeouts: Timeouts,
    schemas: Cache,
}

impl HttpClient {
    pub(super) fn new(server: &Server, url: &ModelUrl) -> Result<Self, ModelError> {
        let endpoint = Endpoint::new(server, url)?;
        let is_openai = server.provider == Provider::OpenAi && !server.is_compatible;
        Ok(Self {
            wire: wire(server, url),
            responses: is_openai.then_some(Responses),
            client: client(server, &endpoint.base)?,
            endpoint,
            timeouts: server.timeouts,
            schemas: Cache::default(),
        })
    }

    /// The interface that a request is sent by.
    fn wire(&self, request: &ModelRequest) -> &dyn Wire {
        match &self.responses {
            Some(responses) if !known::takes_chat(request) => responses,
            _ => &*self.wire,
        }
    }

    /// The body of a request, if the provider can be asked this.
    fn write(
        &self,
        wire: &dyn Wire,
        request: &ModelRequest,
        stream: bool,
    ) -> Result<Vec<u8>, ModelError> {
        let provider = self.endpoint.provider;
        if request.token_probabilities && !provider.tells_token_probabilities() {
            return Err(ModelError::new(
                ModelErrorKind::InvalidRequest,
                format!("models of {provider} do not tell how probable their tokens are"),
            ));
        }
        let body = wire.lower(request, &self.schemas, stream)?;
        serde_json::to_vec(&body).map_err(|error| {
            let what = "the request could not be written";
            ModelError::new(ModelErrorKind::InvalidRequest, what).with_source(error)
        })
    }

    /// Asks, as a stream where somebody listens. Nothing is sent that the provider cannot take, or
    /// without the token that the server wants to see; what it saw is kept out of errors.
    async fn answer(
        &self,
        request: &ModelRequest,
        on_text: Option<OnText<'_>>,
    ) -> Result<ModelResponse, ModelError> {
        let wire = self.wire(request);
        let body = self.write(wire, request, on_text.is_some())?;
        let address = wire.path(&request.model, on_text.is_some());
        let address = self.endpoint.at(&address)?;
        let deadline = Deadline::of(self.timeouts, &request.options);
        let access = self.endpoint.access(deadline).await?;
        let token = access.token.clone();
        let sent = self
            .client
            .post(address.clone())
            .header(CONTENT_TYPE, "application/json")
            .headers(access.headers)
            .body(body);
        let answer = match self.send(wire, sent, deadline).await {
            Ok(body) => read(wire, &request.model, body, on_text).await,
            Err(error) => Err(error),
        };
        answer.map_err(|error| {
            let error = error.with_address(address.as_str());
            self.endpoint.explained(error, token.as_ref())
        })
    }

    /// Sends a request, and hands out the answer if its status is a success.
    async fn send(
        &self,
        wire: &dyn Wire,
        request: RequestBuilder,
        deadline: Deadline,
    ) -> Result<Body, ModelError> {
        let first_byte = self.timeouts.first_byte;
        let response = deadline
            .within(first_byte, || too_slow(first_byte), request.send())
            .await?;
        let response = response.map_err(transport)?;
        let status = response.status();
        let hints = headers::hints(response.headers());
        let target = redirect_target(&response);
        let body = Body::new(response, self.timeouts.silence, deadline);
        if status.is_success() {
            return Ok(body);
        }
        if let Some(target) = target {
            let what = format!("the server redirects to {target}, and redirects are not followed");
            let error = ModelError::new(ModelErrorKind::InvalidRequest, what);
            return Err(error.with_status(status.as_u16()));
        }
        // The status counts, whatever becomes of the words.
        let body = stream::read(body).await.unwrap_or_default();
        let error = json::from_slice(&body)
            .ok()
            .and_then(|body| wire.error(&body));
        Err(failure(status.as_u16(), error, hints, &body))
    }
}

/// Reads an answer. An error tells what is known of the cost of the part that came.
async fn read(
    wire: &dyn Wire,
    model: &str,
    from: Body,
    on_text: Option<OnText<'_>>,
) -> Result<ModelResponse, ModelError> {
    let status = from.status();
    let mut body = Value::Null;
    let end = match on_text {
        Some(on_text) => stream::collect(wire, from, &mut body, on_text).await,
        None => stream::whole(from).await.map(|whole| body = whole),
    };
    let answer = end.and_then(|()| wire.lift(&body, model));
    answer.map_err(|error| charged(wire, error, &body).with_status(status))
}

/// An error within an answer whose status is a success, with what `body` says of its cost. What broke off
/// or cannot be read is charged for; an error that the provider reports itself, only if it says so.
fn charged(wire: &dyn Wire, error: ModelError, body: &Value) -> ModelError {
    let usage = wire.usage(body);
    let is_reported = !matches!(
        error.kind(),
        ModelErrorKind::Malformed | ModelErrorKind::Transport | ModelErrorKind::TimedOut
    );
    match is_reported && usage == Usage::default() {
        true => error,
        false => error.with_usage(usage),
    }
}

impl ModelClient for HttpClient {
    fn check(&self, request: &ModelRequest) -> Result<(), ModelError> {
        self.write(self.wire(request), request, false).map(drop)
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

fn wire(server: &Server, url: &ModelUrl) -> Box<dyn Wire> {
    match server.provider {
        Provider::OpenAi => Box::new(Chat {
            scheme: url.scheme().to_owned(),
            is_compatible: server.is_compatible,
            output: server.output,
            string_content: server.string_content,
        }),
        Provider::OpenAiResponses => Box::new(Responses),
        Provider::Anthropic => Box::new(Anthropic),
        Provider::Gemini => Box::new(Gemini),
        Provider::Ollama => Box::new(Ollama),
    }
}

/// The HTTP client of a server: the user's own, or a new one.
fn client(server: &Server, base: &Url) -> Result<Client, ModelError> {
    #[cfg(feature = "reqwest")]
    if let Some(client) = &server.http_client {
        return Ok(client.clone());
    }
    build(builder(base, server.timeouts.connect)?)
}

pub(super) fn build(builder: ClientBuilder) -> Result<Client, ModelError> {
    builder
        .build()
        .map_err(|error| config_error("the HTTP client could not be set up").with_source(error))
}

/// The client for an address that other crates of Pravah use. It follows no redirect.
#[cfg(feature = "reqwest")]
pub fn http_client(base: &Url) -> Result<Client, ModelError> {
    build(builder(base, Timeouts::default().connect)?)
}

/// A client for an address.
pub(super) fn builder(base: &Url, connect: Duration) -> Result<ClientBuilder, ModelError> {
    let builder = Client::builder()
        .tls_backend_preconfigured(
            tls::config(base).map_err(|e| config_error("TLS").with_source(e))?,
        )
        .connect_timeout(connect)
        // A redirect would carry prompts to where nobody configured.
        .redirect(redirect::Policy::none());
    Ok(match tls::is_loopback(base) {
        true => builder.no_proxy(),
        false => builder,
    })
}

fn too_slow(limit: Duration) -> ModelError {
    ModelError::timed_out(format!(
        "the provider did not begin to answer within {limit:?}"
    ))
}

/// Where an answer sends whoever asked, if it does.
fn redirect_target(response: &Response) -> Option<String> {
    let target = response.headers().get(LOCATION)?.to_str().ok()?;
    let target = response.url().join(target).ok()?;
    let is_redirect = response.status().is_redirection();
    is_redirect.then(|| public_address(target.as_str()))
}

pub(super) fn transport(error: reqwest::Error) -> ModelError {
    let cause = root_cause(&error);
    let address = error.url().map(ToString::to_string);
    let error_of = |what| ModelError::new(ModelErrorKind::Transport, what);
    let problem = if error.is_connect() {
        error_of(format!("the provider could not be reached: {cause}"))
    } else if error.is_timeout() {
        ModelError::timed_out("the provider took too long to answer")
    } else {
        // The request may have been served.
        error_of(format!("the connection to the provider broke: {cause}"))
            .with_usage(Usage::default())
    };
    let problem = problem.with_told_source(error.without_url());
    match address {
        Some(address) => problem.with_address(&address),
        None => problem,
    }
}

/// What the innermost source of an error says: the layers around it say only where it happened.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
