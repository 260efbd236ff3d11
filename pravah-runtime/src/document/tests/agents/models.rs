//! The models that agents name.

use super::*;

#[tokio::test]
async fn a_model_that_nobody_can_ask_is_not_tried_again() {
    let text = "
flow: { name: nobody }
nodes:
  - id: ask
    type: agent.run
    input: { input: Hi }
    config: { model: 'nowhere://m' }
    policy: { retry: { maxAttempts: 3 }, continueOnError: true }
edges: []
";
    let flow = DocumentFlow::read("nobody.yaml", text, &registry()).unwrap();
    let session = flow.session(json!({})).unwrap();
    let done = session.run(Context::default()).await.unwrap();
    let failed = &done.outputs["ask"];
    assert_eq!(failed["attempts"], 1, "{failed}");
    assert_eq!(failed["error"]["retryable"], false, "{failed}");
}

#[test]
fn the_name_of_a_model_is_checked_when_a_document_is_read() {
    for (model, part) in [
        ("", "the name of a model is empty"),
        ("gpt 5", "it contains white space"),
        ("openai:/gpt-5-mini", "write `scheme://model`"),
        ("openai//gpt-5-mini", "write `scheme://model`"),
        ("openai://gpt 5", "names no model"),
    ] {
        let text = json!({
            "flow": { "name": "f" },
            "nodes": [{ "id": "a", "type": "agent.run", "input": { "input": "Hi" }, "config": { "model": model } }],
            "edges": [],
        });
        let problems = DocumentFlow::read("f.json", &text.to_string(), &registry()).unwrap_err();
        let said = problems.to_string();
        assert!(
            said.contains("unknown-model") && said.contains(part),
            "{said}"
        );
    }
}
