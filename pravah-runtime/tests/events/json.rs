//! The JSON of events, which reads back.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::{
    Audit, EventKind, FailureKind, FailureOutcome, FlowEvent, RemoteEvent, StepInfo, StepKind,
    ToolError, Usage,
};
use serde_json::{Value, from_value, json, to_value};

/// One of each kind.
fn kinds() -> Vec<EventKind> {
    let error = ToolError::fatal("the shop is closed");
    let model = "openai://m";
    vec![
        EventKind::run_started("story"),
        EventKind::run_ended(true, Duration::from_millis(1_500)),
        EventKind::run_cancelled("enough"),
        EventKind::RunPaused,
        EventKind::RunUnpaused,
        EventKind::NodeStarted,
        EventKind::phase_started("Run Flow"),
        EventKind::phase_ended("Run Flow"),
        EventKind::phase_failed("Run Flow", "no tea"),
        EventKind::node_ended(),
        EventKind::node_failed(FailureKind::Timeout, "too late", FailureOutcome::Retried),
        EventKind::attempt_failed(FailureKind::Timeout, "too late"),
        EventKind::Step(
            StepInfo::new(3, "score", StepKind::ModelCall)
                .with_items([1, 0])
                .with_outputs(["Score"]),
        ),
        EventKind::question_asked("approve#2", 3),
        EventKind::question_answered("approve#2"),
        EventKind::emitted("paid", json!({ "cents": 30 })),
        EventKind::agent_started("score", "r/score(Page)#1@2"),
        EventKind::agent_ended("score", "r/score(Page)#1@2", false),
        EventKind::turn_ended("r/score(Page)#1@2", 1),
        EventKind::message_received("score", "r/score(Page)#1@2", Some("again".into())),
        EventKind::agent_text("Once upon"),
        EventKind::model_answered(model, Usage::new(200, 20)),
        EventKind::model_waits(
            model,
            "rate limit",
            UNIX_EPOCH + Duration::from_millis(1_234),
        ),
        EventKind::model_fell_back(model, "no quota"),
        EventKind::tool_started("orders", "call_1"),
        EventKind::tool_ended("orders", "call_1", true),
        EventKind::tool_failed("orders", "call_1", &error, None),
        EventKind::Audit(Audit::review_resolved(true, false)),
        EventKind::Remote(RemoteEvent::started("t1", "a2a")),
        EventKind::Remote(RemoteEvent::relayed("t1", json!({ "text": "Looking" }))),
        EventKind::Remote(RemoteEvent::retrying("t1", "it is unreachable", UNIX_EPOCH)),
        EventKind::Remote(RemoteEvent::cancel_failed("t1", "it is unreachable")),
        EventKind::channel_failed("console", "no terminal"),
        EventKind::missed(7),
    ]
}

fn event(kind: EventKind) -> FlowEvent {
    FlowEvent::new("r", "score", kind)
        .with_items([1, 0])
        .with_step(3)
        .with_attempt(2)
        .with_sequence(9, UNIX_EPOCH + Duration::from_millis(1_790_000_000_123))
}

// S4.15
#[test]
fn every_kind_of_event_reads_back_from_its_json_and_is_named_there() {
    for kind in kinds() {
        let event = event(kind);
        let json = to_value(&event).unwrap();
        assert_eq!(json["event"]["type"], event.kind.name());
        assert_eq!(from_value::<FlowEvent>(json).unwrap(), event);
    }
}

#[test]
fn the_result_of_a_node_reads_back_also_if_it_is_null() {
    for result in [json!(null), json!({ "text": "hi" })] {
        let kind = EventKind::node_ended_with(result.clone());
        let written = to_value(&kind).unwrap();
        assert_eq!(
            written,
            json!({ "type": "task:complete", "result": result })
        );
        assert_eq!(from_value::<EventKind>(written).unwrap(), kind);
    }
    let without = json!({ "type": "task:complete" });
    assert_eq!(
        from_value::<EventKind>(without).unwrap(),
        EventKind::node_ended()
    );
}

#[test]
fn the_page_about_watching_lists_every_kind_of_event() {
    let page = include_str!("../../../docs/watching.md");
    let (page, _) = page.split_once("## Traces").unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    // In JSON, and in Rust.
    let mut listed: Vec<(String, String)> = rows
        .map(|row| row.split('`').map(str::to_owned).collect::<Vec<_>>())
        .map(|parts| (parts[0].clone(), parts[2].clone()))
        .collect();
    listed.retain(|(name, _)| name != "type");
    let variant = |kind: &EventKind| {
        let shown = format!("{kind:?}");
        let end = shown.find(|c: char| !c.is_alphanumeric());
        shown[..end.unwrap_or(shown.len())].to_owned()
    };
    let mut names: Vec<(String, String)> = kinds()
        .iter()
        .map(|kind| (kind.name().to_owned(), variant(kind)))
        .collect();
    listed.sort_unstable();
    names.sort_unstable();
    names.dedup();
    assert_eq!(listed, names);
}

#[test]
fn the_envelope_says_where_and_when_and_the_event_what() {
    let failed = EventKind::node_failed(FailureKind::Timeout, "too late", FailureOutcome::Retried);
    let expected = json!({
        "run": "r", "sequence": 9, "time": 1_790_000_000_123_u64, "step": 3,
        "node": "score", "items": [1, 0], "attempt": 2,
        "event": {
            "type": "task:failed", "kind": "timeout", "error": "too late", "outcome": "retried",
        },
    });
    assert_eq!(to_value(event(failed)).unwrap(), expected);
}

#[test]
fn a_step_is_written_without_what_the_envelope_says() {
    let step = StepInfo::new(3, "score", StepKind::ModelCall).with_items([1, 0]);
    let json = to_value(event(EventKind::Step(step))).unwrap();
    assert_eq!(
        json["event"],
        json!({ "type": "step", "kind": "model_call" })
    );
}

#[test]
fn an_event_of_the_run_has_neither_node_nor_attempt() {
    let json = to_value(FlowEvent::of_run("r", EventKind::RunPaused)).unwrap();
    let expected = json!({
        "run": "r", "sequence": 1, "time": 0, "step": 0, "event": { "type": "session:pause" },
    });
    assert_eq!(json, expected);
}

// S4.15
#[test]
fn an_event_of_an_unknown_type_passes_through_unchanged() {
    let json = json!({
        "run": "r", "sequence": 1, "time": 5, "step": 2,
        "event": { "type": "deploy:start", "region": "eu", "hosts": [1, 2] },
    });
    let event: FlowEvent = from_value(json.clone()).unwrap();
    assert_eq!(event.kind.name(), "deploy:start");
    assert!(matches!(event.kind, EventKind::Other(_)));
    assert_eq!(to_value(event).unwrap(), json);
}

#[test]
fn what_is_no_event_is_an_error_that_says_why() {
    let read = |event: Value| {
        let json = json!({ "run": "r", "sequence": 1, "time": 5, "step": 2, "event": event });
        from_value::<FlowEvent>(json).unwrap_err().to_string()
    };
    let error = read(json!({ "type": "task:failed", "error": "too late" }));
    assert_eq!(error, "missing field `kind`");
    assert_eq!(read(json!({})), "missing field `type`");
    assert!(read(json!({ "type": 7 })).contains("type"));
    let no_node = read(json!({ "type": "step", "kind": "node" }));
    assert_eq!(no_node, "missing field `node`");
    let far = json!({ "type": "model:wait", "model": "m", "error": "", "until": -1 });
    assert!(read(far).contains("-1"));
}
