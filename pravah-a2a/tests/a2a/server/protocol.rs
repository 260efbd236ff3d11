//! Cards, versions, and requests that are refused.

use super::{send, task};
use crate::{
    agents::{greet, registry},
    support::{ada, answer, call, get_json, http, message, post, serve, serve_agents, serve_as},
};
use pravah_a2a::A2aServer;
use pravah_runtime::invocation::AgentRegistry;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

#[tokio::test]
async fn every_agent_has_a_card_and_the_default_one_is_at_the_root() {
    let served = serve_as(|server| server.with_default_agent("greet").with_version("2.1.0")).await;
    let (status, card) = get_json(&served, "/agents/greet/.well-known/agent-card.json").await;
    assert_eq!(status, 200);
    assert_eq!(card["name"], "greet");
    assert_eq!(card["version"], "2.1.0");
    let url = format!("{}/agents/greet", served.url);
    let interface =
        |binding: &str| json!({ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" });
    let interfaces = json!([interface("JSONRPC"), interface("HTTP+JSON")]);
    assert_eq!(card["supportedInterfaces"], interfaces);
    let description = card["description"].as_str().unwrap();
    assert!(description.starts_with("Greets a person."), "{description}");
    assert!(description.contains("\"name\""), "its input: {description}");

    let root = get_json(&served, "/.well-known/agent-card.json").await;
    assert_eq!(root, (200, card));
    let answer = post(&served, "/message:send", &message("m", ada()).to_string()).await;
    assert_eq!(
        answer.1["task"]["artifacts"][0]["parts"][0]["data"],
        json!({ "text": "Hello, Ada" })
    );
}

#[tokio::test]
async fn the_only_agent_is_at_the_root_and_of_several_none() {
    let one = serve_agents(AgentRegistry::new().with_agent::<greet>(), |it| it).await;
    assert_eq!(get_json(&one, "/.well-known/agent-card.json").await.0, 200);
    let several = serve().await;
    assert_eq!(
        get_json(&several, "/.well-known/agent-card.json").await.0,
        404
    );
    assert_eq!(
        get_json(&several, "/agents/nobody/.well-known/agent-card.json")
            .await
            .0,
        404
    );
}

#[test]
fn a_server_that_cannot_work_is_refused_before_it_is_served() {
    let problem = |server: A2aServer| server.router().unwrap_err().to_string();
    let url = "http://127.0.0.1:4000";
    let none = problem(A2aServer::new(AgentRegistry::new(), url));
    assert!(none.contains("no agents"), "{none}");
    let relative = problem(A2aServer::new(registry(), "127.0.0.1:4000"));
    assert!(
        relative.contains("neither `http://` nor `https://`"),
        "{relative}"
    );
    let unknown = problem(A2aServer::new(registry(), url).with_default_agent("nobody"));
    assert!(unknown.contains("`nobody`"), "{unknown}");
    let twice = problem(A2aServer::new(registry().with_agent::<greet>(), url));
    assert!(twice.contains("two agents are called `greet`"), "{twice}");
}

#[tokio::test]
async fn a_client_of_another_version_is_refused() {
    let served = serve().await;
    let url = format!("{}/agents/greet", served.url);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": message("m", ada()) });
    let request = |url: &str| {
        let request = http().post(url).header("content-type", "application/json");
        request.body(body.to_string())
    };
    let code = async |request| answer(request).await.1["error"]["code"].clone();
    assert_eq!(
        code(request(&url)).await,
        -32009,
        "0.3 is meant where nothing is said"
    );
    assert_eq!(
        code(request(&url).header("a2a-version", "2.0")).await,
        -32009
    );
    assert_eq!(
        code(request(&url).header("a2a-version", "1.7")).await,
        Value::Null
    );
    assert_eq!(
        code(request(&format!("{url}?A2A-Version=1.0"))).await,
        Value::Null
    );
    let rest = answer(http().get(format!("{url}/tasks"))).await;
    assert_eq!(rest.0, 400);
    assert_eq!(
        rest.1["error"]["details"][0]["reason"],
        "VERSION_NOT_SUPPORTED"
    );
}

#[tokio::test]
async fn malformed_requests_get_the_error_codes_of_the_protocol() {
    let served = serve().await;
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        (
            r#"{ "jsonrpc": "1.0", "id": "a", "method": "GetTask" }"#,
            -32600,
            json!("a"),
        ),
        (r#"{ "jsonrpc": "2.0", "id": "a" }"#, -32600, json!("a")),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {} }"#,
            -32601,
            json!(1),
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": 1 } }"#,
            -32602,
            json!(1),
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "GetTask" }"#,
            -32602,
            json!(1),
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": { "id": "x" } }"#,
            -32001,
            json!(1),
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "GetExtendedAgentCard", "params": {} }"#,
            -32004,
            json!(1),
        ),
        (
            r#"{ "jsonrpc": "2.0", "id": 1, "method": "ListTaskPushNotificationConfigs", "params": {} }"#,
            -32003,
            json!(1),
        ),
    ] {
        let (status, answer) = post(&served, "/agents/greet", body).await;
        assert_eq!(
            (status, &answer["error"]["code"]),
            (200, &json!(code)),
            "{body}: {answer}"
        );
        assert_eq!(answer["id"], id, "{body}");
    }
    let form = http().post(format!("{}/agents/greet", served.url));
    let form = form
        .header("a2a-version", "1.0")
        .header("content-type", "text/plain");
    let body = r#"{ "jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {} }"#;
    let (_, refused) = answer(form.body(body)).await;
    assert_eq!(refused["error"]["code"], -32005);
}

#[tokio::test]
async fn messages_that_no_agent_can_be_told_are_refused_and_start_nothing() {
    let served = serve().await;
    let with = |change: &dyn Fn(&mut Value)| {
        let mut params = message("m", ada());
        change(&mut params);
        params
    };
    for (params, code) in [
        (with(&|it| it["message"]["messageId"] = json!("")), -32602),
        (
            with(&|it| it["message"]["messageId"] = json!("m".repeat(257))),
            -32602,
        ),
        (with(&|it| it["message"]["parts"] = json!([])), -32602),
        (with(&|it| it["message"]["parts"] = json!([{}])), -32602),
        (
            with(&|it| it["message"]["parts"] = json!([{ "text": " " }])),
            -32602,
        ),
        (
            with(&|it| it["message"]["role"] = json!("ROLE_AGENT")),
            -32602,
        ),
        (
            with(&|it| it["message"]["taskId"] = json!("nobody")),
            -32001,
        ),
        (
            with(&|it| it["message"]["parts"] = json!([{ "raw": "AAAA" }])),
            -32005,
        ),
        (
            with(&|it| it["message"]["parts"] = json!([{ "url": "https://example.org" }])),
            -32005,
        ),
        (
            with(&|it| it["configuration"] = json!({ "historyLength": -1 })),
            -32602,
        ),
        (
            with(&|it| it["configuration"] = json!({ "acceptedOutputModes": ["image/png"] })),
            -32005,
        ),
        (
            with(&|it| {
                it["configuration"] =
                    json!({ "taskPushNotificationConfig": { "url": "http://127.0.0.1:9" } });
            }),
            -32003,
        ),
        (json!({}), -32602),
    ] {
        let answer = send(&served, "greet", params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{params}: {answer}");
    }
    let listed = call(&served, "greet", "ListTasks", json!({})).await;
    assert_eq!(listed["result"]["totalSize"], 0);
}

#[tokio::test]
async fn keys_that_serde_json_reserves_are_refused() {
    let served = serve().await;
    let data = r#"{ "data": { "$serde_json::private::RawValue": "{\"name\":\"Ada\"}" } }"#;
    let nested = crate::faulty_peers::nested_raw_values(40);
    for part in [data.to_owned(), format!(r#"{{ "data": {nested} }}"#)] {
        let message = format!(
            r#"{{ "message": {{ "messageId": "m", "role": "ROLE_USER", "parts": [{part}] }} }}"#
        );
        let (status, answer) = post(&served, "/agents/greet/message:send", &message).await;
        assert_eq!(status, 400, "{answer}");
        let request = format!(
            r#"{{ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {message} }}"#
        );
        let (_, answer) = post(&served, "/agents/greet", &request).await;
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
    }
    assert_eq!(served.counter.get(), 0);
}

#[tokio::test]
async fn a_client_that_reads_texts_alone_gets_data_as_a_text() {
    let served = serve().await;
    let mut params = message("m", ada());
    params["configuration"] = json!({ "acceptedOutputModes": ["text/plain; charset=utf-8"] });
    let task = task(&served, "greet", params).await;
    assert_eq!(
        task["artifacts"][0]["parts"],
        json!([{ "text": r#"{"text":"Hello, Ada"}"# }])
    );
}

#[tokio::test]
async fn a_connection_stays_open_when_a_request_is_refused_before_its_body_has_come() {
    let served = serve().await;
    let host = served.url.strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(host).await.unwrap();
    let path = "/agents/greet/tasks/none:cancel";
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nA2A-Version: 1.0\r\nContent-Length: 2\r\n\r\n"
    );
    for _ in 0..2 {
        connection.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        connection.write_all(b"{}").await.unwrap();
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 404");
        // The rest of it.
        let mut rest = vec![0; 4096];
        assert!(connection.read(&mut rest).await.unwrap() > 0);
    }
}
