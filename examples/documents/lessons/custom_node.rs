//! 08: a node that is written in Rust.

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry},
    prelude::*,
};
use serde_json::json;

use crate::Done;

#[state]
struct Text {
    text: String,
}

#[state]
struct Words {
    words: usize,
    longest: Option<String>,
}

/// Counts words.
#[node]
fn analyze(text: &Text) -> Words {
    let words = text.text.split_whitespace();
    Words {
        longest: words
            .clone()
            .max_by_key(|word| word.len())
            .map(str::to_owned),
        words: words.count(),
    }
}

const DOCUMENT: &str = r#"
flow: { name: words, input: { text: "a sound workflow net" } }
nodes:
  - { id: words, type: words.analyze, input: { text: "{{ flow.input.text }}" } }
  - { id: line, type: echo, input: { text: "{{ words.words }} words, the longest is {{ words.longest }}" } }
edges: [{ from: words, to: line }]
"#;

pub(crate) async fn run() -> Done {
    let registry = NodeRegistry::standard().with_node::<analyze>("words.analyze");
    let flow = DocumentFlow::read("words.yaml", DOCUMENT, &registry)?;
    let result = flow.session(json!({}))?.run(Context::default()).await?;
    println!(
        "{}",
        result.outputs["line"]["text"].as_str().unwrap_or_default()
    );
    Ok(())
}
