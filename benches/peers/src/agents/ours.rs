//! Ours.

use std::sync::Arc;

use pravah_runtime::{
    Arguments, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall, prelude::*,
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
        let answer: Answer = serde_json::from_value(json!({ "text": "hello" })).expect("it fits");
        (result, answer)
    })
    .await
}
