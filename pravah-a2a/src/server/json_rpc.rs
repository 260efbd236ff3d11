//! The JSON-RPC binding: one address for all operations.

use std::{convert::Infallible, sync::Arc};

use a2a::{
    A2AError, JsonRpcId, JsonRpcRequest, JsonRpcResponse, ListTasksRequest, StreamResponse, methods,
};
use axum::{
    Json,
    body::Bytes,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse as _, Response, Sse, sse::Event},
};
use futures_util::{Stream, StreamExt as _};
use pravah_runtime::__private::read_json;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{Server, caller::CallContext, http};

pub(super) async fn handle(
    State(server): State<Arc<Server>>,
    context: CallContext,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (id, request) = match read(&body) {
        Ok(read) => read,
        Err((id, error)) => return failed(id, error),
    };
    let accepted = http::check_json(&headers).and_then(|()| server.check_version(&context));
    if let Err(error) = accepted {
        return failed(id, error);
    }
    match request.method.as_str() {
        methods::SEND_STREAMING_MESSAGE => {
            let updates = match params(request) {
                Ok(params) => server.send_streaming(context, params).await,
                Err(error) => Err(error),
            };
            streamed(id, updates)
        }
        methods::SUBSCRIBE_TO_TASK => {
            let subscribed = params::<a2a::SubscribeToTaskRequest>(request)
                .and_then(|params| server.subscribe(&context, &params.id));
            streamed(id, subscribed)
        }
        _ => match unary(server, context, request).await {
            Ok(result) => Json(JsonRpcResponse::success(id, result)).into_response(),
            Err(error) => failed(id, error),
        },
    }
}

/// An operation that answers with one result.
async fn unary(
    server: Arc<Server>,
    context: CallContext,
    request: JsonRpcRequest,
) -> Result<Value, A2AError> {
    match request.method.as_str() {
        methods::SEND_MESSAGE => {
            let task = server.send(context, params(request)?).await?;
            result(&a2a::SendMessageResponse::Task(task))
        }
        methods::GET_TASK => result(&server.get(&context, &params(request)?)?),
        methods::LIST_TASKS => result(&server.list(&context, &list_params(request)?)?),
        methods::CANCEL_TASK => {
            let params: a2a::CancelTaskRequest = params(request)?;
            result(&server.cancel(&context, &params.id).await?)
        }
        methods::CREATE_PUSH_CONFIG
        | methods::GET_PUSH_CONFIG
        | methods::LIST_PUSH_CONFIGS
        | methods::DELETE_PUSH_CONFIG => Err(A2AError::push_notification_not_supported()),
        methods::GET_EXTENDED_AGENT_CARD => Err(http::no_extended_card()),
        method => Err(A2AError::method_not_found(method)),
    }
}

/// The request in a body, or the error with the id that belongs to it.
fn read(body: &[u8]) -> Result<(JsonRpcId, JsonRpcRequest), (JsonRpcId, A2AError)> {
    let json: Value = read_json(body)
        .map_err(|error| (JsonRpcId::Null, A2AError::parse_error(error.to_string())))?;
    let id = json.get("id").cloned().unwrap_or_default();
    let id = serde_json::from_value(id).unwrap_or(JsonRpcId::Null);
    let invalid = |why: String| (id.clone(), A2AError::invalid_request(why));
    let request: JsonRpcRequest =
        serde_json::from_value(json).map_err(|error| invalid(error.to_string()))?;
    match request.jsonrpc.as_str() {
        "2.0" => Ok((id, request)),
        _ => Err(invalid("`jsonrpc` is not `2.0`".to_owned())),
    }
}

fn params<T: DeserializeOwned>(request: JsonRpcRequest) -> Result<T, A2AError> {
    serde_json::from_value(request.params.unwrap_or_default())
        .map_err(|error| A2AError::invalid_params(error.to_string()))
}

/// The JavaScript SDK 1.3 sends the state `UNRECOGNIZED` where its user has named none.
fn list_params(mut request: JsonRpcRequest) -> Result<ListTasksRequest, A2AError> {
    if let Some(Value::Object(params)) = &mut request.params
        && params.get("status").and_then(Value::as_str) == Some("UNRECOGNIZED")
    {
        params.remove("status");
    }
    params(request)
}

fn result(value: &impl Serialize) -> Result<Value, A2AError> {
    serde_json::to_value(value).map_err(|error| A2AError::internal(error.to_string()))
}

fn failed(id: JsonRpcId, error: A2AError) -> Response {
    Json(JsonRpcResponse::error(id, error.to_jsonrpc_error())).into_response()
}

fn streamed(
    id: JsonRpcId,
    updates: Result<impl Stream<Item = StreamResponse> + Send + 'static, A2AError>,
) -> Response {
    let updates = match updates {
        Ok(updates) => updates,
        Err(error) => return failed(id, error),
    };
    let events = updates.map(move |update| {
        let response = match result(&update) {
            Ok(update) => JsonRpcResponse::success(id.clone(), update),
            Err(error) => JsonRpcResponse::error(id.clone(), error.to_jsonrpc_error()),
        };
        Ok::<_, Infallible>(Event::default().data(http::to_json(&response)))
    });
    Sse::new(events)
        .keep_alive(http::keep_alive())
        .into_response()
}
