//! Snapshots of a flow whose nodes have other names now, and say other things to their models.

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Flow, FlowError, FlowGraph, FlowRuntime, RunOut,
    ScriptedModel,
};
use serde_json::json;

use crate::engine_support::{bytes, load, states};

/// The same net under other names of nodes: an agent whose id was changed.
mod renamed {
    use super::{Agent, AgentConfig, Flow, FlowError, FlowGraph, states};

    states!(Job, Product);

    impl Agent for Job {
        type Output = Product;

        fn build() -> AgentConfig {
            AgentConfig::new("another prompt", "openai://another-model").max_turns(3)
        }

        fn node_id() -> String {
            "renamed".into()
        }
    }

    impl Flow for Job {
        type Output = Product;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder().agent::<Job>().build()
        }
    }
}

states!(Job, Product);

impl Agent for Job {
    type Output = Product;

    fn build() -> AgentConfig {
        AgentConfig::new("a prompt", "openai://a-model")
    }
}

impl Flow for Job {
    type Output = Product;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Job>().build()
    }
}

#[tokio::test]
async fn renaming_a_node_and_changing_its_prompt_strands_no_snapshot() {
    let script = ScriptedModel::new()
        .text("Job", "no JSON")
        .reply("renamed", json!({}))
        .reply("renamed", json!({ "n": 5 }))
        .for_several_flows();
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(Job { n: 0 })
        .unwrap()
        .with_factory(factory.clone());
    run.next(Context::default()).await.unwrap();
    let mut run = load::<renamed::Job>(&bytes(&run)).with_factory(factory);
    let out = run.next(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(renamed::Product { n: 5 }));
}
