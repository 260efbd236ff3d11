//! The conversations that every provider is asked with.

use std::path::PathBuf;

use pravah_runtime::{
    Arguments, Media, Message, ModelRequest, ModelResponse, OutputSpec, Part, Provider, ToModel,
    ToolCall, ToolResult, ToolSpec, Usage,
};
use serde_json::{Value, json};

/// The file of a case.
pub(crate) fn path(provider: Provider, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/wire")
        .join(provider.scheme())
        .join(file)
}

pub(crate) fn read(provider: Provider, file: &str) -> String {
    let path = path(provider, file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A ticket, and JSON for an answer.
pub(crate) fn structured() -> ModelRequest {
    let message = user("The printer is on fire.");
    let mut request = ModelRequest::new("test-model", vec![message]);
    request.node = "triage".to_owned();
    request.system = "You triage tickets.".to_owned();
    request.output = Some(OutputSpec::new("Verdict", verdict()));
    request
}

/// A ticket, and tools to call.
pub(crate) fn tools() -> ModelRequest {
    let mut request = structured();
    request.output = None;
    request.tools = [search(), submit()].into();
    request
}

/// The same after a turn that called one tool twice, once in vain.
pub(crate) fn results(answered: &ModelResponse) -> ModelRequest {
    let result = |call: &ToolCall, text: &str, is_error| {
        let result = ToolResult::new(call, text.to_model());
        match is_error {
            true => result.as_error(),
            false => result,
        }
    };
    let mut calls = answered.calls.clone();
    // As the engine does where a provider gives no ids.
    for (call, id) in calls.iter_mut().zip(["call_a", "call_b"]) {
        call.id = id.to_owned();
    }
    let results = vec![
        result(&calls[0], "[\"Printers\"]", false),
        result(&calls[1], "the tool failed", true),
    ];
    let mut request = tools();
    request.messages.extend([
        Message::assistant(answered.clone().with_calls(calls)),
        Message::results(results),
    ]);
    request
}

/// A conversation that another provider began, with arguments that are no JSON.
pub(crate) fn foreign() -> ModelRequest {
    let call = |id: &str, arguments| ToolCall::new(id, "search", arguments);
    let mut answered = ModelResponse::text("Let me see.").with_calls([
        call("call_a", Arguments::Json(json!({ "query": "fire" }))),
        call("call_b", Arguments::Text("{\"query".to_owned())),
    ]);
    let items = json!([{ "type": "secret" }]);
    answered.opaque = Some(pravah_runtime::Opaque::new(
        "elsewhere",
        "test-model",
        items,
    ));
    results(&answered)
}

/// An answer that did not fit, and what was said about it.
pub(crate) fn repair() -> ModelRequest {
    let mut request = structured();
    request.messages.extend([
        Message::assistant(ModelResponse::text("It is urgent.")),
        user("the answer is not JSON. Answer with JSON that fits the schema, and nothing else."),
    ]);
    request
}

/// Puts another answer in the place of the first.
pub(crate) fn set_answer(request: &mut ModelRequest, answer: ModelResponse) {
    let mut messages = Vec::from(request.messages.clone());
    messages[1] = Message::assistant(answer);
    request.messages = messages.into();
}

/// An answer of nothing at all.
pub(crate) fn nothing() -> ModelRequest {
    let mut request = repair();
    set_answer(&mut request, ModelResponse::default());
    request
}

/// A question about what is shown with it.
pub(crate) fn media(shown: [Option<Part>; 2]) -> ModelRequest {
    let mut parts = vec![Part::Text("What is this?".to_model())];
    parts.extend(shown.into_iter().flatten());
    let mut request = structured();
    request.messages = [Message::parts(parts)].into();
    request
}

/// An image of one white pixel.
pub(crate) fn image() -> Part {
    let pixel = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cc\xf8\x0f\x00\x01\x01\x01\x00\xb18\xf6\x14\x00\x00\x00\x00IEND\xaeB`\x82";
    Part::Image(Media::new("image/png", pixel))
}

/// The beginning of a document.
pub(crate) fn pdf() -> Part {
    Part::File(Media::new("application/pdf", b"%PDF-1.7").with_name("report.pdf"))
}

fn user(text: &str) -> Message {
    Message::user(text.to_model())
}

fn verdict() -> Value {
    json!({
        "type": "object",
        "properties": {
            "urgent": { "type": "boolean", "description": "Whether it cannot wait." },
            "note": { "type": ["string", "null"], "maxLength": 200 },
        },
        "required": ["urgent", "note"],
        "additionalProperties": false,
    })
}

fn search() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": { "query": { "type": "string" } },
        "required": ["query"],
    });
    ToolSpec::new("search", "Searches the articles.", parameters)
}

fn submit() -> ToolSpec {
    ToolSpec::new(
        "submit",
        "Hands in the result and ends the work.",
        verdict(),
    )
}

/// What the answers of every provider have used, as far as it says so.
pub(crate) fn usage(provider: Provider) -> Usage {
    let (cached, reasoning) = match provider {
        Provider::Ollama => (0, 0),
        _ => (5, 3),
    };
    Usage::new(20, 7)
        .with_cached(cached)
        .with_reasoning(reasoning)
}
