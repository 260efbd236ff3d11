//! 14: a document that a program builds.

use pravah_runtime::{
    Context,
    document::{DocumentFlow, NodeRegistry},
};
use serde_json::{Value, json};

use crate::Done;

pub(crate) async fn run() -> Done {
    let nodes: Vec<Value> = (1..=5)
        .map(|number| json!({ "id": format!("n{number}"), "type": "constant", "input": { "value": number } }))
        .collect();
    let edges: Vec<Value> = (1..5)
        .map(|number| json!({ "from": format!("n{number}"), "to": format!("n{}", number + 1) }))
        .collect();
    let document = json!({ "flow": { "name": "five" }, "nodes": nodes, "edges": edges });
    let flow = DocumentFlow::read(
        "five.json",
        &document.to_string(),
        &NodeRegistry::standard(),
    )?;
    let result = flow.session(json!({}))?.run(Context::default()).await?;
    for (id, output) in &result.outputs {
        println!("{id}: {}", output["value"]);
    }
    Ok(())
}
