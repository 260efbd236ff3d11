//! Agents whose result is a text.

use super::*;
use crate::{EventKind, Usage};

// P5
#[tokio::test]
async fn the_pieces_of_a_text_are_the_result() {
    let nodes = vec![agent(
        "ask",
        "agent.run",
        json!({ "input": "What did ada order?" }),
        json!({ "tools": ["orders"] }),
    )];
    let look = crate::ScriptedTurn::text("I look. ").with_call("orders", json!({ "email": "ada" }));
    let script = ScriptedModel::new()
        .turn("ask", look)
        .text("ask", "{\"tea\": 1}");
    let flow = flow_of(nodes, &[]);
    let mut run = flow.start(json!({})).unwrap();
    let mut events = run.events_with_text();
    let RunOut::Done(done) = run.run(scripted(&script)).await.unwrap() else {
        panic!("it is not done")
    };
    drop(run);
    let mut said = String::new();
    while let Some(event) = events.next().await {
        if let EventKind::AgentText { content } = event.kind {
            said.push_str(&content);
        }
    }
    assert_eq!(said, "I look. {\"tea\": 1}");
    assert_eq!(done.outputs["ask"], json!({ "result": said }));
}

#[tokio::test]
async fn a_model_that_is_to_say_something_is_sent_no_schema_and_no_tool_to_hand_it_in() {
    for (config, tools) in [
        (json!({}), vec![]),
        (json!({ "tools": ["stock"] }), vec!["stock"]),
    ] {
        let nodes = vec![agent("ask", "agent.run", json!({ "input": "Hi" }), config)];
        let model = Recorder::new("hello");
        restored_in(&flow_of(nodes, &[]), json!({}), &model.context())
            .await
            .unwrap();
        let request = model.first();
        assert_eq!(request.output, None);
        let names: Vec<_> = request.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, tools);
    }
}

#[tokio::test]
async fn an_answer_without_words_is_asked_for_again() {
    let nodes = vec![agent(
        "ask",
        "agent.run",
        json!({ "input": "Hi" }),
        json!({}),
    )];
    let script = ScriptedModel::new()
        .reply("ask", json!(" "))
        .call("ask", "orders", json!({}))
        .reply("ask", json!("hello"));
    let mut run = flow_of(nodes, &[]).start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(scripted(&script)).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["ask"], json!({ "result": "hello" }));
    let asked = run.history();
    let asked = format!("{asked:?}");
    for why in [
        "the answer is empty. Answer with a text.",
        "the answer calls a tool, and there are none. Answer with a text.",
    ] {
        assert!(asked.contains(why), "{asked}");
    }
}

// S4.57
#[tokio::test]
async fn what_claude_costs_is_part_of_its_output() {
    let input = json!({ "prompt": "Say hello." });
    let nodes = vec![agent("ask", "claude.agent", input, json!({}))];
    let turn = crate::ScriptedTurn::reply(json!("hello")).with_usage(Usage::new(12, 3));
    let script = ScriptedModel::new().turn("ask", turn);
    let (flow, ctx) = (flow_of(nodes, &[]), scripted(&script));
    let done = restored_in(&flow, json!({}), &ctx);
    let usage = json!({ "inputTokens": 12, "outputTokens": 3 });
    let expected = json!({ "text": "hello", "usage": usage });
    assert_eq!(done.await.unwrap().outputs["ask"], expected);
}
