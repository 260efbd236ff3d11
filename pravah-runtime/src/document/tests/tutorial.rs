//! Nodes for lessons and tests.

use std::time::Duration;

use pravah_document::Retry;
use tokio::time::Instant;

use super::*;

fn flaky(attempts: u32) -> Document {
    let mut flaky = node("n", "tutorial.flaky", json!({ "label": "db" }));
    flaky.policy.continue_on_error = true;
    flaky.policy.retry = Some(Retry {
        max_attempts: attempts,
        backoff: Duration::ZERO,
        factor: 1.0,
        max_backoff: None,
        jitter: false,
    });
    document(graph(vec![flaky], &[]))
}

// L05
#[tokio::test]
async fn a_flaky_node_succeeds_at_the_second_attempt() {
    let second = outputs(flaky(2), json!({})).await;
    assert_eq!(second["n"], json!({ "label": "db", "attempt": 2 }));
    let first = outputs(flaky(1), json!({})).await;
    assert_eq!(
        first["n"]["error"]["message"],
        "`db` fails at the first attempt"
    );
}

#[tokio::test(start_paused = true)]
async fn a_delay_takes_its_time() {
    let started = Instant::now();
    let document = document(graph(
        vec![node("n", "tutorial.delay", json!({ "ms": 50 }))],
        &[],
    ));
    let outputs = restored(&flow(document), json!({})).await.unwrap().outputs;
    assert_eq!(outputs["n"], json!({ "ms": 50 }));
    assert_eq!(started.elapsed(), Duration::from_millis(50));
}

#[tokio::test]
async fn a_scan_finds_every_line() {
    let content = "let a = 1;\npassword = eval(x)\n";
    let found = output(
        "tutorial.security_scan",
        json!({ "path": "a.js", "content": content }),
    )
    .await;
    let issues = json!([{ "rule": "eval(", "line": 2 }, { "rule": "password", "line": 2 }]);
    assert_eq!(found, json!({ "path": "a.js", "issues": issues }));
}
