//! The examples of the catalogue.

use super::*;
use crate::FlowConf;

// S4.47, S4.56: what the catalogue says of a type holds when a node of it runs.
#[tokio::test(start_paused = true)]
async fn every_example_gives_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let registry = all_packs();
    let mut ran = 0;
    for node_type in registry.catalogue().types() {
        for example in &node_type.examples {
            let Some(expected) = &example.output else {
                continue;
            };
            let name = &node_type.name;
            let node = json!({
                "id": "n",
                "type": name,
                "input": example.input,
                "policy": { "retry": { "maxAttempts": 2 } },
            });
            // A merge has something to merge.
            let before = json!({ "id": "before", "type": "control.noop", "input": {} });
            let edge = json!({ "from": "before", "to": "n" });
            let flow = json!({ "name": "example" });
            let document = json!({ "flow": flow, "nodes": [before, node], "edges": [edge] });
            let flow = DocumentFlow::read("example.json", &document.to_string(), &registry);
            let flow = flow.unwrap_or_else(|error| panic!("{name}: {error}"));
            let ctx = Context::new(FlowConf {
                working_dir: folder.path().to_owned(),
                ..FlowConf::default()
            });
            let mut run = flow.start(json!({})).unwrap();
            let RunOut::Done(done) = run.run(ctx).await.unwrap() else {
                panic!("{name} is not done")
            };
            assert_eq!(done.outputs["n"], *expected, "{name}");
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}
