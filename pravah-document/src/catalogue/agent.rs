//! Agents: `agent.run`, its presets, and `claude.agent`.

mod settings;

use serde_json::{Value, json};

pub(super) use self::settings::config;
pub use self::settings::{AUTO_APPROVE_ABOVE, SUPPRESS_BELOW};
use super::{NodeType, any, field, object};

const METADATA: &str = "Sent along with each request, and shown in events.";

pub(super) fn types() -> Vec<NodeType> {
    vec![
        run(),
        invoke(),
        wait(),
        plan(),
        classify(),
        coder(),
        reviewer(),
        summarize(),
        claude(),
    ]
}

fn positive(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": description })
}

fn strings(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": description })
}

fn run() -> NodeType {
    NodeType::new("agent.run", "core", "Runs an agent.")
        .agent()
        .input(object(
            json!({
                "input": any("What it works on."),
                "tools": strings("The tools that it may use, besides those of the settings."),
                "system": field("string", "The system prompt."),
                "model": field("string", "The model."),
                "metadata": field("object", METADATA),
            }),
            &["input"],
        ))
        .output(object(
            json!({ "result": any("What it returns.") }),
            &["result"],
        ))
        .example_input(json!({ "input": "What is the capital of Benin?" }))
}

fn invoke() -> NodeType {
    let told = "What it is told: a text, or data, which is what a flow starts with.";
    let agent = json!({ "type": "string", "minLength": 1, "description": "The agent or the flow that is called." });
    let target = object(
        json!({ "agent": agent, "message": any(told) }),
        &["agent", "message"],
    );
    let targets = json!({ "type": "array", "items": target, "description": "Several that are called side by side, in place of `agent` and `message`." });
    let result = any("What it returns.");
    NodeType::new(
        "agent.invoke",
        "core",
        "Calls agents and flows that the host has registered. If `agent` fails, the node fails; with `targets`, each result has its own status. With `detached: true` it does not wait: what it calls runs as tasks beside the nodes that follow, and the output is `taskIds` alone.",
    )
    .input(object(
        json!({
            "agent": agent,
            "message": any(told),
            "targets": targets,
            "detached": field("boolean", "Whether the calls are started as detached tasks. `true` or `false`, and not a binding."),
            "onDone": json!({ "enum": ["cancel", "wait"], "description": "With `detached: true`: whether tasks that have not ended when the flow is done are cancelled (`cancel`, the default) or waited for." }),
        }),
        &[],
    ))
    .output(object(
        json!({
            "result": result,
            "taskId": field("string", "The id of its task."),
            "results": ended_tasks("Those of `targets`, in the same order."),
            "taskIds": strings("With `detached: true`: the ids of the tasks, in the order of the calls, also of one."),
        }),
        &[],
    ))
    .example_input(json!({ "agent": "researcher", "message": "Which trains go to Benin?" }))
    .example_input(json!({ "targets": [
        { "agent": "researcher", "message": "Which trains go to Benin?" },
        { "agent": "survey", "message": { "name": "trains" } },
    ] }))
    .example_input(json!({ "agent": "researcher", "message": "Which trains go to Benin?", "detached": true }))
}

fn wait() -> NodeType {
    NodeType::new(
        "agent.wait",
        "core",
        "Waits until all of these detached tasks have ended. Does not fail where one has: each result has its own status.",
    )
    .input(object(
        json!({ "taskIds": strings("The ids of the tasks, as `agent.invoke` outputs them.") }),
        &["taskIds"],
    ))
    .output(object(
        json!({ "results": ended_tasks("How each has ended, in the order of `taskIds`.") }),
        &["results"],
    ))
    .example_input(json!({ "taskIds": ["task_1"] }))
}

/// How each of several tasks has ended.
fn ended_tasks(description: &str) -> Value {
    let ended = object(
        json!({
            "status": { "enum": ["completed", "failed", "cancelled"], "description": "How the task has ended." },
            "result": any("What it returns."),
            "error": field("string", "Why it has failed."),
            "taskId": field("string", "The id of the task."),
        }),
        &["status", "taskId"],
    );
    json!({ "type": "array", "items": ended, "description": description })
}

/// An agent with a result of its own.
fn preset(name: &str, description: &str, result: Value, example: &str) -> NodeType {
    NodeType::new(name, "core", description)
        .agent()
        .input(object(
            json!({ "input": any("What it works on.") }),
            &["input"],
        ))
        .output(object(json!({ "result": result }), &["result"]))
        .example_input(json!({ "input": example }))
}

fn plan() -> NodeType {
    let steps = json!({ "type": "array", "items": { "type": "string" } });
    preset(
        "agent.plan",
        "Plans a task in steps.",
        object(json!({ "steps": steps }), &["steps"]),
        "Move the database to PostgreSQL 18.",
    )
}

fn classify() -> NodeType {
    let confidence = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    preset(
        "agent.classify",
        "Says which label fits.",
        object(
            json!({ "label": { "type": "string" }, "confidence": confidence }),
            &["label", "confidence"],
        ),
        "bug or feature: the page does not load",
    )
}

fn coder() -> NodeType {
    let file = object(
        json!({ "path": { "type": "string" }, "content": { "type": "string" } }),
        &["path", "content"],
    );
    preset(
        "agent.coder",
        "Writes code.",
        object(
            json!({ "files": { "type": "array", "items": file }, "explanation": { "type": "string" } }),
            &["files", "explanation"],
        ),
        "A function that reverses a string.",
    )
}

fn reviewer() -> NodeType {
    let issue = object(
        json!({ "severity": { "enum": ["low", "medium", "high"] }, "message": { "type": "string" } }),
        &["severity", "message"],
    );
    preset(
        "agent.reviewer",
        "Reviews a text or code.",
        object(
            json!({ "approved": { "type": "boolean" }, "issues": { "type": "array", "items": issue } }),
            &["approved", "issues"],
        ),
        "fn add(a: i32, b: i32) -> i32 { a - b }",
    )
}

fn summarize() -> NodeType {
    preset(
        "agent.summarize",
        "Sums a text up.",
        object(json!({ "summary": { "type": "string" } }), &["summary"]),
        "A long text.",
    )
}

fn claude() -> NodeType {
    let usage = json!({
        "type": "object",
        "properties": { "inputTokens": field("integer", "Input tokens."), "outputTokens": field("integer", "Output tokens.") },
    });
    NodeType::new("claude.agent", "claude", "Runs a Claude agent.")
        .agent()
        .input(claude_input())
        .output(object(
            json!({ "text": field("string", "What it says."), "usage": usage }),
            &["text"],
        ))
        .example_input(json!({ "prompt": "Say hello." }))
}

fn claude_input() -> Value {
    let content = json!({ "type": ["string", "array"], "description": "Its text, or its parts." });
    let message = object(
        json!({ "role": { "enum": ["user", "assistant"] }, "content": content }),
        &["role", "content"],
    );
    let mut input = object(
        json!({
            "prompt": field("string", "What it is asked."),
            "messages": { "type": "array", "items": message, "minItems": 1, "description": "A conversation, which it goes on with." },
            "options": { "type": "object", "description": "Settings, as those of `config`." },
        }),
        &[],
    );
    if let Some(input) = input.as_object_mut() {
        let alternatives = json!([{ "required": ["prompt"] }, { "required": ["messages"] }]);
        input.insert("anyOf".to_owned(), alternatives);
    }
    input
}
