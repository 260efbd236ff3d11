//! `pravah` 0.2.0.

use async_trait::async_trait;
use pravah_02::{
    Context, FlowConf,
    clients::{
        Client, ClientError, ClientFactory, ClientOptions, ClientOutput, ClientResponse, Message,
        Provider, Role, ToolCall,
    },
    commons::Agent,
    flows::{AgentConfig, Flow, FlowError, FlowGraph, FlowRuntime, RunOut},
    tools::{Tool, ToolBox, ToolError},
};
use schemars_08 as schemars;
use schemars_08::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::step_time;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Question {
    text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Answer {
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

impl Tool for Echo {
    type Output = String;

    fn name() -> &'static str {
        "echo"
    }

    fn description() -> &'static str {
        "Says it again."
    }

    async fn call(self, _: Context) -> Result<String, ToolError> {
        Ok(self.text)
    }
}

impl Agent for Question {
    type Output = Answer;

    fn build() -> AgentConfig {
        AgentConfig::new("You echo what you are asked.", "openai://model")
            .with_tools(ToolBox::builder().tool::<Echo>().build())
    }
}

impl Flow for Question {
    type Output = Answer;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Question>().build()
    }
}

struct Model;

#[async_trait]
impl Client for Model {
    async fn execute(&self, messages: &[Message]) -> Result<ClientResponse, ClientError> {
        let name = match messages.last().map(|message| &message.role) {
            Some(Role::Tool { .. }) => "submit",
            _ => "echo",
        };
        let call = ToolCall {
            id: "call_1".into(),
            name: name.into(),
            args: json!({ "text": "hello" }),
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

pub async fn turn() -> f64 {
    let ctx = Context::new(FlowConf::default());
    let start = || {
        let question = Question {
            text: "hello".into(),
        };
        let run = FlowRuntime::new(question).expect("a run");
        run.with_factory(Factory)
    };
    step_time(1, start, async |run: &mut FlowRuntime<Question>| {
        loop {
            if let RunOut::Done(answer) = run.next(ctx.clone()).await.expect("a step") {
                return answer;
            }
        }
    })
    .await
}
