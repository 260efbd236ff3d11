//! M5: an agent whose model calls one tool and then answers. Each crate gets a stub model that answers
//! immediately.

pub mod ours {
    use std::sync::Arc;

    use pravah_runtime::{
        Arguments, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall,
        prelude::*,
    };
    use serde_json::json;

    use crate::{call_time, step_time};

    #[state]
    struct Question {
        text: String,
    }

    #[state]
    struct Answer {
        text: String,
    }

    /// Says it again.
    #[tool]
    async fn echo(text: String) -> Result<String, ToolError> {
        Ok(text)
    }

    /// You echo what you are asked.
    #[agent(model = custom("bench://model"), tools = [echo], output = Answer)]
    fn ask(question: &Question) -> String {
        question.text.clone()
    }

    #[flow]
    fn asking(question: Question) -> Answer {
        flow! { ask }
    }

    struct Model;

    impl ModelClient for Model {
        fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
            Box::pin(async move {
                let call = match request.messages.last() {
                    Some(Message::Tool { .. }) => ToolCall::new(
                        "call_2",
                        "submit",
                        Arguments::Json(json!({ "text": "hello" })),
                    ),
                    _ => ToolCall::new(
                        "call_1",
                        "echo",
                        Arguments::Json(json!({ "text": "hello" })),
                    ),
                };
                Ok(ModelResponse::calls([call]))
            })
        }
    }

    fn run(factory: ClientFactory) -> FlowRuntime<Question> {
        let question = Question {
            text: "hello".into(),
        };
        let run = FlowRuntime::new(question).expect("a run");
        run.with_factory(factory)
    }

    async fn drive(run: &mut FlowRuntime<Question>, ctx: &Context) -> Answer {
        loop {
            if let RunOut::Done(answer) = run.next(ctx.clone()).await.expect("a step") {
                return answer;
            }
        }
    }

    pub async fn turn() -> f64 {
        let factory = ClientFactory::new().register("bench", |_| Ok(Arc::new(Model)));
        let ctx = Context::default();
        let start = || run(factory.clone());
        step_time(1, start, async |run| drive(run, &ctx).await).await
    }

    /// The same with the model that ships for tests.
    pub async fn scripted() -> f64 {
        let ctx = Context::default();
        step_time(1, scripted_run, async |run| drive(run, &ctx).await).await
    }

    /// One such run, and the making of its model and script.
    pub async fn scripted_once(ctx: &Context) {
        drive(&mut scripted_run(), ctx).await;
    }

    fn scripted_run() -> FlowRuntime<Question> {
        let script = ScriptedModel::new()
            .call("ask", "echo", json!({ "text": "hello" }))
            .reply("ask", json!({ "text": "hello" }));
        run(ClientFactory::new().with_scripted(script))
    }

    /// The lower bound: arguments and answer are read, the tool's result is written.
    pub async fn by_hand() -> f64 {
        #[derive(serde::Deserialize)]
        struct Arguments {
            text: String,
        }
        call_time(async || {
            let arguments: Arguments =
                serde_json::from_value(json!({ "text": "hello" })).expect("it fits");
            let result = serde_json::to_string(&arguments.text).expect("JSON");
            let answer: Answer =
                serde_json::from_value(json!({ "text": "hello" })).expect("it fits");
            (result, answer)
        })
        .await
    }
}

pub mod pravah_02 {
    use async_trait::async_trait;
    use pravah_02::{
        Context, FlowConf,
        clients::{
            Client, ClientError, ClientFactory, ClientOptions, ClientOutput, ClientResponse,
            Message, Provider, Role, ToolCall,
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
}

pub mod pravah_04 {
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
}
