//! What workers log.

use std::{
    fmt::Debug,
    future::ready,
    sync::{Arc, Mutex},
};

use pravah_store::{MemoryStore, Worker};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::flows::Order;

/// Keeps the messages of warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Visit for Warnings {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN && metadata.target().starts_with("pravah_store")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn a_worker_that_serves_no_flow_warns_of_it() {
    let warnings = Warnings::default();
    let _guard = tracing::subscriber::set_default(warnings.clone());
    Worker::new(MemoryStore::new())
        .serve::<Order>()
        .run(ready(()))
        .await;
    assert!(warnings.0.lock().unwrap().is_empty());
    Worker::new(MemoryStore::new()).run(ready(())).await;
    let expected = "the worker serves no flow, so it takes no runs: `Worker::serve` adds one";
    assert_eq!(*warnings.0.lock().unwrap(), [expected]);
}
