//! HTTP, files and commands.

use std::{path::Path, time::Duration};

use super::*;
use crate::FlowConf;

fn within(folder: &Path) -> Context {
    Context::new(FlowConf {
        working_dir: folder.to_owned(),
        commands: vec!["sh".to_owned()],
        ..FlowConf::default()
    })
}

async fn output_in(type_name: &str, input: Value, ctx: Context) -> Value {
    let flow = with_packs(document(graph(vec![node("n", type_name, input)], &[])));
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(ctx).await.unwrap() else {
        panic!("it is not done")
    };
    done.outputs["n"].clone()
}

// P6
#[tokio::test]
async fn a_file_is_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let input = json!({ "path": "notes.md", "content": "für dich" });
    let written = output_in("file.write", input, within(folder.path())).await;
    assert_eq!(written, json!({ "bytes": 9 }));
    let input = |most: u64| json!({ "path": "notes.md", "maxBytes": most });
    let read = output_in("file.read", input(9), within(folder.path())).await;
    assert_eq!(read, json!({ "content": "für dich" }));
    let long = failure_in("file.read", input(8), within(folder.path())).await;
    assert_eq!(
        long,
        ("data".into(), "`notes.md` is longer than 8 bytes".into())
    );
}

// P6, S1.36
#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["../elsewhere", "/etc/passwd"] {
        let (kind, _) =
            failure_in("file.read", json!({ "path": path }), within(folder.path())).await;
        assert_eq!(kind, "data");
        let input = json!({ "path": path, "content": "" });
        let (kind, _) = failure_in("file.write", input, within(folder.path())).await;
        assert_eq!(kind, "data");
    }
    let missing = failure_in(
        "file.read",
        json!({ "path": "none" }),
        within(folder.path()),
    )
    .await;
    assert_eq!(missing.0, "error");
    std::fs::write(folder.path().join("bytes"), [0xff]).unwrap();
    let (_, message) = failure_in(
        "file.read",
        json!({ "path": "bytes" }),
        within(folder.path()),
    )
    .await;
    assert_eq!(message, "`bytes` is not valid UTF-8");
}

// P6
#[cfg(unix)]
#[tokio::test]
async fn a_command_runs_in_the_folder_without_the_hosts_credentials() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("here"), "").unwrap();
    let script = "ls; echo \"[$CARGO_MANIFEST_DIR]\"; echo bad >&2; exit 3";
    let input = json!({ "command": "sh", "args": ["-c", script] });
    let ran = output_in("shell.run", input, within(folder.path())).await;
    let expected = json!({ "stdout": "here\n[]\n", "stderr": "bad\n", "exitCode": 3 });
    assert_eq!(ran, expected);
}

// P6, S1.37
#[cfg(unix)]
#[tokio::test]
async fn a_command_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let failed = |command: &str, script: &str| {
        let input = json!({ "command": command, "args": ["-c", script] });
        failure_in("shell.run", input, within(folder.path()))
    };
    assert_eq!(failed("bash", "true").await.0, "data");
    let (kind, message) = failed("sh", "yes").await;
    assert_eq!(
        (&*kind, &*message),
        ("data", "`sh` wrote more than 1048576 bytes")
    );
    let (_, message) = failed("sh", "kill -9 $$").await;
    assert_eq!(message, "`sh` was ended by a signal");
}

// P3, P6
#[cfg(unix)]
#[tokio::test]
async fn a_command_that_takes_too_long_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let script = "exec sleep 60";
    let mut slow = node(
        "n",
        "shell.run",
        json!({ "command": "sh", "args": ["-c", script] }),
    );
    slow.policy.timeout = Some(Duration::from_millis(50));
    slow.policy.continue_on_error = true;
    let flow = with_packs(document(graph(vec![slow], &[])));
    let started = std::time::Instant::now();
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(within(folder.path())).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["n"]["error"]["kind"], "timeout");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[cfg(feature = "providers")]
mod http {
    use axum::{
        Json, Router,
        body::Bytes,
        extract::RawQuery,
        http::{HeaderMap, Method, StatusCode},
        routing::any,
    };

    use super::*;

    /// A server that says what it was asked, by its port.
    async fn server() -> u16 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let echo = |method: Method, headers: HeaderMap, RawQuery(query): RawQuery, body: Bytes| async move {
            let header = |name: &str| headers.get(name).map(|it| it.to_str().unwrap().to_owned());
            Json(json!({
                "method": method.as_str(),
                "query": query,
                "type": header("content-type"),
                "token": header("x-token"),
                "body": String::from_utf8_lossy(&body),
            }))
        };
        let routes = Router::new()
            .route("/echo", any(echo))
            .route("/gone", any(async || (StatusCode::GONE, "no more")));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        port
    }

    fn reaching(port: u16) -> Context {
        Context::new(FlowConf {
            hosts: vec![format!("127.0.0.1:{port}")],
            ..FlowConf::default()
        })
    }

    // P6
    #[tokio::test]
    async fn a_request_is_sent_with_all_that_belongs_to_it() {
        let port = server().await;
        let input = json!({
            "method": "POST",
            "url": format!("http://127.0.0.1:{port}/echo?a=1"),
            "headers": { "X-Token": "secret" },
            "query": { "b": "x y", "c": 2 },
            "body": { "n": 1 },
        });
        let output = output_in("http.request", input, reaching(port)).await;
        let mut fields: Vec<&String> = output.as_object().unwrap().keys().collect();
        // With `serde_json/preserve_order` they are as the node writes them.
        fields.sort_unstable();
        // No headers are among them.
        assert_eq!(fields, ["body", "json", "status"]);
        let expected = json!({
            "method": "POST",
            "query": "a=1&b=x+y&c=2",
            "type": "application/json",
            "token": "secret",
            "body": "{\"n\":1}",
        });
        assert_eq!(output["json"], expected);
        assert_eq!(output["status"], 200);
    }

    // P6
    #[tokio::test]
    async fn a_text_is_sent_as_it_is_under_the_type_that_is_given() {
        let port = server().await;
        let input = json!({
            "method": "PUT",
            "url": format!("http://127.0.0.1:{port}/echo"),
            "headers": { "content-type": "text/csv" },
            "body": "a,b",
        });
        let output = output_in("http.request", input, reaching(port)).await;
        assert_eq!(output["json"]["type"], "text/csv");
        assert_eq!(output["json"]["body"], "a,b");
    }

    // P6
    #[tokio::test]
    async fn an_answer_is_one_whatever_its_status() {
        let port = server().await;
        let input = json!({ "method": "GET", "url": format!("http://127.0.0.1:{port}/gone") });
        let output = output_in("http.request", input, reaching(port)).await;
        assert_eq!(output, json!({ "status": 410, "body": "no more" }));
    }

    // P6
    #[tokio::test]
    async fn a_host_that_is_not_listed_is_not_reached() {
        let port = server().await;
        let input = json!({ "method": "GET", "url": format!("http://127.0.0.1:{port}/echo") });
        let (kind, message) = failure_in("http.request", input, Context::default()).await;
        assert_eq!(kind, "data");
        assert!(message.contains(&format!("127.0.0.1:{port}")), "{message}");
        let input = json!({ "method": "GET", "url": "no url" });
        let (kind, message) = failure_in("http.request", input, reaching(port)).await;
        assert_eq!(kind, "data");
        assert!(message.starts_with("`url` is not valid"), "{message}");
    }
}
