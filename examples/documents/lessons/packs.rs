//! 07: a pack of the host's own, on the list of packs that a document may use.

use pravah_runtime::{
    Context,
    document::{DocumentFlow, NodeRegistry, NodeType},
};
use serde_json::{Value, json};

use crate::Done;

/// A real host would look at the clock.
const TIME: &str = "12:00";

pub(crate) async fn run() -> Done {
    let text = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let stamp = NodeType::new("text.stamp", "text", "Says when a text was processed.")
        .input(text.clone())
        .output(text);
    let registry = NodeRegistry::standard().with_pack("tutorial").with_fn(
        stamp,
        async |input: Value, _ctx| {
            let text = input["text"].as_str().unwrap_or_default();
            Ok(json!({ "text": format!("{text} (processed at {TIME})") }))
        },
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/documents/07-packs.yaml");
    let flow = DocumentFlow::load(path, &registry)?;
    let result = flow.session(json!({}))?.run(Context::default()).await?;
    println!(
        "{}",
        result.outputs["stamp"]["text"].as_str().unwrap_or_default()
    );
    Ok(())
}
