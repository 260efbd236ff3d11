//! What a step that failed, with nothing left to try, leaves behind.

use pravah_runtime::{FlowDef, FlowRuntime};
use serde_json::Value;

/// Checks that nothing in the snapshot has changed since `before`, but that `node` failed.
pub(crate) fn only_failed<F: FlowDef>(run: &FlowRuntime<F>, before: &Value, node: &str) {
    let mut after = serde_json::to_value(run.snapshot()).unwrap();
    let fields = after.as_object_mut().unwrap();
    let nodes = |field: Value| {
        field
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(nodes(fields.remove("failed").unwrap()), [node]);
    // It is said of a node that has been tried, also where it follows from the states.
    if before.get("ready").is_none() {
        assert_eq!(nodes(fields.remove("ready").unwrap()), [node]);
    }
    assert_eq!(after, *before, "{node}");
}
