//! What is said to models and by them: in spans only where that is asked for.

use pravah_runtime::{ToolError, prelude::*};
use serde_json::{Value, json};

use super::record::{Recorded, Spans};

#[state]
struct Draft {
    n: u32,
}
#[state]
struct Told {
    #[allow(dead_code, reason = "only the model's answer is looked at")]
    text: String,
}

/// Looks something up.
#[tool]
async fn look(word: String) -> Result<Value, ToolError> {
    Ok(json!({ "found": format!("{word} of the tool") }))
}

#[agent(model = "openai://m", preamble = "A preamble.", output = Told, tools = [look])]
fn tell(_: &Draft) -> String {
    "A prompt.".to_owned()
}

#[flow(named)]
fn tale(draft: Draft) -> Told {
    flow! { tell }
}

async fn traced(ctx: Context) -> Vec<Recorded> {
    let spans = Spans::listen();
    let script = ScriptedModel::new()
        .call("tell", "look", json!({ "word": "an argument" }))
        .reply("tell", json!({ "text": "an answer" }));
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx.with_dep(script)).await.unwrap();
    spans.all()
}

fn json_of(span: &Recorded, field: &str) -> Value {
    serde_json::from_str(span.field(field)).unwrap()
}

#[tokio::test]
async fn without_being_asked_for_nothing_that_is_said_is_in_a_span() {
    let all = format!("{:?}", traced(Context::default()).await);
    for said in ["preamble", "prompt", "argument", "of the tool", "an answer"] {
        assert!(!all.contains(said), "{said} in {all}");
    }
}

#[tokio::test]
async fn where_it_is_asked_for_spans_have_what_was_said() {
    let spans = traced(Context::default().with_traced_content()).await;
    let of = |name: &str| {
        spans
            .iter()
            .filter(|it| it.name == name)
            .collect::<Vec<_>>()
    };
    let [first, second] = of("chat")[..] else {
        panic!("two calls");
    };
    let instructions = json_of(first, "gen_ai.system_instructions");
    assert_eq!(instructions[0]["type"], "text");
    let text = instructions[0]["content"].as_str().unwrap();
    assert!(text.contains("A preamble."));
    let prompt = json!([{ "role": "user", "parts": [{ "type": "text", "content": "A prompt." }] }]);
    assert_eq!(json_of(first, "gen_ai.input.messages"), prompt);

    let asked = &json_of(first, "gen_ai.output.messages")[0];
    assert_eq!(asked["finish_reason"], "tool_call");
    let call = &asked["parts"][0];
    assert_eq!(
        (&call["type"], &call["name"]),
        (&json!("tool_call"), &json!("look"))
    );
    assert_eq!(call["arguments"], json!({ "word": "an argument" }));

    let history = json_of(second, "gen_ai.input.messages");
    let roles = history
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap());
    assert_eq!(roles.collect::<Vec<_>>(), ["user", "assistant", "tool"]);
    assert_eq!(history[2]["parts"][0]["id"], call["id"]);
    let result = history[2]["parts"][0]["response"].as_str().unwrap();
    assert!(result.contains("an argument of the tool"));

    let [tool] = of("execute_tool")[..] else {
        panic!("one call");
    };
    let arguments = json_of(tool, "gen_ai.tool.call.arguments");
    assert_eq!(arguments, json!({ "word": "an argument" }));
    assert_eq!(tool.field("gen_ai.tool.call.result"), result);
}
