//! A run over a WebSocket: its events go out, commands come in, and the outcome of each goes back.

use std::{fmt::Display, time::Duration};

use axum::{
    body::Bytes,
    extract::ws::{Message, WebSocket},
};
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde::Serialize;
use serde_json::Value;
use tokio::{
    task::unconstrained,
    time::{sleep, timeout},
};

use super::{
    commands::{HIDDEN, Request, outcome, refused, send},
    shown::ShownRun,
};

/// How long a client has to take what it was sent until the end, and to say that it knows of it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// What the last ping carries.
const LAST: &[u8] = b"last";

/// That the client has left.
struct Left;

/// Speaks with one client until it leaves, the run has ended or is not shown any more.
pub(super) async fn converse(socket: WebSocket, run: ShownRun) {
    let mut client = Client {
        socket,
        waiting: FuturesUnordered::new(),
    };
    let is_hidden = run.is_hidden.clone();
    let late = async {
        is_hidden.cancelled().await;
        sleep(CLOSE_TIMEOUT).await;
    };
    tokio::select! {
        Ok(()) = client.follow(run) => {}
        () = late => return,
        else => return,
    }
    // It may leave meanwhile.
    let _ = timeout(CLOSE_TIMEOUT, client.end()).await;
}

struct Client {
    socket: WebSocket,
    /// What became of the commands that the run has not taken.
    waiting: FuturesUnordered<BoxFuture<'static, Value>>,
}

impl Client {
    /// Sends events and takes commands.
    async fn follow(&mut self, run: ShownRun) -> Result<(), Left> {
        let mut events = run.hub.events();
        loop {
            tokio::select! {
                event = events.next_until(&run.is_hidden) => match event {
                    Some(event) => self.say(&event).await?,
                    None => break,
                },
                Some(outcome) = self.waiting.next() => self.say(&outcome).await?,
                message = self.socket.recv() => {
                    if let Some(request) = read(message)?
                        && let Err(refused) = request.and_then(|it| self.take(&run, it))
                    {
                        self.say(&refused).await?;
                    }
                }
            }
        }
        // What the run took with its last step, also where the task has used up its budget.
        while let Some(Some(outcome)) = unconstrained(self.waiting.next()).now_or_never() {
            self.say(&outcome).await?;
        }
        Ok(())
    }

    /// Refuses the commands that were sent before the client could know of the end, and closes the socket.
    async fn end(&mut self) -> Result<(), Left> {
        let ping = Message::Ping(Bytes::from_static(LAST));
        self.send(ping).await?;
        // What was sent before comes before the answer to the ping.
        loop {
            let message = self.socket.recv().await;
            if let Some(Ok(Message::Pong(payload))) = &message
                && *payload == LAST
            {
                return self.send(Message::Close(None)).await;
            }
            if let Some(request) = read(message)? {
                let refused = request.map_or_else(|it| it, |it| refused(&it.request, &HIDDEN));
                self.say(&refused).await?;
            }
        }
    }

    /// Sends a command to the run.
    fn take(&self, run: &ShownRun, request: Request) -> Result<(), Value> {
        let Request { request, command } = request;
        if run.is_hidden.is_cancelled() {
            return Err(refused(&request, &HIDDEN));
        }
        let command = serde_json::from_value(command).map_err(|error| refused(&request, &error))?;
        let sent = send(&run.hub, command);
        self.waiting
            .push(Box::pin(async move { outcome(&request, sent.await) }));
        Ok(())
    }

    async fn say(&mut self, value: &impl Serialize) -> Result<(), Left> {
        let text = serde_json::to_string(value).unwrap_or_default();
        self.send(Message::Text(text.into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Left> {
        self.socket.send(message).await.map_err(|_| Left)
    }
}

/// What a client asks for, if it does, or why it is refused.
fn read(
    message: Option<Result<Message, axum::Error>>,
) -> Result<Option<Result<Request, Value>>, Left> {
    let nameless = |error: &dyn Display| refused(&Value::Null, &error);
    match message {
        Some(Ok(Message::Text(text))) => {
            let request = serde_json::from_str(&text);
            Ok(Some(request.map_err(|error| nameless(&error))))
        }
        Some(Ok(Message::Binary(_))) => Ok(Some(Err(nameless(&"commands are text")))),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Close(_)) | Err(_)) | None => Err(Left),
    }
}
