//! What a snapshot has of commands that wait.

use pravah_runtime::{Entries, prelude::*};
use serde_json::{Value, json};

use super::{Page, now, start, story};

fn restored(stored: &Value) -> Result<FlowRuntime<story>, FlowError> {
    let text = stored.to_string();
    let snapshot =
        serde_json::from_str(&text).map_err(|error| FlowError::SnapLoadError(error.into()))?;
    FlowRuntime::from_snapshot(snapshot)
}

#[tokio::test(start_paused = true)]
async fn a_command_is_in_the_snapshot_until_it_is_taken_and_then_no_more() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    hub.reply("approve", 2);
    hub.pause();
    let before = serde_json::to_value(run.snapshot()).unwrap();
    let expected = json!({
        "1": { "type": "reply", "id": "approve", "answer": 2 },
        "2": { "type": "pause" },
    });
    assert_eq!(before["inbox"], expected);
    assert_eq!(serde_json::to_value(&run).unwrap(), before);
    run.next(Context::default()).await.unwrap();
    let after = serde_json::to_value(run.snapshot()).unwrap();
    assert!(after.get("inbox").is_none());

    // Whichever of the two is restored, the answer is there once.
    for stored in [before, after] {
        let mut run = restored(&stored).unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Waiting { until: None, .. }));
        run.unpause();
        let out = run.run(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Done(Page { n: 3 }));
    }
}

#[tokio::test]
async fn a_command_to_cancel_ends_the_run_that_is_restored() {
    let mut run = start(1);
    run.hub().cancel("enough");
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    let mut run = restored(&stored).unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Cancelled { reason, .. } if reason == "enough"));
}

#[tokio::test(start_paused = true)]
async fn changes_have_the_commands_that_came_and_those_that_were_taken() {
    let mut run = start(1);
    let mut entries = Entries::default();
    let mut follow = |run: &mut FlowRuntime<story>| {
        entries.apply(run.take_changes().unwrap());
        let own = FlowSnapshot::from_entries(&entries).unwrap();
        assert_eq!(
            serde_json::to_value(own).unwrap(),
            serde_json::to_value(run.snapshot()).unwrap()
        );
    };
    follow(&mut run);
    let hub = run.hub();
    hub.emit("never", 1);
    follow(&mut run);
    run.next(Context::default()).await.unwrap();
    follow(&mut run);
    hub.reply("approve", 2);
    hub.emit("not this either", 1);
    follow(&mut run);
    run.next(Context::default()).await.unwrap();
    follow(&mut run);
    run.next(Context::default()).await.unwrap();
    follow(&mut run);
}

#[tokio::test]
async fn changes_have_commands_in_the_order_of_their_numbers() {
    let mut run = start(1);
    let hub = run.hub();
    for number in 0..12 {
        hub.emit("never", number);
    }
    let mut entries = Entries::default();
    entries.apply(run.take_changes().unwrap());
    let own = FlowSnapshot::from_entries(&entries).unwrap();
    let text = |snapshot: &FlowSnapshot| serde_json::to_string(snapshot).unwrap();
    assert_eq!(text(&own), text(&run.snapshot()));
}

#[tokio::test]
async fn a_snapshot_with_commands_that_are_none_is_refused() {
    let mut run = start(1);
    run.hub().pause();
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    let with = |inbox: Value| {
        let mut stored = stored.clone();
        stored["inbox"] = inbox;
        restored(&stored).unwrap_err().to_string()
    };
    assert!(with(json!({ "1": { "type": "explode" } })).contains("explode"));
    assert!(with(json!({ "1": { "type": "reply", "id": "approve" } })).contains("answer"));
    assert!(with(json!({ "one": { "type": "pause" } })).contains("key to be a number"));
    let many: serde_json::Map<String, Value> = (0..1_026)
        .map(|n| (n.to_string(), json!({ "type": "pause" })))
        .collect();
    assert!(with(many.into()).contains("more than 1024 commands"));
}

#[tokio::test]
async fn numbers_at_either_end_are_commands_as_any_other() {
    let mut run = start(1);
    run.hub().pause();
    let mut stored = serde_json::to_value(run.snapshot()).unwrap();
    stored["inbox"] =
        json!({ "0": { "type": "pause" }, u64::MAX.to_string(): { "type": "unpause" } });
    let mut run = restored(&stored).unwrap();
    let mut full = run.hub().pause();
    assert!(matches!(
        now(&mut full).unwrap().unwrap_err(),
        FlowError::InboxFull { .. }
    ));
    let out = run.next(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }));
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    assert!(stored.get("inbox").is_none());
}
