//! The server, asked by hand.

use pravah_a2a::{A2aServer, Caller};
use pravah_runtime::{invocation::AgentRegistry, prelude::*};
use serde_json::{Value, json};

use crate::{
    agents::{greet, registry},
    support::{
        Served, ada, answer, call, get_json, http, message, post, serve, serve_agents, serve_as,
    },
};

async fn send(served: &Served, agent: &str, params: Value) -> Value {
    call(served, agent, "SendMessage", params).await
}

/// The task of an answer.
async fn task(served: &Served, agent: &str, params: Value) -> Value {
    let answer = send(served, agent, params).await;
    let task = &answer["result"]["task"];
    assert!(task.is_object(), "{answer}");
    task.clone()
}

fn at_once(mut params: Value) -> Value {
    params["configuration"] = json!({ "returnImmediately": true });
    params
}

fn for_task(mut params: Value, task: &Value) -> Value {
    params["message"]["taskId"] = task["id"].clone();
    params
}

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
async fn requests_that_are_none_get_the_error_of_the_protocol() {
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
async fn json_is_read_as_what_it_says() {
    let served = serve().await;
    let data = r#"{ "data": { "$serde_json::private::RawValue": "{\"name\":\"Ada\"}" } }"#;
    let nested = crate::sloppy::nested_raw_values(40);
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

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_in_the_order_of_what_was_said() {
    #[state]
    struct Start {
        name: String,
    }
    #[state]
    struct First {
        text: String,
    }
    #[state]
    struct Second {
        text: String,
    }
    #[gate(prompt = "one?")]
    fn one(_start: &Start, text: String) -> First {
        First { text }
    }
    #[gate(prompt = "two?")]
    fn two(first: &First, text: String) -> Second {
        let text = format!("{} {text}", first.text);
        Second { text }
    }
    #[flow]
    fn twice(start: Start) -> Second {
        flow! { one -> two }
    }

    let served = serve_agents(AgentRegistry::new().with_agent::<twice>(), |it| it).await;
    for n in 0..20 {
        let start = message(&format!("{n}"), json!({ "data": { "name": "x" } }));
        let mut asked = task(&served, "twice", start).await;
        for answer in ["A1", "A2"] {
            let message = message(&format!("{n} {answer}"), json!({ "text": answer }));
            asked = task(&served, "twice", for_task(message, &asked)).await;
        }
        let texts = asked["history"].as_array().unwrap().iter();
        let texts: Vec<&str> = texts
            .filter_map(|it| it["parts"][0]["text"].as_str())
            .collect();
        assert_eq!(texts, ["one?", "A1", "two?", "A2"]);
    }
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
async fn a_browser_with_a_token_is_let_in() {
    let served = serve_as(|server| server.with_bearer(|_| Some(Caller::new("ada")))).await;
    let request = http().get(format!("{}/agents/greet/tasks", served.url));
    let request = request
        .header("a2a-version", "1.0")
        .header("origin", "https://evil.example");
    assert_eq!(answer(request.bearer_auth("x")).await.0, 200);
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
async fn a_question_is_answered_with_data_a_text_or_json_in_a_text() {
    let served = serve().await;
    for (id, part) in [
        ("a", json!({ "data": true })),
        ("b", json!({ "text": "true" })),
    ] {
        let draft = message(id, json!({ "data": { "topic": "trains" } }));
        let asked = task(&served, "publish", draft).await;
        assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
        let question = &asked["status"]["message"];
        assert_eq!(question["parts"][0]["text"], "Publish trains?");
        assert_eq!(question["parts"][1]["data"]["prompt"], "Publish trains?");

        let busy = send(
            &served,
            "publish",
            for_task(message("no", json!({ "text": "perhaps" })), &asked),
        )
        .await;
        assert_eq!(busy["error"]["code"], -32602, "{busy}");
        let mut elsewhere = for_task(message("no", part.clone()), &asked);
        elsewhere["message"]["contextId"] = json!("another");
        assert_eq!(
            send(&served, "publish", elsewhere).await["error"]["code"],
            -32602
        );

        let answer = for_task(message("yes", part), &asked);
        let done = task(&served, "publish", answer.clone()).await;
        assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(
            done["artifacts"][0]["parts"][0]["data"],
            json!({ "published": true })
        );
        let roles = done["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["role"]);
        assert_eq!(
            roles.collect::<Vec<_>>(),
            ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]
        );

        let again = task(&served, "publish", answer).await;
        assert_eq!(again, done, "it was sent twice");
        let late = send(
            &served,
            "publish",
            for_task(message("late", json!({ "text": "no" })), &asked),
        )
        .await;
        assert_eq!(late["error"]["code"], -32004, "{late}");
    }
}

#[tokio::test]
async fn questions_that_are_open_at_the_same_time_are_asked_one_after_the_other() {
    #[state]
    struct Plan {
        name: String,
    }
    #[state]
    struct Cost {
        cents: u32,
    }
    #[state]
    struct Day {
        name: String,
    }
    #[state]
    struct Booked {
        text: String,
    }
    #[gate(prompt = "What may it cost?")]
    fn cost(_plan: &Plan, cents: u32) -> Cost {
        Cost { cents }
    }
    #[gate(prompt = "On which day?")]
    fn day(_plan: &Plan, name: String) -> Day {
        Day { name }
    }
    #[node]
    fn book(cost: Cost, day: Day) -> Booked {
        let text = format!("{} for {} cents", day.name, cost.cents);
        Booked { text }
    }
    #[flow]
    fn booking(plan: Plan) -> Booked {
        flow! { fork(cost, day) -> join(book) }
    }

    let served = serve_agents(AgentRegistry::new().with_agent::<booking>(), |it| it).await;
    let plan = message("m", json!({ "data": { "name": "Benin" } }));
    let mut asked = task(&served, "booking", plan).await;
    let mut questions = Vec::new();
    for index in 0..2 {
        let question = asked["status"]["message"]["parts"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        let text = match question.as_str() {
            "What may it cost?" => "12",
            _ => "7", // a text, although it is JSON as well
        };
        questions.push(question);
        let answer = message(&format!("answer {index}"), json!({ "text": text }));
        asked = task(&served, "booking", for_task(answer, &asked)).await;
    }
    questions.sort();
    assert_eq!(questions, ["On which day?", "What may it cost?"]);
    let expected = json!({ "text": "7 for 12 cents" });
    assert_eq!(
        asked["artifacts"][0]["parts"][0]["data"], expected,
        "{asked}"
    );
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

#[tokio::test]
async fn a_question_says_by_when_it_has_to_be_answered() {
    #[state]
    struct Draft {
        topic: String,
    }
    #[state]
    struct Decided {
        published: bool,
    }
    #[gate(prompt = "Publish?", timeout = "24h")]
    fn approve(_draft: &Draft, yes: bool) -> Decided {
        Decided { published: yes }
    }
    #[flow]
    fn release(draft: Draft) -> Decided {
        flow! { approve }
    }

    let agents = AgentRegistry::new().with_agent::<release>();
    let served = serve_agents(agents, |it| it).await;
    let runner = pravah_a2a::A2aRunner::new().with_agent("release", &served.url);
    let here = AgentRegistry::new()
        .with_runner(runner)
        .with_remote_agent("release", "a2a");
    let mut run = crate::support::invoke(&here, "release", json!({ "topic": "trains" }));
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }), "{out:?}");
    let until = run.suspensions()[0].until.unwrap();
    let left = until.duration_since(std::time::SystemTime::now()).unwrap();
    assert!(left.as_secs() / 3_600 == 23, "{left:?}");
}
