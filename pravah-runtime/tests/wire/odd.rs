//! Answers that are unusual and yet mean something, and what goes back of them.

use pravah_runtime::{Arguments, ModelRequest, ModelResponse, Provider, StopReason};
use serde_json::{Value, json};

use crate::{
    cases,
    server::{Server, answer, json as json_answer, stream},
};

async fn whole(provider: Provider, body: &Value) -> ModelResponse {
    let body = body.to_string();
    let server = Server::start(provider, move || json_answer(200, body.clone())).await;
    server.client.complete(&cases::tools()).await.unwrap()
}

async fn streamed(provider: Provider, events: &[Value]) -> ModelResponse {
    let body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let server = Server::start(provider, move || stream(provider, body.clone())).await;
    server
        .client
        .stream(&cases::tools(), &|_| {})
        .await
        .unwrap()
}

/// What is sent after this answer.
async fn goes_back(provider: Provider, answered: ModelResponse) -> Value {
    let body = cases::read(provider, "structured.response.json");
    let server = Server::start(provider, move || json_answer(200, body.clone())).await;
    let mut request: ModelRequest = cases::repair();
    cases::set_answer(&mut request, answered);
    server.client.complete(&request).await.unwrap();
    server.last().body
}

#[tokio::test]
async fn anthropic_gets_no_blank_text_back_and_no_thinking_that_led_to_nothing() {
    for content in [
        json!([{ "type": "thinking", "thinking": "hm", "signature": "s" }]),
        json!([{ "type": "text", "text": "\n\n" }]),
        json!([]),
    ] {
        let thinks = content.to_string().contains("thinking");
        let body = json!({ "type": "message", "content": content, "stop_reason": "max_tokens" });
        let answered = whole(Provider::Anthropic, &body).await;
        let sent = goes_back(Provider::Anthropic, answered).await;
        let blocks = sent["messages"][1]["content"].as_array().unwrap();
        assert_eq!(blocks.last().unwrap()["text"], "(nothing)");
        assert_eq!(blocks.len(), if thinks { 2 } else { 1 });
    }
}

#[tokio::test]
async fn responses_gets_no_reasoning_back_that_led_to_nothing() {
    let body = json!({
        "status": "incomplete",
        "incomplete_details": { "reason": "max_output_tokens" },
        "output": [{ "type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e" }],
    });
    let answered = whole(Provider::OpenAiResponses, &body).await;
    assert_eq!(answered.stop, StopReason::MaxTokens);
    let sent = goes_back(Provider::OpenAiResponses, answered).await;
    assert!(!sent["input"].to_string().contains("reasoning"), "{sent}");
}

#[tokio::test]
async fn reasoning_is_asked_for_where_a_model_may_reason() {
    for (model, asked) in [
        ("gpt-6-sol", true),
        ("gpt-4o", false),
        ("gpt-5-chat-latest", false),
    ] {
        let body = cases::read(Provider::OpenAiResponses, "structured.response.json");
        let answer = move || json_answer(200, body.clone());
        let server = Server::start(Provider::OpenAiResponses, answer).await;
        let mut request = cases::structured();
        request.model = model.to_owned();
        server.client.complete(&request).await.unwrap();
        let include = &server.last().body["include"];
        let asks = include.to_string().contains("reasoning.encrypted_content");
        assert_eq!(asks, asked, "{model}");
    }
}

#[tokio::test]
async fn a_call_that_breaks_off_has_no_arguments_that_a_tool_could_run_with() {
    let call = json!({
        "type": "function_call",
        "status": "incomplete",
        "call_id": "c",
        "name": "search",
        "arguments": "",
    });
    let body = json!({
        "status": "incomplete",
        "incomplete_details": { "reason": "max_output_tokens" },
        "output": [call],
    });
    let answered = whole(Provider::OpenAiResponses, &body).await;
    assert!(matches!(answered.calls[0].arguments, Arguments::Text(_)));
}

#[tokio::test]
async fn a_filter_is_told_also_beside_calls() {
    let function = json!({ "name": "search", "arguments": "{}" });
    let call = json!({ "id": "c", "type": "function", "function": function });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    let choice = json!({ "message": message, "finish_reason": "content_filter" });
    let answered = whole(Provider::OpenAi, &json!({ "choices": [choice] })).await;
    assert_eq!(answered.stop, StopReason::ContentFilter);
}

#[tokio::test]
async fn a_refusal_of_no_words_is_none() {
    let message = json!({ "role": "assistant", "content": "{}", "refusal": "" });
    let choice = json!({ "message": message, "finish_reason": "stop" });
    let answered = whole(Provider::OpenAi, &json!({ "choices": [choice] })).await;
    assert_eq!(answered.stop, StopReason::End);
}

#[tokio::test]
async fn what_stands_beside_a_call_goes_back_with_it() {
    let beside = json!({ "google": { "thought_signature": "s" } });
    let function = json!({ "name": "search", "arguments": "{}" });
    let signed = json!({ "id": "c", "function": function, "extra_content": beside });
    let plain = json!({ "id": "d", "function": function });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [signed, plain] });
    let choice = json!({ "message": message, "finish_reason": "tool_calls" });
    let answered = whole(Provider::OpenAi, &json!({ "choices": [choice] })).await;
    let sent = goes_back(Provider::OpenAi, answered).await;
    // The system prompt and the ticket stand before it.
    let sent = &sent["messages"][2];
    assert_eq!(sent["tool_calls"][0]["extra_content"], beside);
    assert_eq!(sent["tool_calls"][1].get("extra_content"), None);
    assert_eq!(sent.get("extra_content"), None);
}

fn delta(delta: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn end() -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })
}

#[tokio::test]
async fn servers_that_number_calls_in_their_own_way_are_understood() {
    let part = |index: Value, id: &str, arguments: &str| {
        let function = json!({ "name": "search", "arguments": arguments });
        delta(&json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }))
    };
    for indices in [
        [json!(0), json!(0)],
        [json!(1), json!(2)],
        [json!(null), json!(null)],
    ] {
        let [first, second] = indices.clone();
        let events = [
            part(first, "a", "{\"query\":\"fire\"}"),
            part(second, "b", "{\"query\":\"smoke\"}"),
            end(),
        ];
        let answered = streamed(Provider::OpenAi, &events).await;
        let calls: Vec<_> = answered
            .calls
            .iter()
            .map(|call| (&*call.id, &call.arguments))
            .collect();
        let json = |query: &str| Arguments::Json(json!({ "query": query }));
        let wanted = [("a", &json("fire")), ("b", &json("smoke"))];
        assert_eq!(calls, wanted, "{indices:?}");
    }
}

#[tokio::test]
async fn reasoning_that_comes_in_several_lists_goes_back_whole() {
    let detail = |text: &str| json!({ "reasoning_details": [{ "text": text }] });
    let events = [
        delta(&detail("one")),
        delta(&detail("two")),
        delta(&json!({ "content": "{}" })),
        end(),
    ];
    let answered = streamed(Provider::OpenAi, &events).await;
    let details = &answered.opaque.unwrap().items["reasoning_details"];
    assert_eq!(*details, json!([{ "text": "one" }, { "text": "two" }]));
}

#[tokio::test]
async fn a_server_that_answers_in_one_piece_is_heard() {
    let body = cases::read(Provider::OpenAi, "structured.response.json");
    let server = Server::start(Provider::OpenAi, move || {
        answer(200, "application/json", body.clone())
    });
    let server = server.await;
    let request = cases::structured();
    let answered = server.client.stream(&request, &|_| {}).await.unwrap();
    assert_eq!(answered.text.unwrap(), "{\"urgent\":true,\"note\":null}");
}

#[tokio::test]
async fn ollama_gets_ids_back_for_the_calls_that_had_one() {
    let call = |id: Option<&str>| {
        let function = json!({ "name": "search", "arguments": {} });
        match id {
            Some(id) => json!({ "id": id, "function": function }),
            None => json!({ "function": function }),
        }
    };
    let message = json!({
        "role": "assistant",
        "content": "",
        "tool_calls": [call(Some("call_x")), call(None)],
    });
    let body = json!({ "message": message, "done": true, "done_reason": "stop" });
    let answered = whole(Provider::Ollama, &body).await;
    // The engine may have had to give the calls other ids.
    let request = cases::results(&answered);
    let server = Server::start(Provider::Ollama, || {
        json_answer(
            200,
            cases::read(Provider::Ollama, "structured.response.json"),
        )
    })
    .await;
    server.client.complete(&request).await.unwrap();
    let sent = server.last().body;
    let [.., asked, first, second] = &sent["messages"].as_array().unwrap()[..] else {
        panic!("{sent}");
    };
    assert_eq!(asked["tool_calls"][0]["id"], "call_a");
    assert_eq!(asked["tool_calls"][1].get("id"), None);
    assert_eq!(first["tool_call_id"], "call_a");
    assert_eq!(second.get("tool_call_id"), None);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so_also_beside_calls() {
    let function = json!({ "name": "search", "arguments": "" });
    let chat_call = json!({ "id": "c", "type": "function", "function": function });
    let chat = json!({ "choices": [{
        "message": { "role": "assistant", "tool_calls": [chat_call] },
        "finish_reason": "length",
    }] });
    let responses = json!({
        "status": "incomplete",
        "incomplete_details": { "reason": "max_output_tokens" },
        "output": [{ "type": "function_call", "call_id": "c", "name": "search", "arguments": "{}" }],
    });
    let anthropic = json!({
        "content": [{ "type": "tool_use", "id": "c", "name": "search", "input": {} }],
        "stop_reason": "max_tokens",
    });
    let gemini = json!({ "candidates": [{
        "content": { "parts": [{ "functionCall": { "name": "search", "args": {} } }] },
        "finishReason": "MAX_TOKENS",
    }] });
    let ollama = json!({
        "message": { "content": "", "tool_calls": [{ "function": { "name": "search", "arguments": {} } }] },
        "done": true,
        "done_reason": "length",
    });
    for (provider, body) in [
        (Provider::OpenAi, chat),
        (Provider::OpenAiResponses, responses),
        (Provider::Anthropic, anthropic),
        (Provider::Gemini, gemini),
        (Provider::Ollama, ollama),
    ] {
        let answered = whole(provider, &body).await;
        assert_eq!(answered.stop, StopReason::MaxTokens, "{provider:?}");
        assert_eq!(answered.calls.len(), 1, "{provider:?}");
    }
}

#[tokio::test]
async fn a_full_context_window_is_no_cut_off_answer() {
    let body = json!({ "content": [], "stop_reason": "model_context_window_exceeded" });
    let answered = whole(Provider::Anthropic, &body).await;
    assert_eq!(answered.stop, StopReason::ContextWindow);
}

#[tokio::test]
async fn an_answer_that_was_interrupted_does_not_count_as_complete_beside_calls() {
    let function = json!({ "name": "search", "arguments": "{}" });
    let call = json!({ "id": "c", "type": "function", "function": function });
    let chat = |word: &str| {
        let message = json!({ "role": "assistant", "tool_calls": [call] });
        json!({ "choices": [{ "message": message, "finish_reason": word }] })
    };
    let call =
        json!({ "type": "function_call", "call_id": "c", "name": "search", "arguments": "{}" });
    let responses = |status: &str, reason: Option<&str>| {
        let details = reason.map(|reason| json!({ "reason": reason }));
        json!({ "status": status, "incomplete_details": details, "output": [call] })
    };
    let part = json!({ "functionCall": { "name": "search", "args": {} } });
    let gemini = |word: &str| json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": word }] });
    let used = json!({ "type": "tool_use", "id": "c", "name": "search", "input": {} });
    let called = json!({ "function": { "name": "search", "arguments": {} } });
    for (provider, body) in [
        (Provider::OpenAi, chat("insufficient_system_resource")),
        (Provider::OpenAi, chat("abort")),
        (Provider::OpenAi, chat("model_length")),
        (
            Provider::OpenAiResponses,
            responses("incomplete", Some("steered")),
        ),
        (Provider::OpenAiResponses, responses("incomplete", None)),
        (Provider::OpenAiResponses, responses("cancelled", None)),
        (Provider::Gemini, gemini("MALFORMED_FUNCTION_CALL")),
        (Provider::Gemini, gemini("OTHER")),
        (
            Provider::Anthropic,
            json!({ "content": [used], "stop_reason": null }),
        ),
        (
            Provider::Ollama,
            json!({ "message": { "tool_calls": [called] }, "done": false }),
        ),
    ] {
        let answered = whole(provider, &body).await;
        let is_unfinished = matches!(answered.stop, StopReason::Other(_) | StopReason::MaxTokens);
        assert!(is_unfinished, "{provider:?}: {:?}", answered.stop);
    }
}

#[tokio::test]
async fn anthropic_gets_no_thinking_back_that_was_not_signed() {
    let thinking = json!({ "type": "thinking", "thinking": "half a", "signature": "" });
    let text = json!({ "type": "text", "text": "{}" });
    let body = json!({ "content": [thinking, text], "stop_reason": "max_tokens" });
    let answered = whole(Provider::Anthropic, &body).await;
    let sent = goes_back(Provider::Anthropic, answered).await;
    assert_eq!(sent["messages"][1]["content"], json!([text]));
}

#[tokio::test]
async fn anthropic_is_not_asked_to_think_in_a_turn_whose_thinking_was_left_out() {
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
    let used = |id: &str| json!({ "type": "tool_use", "id": id, "name": "search", "input": {} });
    let content = json!([thinking, used("a"), used("b")]);
    let body = json!({ "content": content, "stop_reason": "tool_use" });
    let answered = whole(Provider::Anthropic, &body).await;
    let response = cases::read(Provider::Anthropic, "structured.response.json");
    let server = Server::start(Provider::Anthropic, move || {
        json_answer(200, response.clone())
    })
    .await;
    for keeps_thinking in [true, false] {
        let mut answered = answered.clone();
        if !keeps_thinking {
            answered.opaque = None;
        }
        let mut request = cases::results(&answered);
        request.options = request.options.reasoning(2_000);
        server.client.complete(&request).await.unwrap();
        let sent = server.last().body;
        assert_eq!(sent.get("thinking").is_some(), keeps_thinking, "{sent}");
    }
}

/// `serde_json` itself reads such an object as what is in the text.
#[tokio::test]
async fn arguments_are_what_the_model_wrote_whatever_their_keys() {
    let key = "$serde_json::private::RawValue";
    for text in ["[[[", "{\"a\":1}"] {
        let input = json!({ key: text });
        let pieces = input.to_string();
        let block = json!({ "type": "tool_use", "id": "1", "name": "n", "input": input });
        let body = json!({ "type": "message", "content": [block], "stop_reason": "tool_use" });
        let start = json!({ "type": "tool_use", "id": "1", "name": "n", "input": {} });
        let events = [
            json!({ "type": "message_start", "message": { "type": "message", "content": [] } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": start }),
            json!({
                "type": "content_block_delta", "index": 0,
                "delta": { "type": "input_json_delta", "partial_json": pieces },
            }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            json!({ "type": "message_stop" }),
        ];
        let function = json!({ "name": "n", "arguments": pieces });
        let call = json!({ "id": "1", "type": "function", "function": function });
        let message = json!({ "role": "assistant", "tool_calls": [call] });
        let chat = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
        for answer in [
            whole(Provider::Anthropic, &body).await,
            streamed(Provider::Anthropic, &events).await,
            whole(Provider::OpenAi, &chat).await,
        ] {
            assert_eq!(answer.calls[0].arguments, Arguments::Json(input.clone()));
        }
    }
}
