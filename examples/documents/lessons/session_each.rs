//! 15: a session for each item.

use pravah_runtime::{
    Context,
    document::{DocumentFlow, NodeRegistry},
};
use serde_json::json;

use crate::Done;

const DOCUMENT: &str = r#"
flow: { name: greet }
nodes:
  - { id: hello, type: echo, input: { text: "Hello, {{ flow.input.name }}!" } }
edges: []
"#;

pub(crate) async fn run() -> Done {
    let flow = DocumentFlow::read("greet.yaml", DOCUMENT, &NodeRegistry::standard())?;
    for name in ["Ada", "Grace", "Mary"] {
        let id = format!("greet-{}", name.to_lowercase());
        let session = flow.session(json!({ "name": name }))?.with_id(&id);
        let result = session.run(Context::default()).await?;
        println!(
            "{id}: {}",
            result.outputs["hello"]["text"].as_str().unwrap_or_default()
        );
    }
    Ok(())
}
