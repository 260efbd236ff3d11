//! The runner and servers that break the protocol, or use what it leaves open.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use pravah_runtime::{
    invocation::{InvocationResult, Runner as _, TaskStatus},
    prelude::*,
};
use serde_json::{Value, json};

use crate::peer::{Peer, Reply, Then, asking, done, task};

async fn outcome(
    mut run: FlowRuntime<pravah_runtime::invocation::AgentRegistry>,
) -> (TaskStatus, String) {
    match run.serve(Context::default()).await.unwrap() {
        RunOut::Done(InvocationResult::Scalar { result, .. }) => {
            let content = result.content;
            let text = content.as_str().map(str::to_owned);
            (result.status, text.unwrap_or_else(|| content.to_string()))
        }
        out => panic!("{out:?}"),
    }
}

fn completed() -> (TaskStatus, String) {
    (TaskStatus::Completed, "done".to_owned())
}

const UNKNOWN_METHOD: i64 = -32_601;

#[tokio::test]
async fn a_server_that_lists_no_tasks_may_say_so_in_any_way() {
    for reply in [
        || Reply::Error(UNKNOWN_METHOD),
        || Reply::Error(-32_602),
        || Reply::Error(-32_004),
        || Reply::Status(404, ""),
        || Reply::Status(405, ""),
        || Reply::Status(501, "not implemented"),
        || {
            Reply::Status(
                400,
                r#"{ "jsonrpc": "2.0", "id": 1, "error": { "code": -32601, "message": "no" } }"#,
            )
        },
        || Reply::Result(Value::Null),
        || Reply::Result(json!({})),
        || Reply::Result(json!({ "tasks": [] })),
        || Reply::Status(200, "<html>"),
    ] {
        let peer = Peer::start(false, move |method, _| match method {
            "ListTasks" => reply(),
            "SendMessage" => Reply::Result(json!({ "task": done() })),
            _ => Reply::Result(done()),
        });
        assert_eq!(outcome(peer.await.run()).await, completed());
    }
}

#[tokio::test]
async fn a_task_whose_stream_cannot_be_had_is_asked_for() {
    for reply in [
        || Reply::Error(UNKNOWN_METHOD),
        || Reply::Error(-32_001),
        || Reply::Error(-32_004),
        || Reply::Status(404, ""),
        || Reply::Status(405, ""),
        || Reply::Status(200, "<html>"),
        || Reply::Stream(Vec::new(), Then::Breaks),
        || Reply::Stream(vec![json!({ "unknown": 1 })], Then::Breaks),
    ] {
        let peer = Peer::start(true, move |method, _| match method {
            "SubscribeToTask" => reply(),
            "SendMessage" => Reply::Result(json!({ "task": task("SUBMITTED") })),
            "GetTask" => Reply::Result(done()),
            _ => Reply::Error(UNKNOWN_METHOD),
        });
        assert_eq!(outcome(peer.await.run()).await, completed());
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_is_no_failure_as_long_as_the_task_goes_on() {
    let peer = Peer::start(true, |method, _| match method {
        "SubscribeToTask" => Reply::Stream(vec![json!({ "task": task("WORKING") })], Then::Breaks),
        "GetTask" => Reply::Result(task("WORKING")),
        _ => Reply::Error(UNKNOWN_METHOD),
    });
    let peer = peer.await;
    let (runner, handle) = (peer.runner(), peer.handle());
    let first = runner.next_update(&handle, None).await.unwrap();
    for _ in 0..20 {
        let update = runner
            .next_update(&handle, first.cursor.as_deref())
            .await
            .unwrap();
        assert_eq!(update.status, TaskStatus::Running);
        assert_eq!(update.cursor, first.cursor, "there is nothing new");
    }
}

#[tokio::test]
async fn what_a_stream_says_of_other_tasks_is_not_this_ones() {
    let mut foreign = done();
    foreign["id"] = json!("another");
    foreign["artifacts"][0]["parts"][0]["text"] = json!("secret");
    let status = json!({ "statusUpdate": { "taskId": "another", "contextId": "c", "status": { "state": "TASK_STATE_FAILED" } } });
    let last = json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_COMPLETED" } } });
    let events = vec![
        json!({ "task": task("WORKING") }),
        status,
        json!({ "task": foreign }),
        last,
    ];
    let events = Mutex::new(events);
    let peer = Peer::start(true, move |method, params| match method {
        "SubscribeToTask" => {
            let events = std::mem::take(&mut *events.lock().unwrap());
            Reply::Stream(events, Then::IsSilent)
        }
        "SendMessage" => Reply::Result(json!({ "task": task("WORKING") })),
        "GetTask" => {
            assert_eq!(params["id"], "t");
            Reply::Result(done())
        }
        _ => Reply::Error(UNKNOWN_METHOD),
    });
    assert_eq!(outcome(peer.await.run()).await, completed());
}

/// Answers two questions of a server that ignores a message whose id it has seen.
async fn answer_two(ids: [Option<&'static str>; 2]) {
    let taken = Mutex::new(Vec::<Value>::new());
    let peer = Peer::start(false, move |method, params| {
        let mut taken = taken.lock().unwrap();
        let message = &params["message"];
        if method == "SendMessage" && message.get("taskId").is_none() {
            return Reply::Result(json!({ "task": task("SUBMITTED") }));
        }
        if method == "SendMessage" && !taken.contains(&message["messageId"]) {
            taken.push(message["messageId"].clone());
        }
        let now = match taken.len() {
            0 => asking(ids[0], "One?"),
            1 => asking(ids[1], "Two?"),
            _ => done(),
        };
        match method {
            "SendMessage" => Reply::Result(json!({ "task": now })),
            "GetTask" => Reply::Result(now),
            _ => Reply::Error(UNKNOWN_METHOD),
        }
    });
    let peer = peer.await;
    let mut run = peer.run();
    for expected in ["One?", "Two?"] {
        let out = run.run(Context::default()).await.unwrap();
        let RunOut::Suspend { tool_id, value } = out else {
            panic!("{out:?}")
        };
        assert_eq!(value, expected);
        run.answer(Context::default(), &tool_id, "yes")
            .await
            .unwrap();
    }
    assert_eq!(outcome(run).await, completed());
}

#[tokio::test]
async fn questions_without_ids_of_their_own_are_told_apart() {
    answer_two([None, None]).await;
    answer_two([Some("q"), Some("q")]).await;
    answer_two([Some("q1"), Some("q2")]).await;
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_no_failure() {
    let sent = AtomicUsize::new(0);
    let peer = Peer::start(false, move |method, params| match method {
        "SendMessage" if params["message"].get("taskId").is_none() => {
            Reply::Result(json!({ "task": task("SUBMITTED") }))
        }
        "SendMessage" => {
            sent.fetch_add(1, Ordering::SeqCst);
            Reply::Error(-32_004)
        }
        "GetTask" if sent.load(Ordering::SeqCst) == 0 => Reply::Result(asking(Some("q"), "Well?")),
        "GetTask" => Reply::Result(done()),
        _ => Reply::Error(UNKNOWN_METHOD),
    });
    let peer = peer.await;
    let mut run = peer.run();
    let out = run.run(Context::default()).await.unwrap();
    let RunOut::Suspend { tool_id, .. } = out else {
        panic!("{out:?}")
    };
    run.answer(Context::default(), &tool_id, "yes")
        .await
        .unwrap();
    assert_eq!(outcome(run).await, completed());
}

#[tokio::test]
async fn a_server_that_makes_up_times_has_no_news() {
    let peer = Peer::start(false, |method, _| {
        let mut task = task("WORKING");
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        task["status"]["timestamp"] =
            json!(format!("2026-11-27T10:00:00.{:09}Z", now.subsec_nanos()));
        match method {
            "GetTask" => Reply::Result(task),
            _ => Reply::Error(UNKNOWN_METHOD),
        }
    });
    let peer = peer.await;
    let (runner, handle) = (peer.runner(), peer.handle());
    let first = runner.next_update(&handle, None).await.unwrap();
    let second = runner
        .next_update(&handle, first.cursor.as_deref())
        .await
        .unwrap();
    assert_eq!(second.cursor, first.cursor);
    assert!(second.events.is_empty());
    assert_eq!(peer.count("GetTask"), 2);
}

#[tokio::test]
async fn cancelling_a_task_that_is_unknown_or_has_ended_succeeds() {
    for reply in [
        || Reply::Error(-32_001),
        || Reply::Error(-32_002),
        || Reply::Status(404, ""),
    ] {
        let peer = Peer::start(false, move |_, _| reply()).await;
        peer.runner().cancel(&peer.handle()).await.unwrap();
    }
}

#[tokio::test]
async fn the_text_of_a_server_is_cut_short() {
    let mut failed = task("FAILED");
    failed["status"]["message"] = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "x".repeat(1 << 20) }] });
    let mut unreadable = task("WORKING");
    unreadable["status"]["state"] = json!("y".repeat(1 << 20));
    for answer in [failed, unreadable] {
        let peer = Peer::start(false, move |method, _| match method {
            "GetTask" => Reply::Result(answer.clone()),
            "SendMessage" => Reply::Result(json!({ "task": task("SUBMITTED") })),
            _ => Reply::Error(UNKNOWN_METHOD),
        });
        let (status, why) = outcome(peer.await.run()).await;
        assert_eq!(status, TaskStatus::Failed);
        assert!(why.len() < 2_000, "{} bytes", why.len());
    }
}

/// JSON that `serde_json::Value` reads by a parser of its own, again and again.
pub(crate) fn nested_raw_values(levels: usize) -> String {
    let mut json = "1".to_owned();
    for _ in 0..levels {
        let text = format!("{}{json}{}", "[".repeat(110), "]".repeat(110));
        let text = text.replace('\\', "\\u005c").replace('"', "\\u0022");
        json = format!("{{\"$serde_json::private::RawValue\":\"{text}\"}}");
    }
    json
}

#[tokio::test]
async fn an_answer_with_keys_that_serde_json_reserves_is_refused() {
    let body = format!(
        r#"{{ "jsonrpc": "2.0", "id": 1, "result": {{ "tasks": [], "x": {} }} }}"#,
        nested_raw_values(40)
    );
    let body: &'static str = body.leak();
    let peer = Peer::start(false, move |_, _| Reply::Status(200, body)).await;
    let error = peer
        .runner()
        .next_update(&peer.handle(), None)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("$serde_json::private::"),
        "{error}"
    );
}
