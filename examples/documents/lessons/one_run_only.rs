//! 13: a message reaches the agent run that it is for, and no other.

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry},
    prelude::*,
};
use serde_json::json;

use crate::Done;

const PATH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/documents/13-one-run-only.yaml"
);

pub(crate) async fn run() -> Done {
    let model = ScriptedModel::new()
        .reply("left", json!("nothing"))
        .reply("left", json!("a message"))
        .reply("right", json!("nothing"));
    let flow = DocumentFlow::load(PATH, &NodeRegistry::standard())?;
    let mut session = flow.session(json!({}))?;
    let hub = session.hub();
    let mut events = hub.events();
    let says = async move {
        let mut listening = 0;
        while let Some(event) = events.next().await {
            if event.kind.name() != "agent:turn" {
                continue;
            }
            listening += 1;
            if listening == 2 {
                for agent in hub.listening_agents() {
                    match &*agent.node {
                        "left" => hub.send_to_agent(agent.agent_run, "psst").await?,
                        _ => hub.close_agent(agent.agent_run).await?,
                    };
                }
            }
        }
        Ok::<(), FlowError>(())
    };
    let ctx = Context::default().with_dep(model);
    let (result, said) = tokio::join!(session.run(ctx), says);
    said?;
    let outputs = result?.outputs;
    println!("left heard {}", outputs["left"]["result"]);
    println!("right heard {}", outputs["right"]["result"]);
    Ok(())
}
