//! A run over a WebSocket: its events go out, commands come in, and the outcome of each goes back.

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde::Serialize;
use serde_json::Value;
use tokio::task::unconstrained;

use super::commands::{Request, outcome, refused, send};
use crate::hub::Hub;

/// What became of the commands that the run has not taken.
type Waiting = FuturesUnordered<BoxFuture<'static, Value>>;

/// Speaks with one client until it leaves or the run has ended.
pub(super) async fn converse(mut socket: WebSocket, hub: Hub) {
    let mut events = hub.events();
    let mut waiting = Waiting::new();
    // It never ends: there may be another command.
    waiting.push(Box::pin(std::future::pending()));
    loop {
        let text = tokio::select! {
            event = events.next() => match event {
                Some(event) => json_text(&event),
                None => break,
            },
            Some(outcome) = waiting.next() => json_text(&outcome),
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => match take(&hub, &waiting, &text) {
                    Ok(()) => continue,
                    Err(refused) => json_text(&refused),
                },
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Binary(_))) => json_text(&refused(&Value::Null, &"commands are text")),
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        };
        if socket.send(Message::Text(text)).await.is_err() {
            return;
        }
    }
    // What the run took with its last step, also where the task has used up its budget.
    while let Some(Some(outcome)) = unconstrained(waiting.next()).now_or_never() {
        let text = json_text(&outcome);
        if socket.send(Message::Text(text)).await.is_err() {
            return;
        }
    }
    // The client may be gone.
    let _ = socket.send(Message::Close(None)).await;
}

/// Sends a command to the run.
fn take(hub: &Hub, waiting: &Waiting, text: &str) -> Result<(), Value> {
    let Request { request, command } =
        serde_json::from_str(text).map_err(|error| refused(&Value::Null, &error))?;
    let command = serde_json::from_value(command).map_err(|error| refused(&request, &error))?;
    let sent = send(hub, command);
    waiting.push(Box::pin(async move { outcome(&request, sent.await) }));
    Ok(())
}

fn json_text(value: &impl Serialize) -> Utf8Bytes {
    serde_json::to_string(value).unwrap_or_default().into()
}
