//! Calls of tools with arguments, and by names, that no tool takes.

use std::collections::BTreeSet;

use pravah_runtime::{Arguments, Message, prelude::*};
use serde_json::{Value, json};

use crate::{
    Rating, Ticket, good,
    macros_support::{Recorder, output, restart},
    nested,
};

/// Notes something.
#[tool]
async fn note(
    text: String,
    /// Each at most once.
    tags: BTreeSet<String>,
) -> Result<String, ToolError> {
    Ok(format!("{text} {}", tags.len()))
}

#[agent(model = "openai://m", preamble = "", output = Rating, tools = [note])]
fn rate_with(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn rating_with_tools(ticket: Ticket) -> Rating {
    flow! { rate_with }
}

async fn tool_says(name: &str, arguments: Value) -> (String, FlowRuntime<rating_with_tools>) {
    let script = ScriptedModel::new()
        .call("rate_with", name, arguments)
        .reply("rate_with", good());
    let model = Recorder::new(script);
    let run = rating_with_tools::start(Ticket {}).unwrap();
    let mut run = run.with_factory(model.factory());
    for _ in 0..2 {
        run.next(Context::default()).await.unwrap();
        // It can be kept, whatever the model said.
        run = restart(&run).with_factory(model.factory());
    }
    output(run.run(Context::default()).await);
    let Message::Tool { results, .. } = &model.asked()[1].messages[2] else {
        panic!()
    };
    (results[0].text.to_string(), run)
}

#[tokio::test]
async fn arguments_that_the_schema_does_not_take_do_not_reach_the_tool() {
    let twice = json!({ "text": "a", "tags": ["x", "x"] });
    let (said, _) = tool_says("note", twice).await;
    assert_eq!(said, "invalid input: `tags` has an item twice");
    let (said, _) = tool_says("note", json!({ "text": "a", "tags": ["x", "y"] })).await;
    assert_eq!(said, "a 2");
}

#[tokio::test]
async fn arguments_that_are_nested_deeply_can_be_kept() {
    for depth in [60, 70, 120] {
        let (said, _) = tool_says("note", json!({ "tags": [], "text": nested(depth) })).await;
        let reason = match depth {
            60 => "invalid input: `text` is not of type string",
            _ => {
                "invalid input: the arguments are not JSON, are nested too deeply, or have a reserved key"
            }
        };
        assert_eq!(said, reason);
    }
}

#[tokio::test]
async fn a_tool_that_there_is_not_is_answered_under_a_name_that_providers_take() {
    for name in ["functions.search now!", "", "ä", &"x".repeat(1000)] {
        let (said, run) = tool_says(name, json!({})).await;
        assert!(
            said.contains("there is no such tool: the tools are note, submit"),
            "{said}"
        );
        let said = run.history().get("rate_with").unwrap().messages();
        let Message::Assistant { calls, .. } = &said[1] else {
            panic!()
        };
        let name = &calls[0].name;
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        );
    }
}

#[tokio::test]
async fn megabytes_of_arguments_are_answered_like_any_others() {
    let huge = json!({ "text": "x".repeat(5 << 20), "tags": vec!["y"; 100_000] });
    let (said, run) = tool_says("note", huge).await;
    assert_eq!(said, "invalid input: `tags` has an item twice");
    let said = run.history().get("rate_with").unwrap().messages();
    let Message::Assistant { calls, .. } = &said[1] else {
        panic!()
    };
    assert!(matches!(calls[0].arguments, Arguments::Json(_)));
}
