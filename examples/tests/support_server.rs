//! The help desk with a model behind HTTP, killed while the model thinks.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const TICKET: &str = r#"{"id": "T-9", "from": "dora@example.com", "subject": "Broken mug", "body": "Please pay back 7 euros."}"#;

/// A server that speaks like OpenAI. Its second answer never comes.
#[derive(Clone)]
struct Server {
    requests: Arc<Mutex<Vec<Value>>>,
    thinking: UnboundedSender<()>,
}

async fn complete(
    State(server): State<Server>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Json<Value> {
    assert_eq!(headers.get("authorization").unwrap(), "Bearer a-key");
    let count = {
        let mut requests = server.requests.lock().unwrap();
        requests.push(request);
        requests.len()
    };
    match count {
        1 => answer("search_articles", &json!({ "words": "broken" })),
        2 => {
            server.thinking.send(()).unwrap();
            std::future::pending().await
        }
        _ => answer("submit", &json!({ "reply": "Sorry.", "refund": 7 })),
    }
}

fn answer(tool: &str, arguments: &Value) -> Json<Value> {
    let function = json!({ "name": tool, "arguments": arguments.to_string() });
    let calls = json!([{ "id": format!("call-{tool}"), "type": "function", "function": function }]);
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    Json(json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27 },
    }))
}

fn support(data: &Path, base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_support"));
    command
        .args(["--yes", "--model", "openai://some-model", "--data"])
        .arg(data)
        .arg("--state")
        .arg(data.join("state.json"))
        .env("OPENAI_API_KEY", "a-key")
        .env("OPENAI_BASE_URL", base_url)
        .env("NO_PROXY", "127.0.0.1")
        .stdin(Stdio::null());
    command
}

fn data() -> TempDir {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("tickets.jsonl"), TICKET).unwrap();
    fs::create_dir(data.path().join("articles")).unwrap();
    fs::write(
        data.path().join("articles/refunds.md"),
        "What is broken is paid back.",
    )
    .unwrap();
    data
}

// Committed model and tool calls are not made again; the one that was cut off is.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_while_the_model_thinks_repeats_no_committed_call() {
    let (thinking, mut thinks) = unbounded_channel();
    let server = Server {
        requests: Arc::default(),
        thinking,
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new()
        .route("/v1/chat/completions", post(complete))
        .with_state(server.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let data = data();

    let mut child = support(data.path(), &base_url)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let ended = tokio::task::spawn_blocking(move || std::io::read_to_string(&mut stdout));
    tokio::select! {
        _ = thinks.recv() => {}
        output = ended => panic!("it ended before the second request: {output:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = support(data.path(), &base_url)
        .arg("--resume")
        .output()
        .unwrap();

    assert_eq!(String::from_utf8(resumed.stderr).unwrap(), "");
    let output = String::from_utf8(resumed.stdout).unwrap();
    assert!(
        output.contains("\n  3. triage (model) -> Verdict\n"),
        "{output}"
    );
    assert!(!output.contains("(tools)"), "{output}");
    assert!(
        output.ends_with("resolutions\n  T-9 refunded: Sorry. (7 euros paid back)\n"),
        "{output}"
    );
    let requests = server.requests.lock().unwrap();
    let [first, cut_off, repeated] = requests.as_slice() else {
        panic!("{} requests: {requests:#?}", requests.len());
    };
    assert_eq!(cut_off, repeated);
    assert_eq!(first["model"], "some-model");
    let conversation = cut_off["messages"].to_string();
    assert!(
        conversation.contains("What is broken is paid back."),
        "{conversation}"
    );
}
