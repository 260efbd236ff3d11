//! What workers log.

use std::{
    fmt::Debug,
    future::ready,
    sync::{Arc, Mutex},
};

use pravah_runtime::{LoadOptions, prelude::*};
use pravah_store::{MemoryStore, Runs, Status, Worker};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::flows::{Draft, Order, Working, until};

/// Keeps what the crate logs at a level: the message, and the fields that say why.
#[derive(Clone)]
struct Logged {
    level: Level,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Logged {
    fn at(level: Level) -> Self {
        let lines = Arc::default();
        Self { level, lines }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap())
    }
}

/// One event as a line.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "flow" | "flows" | "error" => {
                self.fields
                    .push_str(&format!(" {}={value:?}", field.name()));
            }
            _ => {}
        }
    }
}

impl Subscriber for Logged {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == self.level && metadata.target().starts_with("pravah_store")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let line = format!("{}{}", line.message, line.fields);
        self.lines.lock().unwrap().push(line);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[state]
struct Broken {}
#[state]
struct Repaired {}

#[node]
fn break_down(_broken: Broken) -> Result<Repaired, FlowError> {
    Err("it broke".into())
}

#[flow]
fn breaking(broken: Broken) -> Repaired {
    flow! { break_down }
}

#[tokio::test]
async fn a_worker_that_serves_no_flow_warns_of_it() {
    let warnings = Logged::at(Level::WARN);
    let _guard = tracing::subscriber::set_default(warnings.clone());
    Worker::new(MemoryStore::new())
        .serve::<Order>()
        .run(ready(()))
        .await;
    assert!(warnings.take().is_empty());
    Worker::new(MemoryStore::new()).run(ready(())).await;
    let expected = "the worker serves no flow, so it takes no runs: `Worker::serve` adds one";
    assert_eq!(warnings.take(), [expected]);
}

#[tokio::test]
async fn a_worker_that_starts_says_which_flows_it_serves() {
    let infos = Logged::at(Level::INFO);
    let _guard = tracing::subscriber::set_default(infos.clone());
    let worker = Worker::new(MemoryStore::new()).serve::<Order>();
    worker.serve::<Draft>().run(ready(())).await;
    let expected = r#"the worker starts flows={"Draft", "Order"}"#;
    assert_eq!(infos.take(), [expected]);
}

#[tokio::test]
async fn load_options_of_a_flow_that_is_not_served_are_a_warning() {
    let warnings = Logged::at(Level::WARN);
    let _guard = tracing::subscriber::set_default(warnings.clone());
    let worker = Worker::new(MemoryStore::new()).serve::<Order>();
    let worker = worker.with_load_options::<Order>(LoadOptions::new());
    let worker = worker.with_load_options_of("Ordr", LoadOptions::new());
    worker.run(ready(())).await;
    let expected = r#"the worker has load options for a flow that it does not serve flow="Ordr""#;
    assert_eq!(warnings.take(), [expected]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_refuses_a_command_and_one_that_fails_are_warnings() {
    let warnings = Logged::at(Level::WARN);
    let _guard = tracing::subscriber::set_default(warnings.clone());
    let store = MemoryStore::new();
    let runs = Runs::new(store.clone());
    let worker = Worker::new(store).serve::<Draft>().serve::<Broken>();
    let _at_work = Working::start(worker);
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    runs.answer(&id, "approve", "perhaps").await.unwrap();
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let [refused] = warnings.take().try_into().unwrap();
    assert!(
        refused.starts_with("the run refused a command error="),
        "{refused}"
    );

    let id = runs.start::<Broken>(Broken {}).await.unwrap();
    until(&runs, &id, Status::Failed).await;
    let [failed] = warnings.take().try_into().unwrap();
    let expected = r#"the run has failed error="node `break_down` failed: it broke""#;
    assert_eq!(failed, expected);
}
