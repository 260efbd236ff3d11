//! `claude.agent`.

use super::*;
use crate::{Message, Part};

// S4.57, L06
#[tokio::test]
async fn claude_answers_with_a_text() {
    let nodes = vec![agent(
        "ask",
        "claude.agent",
        json!({ "prompt": "Say hello.", "options": { "model": "claude-test", "maxTokens": 5 } }),
        json!({ "maxTokens": 9, "temperature": 0 }),
    )];
    let flow = flow_of(nodes, &[]);
    let model = Recorder::new("hello");
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(model.context()).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["ask"], json!({ "text": "hello" }));
    let request = model.first();
    assert_eq!(request.model, "claude-test");
    assert_eq!(request.options.max_tokens, Some(5));
    assert_eq!(request.options.temperature, Some(0.0));
}

#[tokio::test]
async fn claude_goes_on_with_a_conversation() {
    let messages = json!([
        { "role": "user", "content": "Hi" },
        { "role": "assistant", "content": [{ "type": "text", "text": "Hello" }] },
        { "role": "user", "content": [
            { "type": "text", "text": "What is this?" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAEC" } },
        ] },
    ]);
    let nodes = vec![agent(
        "ask",
        "claude.agent",
        json!({ "messages": messages }),
        json!({}),
    )];
    let model = Recorder::new("an image");
    let done = restored_in(&flow_of(nodes, &[]), json!({}), &model.context()).await;
    assert_eq!(done.unwrap().outputs["ask"], json!({ "text": "an image" }));
    let asked: Vec<Message> = model.first().messages.into();
    let [
        first,
        Message::Assistant { text, .. },
        Message::User { parts },
    ] = &*asked
    else {
        panic!("{asked:?}")
    };
    assert_eq!(first.user_text().as_deref(), Some("Hi"));
    assert_eq!(text.as_deref(), Some("Hello"));
    assert!(matches!(&**parts, [Part::Text(_), Part::Image(_)]));
}

#[tokio::test]
async fn a_conversation_ends_with_the_user() {
    let user = json!({ "role": "user", "content": "Hi" });
    let answer = json!({ "role": "assistant", "content": "Hello" });
    for (messages, expected) in [
        (
            json!([user, answer]),
            "the last of `messages` is not the user's",
        ),
        (
            json!([answer, user]),
            "an answer in `messages` follows nothing that the user says",
        ),
    ] {
        let mut ask = agent(
            "ask",
            "claude.agent",
            json!({ "messages": messages }),
            json!({}),
        );
        ask.policy.continue_on_error = true;
        let model = Recorder::new("");
        let flow = flow_of(vec![ask], &[]);
        let done = restored_in(&flow, json!({}), &model.context())
            .await
            .unwrap();
        assert_eq!(done.outputs["ask"]["error"]["message"], expected);
        assert_eq!(done.outputs["ask"]["error"]["kind"], "data");
    }
}
