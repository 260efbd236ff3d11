//! A run over a WebSocket.

use futures_util::{SinkExt as _, StreamExt as _};
use pravah_runtime::{Channels, prelude::*};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

use super::{Page, run_called, served, server, until_asked, within};

pub(super) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(super) async fn open(address: std::net::SocketAddr) -> Socket {
    let url = format!("ws://{address}/runs/r/socket?token=t0ken%26%25");
    connect_async(url).await.unwrap().0
}

pub(super) async fn say(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).await.unwrap();
}

/// The next message for which this holds.
async fn next(socket: &mut Socket, is_meant: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = within(socket.next()).await.unwrap().unwrap();
        let Message::Text(text) = message else {
            continue;
        };
        let value: Value = serde_json::from_str(&text).unwrap();
        if is_meant(&value) {
            return value;
        }
    }
}

fn is_outcome(message: &Value) -> bool {
    message.get("type").is_some()
}

#[tokio::test]
async fn events_come_and_the_outcome_of_each_command() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let channels = Channels::new().with_required(server.channel());
    let page = async {
        until_asked(address, "r").await;
        let mut socket = open(address).await;
        for nonsense in [
            "",
            "{",
            "[]",
            "{\"request\":1}",
            "{\"command\":{\"type\":\"jump\"}}",
        ] {
            say(&mut socket, nonsense).await;
            let refused = next(&mut socket, is_outcome).await;
            assert_eq!(refused["type"], "refused", "{nonsense}");
            assert!(refused["error"].is_string());
        }
        let unknown = "{\"request\":7,\"command\":{\"type\":\"jump\"}}";
        say(&mut socket, unknown).await;
        let refused = next(&mut socket, is_outcome).await;
        assert_eq!(
            (&refused["type"], &refused["request"]),
            (&json!("refused"), &json!(7))
        );
        socket.send(Message::binary(vec![0, 255])).await.unwrap();
        assert_eq!(next(&mut socket, is_outcome).await["type"], "refused");
        let wrong = json!({
            "request": ["mine", 1],
            "command": { "type": "reply", "id": "approve", "answer": "many" },
        });
        say(&mut socket, &wrong.to_string()).await;
        let refused = next(&mut socket, is_outcome).await;
        assert_eq!(
            (&refused["type"], &refused["request"]),
            (&json!("refused"), &json!(["mine", 1]))
        );

        say(
            &mut socket,
            "{\"command\":{\"type\":\"emit\",\"name\":\"seen\",\"value\":1,\"announced\":true}}",
        )
        .await;
        let seen = next(&mut socket, |it| it["event"]["type"] == "emitted").await;
        assert_eq!(seen["event"]["name"], "seen");

        let right = json!({
            "request": 2, "command": { "type": "reply", "id": "approve", "answer": 4 },
        });
        say(&mut socket, &right.to_string()).await;
        let mut rest = Vec::new();
        while let Some(Ok(message)) = within(socket.next()).await {
            if let Message::Text(text) = message {
                rest.push(serde_json::from_str::<Value>(&text).unwrap());
            }
        }
        assert!(
            rest.contains(&json!({ "type": "taken", "request": 2, "step": 1 })),
            "{rest:?}"
        );
        assert!(
            rest.iter()
                .any(|it| it["event"]["type"] == "harness:complete")
        );
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 5 }));
}

#[tokio::test]
async fn a_client_that_leaves_or_reads_nothing_disturbs_nobody() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let channels = Channels::new().with_required(server.channel());
    let page = async {
        until_asked(address, "r").await;
        let idle = open(address).await;
        drop(open(address).await);
        let mut socket = open(address).await;
        let command = json!({ "command": { "type": "reply", "id": "approve", "answer": 1 } });
        say(&mut socket, &command.to_string()).await;
        drop(socket);
        idle
    };
    let (out, _idle) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 2 }));
}
