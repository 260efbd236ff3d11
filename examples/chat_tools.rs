//! An agent with tools on any provider, named by a URL. Without one a script answers, so that no key
//! is needed:
//!
//! ```sh
//! cargo run -p pravah-examples --bin chat_tools
//! cargo run -p pravah-examples --bin chat_tools -- --model anthropic://claude-haiku-5-5
//! cargo run -p pravah-examples --bin chat_tools -- --model ollama://localhost:11434/llama3.2
//! ```

use std::io::Write as _;

use clap::Parser;
use pravah_runtime::{Budget, EventKind, FlowEvent, FlowObserver, prelude::*};
use serde_json::json;

#[derive(Parser)]
struct Options {
    /// The model to ask, such as `openai://gpt-4o-mini`.
    #[arg(long)]
    model: Option<String>,
    /// What to ask it.
    #[arg(default_value = "How long does a kettle with 2 litres take, with 2200 watts?")]
    question: String,
}

#[state]
struct Question {
    text: String,
}

#[state]
struct Answer {
    /// One sentence.
    text: String,
    minutes: f64,
}

/// Multiplies two numbers.
#[tool]
async fn multiply(a: f64, b: f64) -> Result<f64, ToolError> {
    Ok(a * b)
}

/// Divides a number by another.
#[tool]
async fn divide(a: f64, b: f64) -> Result<f64, ToolError> {
    if b == 0.0 {
        return Err("there is no such number".into());
    }
    Ok(a / b)
}

/// You answer questions about kitchens. Never calculate yourself: call the tools. Water takes 4186
/// joules for a litre and a degree; it starts at 20 degrees.
#[agent(model = "openai://gpt-4o-mini", output = Answer, tools = [multiply, divide])]
fn cook(question: &Question) -> String {
    question.text.clone()
}

#[flow]
fn kitchen(question: Question) -> Answer {
    flow! { cook }
}

/// Prints what the model says, while it says it.
struct Screen;

impl FlowObserver for Screen {
    fn on_event(&self, event: &FlowEvent) {
        match &event.kind {
            EventKind::AgentText { content, .. } => {
                print!("{content}");
                // What cannot be shown at once is shown later.
                let _ = std::io::stdout().flush();
            }
            EventKind::ModelAnswered { model, usage, .. } => {
                println!("[{model}: {} tokens]", usage.total());
            }
            EventKind::ModelWaits { why, .. } => println!("[waiting: {why}]"),
            EventKind::Step(step) => println!("{step}"),
            _ => {}
        }
    }

    fn wants_text(&self) -> bool {
        true
    }
}

/// What a model would do.
fn script() -> ScriptedModel {
    ScriptedModel::new()
        .calls(
            "cook",
            [
                ("multiply", json!({ "a": 2, "b": 4186 })),
                ("multiply", json!({ "a": 2200, "b": 60 })),
            ],
        )
        .call("cook", "multiply", json!({ "a": 8372, "b": 80 }))
        .call("cook", "divide", json!({ "a": 669_760, "b": 132_000 }))
        .reply(
            "cook",
            json!({ "text": "It takes about five minutes.", "minutes": 5.07 }),
        )
}

#[tokio::main]
async fn main() -> Result<(), FlowError> {
    let options = Options::parse();
    let run = FlowRuntime::new(Question {
        text: options.question,
    })?;
    let run = run
        .with_observer(Screen)
        // A question is not worth more than this.
        .with_budget(Budget::new().calls(12).tokens(50_000));
    let mut run = match &options.model {
        Some(url) => run.with_model("cook", url)?,
        None => run.with_factory(script()),
    };
    if let RunOut::Done(answer) = run.run(Context::default()).await? {
        println!("{} ({} minutes)", answer.text, answer.minutes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_the_same_wherever_its_run_is_broken_off() {
        let models = ClientFactory::new().with_scripted(script());
        let test = CrashTest::<Question>::new(|| Question {
            text: "How long does it take?".to_owned(),
        });
        let test = test.with_setup(move |run| run.with_factory(models.clone()));
        let report = test.check().await.unwrap();
        assert_eq!(report.output["text"], "It takes about five minutes.");
    }
}
