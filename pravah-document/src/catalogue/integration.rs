//! Integration: HTTP, files and commands, within what the host allows.

use serde_json::{Value, json};

use super::{NodeType, any, field, object};

const PACK: &str = "integration";

fn path() -> Value {
    json!({ "type": "string", "minLength": 1, "description": "A path within the working directory." })
}

pub(super) fn types() -> Vec<NodeType> {
    let scalars = |description: &str| json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] }, "description": description });
    let request = object(
        json!({
            "method": { "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], "description": "The method." },
            "url": { "type": "string", "minLength": 1, "description": "Where to; the host has to be allowed." },
            "headers": scalars("Headers, which are hidden from events."),
            "query": scalars("What is added to the URL."),
            "body": any("The body: a text, or a value that is sent as JSON."),
        }),
        &["method", "url"],
    );
    let response = object(
        json!({
            "status": field("integer", "The status."),
            "body": field("string", "The body as text."),
            "json": any("The body as a value, where it is JSON."),
        }),
        &["status", "body"],
    );
    let output = json!({
        "stdout": field("string", "The standard output."),
        "stderr": field("string", "The standard error."),
        "exitCode": field("integer", "The exit code: 0 is success."),
    });
    vec![
        NodeType::new("http.request", PACK, "Sends a request over HTTP.")
            .input(request)
            .output(response)
            .example_input(json!({ "method": "GET", "url": "https://auth.internal/health" })),
        NodeType::new("file.read", PACK, "Reads a file.")
            .input(object(
                json!({ "path": path(), "maxBytes": { "type": "integer", "minimum": 1, "description": "The most that is read." } }),
                &["path"],
            ))
            .output(object(json!({ "content": field("string", "What is in it.") }), &["content"]))
            .example_input(json!({ "path": "notes.md" })),
        NodeType::new("file.write", PACK, "Writes a file.")
            .input(object(json!({ "path": path(), "content": field("string", "What is written.") }), &["path", "content"]))
            .output(object(json!({ "bytes": field("integer", "How long it is.") }), &["bytes"]))
            .example(json!({ "path": "notes.md", "content": "done" }), json!({ "bytes": 4 })),
        NodeType::new("shell.run", PACK, "Runs a command that the host allows, without a shell.")
            .input(object(
                json!({
                    "command": { "type": "string", "minLength": 1, "description": "The program." },
                    "args": { "type": "array", "items": { "type": "string" }, "description": "Its arguments." },
                }),
                &["command"],
            ))
            .output(object(output, &["stdout", "stderr", "exitCode"]))
            .example_input(json!({ "command": "git", "args": ["status", "--short"] })),
    ]
}
