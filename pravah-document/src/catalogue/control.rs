//! Control: branches, regions, waiting, asking, failing.

use serde_json::{Value, json};

use super::{MAX_MILLIS, NodeType, Role, any, field, object};

pub(super) fn types() -> Vec<NodeType> {
    vec![
        branch(),
        switch(),
        merge(),
        foreach(),
        while_loop(),
        subflow(),
        wait(),
        gate(),
        fail(),
        noop(),
    ]
}

/// A condition, or a binding that becomes true or false.
fn condition(description: &str) -> Value {
    json!({ "type": ["boolean", "object"], "description": description })
}

fn body() -> Value {
    json!({
        "type": "array",
        "items": { "type": "string" },
        "minItems": 1,
        "description": "The ids of the nodes inside. Without edges among them they run in this order.",
    })
}

fn branch() -> NodeType {
    NodeType::new(
        "control.if",
        "core",
        "Says whether a condition holds, for the edges behind it.",
    )
    .role(Role::If)
    .input(object(
        json!({ "condition": condition("What has to hold.") }),
        &["condition"],
    ))
    .output(object(
        json!({ "condition": field("boolean", "Whether it holds.") }),
        &["condition"],
    ))
    .example(json!({ "condition": true }), json!({ "condition": true }))
}

fn switch() -> NodeType {
    let case = object(
        json!({
            "when": { "description": "A condition, in which `value` is the value of the switch; or a value that it has to equal." },
            "route": { "type": "string", "minLength": 1, "description": "What is chosen if the condition holds." },
        }),
        &["when", "route"],
    );
    NodeType::new("control.switch", "core", "Chooses the route of the first case that holds, or `default`.")
        .role(Role::Switch)
        .input(object(
            json!({
                "value": any("What the cases are about."),
                "cases": { "type": "array", "items": case, "description": "In the order in which they are tried." },
            }),
            &["value", "cases"],
        ))
        .output(object(
            json!({ "route": field("string", "What was chosen."), "value": any("The value.") }),
            &["route", "value"],
        ))
        .example(
            json!({ "value": "bug", "cases": [{ "when": "bug", "route": "fix" }] }),
            json!({ "route": "fix", "value": "bug" }),
        )
        .example(
            json!({ "value": 3, "cases": [{ "when": { "gt": { "var": "value", "value": 9 } }, "route": "many" }] }),
            json!({ "route": "default", "value": 3 }),
        )
}

fn merge() -> NodeType {
    NodeType::new("control.merge", "core", "Brings branches together: waits for all of them, or for the first.")
        .role(Role::Merge)
        .input(object(
            json!({
                "mode": { "enum": ["all", "any"], "default": "all", "description": "What it waits for." },
                "cancelLosers": { "type": "boolean", "default": false, "description": "With `any`: whether nodes that only lead here are cancelled then." },
            }),
            &[],
        ))
        .output(object(json!({ "merged": field("boolean", "True.") }), &["merged"]))
        .example(json!({ "mode": "any" }), json!({ "merged": true }))
}

fn foreach() -> NodeType {
    let list = |about: &str| json!({ "type": "array", "description": about });
    let iteration = object(
        json!({
            "item": {}, "index": field("integer", "From 0."), "count": field("integer", "How many items there are."),
            "sessionId": field("string", "The session of this item."),
            "outputs": field("object", "The outputs of the nodes of the body, by their ids."),
        }),
        &["item", "index", "count", "sessionId", "outputs"],
    );
    NodeType::new("control.foreach", "core", "Runs its body for each item of a list.")
        .role(Role::Foreach)
        .input(object(
            json!({
                "list": list("The items. Also called `items`."),
                "items": list("An alias of `list`."),
                "as": { "type": "string", "default": "item", "description": "What the body calls an item." },
                "concurrency": { "type": "integer", "minimum": 1, "maximum": u32::MAX, "default": 1, "description": "How many items are worked on at the same time." },
                "body": body(),
            }),
            &["body"],
        ))
        .output(object(
            json!({
                "count": field("integer", "How many items there are."),
                "iterations": { "type": "array", "items": iteration },
            }),
            &["count", "iterations"],
        ))
        .example_input(json!({ "list": ["a", "b"], "as": "file", "body": ["show"] }))
}

fn while_loop() -> NodeType {
    let round = object(
        json!({ "outputs": field("object", "The outputs of the round, by the ids of the nodes.") }),
        &["outputs"],
    );
    NodeType::new("control.loop", "core", "Runs its body as long as a condition holds, which is looked at before every round.")
        .role(Role::Loop)
        .input(object(
            json!({
                "while": condition("What has to hold for another round."),
                "maxIterations": { "type": "integer", "minimum": 1, "maximum": u32::MAX, "default": 100, "description": "The most rounds." },
                "onCap": { "enum": ["fail", "stop"], "default": "fail", "description": "What comes of another round beyond that." },
                "body": body(),
            }),
            &["while", "body"],
        ))
        .output(object(
            json!({
                "iteration": field("integer", "How many rounds there were."),
                "iterations": { "type": "array", "items": round },
            }),
            &["iteration", "iterations"],
        ))
        .example_input(json!({ "while": { "lt": { "var": "iteration", "value": 3 } }, "body": ["draft"] }))
}

fn subflow() -> NodeType {
    NodeType::new(
        "control.subflow",
        "core",
        "Runs another document that the host has registered.",
    )
    .role(Role::Subflow)
    .input(object(
        json!({
            "name": { "type": "string", "minLength": 1, "description": "What the host calls it." },
            "input": any("Its input, which overrides that of the document."),
        }),
        &["name"],
    ))
    .output(object(
        json!({ "outputs": field("object", "Its outputs, by the ids of its nodes.") }),
        &["outputs"],
    ))
    .example_input(json!({ "name": "billing", "input": { "customer": 7 } }))
}

fn wait() -> NodeType {
    let mut input = object(
        json!({
            "ms": { "type": "integer", "minimum": 0, "maximum": MAX_MILLIS, "description": "How many milliseconds." },
            "until": { "type": "string", "minLength": 1, "description": "The name of the event that ends the wait." },
        }),
        &[],
    );
    if let Some(input) = input.as_object_mut() {
        input.insert("minProperties".to_owned(), json!(1));
    }
    NodeType::new(
        "control.wait",
        "core",
        "Waits for a time, for an event, or for whichever comes first.",
    )
    .role(Role::Wait)
    .input(input)
    .output(object(
        json!({ "waitedMs": field("integer", "How many milliseconds it took.") }),
        &["waitedMs"],
    ))
    .example_input(json!({ "ms": 20 }))
    .example_input(json!({ "ms": 60_000, "until": "payment:received" }))
}

fn gate() -> NodeType {
    let response = object(
        json!({ "content": field("string", "The answer."), "choice": field("string", "The choice, where one was made.") }),
        &["content"],
    );
    NodeType::new("control.gate", "core", "Asks a person, and waits for the answer.")
        .role(Role::Gate)
        .input(object(
            json!({
                "prompt": field("string", "The question."),
                "choices": { "type": "array", "items": { "type": "string" }, "minItems": 1, "description": "The answers to choose from." },
                "allowText": field("boolean", "Whether other answers are allowed; by default only where there are no choices."),
            }),
            &["prompt"],
        ))
        .output(object(json!({ "response": response }), &["response"]))
        .example_input(json!({ "prompt": "Deploy?", "choices": ["yes", "no"] }))
}

fn fail() -> NodeType {
    NodeType::new("control.fail", "core", "Fails with a message.")
        .role(Role::Fail)
        .input(object(
            json!({ "message": field("string", "Why.") }),
            &["message"],
        ))
        .output(json!(false))
        .example_input(json!({ "message": "the order has no items" }))
}

fn noop() -> NodeType {
    NodeType::new(
        "control.noop",
        "core",
        "Does nothing, and passes a value on.",
    )
    .input(object(json!({ "value": any("The value.") }), &[]))
    .output(object(
        json!({ "value": any("The same value, if there is one.") }),
        &[],
    ))
    .example(json!({ "value": 1 }), json!({ "value": 1 }))
    .example(json!({}), json!({}))
}
