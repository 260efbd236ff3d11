//! 12: two channels of one session.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use pravah_runtime::{
    BoxError, Channel, Context, EventKind, FlowEvent,
    document::{DocumentFlow, NodeRegistry},
};
use serde_json::json;

use crate::Done;

/// Counts the tasks that are complete.
struct Counter(Arc<AtomicUsize>);

impl Channel for Counter {
    fn name(&self) -> &str {
        "counter"
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        if let EventKind::NodeEnded { .. } = event.kind {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Prints what starts.
struct Printer;

impl Channel for Printer {
    fn name(&self) -> &str {
        "printer"
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        if let (EventKind::NodeStarted, Some(node)) = (&event.kind, &event.node) {
            println!("{node} starts");
        }
        Ok(())
    }
}

const DOCUMENT: &str = r#"
flow: { name: two }
nodes:
  - { id: first, type: echo, input: { text: one } }
  - { id: second, type: echo, input: { text: two } }
edges: [{ from: first, to: second }]
"#;

pub(crate) async fn run() -> Done {
    let flow = DocumentFlow::read("two.yaml", DOCUMENT, &NodeRegistry::standard())?;
    let count = Arc::new(AtomicUsize::new(0));
    let session = flow.session(json!({}))?;
    let session = session.attach(Counter(Arc::clone(&count))).attach(Printer);
    session.run(Context::default()).await?;
    println!("{} tasks are complete", count.load(Ordering::Relaxed));
    Ok(())
}
