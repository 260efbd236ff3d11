//! Runs over HTTP, with a real server and clients that say what they want, byte by byte.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "web/access.rs"]
mod access;
#[path = "web/ends.rs"]
mod ends;
#[path = "web/errors.rs"]
mod errors;
#[path = "web/keys.rs"]
mod keys;
#[path = "web/origins.rs"]
mod origins;
#[path = "web/runs.rs"]
mod runs;
#[path = "web/shown.rs"]
mod shown;
#[path = "web/socket.rs"]
mod socket;

use std::{net::SocketAddr, time::Duration};

use pravah_runtime::{WebServer, prelude::*};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};

#[state]
struct Draft {
    n: u32,
}
#[state]
struct Checked {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Page {
    n: u32,
}

#[gate(prompt = "How many more?")]
fn approve(draft: &Draft, more: u32) -> Checked {
    Checked { n: draft.n + more }
}

#[node]
fn print(checked: &Checked) -> Page {
    Page { n: checked.n }
}

#[flow(named)]
fn story(draft: Draft) -> Page {
    flow! { approve -> print }
}

fn run_called(id: &str) -> FlowRuntime<story> {
    story::start(Draft { n: 1 }).unwrap().with_run_id(id)
}

const TOKEN: &str = "t0ken&%";

/// A server on loopback.
async fn served(server: &WebServer) -> SocketAddr {
    let listener = server.bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.local_addr();
    tokio::spawn(listener.run());
    address
}

fn server() -> WebServer {
    WebServer::new().with_token(TOKEN)
}

/// An answer, with its headers in lower case.
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

async fn connect(address: SocketAddr, first: &str, headers: &[&str], body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let request = format!("{first} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

/// A request with these headers and no others.
async fn plain(address: SocketAddr, first: &str, headers: &[&str], body: &str) -> Answer {
    let headers: Vec<&str> = headers
        .iter()
        .copied()
        .chain(["Connection: close"])
        .collect();
    let mut socket = connect(address, first, &headers, body).await;
    let mut answer = String::new();
    within(socket.read_to_string(&mut answer)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let (status, headers) = head.split_once("\r\n").unwrap();
    Answer {
        status: status.split(' ').nth(1).unwrap().parse().unwrap(),
        headers: headers.to_lowercase(),
        body: body.to_owned(),
    }
}

const ALLOWED: [&str; 2] = ["Host: localhost", "Authorization: Bearer t0ken&%"];

async fn get(address: SocketAddr, path: &str) -> Answer {
    plain(address, &format!("GET {path}"), &ALLOWED, "").await
}

async fn post(address: SocketAddr, path: &str, body: &str) -> Answer {
    plain(address, &format!("POST {path}"), &ALLOWED, body).await
}

/// Asks for a run until it is shown so.
async fn shown_as(address: SocketAddr, run: &str, is_meant: impl Fn(&Value) -> bool) -> Value {
    let shown = async {
        loop {
            let shown = get(address, &format!("/runs/{run}")).await;
            if shown.status == 200 && is_meant(&shown.json()) {
                return shown.json();
            }
            sleep(Duration::from_millis(1)).await;
        }
    };
    within(shown).await
}

/// Asks until the run waits for an answer.
async fn until_asked(address: SocketAddr, run: &str) -> Value {
    shown_as(address, run, |shown| shown["questions"][0].is_object()).await
}

/// What comes of it; a test fails that would wait forever.
async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(10), future).await.unwrap()
}
