//! What no event says: states, prompts, arguments, results and answers.

use pravah_runtime::{ScriptedModel, ToolError, prelude::*};
use serde_json::json;

use super::come;

#[state]
struct Letter {
    text: String,
}
#[state]
struct Reply {
    text: String,
}
#[state]
struct Sent {
    text: String,
}

/// Looks something up.
#[tool]
async fn look(word: String) -> Result<String, ToolError> {
    Ok(format!("{word} hidden-result"))
}

/// Asks the sender.
#[tool]
async fn ask(question: String, ctx: Context) -> Result<String, ToolError> {
    match ctx.resumed::<String>()? {
        Some(answer) => Ok(answer),
        None => Err(ToolError::suspend(json!({ "hidden-question": question }))),
    }
}

#[agent(model = "openai://m", preamble = "hidden-preamble", output = Reply, tools = [look, ask])]
fn answer(letter: &Letter) -> String {
    format!("hidden-prompt {}", letter.text)
}

#[gate(prompt = format!("hidden-gate {}", reply.text))]
fn approve(reply: &Reply, note: String) -> Sent {
    Sent {
        text: format!("{} {note}", reply.text),
    }
}

#[flow(named)]
fn mail(letter: Letter) -> Sent {
    flow! { answer -> approve }
}

#[tokio::test]
async fn no_event_says_what_a_state_a_prompt_a_tool_an_answer_or_a_person_says() {
    let script = ScriptedModel::new()
        .call("answer", "look", json!({ "word": "hidden-argument" }))
        .call("answer", "ask", json!({ "question": "hidden-question" }))
        .reply("answer", json!({ "text": "hidden-answer" }));
    let text = "hidden-state".to_owned();
    let run = mail::start(Letter { text }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    let ctx = Context::default();
    run.run(ctx.clone()).await.unwrap();
    run.answer(ctx.clone(), "answer::ask", "hidden-reply")
        .await
        .unwrap();
    run.run(ctx.clone()).await.unwrap();
    let out = run.answer(ctx, "approve", "hidden-note").await.unwrap();
    assert!(matches!(out, RunOut::Done(_)));

    let events = come(&mut events);
    assert_eq!(events.last().unwrap().kind.name(), "harness:complete");
    for event in events {
        let json = serde_json::to_string(&event).unwrap();
        assert!(!json.contains("hidden"), "{json}");
    }
}
