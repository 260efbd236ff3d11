//! Documents on the engine, made without their text.

mod agents;
mod control;
mod data;
mod examples;
mod integration;
mod invoke;
mod merges;
mod overlap;
mod random;
mod regions;
mod scale;
mod system;
mod tutorial;
mod typed;
mod waits;

use pravah_document::{
    Condition, Document, Edge, Graph, Member, MergeMode, Node, Policy, Selector, Template, When,
    Work,
};
use serde_json::{Value, json};

use super::{DocumentFlow, DocumentOutput, NodeRegistry};
use crate::{Context, FlowRuntime, RunOut, prelude::FlowError};

/// A node of a type, with its input.
fn node(id: &str, type_name: &str, input: Value) -> Node {
    Node {
        id: id.to_owned(),
        type_name: type_name.to_owned(),
        work: Work::Run(Template::parse(&input).unwrap()),
        config: json!({}),
        when: None,
        policy: Policy::default(),
    }
}

fn work(id: &str, type_name: &str, work: Work) -> Node {
    Node {
        work,
        ..node(id, type_name, json!({}))
    }
}

fn merge(id: &str, mode: MergeMode, cancel_losers: bool) -> Node {
    let merge = Work::Merge {
        mode,
        cancel_losers,
    };
    work(id, "control.merge", merge)
}

fn when(condition: Value) -> When {
    When::parse(&condition).unwrap()
}

/// A graph of these nodes; edges are `(from, to)`.
fn graph(nodes: Vec<Node>, edges: &[(&str, &str)]) -> Graph {
    let edges = edges.iter().map(|(from, to)| edge(&nodes, from, to));
    Graph {
        edges: edges.collect(),
        members: nodes
            .iter()
            .cloned()
            .map(Box::new)
            .map(Member::Node)
            .collect(),
    }
}

fn edge(nodes: &[Node], from: &str, to: &str) -> Edge {
    let index = |id: &str| nodes.iter().position(|node| node.id == id).unwrap();
    Edge {
        from: index(from),
        to: index(to),
        on: Selector::Success,
        when: None,
    }
}

fn document(graph: Graph) -> Document {
    Document {
        name: "test".to_owned(),
        version: "1".to_owned(),
        description: None,
        input: json!({}),
        fail_fast: true,
        warnings: None,
        graph,
    }
}

fn flow(document: Document) -> DocumentFlow {
    DocumentFlow::of(document, &NodeRegistry::standard().with_pack("tutorial")).unwrap()
}

/// Runs a document to its end, restored from its JSON before every step.
async fn restored(flow: &DocumentFlow, input: Value) -> Result<DocumentOutput, FlowError> {
    restored_in(flow, input, &Context::default()).await
}

async fn restored_in(
    flow: &DocumentFlow,
    input: Value,
    ctx: &Context,
) -> Result<DocumentOutput, FlowError> {
    let mut run = flow.start(input)?;
    loop {
        let json = serde_json::to_string(&run.snapshot()).unwrap();
        run = flow.restore(serde_json::from_str(&json).unwrap())?;
        match run.next(ctx.clone()).await? {
            RunOut::Done(done) => return Ok(done),
            RunOut::Continue => {}
            RunOut::Waiting { .. } => run.wait().await,
            out => panic!("{out:?}"),
        }
    }
}

/// Runs a document to its end in one go, and again restored at every step.
async fn outputs(document: Document, input: Value) -> Value {
    let flow = flow(document);
    let mut run: FlowRuntime<DocumentFlow> = flow.start(input.clone()).unwrap();
    let RunOut::Done(done) = run.run(Context::default()).await.unwrap() else {
        panic!("it is not done")
    };
    assert_eq!(restored(&flow, input).await.unwrap(), done);
    Value::Object(done.outputs)
}

fn condition(when: Value) -> Condition {
    Condition::When(self::when(when))
}

/// The output of one node.
async fn output(type_name: &str, input: Value) -> Value {
    let document = document(graph(vec![node("n", type_name, input)], &[]));
    outputs(document, json!({})).await["n"].clone()
}

/// Why one node fails: the kind of the failure, and the message.
async fn failure(type_name: &str, input: Value) -> (String, String) {
    failure_in(type_name, input, Context::default()).await
}

async fn failure_in(type_name: &str, input: Value, ctx: Context) -> (String, String) {
    let mut fails = node("n", type_name, input);
    fails.policy.continue_on_error = true;
    let flow = with_packs(document(graph(vec![fails], &[])));
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.run(ctx).await.unwrap() else {
        panic!("it is not done")
    };
    let error = &done.outputs["n"]["error"];
    let text = |field: &str| error[field].as_str().unwrap().to_owned();
    (text("kind"), text("message"))
}

/// The flow of a document that may use every pack.
fn with_packs(document: Document) -> DocumentFlow {
    DocumentFlow::of(document, &all_packs()).unwrap()
}

fn all_packs() -> NodeRegistry {
    NodeRegistry::standard()
        .with_pack("tutorial")
        .with_pack("integration")
        .with_pack("claude")
}
