//! Logs, metrics, the cache of the process and the state of the run.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::NoSubscriber,
};

use super::*;

/// Keeps the level and the message of what comes from documents.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().contains("document::catalogue")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let heard = format!("{} {}", event.metadata().level(), message.0);
        self.0.lock().unwrap().push(heard);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

// B12
#[tokio::test]
async fn messages_and_measurements_go_into_the_log() {
    // As long as there is one subscriber alone, `tracing` asks that of the thread which comes to an event first, and
    // remembers its answer for all threads.
    let _others = [(); 2].map(|()| tracing::Dispatch::new(NoSubscriber::default()));
    let heard = Heard::default();
    let _guard = tracing::subscriber::set_default(heard.clone());
    tracing::callsite::rebuild_interest_cache();
    for level in ["debug", "info", "warn", "error"] {
        let flow = flow(document(graph(
            vec![node(
                "n",
                "system.log",
                json!({ "level": level, "message": "{hi}" }),
            )],
            &[],
        )));
        let done = restored(&flow, json!({})).await.unwrap();
        assert_eq!(done.outputs["n"], json!({ "ok": true }));
    }
    let input = json!({ "name": "orders", "value": 1.5, "tags": { "shop": "lisbon" } });
    let metrics = flow(document(graph(
        vec![node("n", "system.metrics", input)],
        &[],
    )));
    restored(&metrics, json!({})).await.unwrap();
    let expected = [
        "DEBUG {hi}",
        "INFO {hi}",
        "WARN {hi}",
        "ERROR {hi}",
        "INFO measured `orders`",
    ];
    assert_eq!(*heard.0.lock().unwrap(), expected);
}

// B12: what is committed is told once, however often it is tried or restored.
#[tokio::test]
async fn messages_and_measurements_are_events() {
    let message = json!({ "level": "warn", "message": "low" });
    let measured = json!({ "name": "orders", "value": 1.5 });
    let nodes = vec![
        node("log", "system.log", message.clone()),
        node("metrics", "system.metrics", measured.clone()),
    ];
    let flow = flow(document(graph(nodes, &[("log", "metrics")])));
    let session = flow.session(json!({})).unwrap().collect_events(100);
    let result = session.run(Context::default()).await.unwrap();
    let emitted = result.events.iter().filter_map(|event| match &event.kind {
        crate::EventKind::Emitted { name, value } => {
            Some((event.node.as_deref()?, &**name, value.clone()))
        }
        _ => None,
    });
    let expected = [
        ("log", "system.log", message),
        ("metrics", "system.metrics", measured),
    ];
    assert_eq!(emitted.collect::<Vec<_>>(), expected);
}

fn get(id: &str, scope: &str, key: &str) -> Node {
    node(id, &format!("system.{scope}.get"), json!({ "key": key }))
}

fn set(id: &str, scope: &str, key: &str, value: Value) -> Node {
    let input = json!({ "key": key, "value": value });
    node(id, &format!("system.{scope}.set"), input)
}

// B12
#[tokio::test(start_paused = true)]
async fn a_cached_value_is_there_for_other_runs_until_its_time_is_over() {
    let key = "tests/a_cached_value";
    let input = json!({ "key": key, "value": [1], "ttlMs": 100 });
    assert_eq!(
        output("system.cache.set", input).await,
        json!({ "ok": true })
    );
    let cached = || output("system.cache.get", json!({ "key": key }));
    assert_eq!(cached().await, json!({ "value": [1] }));
    tokio::time::advance(Duration::from_millis(99)).await;
    assert_eq!(cached().await, json!({ "value": [1] }));
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(cached().await, json!({}));
}

// B12, P11
#[tokio::test]
async fn state_is_kept_in_the_run_and_its_snapshots_alone() {
    let nodes = vec![
        get("before", "state", "seen"),
        set("put", "state", "seen", json!({ "a": [1] })),
        get("after", "state", "seen"),
        set("again", "state", "seen", json!("{{ after.value }}!")),
        get("last", "state", "seen"),
        get("other", "state", "unseen"),
    ];
    let edges = [
        ("before", "put"),
        ("put", "after"),
        ("after", "again"),
        ("again", "last"),
        ("last", "other"),
    ];
    let graph = graph(nodes, &edges);
    for _ in 0..2 {
        let outputs = outputs(document(graph.clone()), json!({})).await;
        assert_eq!(outputs["before"], json!({}));
        assert_eq!(outputs["put"], json!({ "ok": true }));
        assert_eq!(outputs["after"], json!({ "value": { "a": [1] } }));
        assert_eq!(outputs["last"], json!({ "value": "{\"a\":[1]}!" }));
        assert_eq!(outputs["other"], json!({}));
    }
}

// P11
#[tokio::test]
async fn state_goes_into_bodies_and_out_of_them() {
    let body = graph(
        vec![
            get("so_far", "state", "count"),
            set(
                "next",
                "state",
                "count",
                json!("{{ so_far.value }}{{ item }}"),
            ),
        ],
        &[("so_far", "next")],
    );
    let foreach = Work::Foreach {
        list: Template::parse(&json!(["a", "b"])).unwrap(),
        item: "item".to_owned(),
        concurrency: 1,
        body,
    };
    let nodes = vec![
        set("start", "state", "count", json!("")),
        work("each", "control.foreach", foreach),
        get("end", "state", "count"),
    ];
    let graph = graph(nodes, &[("start", "each"), ("each", "end")]);
    let done = restored(&flow(document(graph)), json!({})).await.unwrap();
    assert_eq!(done.outputs["end"], json!({ "value": "ab" }));
}

#[tokio::test]
async fn what_was_kept_is_among_the_changes_of_a_run() {
    let nodes = vec![
        set("a", "state", "seen", json!(1)),
        set("b", "state", "seen", json!(2)),
    ];
    let flow = flow(document(graph(nodes, &[("a", "b")])));
    let mut run = flow.start(json!({})).unwrap();
    run.next(Context::default()).await.unwrap();
    let before = run.snapshot();
    let stored = serde_json::to_value(&before).unwrap();
    assert_eq!(stored["values"], json!({ "seen": 1 }));
    run.next(Context::default()).await.unwrap();
    let stored = serde_json::to_value(run.snapshot()).unwrap();
    assert_eq!(stored["values"], json!({ "seen": 2 }));
}
