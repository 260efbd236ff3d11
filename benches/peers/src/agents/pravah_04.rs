//! `pravah` 0.4.25.

use pravah_04::{
    Agent, AgentConfig, Context, GraphError, Step, Toolset,
    clients::{
        Client, ClientError, ClientOptions, ClientOutput, ClientResponse, LlmBackend, Message,
        ModelUrl, Provider, ProviderFactory, Role,
    },
    compile,
    testing::{mock_tool_call, providers},
    tools::ToolError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::step_time;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "echo")]
struct Echo {
    text: String,
}

async fn echo(input: Echo, _: Context) -> Result<String, ToolError> {
    Ok(input.text)
}

fn tools(root: Toolset) -> Toolset {
    root.tool(echo)
}

fn agent(root: Agent<String>) -> Agent<String> {
    root.tools(tools).configure(configure)
}

async fn configure(input: String, _: Context) -> Result<AgentConfig, GraphError> {
    let prompt = Message::user(input);
    Ok(AgentConfig::new(
        "test:///model",
        "You echo what you are asked.",
        prompt,
    ))
}

fn asking(root: pravah_04::Flow<String>) -> pravah_04::Flow<String> {
    root.agent(agent)
}

struct Factory;

struct Model {
    url: ModelUrl,
    options: ClientOptions,
}

impl ProviderFactory for Factory {
    async fn llm(&self, url: &ModelUrl, options: ClientOptions) -> Result<Client, ClientError> {
        let url = url.clone();
        Ok(Client::from_backend(Model { url, options }))
    }
}

impl LlmBackend for Model {
    fn model_url(&self) -> &ModelUrl {
        &self.url
    }

    fn options(&self) -> &ClientOptions {
        &self.options
    }

    async fn execute(&self, messages: &[Message]) -> Result<ClientResponse, ClientError> {
        let output = match messages.last().map(|message| &message.role) {
            Some(Role::Tool { .. }) => ClientOutput::Output(json!("hello")),
            _ => ClientOutput::ToolCalls {
                text: None,
                calls: vec![mock_tool_call("call_1", "echo", json!({ "text": "hello" }))],
            },
        };
        Ok(ClientResponse::new(Provider::OpenAi, output))
    }
}

pub async fn turn() -> f64 {
    let flow = compile(asking).expect("a flow");
    let context = Context::default().with_providers(providers(Factory).expect("providers"));
    let executor = flow.prepared().executor(context);
    let start = || {
        flow.start("hello".into(), uuid::Uuid::nil())
            .expect("a run")
    };
    step_time(1, start, async |run| {
        loop {
            match run.next().expect("a step") {
                Step::Done(value) => return flow.decode_output(value).expect("an output"),
                Step::Agent(request) => {
                    let response = executor.execute(&request).await;
                    run.resume_agent(response).expect("a response");
                }
                _ => {}
            }
        }
    })
    .await
}
