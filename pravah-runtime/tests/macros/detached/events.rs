//! What observers learn of detached agents.

use futures_util::FutureExt as _;
use pravah_runtime::prelude::*;
use serde_json::json;

use super::{ctx, in_background, run_by, text};
use crate::macros_support::output;

#[tokio::test]
async fn observers_learn_of_each_call_once_and_of_tasks_as_of_any_agent() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .call("lead", "wait_task", json!({ "task_id": "task_1" }))
        .call("lead", "get_task", json!({ "task_id": "task_7" }))
        .call("lead", "cancel_task", json!({ "task_id": "task_2" }))
        .call("researcher[1]", "submit", text("first"))
        .call("researcher[2]", "ask", json!({}))
        .call("lead", "submit", text("Done."));
    let (run, _) = run_by(script);
    let mut run = run;
    let mut events = run.events();
    output(run.run(ctx()).await);
    let mut seen = Vec::new();
    while let Some(event) = events.next().now_or_never().flatten() {
        let name = event.kind.name().to_owned();
        if !name.starts_with("agent:") {
            continue;
        }
        let json = serde_json::to_value(&event).unwrap();
        let (items, of) = (&json["items"], &json["event"]);
        let fields = ["toolName", "isError", "success"].map(|field| &of[field]);
        let fields = fields.iter().filter(|field| !field.is_null());
        let fields: String = fields.map(|field| format!(" {field}")).collect();
        let items = items
            .as_array()
            .map_or(String::new(), |items| format!("{items:?}"));
        seen.push(format!(
            "{}{items} {name}{fields}",
            json["node"].as_str().unwrap()
        ));
    }
    assert_eq!(
        seen,
        [
            "lead agent:start",
            "lead agent:tool:start \"call_agent\"",
            "lead agent:tool:complete \"call_agent\" false",
            "researcher[Number(1)] agent:start",
            "researcher[Number(1)] agent:complete true",
            "researcher[Number(2)] agent:start",
            "lead agent:tool:start \"wait_task\"",
            "lead agent:tool:complete \"wait_task\" false",
            "researcher[Number(2)] agent:tool:start \"ask\"",
            "lead agent:tool:start \"get_task\"",
            "lead agent:tool:complete \"get_task\" true",
            "lead agent:tool:start \"cancel_task\"",
            "researcher[Number(2)] agent:complete false",
            "lead agent:tool:complete \"cancel_task\" false",
            "lead agent:complete true",
        ]
    );
}
