//! `#[cfg]` and `#[cfg_attr]` inside an item: what is not there takes no part in anything.

use pravah_runtime::{Tool, prelude::*};
use serde_json::json;

use crate::macros_support::{done, states};

states!(Mail, Bill, Praise, Filed);

#[choice]
enum Sorted {
    Bill(Bill),
    #[cfg(not(test))]
    Spam(Spam),
    Praise(#[cfg(test)] Praise, #[cfg(not(test))] Spam),
}

#[node]
fn sort(mail: Mail) -> Sorted {
    match mail.n {
        0 => Sorted::Bill(Bill { n: 1 }),
        n => Sorted::Praise(Praise { n }),
    }
}

#[node]
fn file(sorted: Sorted) -> Filed {
    match sorted {
        Sorted::Bill(bill) => Filed { n: bill.n },
        Sorted::Praise(praise) => Filed { n: praise.n },
    }
}

#[flow]
fn post(#[cfg(not(test))] mail: Spam, #[cfg(test)] mail: Mail) -> Filed {
    flow! { sort -> either(join(file), join(file)) }
}

#[tokio::test]
async fn a_variant_that_is_not_compiled_is_no_alternative_of_a_choice() {
    assert_eq!(done(Mail { n: 0 }).await, Filed { n: 1 });
    assert_eq!(done(Mail { n: 7 }).await, Filed { n: 7 });
    let ways = serde_json::to_value(schemars::schema_for!(Sorted)).unwrap();
    assert_eq!(ways["oneOf"].as_array().unwrap().len(), 2);
}

states!(Order, Brewed, Billed, Served);

#[node]
fn accept(order: &Order) -> (Brewed, Billed) {
    (Brewed { n: order.n }, Billed { n: 250 * order.n })
}

#[node]
fn serve(
    #[cfg(all(test, not(doc)))] brewed: &Brewed,
    #[cfg(any(not(test), doc))] spam: &Spam,
    billed: Billed,
    #[cfg(not(test))] praise: Praise,
) -> Served {
    Served {
        n: brewed.n + billed.n,
    }
}

#[flow]
fn coffee(order: Order) -> Served {
    flow! { accept -> fork(join(serve), join(serve)) }
}

#[tokio::test]
async fn a_node_does_not_wait_for_a_parameter_that_is_not_compiled() {
    assert_eq!(done(Order { n: 2 }).await, Served { n: 502 });
}

/// Looks up an order.
#[tool]
async fn order(
    id: u32,
    /// Which of them.
    #[cfg_attr(test, serde(default), schemars(range(max = 9)))]
    #[cfg_attr(not(test), serde(rename = "line"))]
    row: u32,
    #[cfg(not(test))] secret: String,
    #[cfg(not(test))] ctx: Context,
) -> Result<u32, ToolError> {
    Ok(id + row)
}

#[tokio::test]
async fn a_tool_has_no_argument_that_is_not_compiled() {
    let schema = serde_json::to_value(schemars::schema_for!(order)).unwrap();
    let arguments: Vec<&str> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(arguments, ["id", "row"]);
    assert_eq!(schema["required"], json!(["id"]));
    assert_eq!(schema["properties"]["row"]["maximum"], json!(9));
    let arguments: order = serde_json::from_value(json!({ "id": 4 })).unwrap();
    let given = arguments.call(Context::default()).await.unwrap();
    assert_eq!(given, json!(4));
}

states!(Draft, Approved);

#[state]
enum Decision {
    Yes,
    #[cfg(not(test))]
    No,
}

#[gate(prompt = "Publish?")]
fn approve(
    draft: Draft,
    #[cfg(test)] answer: Decision,
    #[cfg(not(test))] answer: Spam,
) -> Approved {
    let Decision::Yes = answer;
    Approved { n: draft.n }
}

#[flow]
fn publish(draft: Draft) -> Approved {
    flow! { approve }
}

#[tokio::test]
async fn a_gate_asks_for_the_answer_that_is_compiled() {
    let mut run = FlowRuntime::new(Draft { n: 1 }).unwrap();
    let out = run.next(Context::default()).await.unwrap();
    let RunOut::Suspend { tool_id, .. } = out else {
        panic!("{out:?}")
    };
    let out = run.resume(Context::default(), (tool_id, "Yes")).await;
    assert_eq!(out.unwrap(), RunOut::Done(Approved { n: 1 }));
}

states!(Ticket, Verdict, Answer);

/// You judge.
#[agent(model = "openai://m", output = Verdict)]
fn judge(#[cfg(test)] ticket: &Ticket, #[cfg(not(test))] spam: &Spam) -> String {
    ticket.n.to_string()
}

#[flow]
fn court(ticket: Ticket) -> Verdict {
    flow! { judge }
}

/// You answer.
#[agent(model = "openai://m", output = Answer)]
struct Question {
    text: String,
    #[cfg(not(test))]
    unknown: Spam,
}

#[flow]
fn desk(question: Question) -> Answer {
    flow! { Question }
}

#[tokio::test]
async fn a_prompt_is_made_of_what_is_compiled() {
    let script = ScriptedModel::new()
        .reply("judge", json!({ "n": 3 }))
        .reply("Question", json!({ "n": 4 }))
        .for_several_flows();
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = FlowRuntime::new(Ticket { n: 1 })
        .unwrap()
        .with_factory(factory.clone());
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Verdict { n: 3 }));
    let question = Question { text: "?".into() };
    let mut run = FlowRuntime::new(question).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Answer { n: 4 }));
}

/// Every condition of a long list is decided, whatever the others are.
#[state]
struct Layers(
    #[cfg(not(test))] String,
    #[cfg(test)] u32,
    #[cfg_attr(test, cfg(not(test)))] Vec<String>,
    #[cfg_attr(test, cfg_attr(test, serde(default)))] u8,
);

#[test]
fn conditions_around_conditions_are_decided_one_by_one() {
    let layers = Layers(1, 2);
    assert_eq!(serde_json::to_value(&layers).unwrap(), json!([1, 2]));
    assert_eq!(serde_json::from_value::<Layers>(json!([1])).unwrap().1, 0);
}

/// Opens a file.
#[tool(external)]
async fn open(
    path: String,
    #[cfg_attr(test, serde(default))] line: u32,
    #[cfg(not(test))] ctx: Context,
) -> String;

#[test]
fn an_external_tool_has_no_argument_that_is_not_compiled() {
    let schema = serde_json::to_value(schemars::schema_for!(open)).unwrap();
    let arguments = schema["properties"].as_object().unwrap();
    assert!(arguments.len() == 2 && arguments.contains_key("line"));
    assert_eq!(schema["required"], json!(["path"]));
    let tools = ToolBox::new().with::<open>().contracts();
    assert!(tools[0].external);
}
