//! What came of a session.

use pravah_runtime::{Context, RunOut, document::SessionStatus};
use serde_json::json;

use crate::read;

const GATE: &str = "
flow: { name: ask }
nodes:
  - { id: ask, type: control.gate, input: { prompt: 'Publish {{ flow.input.title }}?', choices: ['yes', 'no'] } }
  - { id: done, type: echo, input: { text: '{{ ask.response.choice }}' } }
edges: [{ from: ask, to: done }]
";

// B9
#[tokio::test]
async fn a_gate_takes_a_listed_choice_and_no_other() {
    let flow = read(GATE);
    let mut run = flow.start(json!({ "title": "Tea" })).unwrap();
    let RunOut::Suspend { value, tool_id } = run.run(Context::default()).await.unwrap() else {
        panic!("it asks")
    };
    assert_eq!(value["prompt"], "Publish Tea?");
    assert_eq!(
        value["metadata"],
        json!({ "choices": ["yes", "no"], "allowText": false })
    );
    assert_eq!(value["schema"]["enum"], json!(["yes", "no"]));
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    let mut run = flow.restore(serde_json::from_str(&json).unwrap()).unwrap();
    let error = run
        .answer(Context::default(), &tool_id, "maybe")
        .await
        .unwrap_err();
    assert!(error.to_string().contains("none of the choices"), "{error}");
    run.answer(Context::default(), &tool_id, json!({ "choice": "no" }))
        .await
        .unwrap();
    let RunOut::Done(done) = run.run(Context::default()).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(
        done.outputs["ask"],
        json!({ "response": { "content": "no", "choice": "no" } })
    );
    assert_eq!(done.outputs["done"], json!({ "text": "no" }));
}

#[tokio::test]
async fn a_session_that_nobody_can_answer_is_suspended() {
    let session = read(GATE).session(json!({ "title": "Tea" })).unwrap();
    let result = session.run(Context::default()).await.unwrap();
    assert_eq!(result.status, SessionStatus::Suspended);
    assert_eq!(result.suspensions[0].tool_id, "ask");
}

#[tokio::test]
async fn a_hub_answers_a_session() {
    let flow = read(GATE);
    let mut session = flow.session(json!({ "title": "Tea" })).unwrap();
    let hub = session.hub();
    let mut events = hub.events();
    let answers = tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if event.kind.name() == "session:prompt" {
                hub.reply("ask", "yes").await.unwrap();
            }
        }
    });
    let result = session.run(Context::default()).await.unwrap();
    assert_eq!(result.status, SessionStatus::Complete);
    assert_eq!(result.outputs["done"], json!({ "text": "yes" }));
    answers.await.unwrap();
}

// B9
#[tokio::test(start_paused = true)]
async fn a_wait_takes_its_time_or_ends_with_its_event() {
    let text = "
flow: { name: wait }
nodes:
  - { id: a, type: control.wait, input: { ms: 20 } }
  - { id: b, type: control.wait, input: { ms: 60000, until: paid } }
edges: [{ from: a, to: b }]
";
    let flow = read(text);
    let result = flow
        .session(json!({}))
        .unwrap()
        .run(Context::default())
        .await
        .unwrap();
    assert_eq!(result.status, SessionStatus::Complete);
    assert_eq!(result.outputs["a"], json!({ "waitedMs": 20 }));
    assert_eq!(result.outputs["b"], json!({ "waitedMs": 60_000 }));

    let mut session = flow.session(json!({})).unwrap();
    let hub = session.hub();
    let pays = async {
        tokio::time::sleep(std::time::Duration::from_millis(1_020)).await;
        hub.emit("paid", json!({})).await.unwrap();
    };
    let (result, ()) = tokio::join!(session.run(Context::default()), pays);
    let waited = result.unwrap().outputs["b"]["waitedMs"].as_u64().unwrap();
    assert!((900..=1_100).contains(&waited), "{waited}");
}

#[tokio::test]
async fn a_failure_that_nothing_handles_is_part_of_the_result() {
    let text = "
flow: { name: fails }
nodes:
  - { id: a, type: echo, input: { text: hi } }
  - { id: b, type: control.fail, input: { message: 'no {{ a.text }}' } }
edges: [{ from: a, to: b }]
";
    let result = read(text)
        .session(json!({}))
        .unwrap()
        .run(Context::default())
        .await
        .unwrap();
    assert_eq!(result.status, SessionStatus::Failed);
    assert_eq!(
        result.error.as_ref().unwrap().to_string(),
        "node `b` failed: no hi"
    );
    assert_eq!(result.outputs["a"], json!({ "text": "hi" }));
    assert_eq!(result.outputs["b"]["error"]["message"], "no hi");
    assert_eq!(result.to_json()["status"], "failed");
}

#[tokio::test]
async fn a_session_whose_last_step_is_an_answer_is_complete() {
    let text = "
flow: { name: ask }
nodes: [{ id: ask, type: control.gate, input: { prompt: 'Go on?' } }]
edges: []
";
    let mut session = read(text).session(json!({})).unwrap();
    let result = session.drive(Context::default()).await.unwrap();
    assert_eq!(result.status, SessionStatus::Suspended);
    session
        .answer(Context::default(), "ask", json!("yes"))
        .await
        .unwrap();
    let result = session.drive(Context::default()).await.unwrap();
    assert_eq!(result.status, SessionStatus::Complete);
    assert_eq!(result.outputs["ask"]["response"]["content"], "yes");
}

// S4.6
#[tokio::test]
async fn a_failure_in_a_region_is_among_the_outputs() {
    let body = "
flow: { name: each }
nodes:
  - { id: each, type: control.foreach, input: { list: [1], body: [fails] } }
  - { id: fails, type: control.fail, input: { message: no } }
edges: []
";
    let edge = "
flow: { name: again }
nodes: [{ id: a, type: constant, input: { value: 1 } }]
edges: [{ from: a, to: a, type: loop, maxIterations: 1 }]
";
    for (text, node) in [(body, "each"), (edge, "a")] {
        let session = read(text).session(json!({})).unwrap();
        let result = session.run(Context::default()).await.unwrap();
        assert_eq!(result.status, SessionStatus::Failed);
        assert_eq!(result.outputs[node]["failed"], true, "{result:?}");
    }
}
