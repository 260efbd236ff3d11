//! Who may ask, and whose a task is.

use super::for_task;
use crate::support::{answer, get_json, http, message, serve, serve_as};
use pravah_a2a::Caller;
use serde_json::{Value, json};

#[tokio::test]
async fn a_task_is_unknown_to_all_but_its_caller() {
    let served = serve_as(|server| {
        server.with_bearer(|token| ["ada", "bob"].contains(&token).then(|| Caller::new(token)))
    })
    .await;
    let ask = async |caller: &str, method: &str, params: Value| {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let post = http().post(format!("{}/agents/publish", served.url));
        let post = post
            .header("a2a-version", "1.0")
            .header("content-type", "application/json");
        let post = post.bearer_auth(caller).body(request.to_string());
        answer(post).await
    };
    let draft = || message("m", json!({ "data": { "topic": "trains" } }));
    let (_, hers) = ask("ada", "SendMessage", draft()).await;
    let hers = &hers["result"]["task"];
    assert_eq!(hers["status"]["state"], "TASK_STATE_INPUT_REQUIRED");

    let id = hers["id"].as_str().unwrap();
    for (known, method, params) in [
        (id, "GetTask", json!({ "id": id })),
        (id, "CancelTask", json!({ "id": id })),
        (id, "SubscribeToTask", json!({ "id": id })),
        (
            id,
            "SendMessage",
            for_task(message("n", json!({ "text": "true" })), hers),
        ),
    ] {
        let (status, mut his) = ask("bob", method, params.clone()).await;
        assert_eq!(
            (status, &his["error"]["code"]),
            (200, &json!(-32001)),
            "{method}: {his}"
        );
        // What is known to nobody is answered in the same way.
        let unknown = params.to_string().replace(known, "nobody");
        let (_, mut none) = ask("bob", method, serde_json::from_str(&unknown).unwrap()).await;
        assert_eq!(
            his["error"]["message"]
                .as_str()
                .map(|it| it.replace(known, "nobody")),
            none["error"]["message"].as_str().map(str::to_owned)
        );
        for error in [&mut his, &mut none] {
            error["error"]["message"].take();
            error["error"]["data"][0]["metadata"].take();
        }
        assert_eq!(his, none);
    }
    let (_, listed) = ask("bob", "ListTasks", json!({})).await;
    assert_eq!(listed["result"]["totalSize"], 0);
    let (_, his) = ask("bob", "SendMessage", draft()).await;
    assert_ne!(
        his["result"]["task"]["id"], hers["id"],
        "his message has the same id"
    );
    assert_eq!(ask("eve", "ListTasks", json!({})).await.0, 401);
}

#[tokio::test]
async fn without_its_token_a_server_shows_cards_alone() {
    let served = serve_as(|server| server.with_bearer(|_| None)).await;
    let (status, card) = get_json(&served, "/agents/greet/.well-known/agent-card.json").await;
    assert_eq!(status, 200);
    let scheme = json!({ "bearer": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
    assert_eq!(card["securitySchemes"], scheme);
    for path in [
        "/agents/greet/tasks",
        "/agents/greet/tasks/x",
        "/agents/greet/extendedAgentCard",
    ] {
        let request = http().get(format!("{}{path}", served.url));
        let response = request.header("a2a-version", "1.0").send().await.unwrap();
        assert_eq!(response.status(), 401, "{path}");
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
    }
}

#[tokio::test]
async fn a_page_in_a_browser_is_refused_where_nobody_is_authenticated() {
    let served = serve().await;
    for (header, value) in [
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
        // A name of somebody else's that leads to this machine.
        ("host", "evil.example"),
    ] {
        let request = http().get(format!("{}/agents/greet/tasks", served.url));
        let request = request.header("a2a-version", "1.0").header(header, value);
        assert_eq!(answer(request).await.0, 403, "{header}");
    }
    for host in ["localhost:4000", "127.0.0.1", "[::1]:80"] {
        let request = http().get(format!("{}/agents/greet/tasks", served.url));
        let request = request.header("a2a-version", "1.0").header("host", host);
        assert_eq!(answer(request).await.0, 200, "{host}");
    }
}

#[tokio::test]
async fn a_browser_with_a_token_is_let_in() {
    let served = serve_as(|server| server.with_bearer(|_| Some(Caller::new("ada")))).await;
    let request = http().get(format!("{}/agents/greet/tasks", served.url));
    let request = request
        .header("a2a-version", "1.0")
        .header("origin", "https://evil.example");
    assert_eq!(answer(request.bearer_auth("x")).await.0, 200);
}

#[tokio::test]
async fn one_caller_leaves_room_for_the_tasks_of_others() {
    let served = serve_as(|server| {
        server
            .with_bearer(|token| Some(Caller::new(token)))
            .with_max_open_tasks_of_caller(1)
    })
    .await;
    let publish = async |caller: &str, id: &str| {
        let params = message(id, json!({ "data": { "topic": "trains" } }));
        let request =
            json!({ "jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": params });
        let post = http().post(format!("{}/agents/publish", served.url));
        let post = post
            .header("a2a-version", "1.0")
            .header("content-type", "application/json");
        let post = post.bearer_auth(caller).body(request.to_string());
        answer(post).await.1
    };
    let waits = |answer: &Value| answer["result"]["task"]["id"].is_string();
    assert!(waits(&publish("ada", "m").await));
    let full = publish("ada", "n").await;
    assert_eq!(full["error"]["code"], -32603, "{full}");
    assert!(waits(&publish("bob", "m").await));
}
