//! Tasks from their start to their end.

use super::{at_once, for_task, send, task};
use crate::support::{ada, call, get_json, http, message, post, serve, serve_as};
use serde_json::{Value, json};

#[tokio::test]
async fn a_message_that_is_sent_twice_is_taken_once() {
    let served = serve().await;
    let first = task(&served, "greet", message("m", ada())).await;
    assert_eq!(first["status"]["state"], "TASK_STATE_COMPLETED");
    let again = task(&served, "greet", message("m", ada())).await;
    assert_eq!(again["id"], first["id"]);
    assert_eq!(served.counter.get(), 1);
    let other = task(&served, "greet", message("n", ada())).await;
    assert_ne!(other["id"], first["id"]);
}

#[tokio::test]
async fn what_tasks_say_is_limited_and_the_oldest_that_have_ended_go_first() {
    let served = serve_as(|server| server.with_max_bytes(10_000)).await;
    let long = |id: &str| message(id, json!({ "data": { "name": "x".repeat(2_000) } }));
    let mut ids = Vec::new();
    for n in 0..6 {
        ids.push(task(&served, "greet", long(&format!("m{n}"))).await["id"].clone());
    }
    let listed = call(&served, "greet", "ListTasks", json!({ "historyLength": 0 })).await;
    let left = listed["result"]["tasks"].as_array().unwrap();
    assert!((1..=3).contains(&left.len()), "{}", left.len());
    assert_eq!(left[0]["id"], ids[5]);

    // Tasks that go on are not forgotten.
    let wait = |id: &str| {
        at_once(message(
            id,
            json!({ "data": { "name": "x".repeat(4_000) } }),
        ))
    };
    task(&served, "slow", wait("a")).await;
    task(&served, "slow", wait("b")).await;
    let full = send(&served, "slow", wait("c")).await;
    assert_eq!(full["error"]["code"], -32603, "{full}");
}

#[tokio::test]
async fn a_task_at_work_is_cancelled_once_and_for_all() {
    let served = serve().await;
    let started = at_once(message("m", json!({ "data": { "name": "Ada" } })));
    let started = task(&served, "slow", started).await;
    let id = json!({ "id": started["id"] });
    let note = send(
        &served,
        "slow",
        for_task(message("n", json!({ "text": "hurry" })), &started),
    )
    .await;
    assert_eq!(note["error"]["code"], -32004, "it asks nothing: {note}");
    for _ in 0..2 {
        let cancelled = call(&served, "slow", "CancelTask", id.clone()).await;
        assert_eq!(
            cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED",
            "{cancelled}"
        );
    }
    let stream = call(&served, "slow", "SubscribeToTask", id).await;
    assert_eq!(stream["error"]["code"], -32004);

    let done = task(&served, "greet", message("m", ada())).await;
    let late = call(&served, "greet", "CancelTask", json!({ "id": done["id"] })).await;
    assert_eq!(late["error"]["code"], -32002);
}

#[tokio::test]
async fn a_task_goes_on_without_its_client() {
    let served = serve().await;
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage",
        "params": message("m", json!({ "data": { "name": "Ada", "seconds": 1 } })) });
    let post = http().post(format!("{}/agents/slow", served.url));
    let post = post
        .header("a2a-version", "1.0")
        .header("content-type", "application/json");
    let post = post.body(request.to_string()).send();
    let gone = tokio::time::timeout(std::time::Duration::from_millis(300), post).await;
    assert!(gone.is_err(), "it waits for the end");
    let wait = message("m", json!({ "data": { "name": "Ada", "seconds": 1 } }));
    let found = task(&served, "slow", wait).await;
    assert_eq!(found["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(served.counter.get(), 1);
}

#[tokio::test]
async fn a_stream_has_the_task_then_its_updates_and_ends_with_it() {
    let served = serve().await;
    let request = json!({ "jsonrpc": "2.0", "id": "a", "method": "SendStreamingMessage",
        "params": message("m", ada()) });
    let post = http().post(format!("{}/agents/greet", served.url));
    let post = post
        .header("a2a-version", "1.0")
        .header("content-type", "application/json");
    let response = post.body(request.to_string()).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let body = response.text().await.unwrap();
    let events = body.lines().filter_map(|it| it.strip_prefix("data: "));
    let events: Vec<Value> = events.map(|it| serde_json::from_str(it).unwrap()).collect();
    assert!(
        events
            .iter()
            .all(|it| it["id"] == "a" && it["jsonrpc"] == "2.0")
    );
    let kinds: Vec<&str> = events
        .iter()
        .flat_map(|it| it["result"].as_object().unwrap().keys().map(String::as_str))
        .collect();
    let (first, rest) = kinds.split_first().unwrap();
    assert_eq!(*first, "task");
    assert!(
        rest.ends_with(&["artifactUpdate", "statusUpdate"]),
        "{kinds:?}"
    );
    let last = &events.last().unwrap()["result"]["statusUpdate"]["status"];
    assert_eq!(last["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn tasks_are_listed_in_pages_the_last_one_first() {
    let served = serve().await;
    let mut ids = Vec::new();
    for index in 0..5 {
        let mut params = message(&format!("m{index}"), ada());
        params["message"]["contextId"] = json!(if index < 3 { "a" } else { "b" });
        ids.push(task(&served, "greet", params).await["id"].clone());
    }
    ids.reverse();
    let list = async |params| call(&served, "greet", "ListTasks", params).await["result"].clone();
    let first = list(json!({ "pageSize": 2 })).await;
    assert_eq!(
        (&first["totalSize"], &first["pageSize"]),
        (&json!(5), &json!(2))
    );
    let page_ids = |page: &Value| -> Vec<Value> {
        page["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].clone())
            .collect()
    };
    assert_eq!(page_ids(&first), ids[..2]);
    let next = list(json!({ "pageSize": 4, "pageToken": first["nextPageToken"] })).await;
    assert_eq!(page_ids(&next), ids[2..]);
    assert_eq!(next["nextPageToken"], "");
    let of_a = list(json!({ "contextId": "a", "historyLength": 0 })).await;
    assert_eq!(page_ids(&of_a), ids[2..]);
    assert_eq!(of_a["tasks"][0].get("history"), None);
    assert_eq!(of_a["tasks"][0].get("artifacts"), None);
    let whole = list(json!({ "includeArtifacts": true, "status": "UNRECOGNIZED" })).await;
    assert!(whole["tasks"][0]["artifacts"].is_array());
    assert_eq!(
        list(json!({ "status": "TASK_STATE_WORKING" })).await["totalSize"],
        0
    );

    let (status, rest) = get_json(
        &served,
        "/agents/greet/tasks?contextId=a&pageSize=1&includeArtifacts=true&historyLength=1&status=TASK_STATE_COMPLETED",
    )
    .await;
    assert_eq!((status, &rest["totalSize"]), (200, &json!(3)), "{rest}");
    for wrong in [
        "pageSize=101",
        "pageSize=-1",
        "pageToken=x",
        "historyLength=-1",
        "status=x",
    ] {
        let (status, refused) = get_json(&served, &format!("/agents/greet/tasks?{wrong}")).await;
        assert_eq!(status, 400, "{wrong}: {refused}");
    }
}

#[tokio::test]
async fn more_than_the_server_takes_is_refused() {
    let served = serve_as(|server| {
        server
            .with_max_body(1_000)
            .with_max_open_tasks(1)
            .with_max_ended_tasks(2)
    })
    .await;
    let long = message("m", json!({ "text": "x".repeat(1_000) })).to_string();
    assert_eq!(
        post(&served, "/agents/greet/message:send", &long).await.0,
        413
    );
    assert_eq!(post(&served, "/agents/greet", &long).await.0, 413);

    let wait = at_once(message("m", json!({ "data": { "name": "Ada" } })));
    let open = task(&served, "slow", wait).await;
    let full = send(&served, "greet", message("m", ada())).await;
    assert_eq!(full["error"]["code"], -32603, "{full}");
    call(&served, "slow", "CancelTask", json!({ "id": open["id"] })).await;
    // The cancelled run is over once its driver has seen that.
    let mut ids = Vec::new();
    while ids.len() < 3 {
        let id = format!("m{}", ids.len());
        match &send(&served, "greet", message(&id, ada())).await["result"]["task"]["id"] {
            Value::Null => tokio::task::yield_now().await,
            id => ids.push(id.clone()),
        }
    }
    let mut codes = Vec::new();
    for id in ids {
        codes.push(
            call(&served, "greet", "GetTask", json!({ "id": id })).await["error"]["code"].clone(),
        );
    }
    assert_eq!(
        codes,
        [json!(-32001), Value::Null, Value::Null],
        "the oldest is forgotten"
    );
}
