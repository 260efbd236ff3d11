//! `pravah` 0.2.0, where only an agent's tool can wait for an answer.

use async_trait::async_trait;
use pravah_02::{
    Context, FlowConf,
    clients::{
        Client, ClientError, ClientFactory, ClientOptions, ClientOutput, ClientResponse, Message,
        Provider, ToolCall,
    },
    commons::Agent,
    flows::{AgentConfig, Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
    tools::{Tool, ToolBox, ToolError},
};
use schemars_08 as schemars;
use schemars_08::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{bytes_of, text};
use crate::call_time;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Question {
    text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Answered {
    yes: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Ask {}

impl Tool for Ask {
    type Output = bool;

    fn name() -> &'static str {
        "ask"
    }

    fn description() -> &'static str {
        "Asks."
    }

    async fn call(self, _: Context) -> Result<bool, ToolError> {
        Err(ToolError::suspend(json!("Well?")))
    }
}

impl Agent for Question {
    type Output = Answered;

    fn build() -> AgentConfig {
        AgentConfig::new("You ask.", "openai://model")
            .with_tools(ToolBox::builder().tool::<Ask>().build())
    }
}

impl Flow for Question {
    type Output = Answered;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Question>().build()
    }
}

struct Model;

#[async_trait]
impl Client for Model {
    async fn execute(&self, _: &[Message]) -> Result<ClientResponse, ClientError> {
        let call = ToolCall {
            id: "call_1".into(),
            name: "ask".into(),
            args: json!({}),
            thought_signatures: None,
        };
        let output = ClientOutput::ToolCalls {
            thought: None,
            calls: vec![call],
        };
        Ok(ClientResponse::new(Provider::OpenAi, output))
    }
}

struct Factory;

impl ClientFactory for Factory {
    fn create(&self, _: &str, _: ClientOptions) -> Result<Box<dyn Client>, ClientError> {
        Ok(Box::new(Model))
    }
}

async fn run(ctx: &Context, is_asked: bool) -> FlowRuntime<Question> {
    let run = FlowRuntime::new(Question { text: text() }).expect("a run");
    let mut run = run.with_factory(Factory);
    while is_asked {
        if let RunOut::Suspend { .. } = run.next(ctx.clone()).await.expect("a step") {
            break;
        }
    }
    run
}

pub async fn held() -> f64 {
    let ctx = Context::new(FlowConf::default());
    bytes_of(async |is_asked| run(&ctx, is_asked).await).await
}

pub async fn loaded() -> f64 {
    let ctx = Context::new(FlowConf::default());
    let json = serde_json::to_vec(&run(&ctx, true).await.snapshot()).expect("bytes");
    call_time(async || {
        let snapshot = serde_json::from_slice(&json).expect("a snapshot");
        FlowRuntime::<Question>::from_snapshot(snapshot).expect("a run")
    })
    .await
}
