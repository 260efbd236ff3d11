//! The HTTP+JSON binding: an address for each operation.

use std::{convert::Infallible, sync::Arc};

use a2a::{
    A2AError, GetTaskRequest, ListTasksRequest, SendMessageRequest, SendMessageResponse,
    StreamResponse, error_code as code, errordetails::PROTOCOL_DOMAIN,
};
use axum::{
    Router,
    body::Bytes,
    extract::{Query, RawPathParams, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse as _, Response, Sse, sse::Event},
    routing::{get, post},
};
use futures_util::{Stream, StreamExt as _};
use pravah_runtime::__private::read_json;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{Server, caller::CallContext, http};

pub(super) fn routes() -> Router<Arc<Server>> {
    Router::new()
        .route("/message:send", post(send))
        .route("/message:stream", post(send_streaming))
        .route("/tasks", get(list))
        .route(
            "/tasks/{task}",
            get(get_or_subscribe).post(cancel_or_subscribe),
        )
        .route(
            "/tasks/{task}/pushNotificationConfigs",
            get(no_push).post(no_push),
        )
        .route(
            "/tasks/{task}/pushNotificationConfigs/{config}",
            get(no_push).delete(no_push),
        )
        .route("/extendedAgentCard", get(no_extended_card))
}

async fn send(
    State(server): State<Arc<Server>>,
    context: CallContext,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let sent = match message(&server, &context, &headers, &body) {
        Ok(request) => server.send(context, request).await,
        Err(error) => Err(error),
    };
    answered(sent.map(SendMessageResponse::Task))
}

async fn send_streaming(
    State(server): State<Arc<Server>>,
    context: CallContext,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    streamed(match message(&server, &context, &headers, &body) {
        Ok(request) => server.send_streaming(context, request).await,
        Err(error) => Err(error),
    })
}

fn message(
    server: &Server,
    context: &CallContext,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<SendMessageRequest, A2AError> {
    http::check_json(headers)?;
    server.check_version(context)?;
    read_json(body).map_err(|error| A2AError::invalid_params(error.to_string()))
}

async fn list(
    State(server): State<Arc<Server>>,
    context: CallContext,
    Query(query): Query<TextQuery>,
) -> Response {
    answered(server.check_version(&context).and_then(|()| {
        let request: ListTasksRequest = typed(query)?;
        server.list(&context, &request)
    }))
}

async fn get_or_subscribe(
    State(server): State<Arc<Server>>,
    context: CallContext,
    params: RawPathParams,
    Query(query): Query<TextQuery>,
) -> Response {
    let (id, verb) = id_and_verb(&params);
    if let Err(error) = server.check_version(&context) {
        return failed(&error);
    }
    match verb {
        None => answered(typed(query).and_then(|request| {
            let id = id.to_owned();
            server.get(&context, &GetTaskRequest { id, ..request })
        })),
        Some("subscribe") => streamed(server.subscribe(&context, id)),
        Some(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The body says nothing more. It is read all the same: a connection on which some of it is still to come is closed, also
/// for the request that the client sends next.
async fn cancel_or_subscribe(
    State(server): State<Arc<Server>>,
    context: CallContext,
    params: RawPathParams,
    _: Bytes,
) -> Response {
    let (id, verb) = id_and_verb(&params);
    if let Err(error) = server.check_version(&context) {
        return failed(&error);
    }
    match verb {
        Some("cancel") => answered(server.cancel(&context, id).await),
        Some("subscribe") => streamed(server.subscribe(&context, id)),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

async fn no_push(_: CallContext, _: Bytes) -> Response {
    failed(&A2AError::push_notification_not_supported())
}

async fn no_extended_card(_: CallContext) -> Response {
    failed(&http::no_extended_card())
}

/// The id of a task and what is wanted of it: `ID:cancel`.
fn id_and_verb(params: &RawPathParams) -> (&str, Option<&str>) {
    let mut params = params.iter();
    let task = params.find(|(name, _)| *name == "task");
    let task = task.map_or("", |(_, task)| task);
    match task.rsplit_once(':') {
        Some((id, verb)) => (id, Some(verb)),
        None => (task, None),
    }
}

type TextQuery = std::collections::BTreeMap<String, String>;

/// Reads what is text in a query and may be a number, a truth value or a text in the request.
fn typed<T: DeserializeOwned>(query: TextQuery) -> Result<T, A2AError> {
    let fields = query.into_iter().map(|(name, text)| {
        let is_text = matches!(
            name.as_str(),
            "contextId" | "status" | "pageToken" | "statusTimestampAfter" | "tenant"
        );
        let value = match serde_json::from_str(&text) {
            Ok(value) if !is_text => value,
            _ => json!(text),
        };
        (name, value)
    });
    let mut fields: serde_json::Map<_, _> = fields.collect();
    fields.entry("id").or_insert_with(|| "".into());
    serde_json::from_value(fields.into())
        .map_err(|error| A2AError::invalid_params(error.to_string()))
}

fn answered(outcome: Result<impl Serialize, A2AError>) -> Response {
    match outcome {
        Ok(answer) => json_response(StatusCode::OK, http::to_json(&answer)),
        Err(error) => failed(&error),
    }
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(CONTENT_TYPE, http::A2A_JSON)], body).into_response()
}

fn streamed(
    updates: Result<impl Stream<Item = StreamResponse> + Send + 'static, A2AError>,
) -> Response {
    let updates = match updates {
        Ok(updates) => updates,
        Err(error) => return failed(&error),
    };
    let events =
        updates.map(|update| Ok::<_, Infallible>(Event::default().data(http::to_json(&update))));
    Sse::new(events)
        .keep_alive(http::keep_alive())
        .into_response()
}

/// An error as <https://google.aip.dev/193> has it.
fn failed(error: &A2AError) -> Response {
    let status = StatusCode::from_u16(error.http_status_code());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({ "error": {
        "code": status.as_u16(),
        "status": status_name(error.code),
        "message": error.message,
        "details": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": a2a::error_reason(error.code),
            "domain": PROTOCOL_DOMAIN,
        }],
    } });
    json_response(status, body.to_string())
}

/// <https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto>
const fn status_name(error: i32) -> &'static str {
    match error {
        code::TASK_NOT_FOUND => "NOT_FOUND",
        code::INTERNAL_ERROR | code::INVALID_AGENT_RESPONSE => "INTERNAL",
        code::PARSE_ERROR
        | code::INVALID_REQUEST
        | code::INVALID_PARAMS
        | code::CONTENT_TYPE_NOT_SUPPORTED => "INVALID_ARGUMENT",
        code::METHOD_NOT_FOUND | code::PUSH_NOTIFICATION_NOT_SUPPORTED => "UNIMPLEMENTED",
        _ => "FAILED_PRECONDITION",
    }
}
