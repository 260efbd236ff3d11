//! The server, asked by hand.

mod callers;
mod protocol;
mod questions;
mod tasks;

use serde_json::{Value, json};

use crate::support::{Served, call};

async fn send(served: &Served, agent: &str, params: Value) -> Value {
    call(served, agent, "SendMessage", params).await
}

/// The task of an answer.
async fn task(served: &Served, agent: &str, params: Value) -> Value {
    let answer = send(served, agent, params).await;
    let task = &answer["result"]["task"];
    assert!(task.is_object(), "{answer}");
    task.clone()
}

fn at_once(mut params: Value) -> Value {
    params["configuration"] = json!({ "returnImmediately": true });
    params
}

fn for_task(mut params: Value, task: &Value) -> Value {
    params["message"]["taskId"] = task["id"].clone();
    params
}
