//! Requests in one of the two bindings, and what is answered.

use a2a::{
    JsonRpcRequest, JsonRpcResponse, SVC_PARAM_VERSION, StreamResponse,
    TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC, VERSION, methods,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use pravah_runtime::{
    __private::read_json,
    BoxError,
    invocation::{RunnerError, RunnerErrorKind},
    reqwest::{
        Client, Method, RequestBuilder, Response, StatusCode, Url,
        header::{ACCEPT, CONTENT_TYPE, HeaderValue},
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use sse_stream::SseStream;

use super::{
    error::{CallError, brief, retry_after},
    servers::{CARD, below},
};
use crate::content::JSON;

/// The longest answer, in bytes.
const MAX_BODY: usize = 16 << 20;

/// How much is read of one stream, in bytes.
const MAX_STREAM: usize = MAX_BODY;

/// How a server is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binding {
    JsonRpc,
    Rest,
}

impl Binding {
    /// The binding of this name on a card.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            TRANSPORT_PROTOCOL_JSONRPC => Some(Self::JsonRpc),
            TRANSPORT_PROTOCOL_HTTP_JSON => Some(Self::Rest),
            _ => None,
        }
    }
}

/// An interface of an agent.
pub(super) struct Transport {
    pub(super) client: Client,
    pub(super) binding: Binding,
    pub(super) url: Url,
    pub(super) tenant: Option<String>,
    pub(super) token: Option<String>,
}

/// The events of a stream.
pub(super) type Events =
    std::pin::Pin<Box<dyn Stream<Item = Result<StreamResponse, CallError>> + Send>>;

impl Transport {
    /// Asks for something that is answered at once.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<T, CallError> {
        let request = self.request(method, params)?;
        let response = request.header(ACCEPT, JSON).send().await?;
        self.answer(response).await
    }

    /// Asks for a stream.
    pub(super) async fn stream(
        &self,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Events, CallError> {
        let request = self.request(method, params)?;
        let response = request.header(ACCEPT, "text/event-stream").send().await?;
        if !is_event_stream(&response) {
            // An error, which is no stream, or something that is no answer.
            self.answer::<Value>(response).await?;
            return Err(CallError::malformed(
                "the server did not answer with an event stream",
            ));
        }
        let binding = self.binding;
        let events = SseStream::from_bytes_stream(Box::pin(limited(response)))
            .map_err(broken)
            .try_filter_map(|event| async move { Ok(event.data.filter(|it| !it.is_empty())) })
            .map(move |data| read_event(binding, &data?));
        Ok(Box::pin(events))
    }

    fn request(
        &self,
        method: &str,
        mut params: Map<String, Value>,
    ) -> Result<RequestBuilder, CallError> {
        let request = match self.binding {
            Binding::JsonRpc => {
                if let Some(tenant) = &self.tenant {
                    params.insert("tenant".to_owned(), json!(tenant));
                }
                let request = JsonRpcRequest::new(1.into(), method, Some(params.into()));
                with_json(self.client.post(self.url.clone()), &request)?
            }
            Binding::Rest => self.rest_request(method, params)?,
        };
        let request = request.header(SVC_PARAM_VERSION, VERSION);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
    }

    fn rest_request(
        &self,
        method: &str,
        mut params: Map<String, Value>,
    ) -> Result<RequestBuilder, CallError> {
        let mut id = || match params.remove("id") {
            Some(Value::String(id)) => id,
            _ => String::new(),
        };
        let (verb, path) = match method {
            methods::SEND_MESSAGE => (Method::POST, vec!["message:send".to_owned()]),
            methods::GET_TASK => (Method::GET, vec!["tasks".to_owned(), id()]),
            methods::LIST_TASKS => (Method::GET, vec!["tasks".to_owned()]),
            methods::CANCEL_TASK => {
                let id = format!("{}:cancel", id());
                (Method::POST, vec!["tasks".to_owned(), id])
            }
            methods::SUBSCRIBE_TO_TASK => {
                let id = format!("{}:subscribe", id());
                (Method::GET, vec!["tasks".to_owned(), id])
            }
            method => {
                return Err(CallError::malformed(format!(
                    "there is no method `{method}`"
                )));
            }
        };
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&self.tenant).extend(path);
        }
        Ok(match verb {
            Method::GET => {
                if !params.is_empty() {
                    let mut query = url.query_pairs_mut();
                    for (name, value) in &params {
                        match value {
                            Value::String(text) => query.append_pair(name, text),
                            value => query.append_pair(name, &value.to_string()),
                        };
                    }
                }
                self.client.get(url)
            }
            verb => with_json(self.client.request(verb, url), &params)?,
        })
    }

    async fn answer<T: DeserializeOwned>(&self, response: Response) -> Result<T, CallError> {
        let body = read(response).await?;
        match self.binding {
            Binding::Rest => parse(&body),
            Binding::JsonRpc => result_of(parse(&body)?),
        }
    }
}

fn with_json(request: RequestBuilder, body: &impl Serialize) -> Result<RequestBuilder, CallError> {
    let body = serde_json::to_vec(body).map_err(|error| {
        let why = "the request cannot be written as JSON";
        RunnerError::new(RunnerErrorKind::Refused, why).with_source(error)
    })?;
    Ok(request.header(CONTENT_TYPE, JSON).body(body))
}

/// The card of the agent below this address.
pub(super) async fn card<T: DeserializeOwned>(
    client: &Client,
    base: &Url,
    token: Option<&str>,
) -> Result<T, CallError> {
    let url = below(base, CARD);
    let request = client.get(url).header(SVC_PARAM_VERSION, VERSION);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    parse(&read(request.send().await?).await?)
}

fn result_of<T: DeserializeOwned>(response: JsonRpcResponse) -> Result<T, CallError> {
    if let Some(error) = response.error {
        return Err(CallError::of_json_rpc(error));
    }
    let result = response.result.unwrap_or_default();
    serde_json::from_value(result).map_err(unreadable)
}

fn read_event(binding: Binding, data: &str) -> Result<StreamResponse, CallError> {
    match binding {
        Binding::JsonRpc => result_of(parse(data.as_bytes())?),
        Binding::Rest => {
            let event: Value = parse(data.as_bytes())?;
            match event.get("error") {
                Some(_) => {
                    let status = StatusCode::INTERNAL_SERVER_ERROR;
                    Err(CallError::of_status(status, None, data.as_bytes()))
                }
                None => serde_json::from_value(event).map_err(unreadable),
            }
        }
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallError> {
    read_json(body).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> CallError {
    let error = brief(&error.to_string());
    CallError::malformed(format!(
        "the answer of the server is not valid A2A: {error}"
    ))
}

fn broken(error: sse_stream::Error) -> CallError {
    let error: BoxError = match error {
        sse_stream::Error::Body(error) => error,
        error => error.into(),
    };
    match error.downcast::<Broken>() {
        Ok(error) => error.0,
        Err(error) => CallError::malformed(format!("the event stream cannot be read: {error}")),
    }
}

fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|it: &HeaderValue| it.to_str().ok());
    response.status().is_success()
        && content_type.is_some_and(|it| it.trim_start().starts_with("text/event-stream"))
}

/// Reads a body, up to a limit. Fails where the status is no success.
async fn read(mut response: Response) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len().saturating_add(chunk.len()) > MAX_BODY {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    match response.status() {
        status if status.is_success() => Ok(body),
        StatusCode::UNAUTHORIZED => Err(CallError::unauthorized(response.url())),
        status => Err(CallError::of_status(status, retry_after(&response), &body)),
    }
}

fn too_long() -> CallError {
    CallError::malformed(format!(
        "the server answers with more than {MAX_BODY} bytes"
    ))
}

/// Why a stream has ended early.
#[derive(Debug)]
struct Broken(CallError);

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.error.fmt(f)
    }
}

impl std::error::Error for Broken {}

/// The chunks of a stream of events. One that goes on for long ends, and whoever follows it asks for another.
fn limited(response: Response) -> impl Stream<Item = Result<Bytes, Broken>> + Send {
    futures_util::stream::try_unfold((response, 0_usize), |(mut response, length)| async move {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| Broken(error.into()))?;
        let length = length.saturating_add(chunk.as_ref().map_or(0, Bytes::len));
        let chunk = chunk.filter(|_| length <= MAX_STREAM);
        Ok(chunk.map(|chunk| (chunk, (response, length))))
    })
}
