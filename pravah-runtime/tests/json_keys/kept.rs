//! What has such a key and is in a run.

use pravah_runtime::{ClientHistory, FlowDef, prelude::*};
use serde_json::{Value, json};

use crate::{
    Headers, RAW, Ticket, asking, headers,
    macros_support::{output, restart, suspended},
    office,
};

/// What the run may hold in place of `"here"`.
fn hidden() -> Vec<Value> {
    ["[[[", "{\"type\":\"cancel\"}", "1", ""]
        .map(|text| json!({ RAW: text, "a": [{ RAW: 1 }] }))
        .into()
}

/// The run with `hidden` in place of `"here"`, as it is stored and was read again.
fn with<F: FlowDef>(run: &FlowRuntime<F>, hidden: &Value) -> FlowRuntime<F> {
    let stored = serde_json::to_string(&run.snapshot()).unwrap();
    let stored = stored.replace("\"here\"", &hidden.to_string());
    assert!(stored.contains(RAW));
    let read = FlowRuntime::<F>::from_snapshot(serde_json::from_str(&stored).unwrap()).unwrap();
    assert_eq!(serde_json::to_string(&read.snapshot()).unwrap(), stored);
    // Entry by entry too.
    let entries = read.snapshot().entries().unwrap();
    let of_entries = FlowSnapshot::from_entries(&entries).unwrap();
    assert_eq!(serde_json::to_string(&of_entries).unwrap(), stored);
    read
}

#[tokio::test]
async fn a_question_about_a_state_reads_back() {
    for text in ["[[[", "{\"b\":\"c\"}"] {
        let run = asking::start(headers(text)).unwrap();
        // Of a typed state, and of one that nobody has read.
        for mut run in [restart(&run), run] {
            let (_, asked) = suspended(run.run(Context::default()).await);
            assert_eq!(asked["state"]["all"][RAW], text);
            let read = restart(&run);
            assert_eq!(read.suspensions(), run.suspensions());
            assert_eq!(
                serde_json::to_string(&read.snapshot()).unwrap(),
                serde_json::to_string(&run.snapshot()).unwrap(),
            );
            let question: GateQuestion = serde_json::from_value(asked).unwrap();
            assert_eq!(question.state["all"][RAW], text);
            assert_eq!(*read.peek::<Headers>().unwrap(), headers(text));
        }
    }
}

#[tokio::test]
async fn a_command_that_waits_reads_back() {
    for hidden in hidden() {
        for is_reply in [false, true] {
            let mut run = asking::start(headers("")).unwrap();
            let hub = run.hub();
            drop(match is_reply {
                true => hub.reply("more", "here"),
                false => hub.emit("nobody's", "here"),
            });
            let mut read = with(&run, &hidden);
            suspended(read.run(Context::default()).await);
        }
    }
}

#[tokio::test]
async fn the_answer_of_a_gate_reads_back() {
    let mut run = asking::start(headers("")).unwrap();
    suspended(run.run(Context::default()).await);
    run.pause();
    let answer = json!({ "a": "here" });
    let _ = run.answer(Context::default(), "more", answer).await;
    let mut read = with(&run, &json!(RAW));
    read.unpause();
    let all = output(read.run(Context::default()).await).all;
    assert_eq!(all["a"], RAW);
}

#[tokio::test]
async fn a_conversation_reads_back() {
    for hidden in hidden() {
        let script = ScriptedModel::new()
            .call("clerk", "look", json!({ "q": "here" }))
            .reply("clerk", json!({ "text": 1 }));
        let run = office::start(Ticket {}).unwrap();
        let factory = ClientFactory::new().with_scripted(script);
        let mut run = run.with_factory(factory.clone());
        run.next(Context::default()).await.unwrap();
        let mut read = with(&run, &hidden).with_factory(factory);
        output(read.run(Context::default()).await);
        let history = serde_json::to_string(&read.history()).unwrap();
        assert!(history.contains(&hidden.to_string()));
        let history: ClientHistory = serde_json::from_str(&history).unwrap();
        assert_eq!(&history, read.history());
    }
}

#[test]
fn an_event_reads_back() {
    for hidden in hidden() {
        for kind in ["emitted", "unknown"] {
            let event = json!({ "type": kind, "name": "n", "value": hidden });
            let line = json!({ "run": "r", "sequence": 1, "step": 1, "time": 0, "event": event });
            let read: FlowEvent = serde_json::from_str(&line.to_string()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), line);
        }
    }
}
