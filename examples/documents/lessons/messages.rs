//! 09: messages to an agent that takes several turns.

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry},
    prelude::*,
};
use serde_json::json;

use crate::Done;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/documents/09-messages.yaml");

pub(crate) async fn run() -> Done {
    let model = ScriptedModel::new()
        .reply("doctor", json!("Is it plugged in?"))
        .reply("doctor", json!("Does the bulb look burnt?"))
        .reply("doctor", json!("The bulb is broken."));
    let flow = DocumentFlow::load(PATH, &NodeRegistry::standard())?;
    let mut session = flow.session(json!({}))?;
    let hub = session.hub();
    let mut events = hub.events();
    let says = async move {
        let mut answers = ["yes", "it does"].into_iter();
        while let Some(event) = events.next().await {
            if event.kind.name() == "agent:turn"
                && let Some(answer) = answers.next()
            {
                println!("> {answer}");
                hub.send_to("doctor", answer).await?;
            }
        }
        Ok::<(), FlowError>(())
    };
    let ctx = Context::default().with_dep(model);
    let (result, said) = tokio::join!(session.run(ctx), says);
    said?;
    println!("diagnosis: {}", result?.outputs["doctor"]["result"]);
    Ok(())
}
