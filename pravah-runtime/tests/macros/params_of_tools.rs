//! What a tool takes: what its model writes, and what it asks for, in any order.

use std::sync::Arc;

use pravah_runtime::{Tool, prelude::*};
use serde_json::{Value, json};

#[state]
struct Question {
    text: String,
}

#[state]
#[derive(PartialEq)]
struct Answer {
    text: String,
}

trait Orders: Send + Sync {
    fn of(&self, customer: &str) -> u32;
}

struct Two;

impl Orders for Two {
    fn of(&self, _: &str) -> u32 {
        2
    }
}

type Ctx = Context;

/// Counts the orders of a customer.
#[tool]
async fn count(
    _: Step,
    /// The customer's name.
    customer: String,
    orders: Dep<dyn Orders>,
    #[serde(default, rename = "since")] year: Option<u32>,
    /// Not for the model to read.
    _files: Files,
    question: Input<Question>,
    ctx: Ctx,
) -> Result<String, ToolError> {
    assert_eq!(ctx.step().visit(), 1);
    let Question { text } = &*question;
    Ok(format!("{} {year:?} {text}", orders.of(&customer)))
}

/// Asks somebody.
#[tool]
async fn ask(approved: Resumed<bool>, amount: u32) -> Result<String, ToolError> {
    match *approved {
        None => Err(ToolError::suspend(format!("{amount}?"))),
        Some(approved) => Ok(approved.to_string()),
    }
}

/// Needs nothing from its model.
#[tool]
async fn quiet(_: Commands, _: Context) -> Result<(), ToolError> {
    Ok(())
}

/// Answers.
#[agent(model = "openai://gpt-4o-mini", output = Answer, tools = [count, ask, quiet])]
fn answer(_: &Files, question: &Question, step: Step) -> String {
    format!("{} {}", question.text, step.attempt())
}

#[flow]
fn answering(question: Question) -> Answer {
    flow! { answer }
}

fn schema<T: schemars::JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    let schema = schema.as_object_mut().unwrap();
    schema.remove("$schema");
    Value::Object(std::mem::take(schema))
}

#[test]
fn a_model_sees_the_arguments_alone() {
    assert_eq!(
        schema::<count>(),
        json!({
            "title": "count",
            "type": "object",
            "properties": {
                "customer": { "type": "string", "description": "The customer's name." },
                "since": {
                    "type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null,
                },
            },
            "required": ["customer"],
        })
    );
}

#[test]
fn a_tool_without_arguments_has_the_schema_of_an_empty_object() {
    assert_eq!(
        schema::<quiet>(),
        json!({ "title": "quiet", "type": "object" })
    );
}

#[tokio::test]
async fn tools_are_given_what_they_ask_for_and_wait_for_answers() {
    let script = ScriptedModel::new()
        .call(
            "answer",
            "count",
            json!({ "customer": "Ada", "_files": 7, "since": 1843 }),
        )
        .call("answer", "ask", json!({ "amount": 20 }))
        .call("answer", "quiet", json!({}))
        .call("answer", "submit", json!({ "text": "done" }));
    let orders: Arc<dyn Orders> = Arc::new(Two);
    let ctx = Context::default()
        .with_dep(script.clone())
        .with_dep_arc(orders);
    let mut run = FlowRuntime::new(Question {
        text: "how many".into(),
    })
    .unwrap();
    let RunOut::Suspend { value, tool_id } = run.run(ctx.clone()).await.unwrap() else {
        panic!("nobody is asked");
    };
    assert_eq!(value, "20?");
    let said = serde_json::to_string(&run.snapshot()).unwrap();
    assert!(said.contains("how many 1"), "{said}");
    assert!(said.contains("2 Some(1843) how many"), "{said}");
    run.answer(ctx.clone(), &tool_id, true).await.unwrap();
    let RunOut::Done(answer) = run.run(ctx).await.unwrap() else {
        panic!("it is done");
    };
    assert_eq!(answer.text, "done");
}

#[tokio::test]
async fn a_tool_that_is_called_by_hand_reads_what_it_asks_for_of_the_context() {
    let arguments: quiet = serde_json::from_value(json!({})).unwrap();
    assert!(arguments.call(Context::default()).await.is_ok());
    let arguments: count = serde_json::from_value(json!({ "customer": "Ada" })).unwrap();
    let error = arguments.call(Context::default()).await.unwrap_err();
    assert!(matches!(error, ToolError::Missing(_)), "{error}");
}
