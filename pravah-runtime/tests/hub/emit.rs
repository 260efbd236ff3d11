//! Events of the user's own, and gates that wait for them.

use pravah_runtime::{EventKind, GateQuestion, prelude::*};
use serde_json::json;

use super::{Draft, Page, now};

#[state]
struct Paid {
    n: u32,
}

#[gate(event = format!("paid:{}", draft.n))]
fn payment(draft: &Draft, cents: u32) -> Paid {
    Paid { n: draft.n + cents }
}

#[gate(prompt = "Sent?", event = "sent")]
fn shipped(paid: &Paid, _by: String) -> Page {
    Page { n: paid.n }
}

#[flow(named)]
fn order(draft: Draft) -> Page {
    flow! { payment -> shipped }
}

#[tokio::test]
async fn a_gate_takes_the_event_that_it_waits_for_and_no_other() {
    let mut run = order::start(Draft { n: 7 }).unwrap();
    let hub = run.hub();
    let out = run.run(Context::default()).await.unwrap();
    let RunOut::Suspend { value, .. } = out else {
        panic!("{out:?}")
    };
    let question: GateQuestion = serde_json::from_value(value).unwrap();
    assert_eq!(question.event.as_deref(), Some("paid:7"));
    assert_eq!(question.prompt, "waits for the event `paid:7`");
    let (mut other, mut own) = (hub.emit("paid:8", 1), hub.emit("paid:7", 30));
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "shipped"));
    assert!(now(&mut other).is_none());
    assert_eq!(now(&mut own).unwrap().unwrap(), 1);
    hub.reply("shipped", "post");
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 37 }));
    assert!(matches!(other.await.unwrap_err(), FlowError::Finished));
}

#[tokio::test]
async fn a_gate_takes_its_event_in_a_run_whose_json_is_written_in_another_way() {
    let mut run = order::start(Draft { n: 7 }).unwrap();
    run.run(Context::default()).await.unwrap();
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    let escaped = json.replace("\"event\":", r#""\u0065vent":"#);
    assert_ne!(escaped, json);
    for json in [json, escaped] {
        let stored = serde_json::from_str(&json).unwrap();
        let mut run = FlowRuntime::<order>::from_snapshot(stored).unwrap();
        run.hub().emit("paid:7", 30);
        let out = run.run(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "shipped"));
    }
}

#[tokio::test]
async fn an_event_that_comes_before_its_gate_waits_for_it_also_after_a_restore() {
    let mut run = order::start(Draft { n: 7 }).unwrap();
    let hub = run.hub();
    let mut seen = hub.events().only(["emitted"]);
    let early = hub.emit("sent", "post");
    hub.emit("paid:7", 30);
    run.next(Context::default()).await.unwrap();
    let event = seen.next().await.unwrap();
    assert_eq!(event.kind, EventKind::emitted("sent", "post"));
    assert_eq!(
        seen.next().await.unwrap().kind,
        EventKind::emitted("paid:7", 30)
    );
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    drop(run);
    assert!(matches!(early.await.unwrap_err(), FlowError::RunDropped));
    let expected = json!({
        "1": { "type": "emit", "name": "sent", "value": "post", "announced": true },
        "2": { "type": "emit", "name": "paid:7", "value": 30, "announced": true },
    });
    assert_eq!(stored["inbox"], expected);

    let mut run =
        FlowRuntime::<order>::from_snapshot(serde_json::from_value(stored).unwrap()).unwrap();
    let mut seen = run.hub().events().only(["emitted"]);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 37 }));
    drop(run);
    assert!(seen.next().await.is_none());
}

#[tokio::test]
async fn an_event_that_does_not_fit_its_gate_is_refused() {
    let mut run = order::start(Draft { n: 7 }).unwrap();
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let bad = hub.emit("paid:7", "a lot");
    run.run(Context::default()).await.unwrap();
    assert!(
        matches!(bad.await.unwrap_err(), FlowError::ResumePayload { id, .. } if id == "payment")
    );
    hub.emit("paid:7", 1);
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "shipped"));
}
