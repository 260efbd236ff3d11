//! What is asked, and how answers are read.

use axum::http::Method;
use pravah_runtime::{
    Arguments, Message, ModelResponse, StopReason, ToModel, ToolCall, ToolResult, ToolSpec, Usage,
};
use serde_json::json;

use crate::server::{KEY, Server, ask, completion, ok, request};

// S1.15, S1.34
#[tokio::test]
async fn structured_output_is_asked_for_with_a_schema() {
    let message =
        json!({ "role": "assistant", "content": "{\"n\":1}", "refusal": null, "annotations": [] });
    let (server, client) = Server::start([completion(message, "stop")]).await;
    let response = client.complete(&request()).await.unwrap();
    assert_eq!(
        response,
        ModelResponse::default()
            .with_text("{\"n\":1}")
            .with_stop(StopReason::End)
            .with_usage(Usage::new(20, 7).with_cached(5).with_reasoning(3))
    );
    let [received] = &server.received()[..] else {
        panic!()
    };
    assert_eq!(
        (&received.method, received.uri.path()),
        (&Method::POST, "/v1/chat/completions")
    );
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(
        received.body,
        json!({
            "model": "gpt-4o",
            "messages": [
                { "role": "system", "content": "You triage." },
                { "role": "user", "content": "A ticket." },
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "Failure_Verdict_",
                    "strict": true,
                    "schema": {
                        "type": "object",
                        "properties": { "n": { "type": "integer" } },
                        "required": ["n"],
                        "additionalProperties": false,
                    },
                },
            },
        })
    );
}

fn tool(name: &str) -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
    ToolSpec::new(name, format!("Does {name}."), parameters)
}

// S1.16
#[tokio::test]
async fn tools_are_called_side_by_side_and_their_results_sent_back() {
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "find", "arguments": arguments } });
    let first = json!({ "role": "assistant", "content": null, "tool_calls": [call("a", "{\"q\":\"x\"}"), call("b", "{\"q")] });
    let second = json!({ "role": "assistant", "content": null, "tool_calls": [call("c", "")] });
    let (server, client) =
        Server::start([completion(first, "tool_calls"), completion(second, "stop")]).await;
    let mut request = request();
    request.output = None;
    request.tools = [tool("find"), tool("submit")].into();

    let response = client.complete(&request).await.unwrap();
    assert_eq!(response.stop, StopReason::ToolCalls);
    let find = |id: &str, arguments| ToolCall::new(id, "find", arguments);
    let calls = vec![
        find("a", Arguments::Json(json!({ "q": "x" }))),
        find("b", Arguments::Text("{\"q".to_owned())),
    ];
    assert_eq!(response.calls, calls);

    let results = [
        ToolResult::new(&calls[0], "found".to_model()),
        ToolResult::new(&calls[1], "not JSON".to_model()),
    ];
    request.messages.extend([
        Message::assistant(ModelResponse::calls(calls)),
        Message::results(results),
    ]);
    let response = client.complete(&request).await.unwrap();
    assert_eq!(response.calls, [find("c", Arguments::Json(json!({})))]);
    assert_eq!(response.stop, StopReason::ToolCalls);

    let received = server.received();
    let function = &received[0].body["tools"][0];
    assert_eq!(function["type"], "function");
    assert_eq!(function["function"]["name"], "find");
    assert_eq!(function["function"]["description"], "Does find.");
    assert_eq!(function["function"]["strict"], false);
    assert_eq!(
        function["function"]["parameters"],
        *request.tools[0].parameters
    );
    assert_eq!(received[0].body["tool_choice"], "required");
    assert_eq!(received[0].body.get("response_format"), None);
    assert_eq!(
        received[1].body["messages"].as_array().unwrap()[2..],
        [
            json!({ "role": "assistant", "content": null, "tool_calls": [call("a", "{\"q\":\"x\"}"), call("b", "{\"q")] }),
            json!({ "role": "tool", "tool_call_id": "a", "content": "found" }),
            json!({ "role": "tool", "tool_call_id": "b", "content": "not JSON" }),
        ]
    );
}

#[tokio::test]
async fn a_refusal_is_told_apart_from_an_answer() {
    let message = json!({ "role": "assistant", "content": null, "refusal": "I cannot help" });
    let response = ask(completion(message, "stop")).await.unwrap();
    assert_eq!(
        (response.stop, response.text.as_deref()),
        (StopReason::Refusal, Some("I cannot help"))
    );
}

#[tokio::test]
async fn finish_reasons_are_carried_along_unknown_ones_too() {
    let message = json!({ "role": "assistant", "content": "x" });
    for (reason, stop) in [
        ("stop", StopReason::End),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::ContentFilter),
        ("steered", StopReason::Other("steered".to_owned())),
    ] {
        assert_eq!(
            ask(completion(message.clone(), reason)).await.unwrap().stop,
            stop
        );
    }
}

#[tokio::test]
async fn a_compatible_server_may_leave_much_out() {
    let call = json!({ "function": { "name": "find", "arguments": { "q": 1 } } });
    let content = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
    let message = json!({ "content": content, "tool_calls": [call], "reasoning_content": "hm" });
    let response = ask(ok(
        json!({ "choices": [{ "message": message }], "usage": null }),
    ))
    .await
    .unwrap();
    assert_eq!(response.text.as_deref(), Some("ab"));
    assert_eq!(
        response.calls[0].arguments,
        Arguments::Json(json!({ "q": 1 }))
    );
    assert_eq!(response.usage, Usage::default());
}
