//! Nodes that are written in Rust.

use super::*;
use crate::{
    GateQuestion, Input, ScriptedModel, agent, flow as typed_flow, gate, node as typed_node, state,
};

#[state]
struct Order {
    cups: u32,
}

#[state]
struct Price {
    cents: u32,
}

#[state]
struct Paid {
    by: String,
}

#[state]
struct Refused {
    why: String,
}

#[typed_node]
fn price(order: Order) -> Price {
    Price {
        cents: order.cups * 250,
    }
}

/// Estimates prices.
#[agent(model = "openai://m", output = Price, preamble = "You estimate.")]
fn estimate(order: &Order) -> String {
    format!("{} cups", order.cups)
}

#[gate(prompt = format!("Pay {} cents?", price.cents))]
fn pay(price: Price, by: String) -> Paid {
    Paid {
        by: format!("{} by {by}", price.cents),
    }
}

#[typed_node]
fn bill(price: Price, order: Input<Order>) -> Result<Paid, std::io::Error> {
    match price.cents {
        0 => Err(std::io::Error::other("nothing to pay")),
        cents => Ok(Paid {
            by: format!("{} cents for {} cups", cents, order.cups),
        }),
    }
}

#[typed_flow]
fn sell(order: Order) -> Paid {
    flow! { price -> bill }
}

#[typed_flow]
fn sell_after_asking(paid: Paid) -> Refused {
    flow! { ask_back }
}

#[gate(prompt = "Why?")]
fn ask_back(paid: Paid, why: String) -> Refused {
    Refused {
        why: format!("{}: {why}", paid.by),
    }
}

fn registry() -> NodeRegistry {
    NodeRegistry::standard()
        .with_node::<price>("shop.price")
        .with_node::<estimate>("shop.estimate")
        .with_node::<pay>("shop.pay")
        .with_node::<sell>("shop.sell")
        .with_node::<sell_after_asking>("shop.ask")
}

fn flow_of(nodes: Vec<Node>, edges: &[(&str, &str)]) -> DocumentFlow {
    DocumentFlow::of(document(graph(nodes, edges)), &registry()).unwrap()
}

// S4.56
#[tokio::test]
async fn a_node_of_rust_runs() {
    let flow = flow_of(vec![node("n", "shop.price", json!({ "cups": 2 }))], &[]);
    let done = restored(&flow, json!({})).await.unwrap();
    assert_eq!(done.outputs["n"], json!({ "cents": 500 }));
}

#[tokio::test]
async fn an_input_that_it_cannot_read_fails_it() {
    let mut unfit = node("n", "shop.price", json!({ "cups": "two" }));
    unfit.policy.continue_on_error = true;
    let flow = flow_of(vec![unfit], &[]);
    let done = restored(&flow, json!({})).await.unwrap();
    let error = &done.outputs["n"]["error"];
    assert_eq!(error["kind"], "data");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("`order` cannot be read: field `cups`: invalid type"),
        "{message}"
    );
}

#[tokio::test]
async fn an_agent_of_rust_runs_and_its_state_is_the_output() {
    let nodes = vec![
        node(
            "n",
            "shop.estimate",
            json!({ "cups": "{{ flow.input.cups }}" }),
        ),
        node("then", "constant", json!({ "value": "{{ n.cents }}" })),
    ];
    let flow = flow_of(nodes, &[("n", "then")]);
    let script = ScriptedModel::new().reply("n", json!({ "cents": 7 }));
    let ctx = Context::default().with_dep(script.clone());
    let done = restored_in(&flow, json!({ "cups": 2 }), &ctx)
        .await
        .unwrap();
    assert_eq!(done.outputs["n"], json!({ "cents": 7 }));
    assert_eq!(done.outputs["then"], json!({ "value": 7 }));
    script.assert_used();
    let catalogue = registry();
    let capabilities = catalogue
        .catalogue()
        .get("shop.estimate")
        .unwrap()
        .capabilities;
    assert!(capabilities.is_agent && !capabilities.supports_multi_turn);
}

#[tokio::test]
async fn a_gate_of_rust_asks() {
    let flow = flow_of(vec![node("n", "shop.pay", json!({ "cents": 5 }))], &[]);
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Suspend { value, tool_id } = run.run(Context::default()).await.unwrap() else {
        panic!("nobody is asked")
    };
    let question: GateQuestion = serde_json::from_value(value).unwrap();
    assert_eq!(question.prompt, "Pay 5 cents?");
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    run = flow.restore(serde_json::from_str(&json).unwrap()).unwrap();
    let unfit = run.resume(Context::default(), (tool_id.clone(), json!(7)));
    unfit.await.unwrap_err();
    let resumed = run.resume(Context::default(), (tool_id, json!("card")));
    let RunOut::Done(done) = resumed.await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["n"], json!({ "by": "5 by card" }));
}

#[tokio::test]
async fn a_flow_of_rust_runs_and_is_restored_at_every_step() {
    let nodes = vec![
        node("n", "shop.sell", json!({ "cups": "{{ flow.input.cups }}" })),
        node("then", "echo", json!({ "text": "{{ n.by }}" })),
    ];
    let flow = flow_of(nodes, &[("n", "then")]);
    let done = restored(&flow, json!({ "cups": 2 })).await.unwrap();
    assert_eq!(done.outputs["n"], json!({ "by": "500 cents for 2 cups" }));
    assert_eq!(
        done.outputs["then"],
        json!({ "text": "500 cents for 2 cups" })
    );
}

#[tokio::test]
async fn a_failure_in_a_flow_of_rust_is_that_of_its_node() {
    let mut sell = node("n", "shop.sell", json!({ "cups": 0 }));
    sell.policy.continue_on_error = true;
    let flow = flow_of(vec![sell], &[]);
    let done = restored(&flow, json!({})).await.unwrap();
    assert_eq!(done.outputs["n"]["error"]["message"], "nothing to pay");
}

#[tokio::test]
async fn a_flow_of_rust_waits_for_its_gates() {
    let flow = flow_of(vec![node("n", "shop.ask", json!({ "by": "card" }))], &[]);
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Suspend { tool_id, .. } = run.run(Context::default()).await.unwrap() else {
        panic!("nobody is asked")
    };
    let json = serde_json::to_string(&run.snapshot()).unwrap();
    run = flow.restore(serde_json::from_str(&json).unwrap()).unwrap();
    let resumed = run.resume(Context::default(), (tool_id, json!("late")));
    let RunOut::Done(done) = resumed.await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(done.outputs["n"], json!({ "why": "card: late" }));
}

#[test]
fn the_policy_of_a_flow_of_rust_is_that_of_its_nodes() {
    let mut sell = node("n", "shop.sell", json!({ "cups": 1 }));
    sell.policy.timeout = Some(std::time::Duration::from_secs(1));
    let error = DocumentFlow::of(document(graph(vec![sell], &[])), &registry()).unwrap_err();
    let expected = "`n` runs a flow: retries and timeouts belong to the nodes in it";
    assert!(error.to_string().ends_with(expected), "{error}");
}
