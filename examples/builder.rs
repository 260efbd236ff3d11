//! No macros: the traits `Flow`, `Agent` and `Tool` by hand, a graph from `FlowGraph::builder()`,
//! and what `build()` says of a broken one.

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Context, Either, Flow, FlowError, FlowGraph, FlowRuntime,
    RunOut, ScriptedModel, Tool, ToolBox, ToolError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a customer wrote. It is an agent: its JSON is the prompt.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Feedback {
    customer: String,
    text: String,
}

/// What the agent returns.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Mood {
    happy: bool,
    orders: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Praise {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Complaint {
    orders: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Reply {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Letter {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Note {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Filed {
    text: String,
}

/// A tool: the fields are its arguments.
#[derive(Deserialize, JsonSchema)]
struct CountOrders {
    /// The customer's name.
    customer: String,
}

impl Tool for CountOrders {
    type Output = u32;

    fn name() -> &'static str {
        "count_orders"
    }

    fn description() -> &'static str {
        "Counts the orders of a customer."
    }

    async fn call(self, _ctx: Context) -> Result<u32, ToolError> {
        match self.customer.as_str() {
            "Ana" => Ok(3),
            _ => Err("there is no such customer".into()),
        }
    }
}

impl Agent for Feedback {
    type Output = Mood;

    fn build() -> AgentConfig {
        AgentConfig::new("You judge what customers write.", "openai://gpt-4o-mini")
            .with_tools(ToolBox::new().with::<CountOrders>())
    }
}

/// What the flow starts with: the type is the flow.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Mail {
    customer: String,
    text: String,
}

impl Flow for Mail {
    type Output = Filed;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Mail, Feedback, _, _>(|mail, _ctx| async move {
                Ok(Feedback {
                    customer: mail.customer,
                    text: mail.text,
                })
            })
            .agent::<Feedback>()
            .either::<Mood, Praise, Complaint, _>(|mood, _ctx| {
                Ok(match mood.happy {
                    true => Either::Left(Praise {}),
                    false => Either::Right(Complaint {
                        orders: mood.orders,
                    }),
                })
            })
            .work::<Praise, Reply, _, _>(|_, _ctx| async move {
                Ok(Reply {
                    text: "Thank you!".to_owned(),
                })
            })
            .work::<Complaint, Reply, _, _>(|complaint, _ctx| async move {
                let orders = complaint.orders;
                Ok(Reply {
                    text: format!("We are sorry, after {orders} orders."),
                })
            })
            .fork::<Reply, Letter, Note, _>(|reply, ctx| {
                let customer = &ctx.input::<Mail>()?.customer;
                let note = Note {
                    text: format!("answered {customer}"),
                };
                Ok((Letter { text: reply.text }, note))
            })
            .join::<Letter, Note, Filed, _>(|letter, note, _ctx| {
                Ok(Filed {
                    text: format!("{}: {}", note.text, letter.text),
                })
            })
            .build()
    }
}

/// A graph with mistakes.
fn broken() -> Result<FlowGraph, FlowError> {
    FlowGraph::builder()
        .work::<Mail, Complaint, _, _>(|_, _ctx| async { Ok(Complaint { orders: 0 }) })
        .fork::<Complaint, Letter, Note, _>(|_, _ctx| Err(FlowError::other("never runs")))
        .work::<Complaint, Reply, _, _>(|_, _ctx| async { Err(FlowError::other("never runs")) })
        .join::<Letter, Praise, Filed, _>(|_, _, _ctx| Err(FlowError::other("never runs")))
        .build()
}

fn mail() -> Mail {
    Mail {
        customer: "Ana".to_owned(),
        text: "The kettle leaks.".to_owned(),
    }
}

/// What a model would say.
fn script(happy: bool) -> ScriptedModel {
    ScriptedModel::new()
        .call("Feedback", "count_orders", json!({ "customer": "Ana" }))
        .reply("Feedback", json!({ "happy": happy, "orders": 3 }))
}

#[tokio::main]
async fn main() -> Result<(), FlowError> {
    let factory = ClientFactory::new().with_scripted(script(false));
    let mut run = FlowRuntime::new(mail())?.with_factory(factory);
    loop {
        let out = run.next(Context::default()).await?;
        if let Some(step) = run.last_step() {
            println!("{step}");
        }
        if let RunOut::Done(filed) = out {
            println!("{}", filed.text);
            break;
        }
    }

    println!("\nwhat is wrong with the broken graph:");
    match broken() {
        Err(FlowError::Invalid(problems)) => {
            for problem in problems {
                println!("- {problem}");
            }
            Ok(())
        }
        Err(error) => Err(error),
        Ok(_) => Err(FlowError::other("nothing")),
    }
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::CrashTest;

    use super::*;

    #[tokio::test]
    async fn a_mail_gets_the_same_reply_wherever_its_run_is_broken_off() {
        for (happy, text) in [
            (true, "answered Ana: Thank you!"),
            (false, "answered Ana: We are sorry, after 3 orders."),
        ] {
            let models = ClientFactory::new().with_scripted(script(happy));
            let test = CrashTest::<Mail>::new(mail)
                .with_setup(move |run| run.with_factory(models.clone()));
            let report = test.check().await.unwrap();
            assert_eq!(report.output["text"], text);
        }
    }
}
