//! Commands with keys that mean something else to `serde_json`.

use pravah_runtime::{Channels, prelude::*};

use super::{post, run_called, served, server, until_asked};

const RAW: &str = "$serde_json::private::RawValue";

/// Objects with the key in texts beneath the key, so many that they overflow the stack of whoever reads them.
fn bomb() -> String {
    (0..24).fold("1".to_owned(), |inner, _| {
        let inner = inner.replace('\\', "\\u005c").replace('"', "\\u0022");
        let (open, close) = ("[".repeat(118), "]".repeat(118));
        format!(r#"{open}{{"{RAW}":"{inner}"}}{close}"#)
    })
}

// The stack of a test is 2 MiB, as that of a worker of tokio's.
#[tokio::test]
async fn they_are_refused_and_overflow_no_stack() {
    let server = server();
    let address = served(&server).await;
    let mut run = run_called("r");
    let channels = Channels::new().with_required(server.channel());
    let desk = async {
        until_asked(address, "r").await;
        for value in [
            bomb(),
            format!(r#"{{"{RAW}":"1"}}"#),
            format!(r#"{{"A":[{{"{RAW}":"[[["}}]}}"#),
            r#"{"$serde_json::private::Number":"1"}"#.to_owned(),
        ] {
            for command in [
                format!(r#"{{"type":"emit","name":"n","value":{value}}}"#),
                format!(r#"{{"value":{value},"name":"n","type":"emit"}}"#),
                format!(r#"{{"type":"reply","id":"approve","answer":{value}}}"#),
            ] {
                let answer = post(address, "/runs/r/commands", &command).await;
                assert_eq!(answer.status, 422, "{}", answer.body);
            }
        }
        let reply = r#"{"type":"reply","id":"approve","answer":1}"#;
        assert_eq!(post(address, "/runs/r/commands", reply).await.status, 200);
    };
    let (out, ()) = tokio::join!(run.serve_with(Context::default(), channels), desk);
    assert!(matches!(out, Ok(RunOut::Done(_))));
}
