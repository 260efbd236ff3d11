//! `graph-flow`, whose tasks ask an agent of `rig`, as its own examples do.

use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{
    Context, ExecutionStatus, Graph, GraphBuilder, NextAction, Session, Task, TaskResult,
};
use rig_agent::{
    Agent, AgentBuilder,
    completion::TypedPrompt,
    core::{
        completion::{
            CompletionError, CompletionModel, CompletionRequest, CompletionResponse, Usage,
        },
        message::{AssistantContent, Message, UserContent},
        streaming::StreamingCompletionResponse,
    },
    tool::{Tool, ToolContext},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::step_time;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Answer {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Arguments {
    text: String,
}

struct Echo;

impl Tool for Echo {
    const NAME: &'static str = "echo";
    type Args = Arguments;
    type Output = String;
    type Error = std::convert::Infallible;

    fn description(&self) -> String {
        "Says it again.".into()
    }

    fn parameters(&self) -> Value {
        schemars::schema_for!(Arguments).to_value()
    }

    async fn call(&self, _: &mut ToolContext, args: Arguments) -> Result<String, Self::Error> {
        Ok(args.text)
    }
}

#[derive(Clone)]
struct Model;

impl CompletionModel for Model {
    async fn completion(
        &self,
        request: CompletionRequest,
    ) -> Result<CompletionResponse, CompletionError> {
        let has_result = matches!(
            request.chat_history.last(),
            Some(Message::User { content }) if content.iter().any(|part| matches!(part, UserContent::ToolResult(_)))
        );
        let choice = if has_result {
            AssistantContent::text(r#"{"text":"hello"}"#)
        } else {
            AssistantContent::tool_call("call_1", "echo", json!({ "text": "hello" }))
        };
        Ok(CompletionResponse::new(vec![choice], Usage::new(), "stub"))
    }

    async fn stream(
        &self,
        _: CompletionRequest,
    ) -> Result<StreamingCompletionResponse, CompletionError> {
        unimplemented!("nothing here streams")
    }
}

struct Ask {
    agent: Agent,
}

#[async_trait]
impl Task for Ask {
    fn id(&self) -> &str {
        "ask"
    }

    async fn run(&self, context: Context) -> graph_flow::Result<TaskResult> {
        let question: String = context.get("question").expect("the question");
        let answer: Answer = self
            .agent
            .prompt_typed(question)
            .max_turns(4)
            .await
            .expect("an answer");
        context.set("answer", answer)?;
        Ok(TaskResult::new(None, NextAction::End))
    }
}

fn graph() -> Graph {
    let agent = AgentBuilder::new(Model)
        .preamble("You echo what you are asked.")
        .tool(Echo)
        .build();
    GraphBuilder::new("asking")
        .add_task(Arc::new(Ask { agent }))
        .build()
        .expect("a graph")
}

pub async fn turn() -> f64 {
    let graph = graph();
    let start = || {
        let session = Session::new_from_task("one".into(), "ask");
        session
            .context
            .set("question", "hello")
            .expect("a question");
        session
    };
    step_time(1, start, async |session: &mut Session| {
        let out = graph.execute_session(session).await.expect("a step");
        assert!(matches!(out.status, ExecutionStatus::Completed));
        session.context.get::<Answer>("answer").expect("an answer")
    })
    .await
}
