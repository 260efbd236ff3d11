//! What clients learn of the end of a run, and of one that is not shown any more.

use std::net::SocketAddr;

use futures_util::StreamExt as _;
use pravah_runtime::{Channels, Hub, prelude::*};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, task::JoinHandle};
use tokio_tungstenite::tungstenite::Message;

use super::{
    ALLOWED, connect, get, plain, post, run_called, served, server, shown_as,
    socket::{Socket, open, say},
    until_asked, within,
};

fn reply(n: u32) -> Value {
    json!({ "type": "reply", "id": "approve", "answer": n })
}

/// What became of the only command that was sent, once the socket is closed.
async fn outcome(mut socket: Socket) -> String {
    let mut outcomes = Vec::new();
    while let Some(Ok(message)) = within(socket.next()).await {
        if let Message::Text(text) = message {
            let value: Value = serde_json::from_str(&text).unwrap();
            if value.get("type").is_some() {
                assert_eq!(value["request"], 7);
                outcomes.push(value["type"].as_str().unwrap().to_owned());
            }
        }
    }
    let [outcome] = <[String; 1]>::try_from(outcomes).unwrap();
    outcome
}

#[tokio::test]
async fn whoever_answers_second_over_a_websocket_is_told() {
    let server = server();
    let address = served(&server).await;
    for _ in 0..20 {
        let mut run = run_called("r");
        let channels = Channels::new().with_required(server.channel());
        let pages = async {
            until_asked(address, "r").await;
            let (mut one, mut other) = (open(address).await, open(address).await);
            let command = |n| json!({ "request": 7, "command": reply(n) }).to_string();
            let (first, second) = (command(1), command(2));
            tokio::join!(say(&mut one, &first), say(&mut other, &second));
            let (one, other) = tokio::join!(outcome(one), outcome(other));
            let mut both = [one, other];
            both.sort_unstable();
            assert_eq!(both, ["refused", "taken"]);
        };
        let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), pages);
        assert!(matches!(out.unwrap(), RunOut::Done(_)));
    }
}

#[tokio::test]
async fn a_command_that_was_sent_without_knowing_of_the_end_is_refused() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let hub = run.hub();
    let channels = Channels::new().with_required(server.channel());
    let page = async {
        until_asked(address, "r").await;
        let socket = open(address).await;
        hub.cancel("enough").await.unwrap();
        socket
    };
    let (out, mut socket) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert!(matches!(out, Err(FlowError::Cancelled { .. })));
    // Whoever gets this answer has waited until the server knows of the end.
    assert_eq!(get(address, "/runs/r").await.status, 410);
    let command = json!({ "request": 7, "command": reply(1) });
    say(&mut socket, &command.to_string()).await;
    assert_eq!(outcome(socket).await, "refused");
}

#[tokio::test]
async fn a_run_that_has_ended_is_gone_and_one_that_never_was_is_not_found() {
    let server = server();
    let address = served(&server).await;
    for n in 0..1_100 {
        let id = format!("r{n}");
        let run = &mut run_called(&id);
        let hub = run.hub();
        hub.cancel("enough");
        let channels = Channels::new().with_required(server.channel());
        let out = run.serve_with(Context::default(), channels).await;
        assert!(matches!(out, Err(FlowError::Cancelled { .. })));
    }
    for (id, status) in [("r1099", 410), ("r76", 410), ("r75", 404), ("other", 404)] {
        let commands = format!("/runs/{id}/commands");
        let answer = post(address, &commands, &reply(1).to_string()).await;
        assert_eq!(answer.status, status, "{id}");
        let shown = get(address, &format!("/runs/{id}")).await;
        assert_eq!(shown.status, status, "{id}");
    }
}

/// Shows a run that goes on afterwards.
fn show(hub: &Hub, server: &pravah_runtime::WebServer) -> JoinHandle<()> {
    let (hub, channel) = (hub.clone(), server.channel());
    tokio::spawn(async move { hub.attach(channel).await.unwrap() })
}

async fn events(address: SocketAddr) -> tokio::net::TcpStream {
    let headers = [ALLOWED[0], ALLOWED[1], "Connection: close"];
    let mut stream = connect(address, "GET /runs/r/events", &headers, "").await;
    let mut head = [0; 15];
    stream.read_exact(&mut head).await.unwrap();
    stream
}

#[tokio::test]
async fn sockets_and_events_end_with_the_channel_and_command_the_run_no_more() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let hub = run.hub();
    let showing = show(&hub, &server);
    shown_as(address, "r", |_| true).await;
    let mut socket = open(address).await;
    let mut stream = events(address).await;
    showing.abort();
    assert!(within(showing).await.unwrap_err().is_cancelled());
    let cancel = json!({ "type": "cancel", "reason": "mine" });
    let command = json!({ "request": 7, "command": cancel });
    say(&mut socket, &command.to_string()).await;
    assert_eq!(outcome(socket).await, "refused");
    within(stream.read_to_end(&mut Vec::new())).await.unwrap();
    drop(hub);
    // Nobody holds a hub any more, or it would wait for an answer.
    let out = within(run.serve(Context::default())).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }));
}

#[tokio::test]
async fn a_question_is_shown_with_its_number_and_only_an_answer_to_that_one_is_taken() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let channels = Channels::new().with_required(server.channel());
    let page = async {
        let shown = until_asked(address, "r").await;
        let number = shown["questions"][0]["number"].as_u64().unwrap();
        for (number, status) in [(number + 1, 409), (number, 200)] {
            let mut command = reply(1);
            command["number"] = json!(number);
            let answer = post(address, "/runs/r/commands", &command.to_string()).await;
            assert_eq!(answer.status, status, "{}", answer.body);
        }
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), page);
    assert!(matches!(out.unwrap(), RunOut::Done(_)));
}

#[tokio::test]
async fn answers_are_taken_for_what_they_are_and_shown_in_no_frame() {
    let address = served(&server()).await;
    for headers in [&ALLOWED[..], &ALLOWED[..1], &[]] {
        let answer = plain(address, "GET /runs", headers, "").await;
        for expected in [
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answer.headers.contains(expected), "{}", answer.headers);
        }
    }
}
