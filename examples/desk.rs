//! A support desk: an agent pays customers back where a person approves, and its letters wait for
//! somebody who signs them; after a day without an answer it is the boss's turn.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use pravah_runtime::prelude::*;
use serde_json::{Value, from_value, json};

/// What the desk needs from the program that runs it.
trait Shop: Send + Sync {
    fn price(&self, order: u32) -> u32;
    /// Pays once for each key.
    fn pay_back(&self, key: &str, euros: u32);
}

#[state]
struct Ticket {
    order: u32,
    text: String,
}

#[state]
struct Letter {
    text: String,
}

#[state]
struct Closed {
    outcome: String,
}

/// What may become of a letter.
#[state]
enum Decision {
    Send,
    Discard,
}

/// Looks up the price of an order, in euros.
#[tool(read_only)]
async fn price(order: u32, shop: Dep<dyn Shop>) -> Result<u32, ToolError> {
    Ok(shop.price(order))
}

/// Pays money back for an order. A person looks at each call before it runs.
#[tool(destructive, approve)]
async fn refund(
    order: u32,
    euros: u32,
    shop: Dep<dyn Shop>,
    step: Step,
) -> Result<String, ToolError> {
    shop.pay_back(step.call_id().unwrap_or_default(), euros);
    Ok(format!("{euros} euros were paid back for order {order}"))
}

/// You answer customers. Look up what they paid, and pay back what is broken.
#[agent(model = "openai://gpt-4o-mini", output = Letter, tools = [price, refund])]
fn clerk(ticket: &Ticket) -> String {
    format!("Order {}: {}", ticket.order, ticket.text)
}

#[gate(
    prompt = format!("send \"{}\"?", letter.text),
    assignee = "office",
    metadata = json!({ "order": ticket.order }),
    timeout = "24h",
)]
fn sign(letter: Letter, ticket: Input<Ticket>, decision: Decision) -> Closed {
    close(&ticket, &letter, decision)
}

/// Takes the failure of `sign`: nobody has answered in time.
#[gate(
    prompt = "nobody else has answered: send it?",
    assignee = "boss",
    metadata = json!({ "order": ticket.order }),
)]
fn escalate(unsigned: Failure<Letter>, ticket: Input<Ticket>, decision: Decision) -> Closed {
    close(&ticket, &unsigned.input, decision)
}

fn close(ticket: &Ticket, letter: &Letter, decision: Decision) -> Closed {
    let outcome = match decision {
        Decision::Send => format!("sent about order {}: {}", ticket.order, letter.text),
        Decision::Discard => "nothing was sent".to_owned(),
    };
    Closed { outcome }
}

/// Closes one ticket. Nothing in it reads a file, runs a command or asks a server but for its model:
/// the compiler looks at every node and tool.
#[flow(only(deps))]
fn desk(ticket: Ticket) -> Closed {
    flow! { clerk -> sign; catch(sign) -> escalate }
}

fn ticket(order: u32, text: &str) -> Ticket {
    Ticket {
        order,
        text: text.to_owned(),
    }
}

struct Kettles;

impl Shop for Kettles {
    fn price(&self, order: u32) -> u32 {
        20 + order
    }

    fn pay_back(&self, _key: &str, euros: u32) {
        println!("  the shop pays {euros} euros");
    }
}

/// What happens once somebody is asked.
enum Reaction {
    Answer(Value),
    NobodyAnswersForADay,
}

use Reaction::{Answer, NobodyAnswersForADay};

/// What a model would do about a ticket.
fn script(order: u32, euros: u32, letter: &str) -> ScriptedModel {
    ScriptedModel::new()
        .call("clerk", "price", json!({ "order": order }))
        .call("clerk", "refund", json!({ "order": order, "euros": euros }))
        .reply("clerk", json!({ "text": letter }))
}

/// Says what a run waits for.
fn show(question: Value) -> Result<(), serde_json::Error> {
    if let Ok(call) = from_value::<ApprovalQuestion>(question.clone()) {
        println!("  may `{}` run with {}?", call.tool, call.arguments);
        return Ok(());
    }
    let gate: GateQuestion = from_value(question)?;
    let assignee = gate.assignee.unwrap_or_default();
    println!(
        "  {assignee}, {} {:?} {}",
        gate.prompt, gate.cases, gate.metadata
    );
    Ok(())
}

async fn handle(
    ctx: &Context,
    ticket: Ticket,
    script: ScriptedModel,
    reactions: impl IntoIterator<Item = Reaction>,
) -> Result<(), Box<dyn std::error::Error>> {
    println!("order {}: {}", ticket.order, ticket.text);
    // A clock that is set by hand: a day passes at once.
    let clock = ManualClock::new(SystemTime::UNIX_EPOCH);
    let mut run = FlowRuntime::new(ticket)?
        .with_factory(script)
        .with_clock(clock.clone());
    // Before a model is paid: what do the nodes ask for that the context lacks?
    if let Some(unmet) = run.preflight(ctx).into_iter().next() {
        return Err(unmet.into());
    }
    let mut reactions = reactions.into_iter();
    let mut out = run.run(ctx.clone()).await?;
    loop {
        out = match out {
            RunOut::Done(closed) => {
                println!("  {}", closed.outcome);
                return Ok(());
            }
            RunOut::Suspend { value, tool_id } => {
                show(value)?;
                match reactions.next() {
                    Some(Answer(answer)) => {
                        println!("  answer: {answer}");
                        run.answer(ctx.clone(), &tool_id, answer).await?
                    }
                    Some(NobodyAnswersForADay) => {
                        println!("  a day passes");
                        clock.advance(Duration::from_secs(24 * 60 * 60));
                        run.run(ctx.clone()).await?
                    }
                    None => return Err("a question is left over".into()),
                }
            }
            _ => run.run(ctx.clone()).await?,
        };
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = Context::default().with_dep_arc::<dyn Shop>(Arc::new(Kettles));

    let leaks = ticket(1, "The kettle leaks.");
    let model = script(1, 21, "Your money is on its way.");
    let without_shop = Context::default();
    if let Err(error) = handle(&without_shop, leaks.clone(), model.clone(), []).await {
        println!("  {error}");
    }
    let approve = json!({ "verdict": "approve" });
    let answers = [Answer(approve), Answer(json!("Send"))];
    handle(&ctx, leaks, model, answers).await?;

    let late = ticket(2, "The kettle came late.");
    let model = script(2, 22, "We are sorry, and pay something back.");
    let edit = json!({ "verdict": "edit", "output": { "order": 2, "euros": 5 } });
    let answers = [Answer(edit), NobodyAnswersForADay, Answer(json!("Send"))];
    handle(&ctx, late, model, answers).await?;

    let green = ticket(3, "The kettle is green.");
    let model = script(3, 23, "We cannot pay for that.");
    let reject = json!({ "verdict": "reject", "reason": "it is as ordered" });
    let answers = [Answer(reject), Answer(json!("Discard"))];
    handle(&ctx, green, model, answers).await
}

#[cfg(test)]
mod tests {
    use pravah_runtime::testing::{CrashTest, Effects};

    use super::*;

    /// A shop that notes what it pays.
    struct Till(Effects);

    impl Shop for Till {
        fn price(&self, order: u32) -> u32 {
            20 + order
        }

        fn pay_back(&self, key: &str, euros: u32) {
            self.0.record(key, euros);
        }
    }

    #[tokio::test]
    async fn money_is_paid_back_once_wherever_the_run_is_broken_off() {
        let models = ClientFactory::new().with_scripted(script(1, 21, "Your money is on its way."));
        let test = CrashTest::<Ticket>::new(|| ticket(1, "The kettle leaks."))
            .with_context(|effects| {
                Context::default().with_dep_arc::<dyn Shop>(Arc::new(Till(effects.clone())))
            })
            .with_setup(move |run| run.with_factory(models.clone()))
            // Nobody signs, until the boss is asked.
            .answering(|question| match &*question.tool_id {
                "clerk::refund" => Some(json!({ "verdict": "approve" })),
                "escalate" => Some(json!("Send")),
                _ => None,
            });
        let report = test.check().await.unwrap();
        let outcome = "sent about order 1: Your money is on its way.";
        assert_eq!(report.output["outcome"], outcome);
    }
}
