//! Keys that mean something else to `serde_json`, in JSON of others: a snapshot keeps them as they are, and what a
//! type would read as another value does not come to it.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod macros_support;

#[path = "json_keys/kept.rs"]
mod kept;
#[path = "json_keys/refused.rs"]
mod refused;

use std::{collections::BTreeMap, thread};

use pravah_runtime::prelude::*;
use serde_json::Value;

/// What is in the text beneath it `serde_json` reads in its place.
const RAW: &str = "$serde_json::private::RawValue";

#[state]
struct Ticket {}

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Headers {
    all: BTreeMap<String, String>,
}

/// Has any JSON in it.
#[state]
#[derive(Debug, PartialEq)]
struct Letter {
    text: Value,
}

#[gate(prompt = "Is that all?")]
fn more(headers: &Headers, more: BTreeMap<String, String>) -> AllHeaders {
    let all = headers.all.clone().into_iter().chain(more);
    AllHeaders { all: all.collect() }
}

#[state]
#[derive(Debug, PartialEq)]
struct AllHeaders {
    all: BTreeMap<String, String>,
}

#[flow(named)]
fn asking(headers: Headers) -> AllHeaders {
    flow! { more }
}

/// Looks.
#[tool]
async fn look(q: Value) -> Result<String, ToolError> {
    Ok(q.to_string())
}

#[agent(model = "openai://m", preamble = "", output = Letter, tools = [look])]
fn clerk(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn office(ticket: Ticket) -> Letter {
    flow! { clerk }
}

#[agent(model = "openai://m", preamble = "", output = Letter)]
fn writer(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn writing(ticket: Ticket) -> Letter {
    flow! { writer }
}

/// Headers with the key.
fn headers(text: &str) -> Headers {
    Headers {
        all: [(RAW.to_owned(), text.to_owned())].into(),
    }
}

/// Objects with the key in texts beneath the key, so many that they overflow the stack of whoever reads them.
fn bomb() -> String {
    (0..24).fold("1".to_owned(), |inner, _| {
        let inner = inner.replace('\\', "\\u005c").replace('"', "\\u0022");
        let (open, close) = ("[".repeat(118), "]".repeat(118));
        format!(r#"{open}{{"{RAW}":"{inner}"}}{close}"#)
    })
}

/// The same a short way beneath, where nothing is nested deeply before it is read.
fn flat_bomb() -> Value {
    Value::Object([(RAW.to_owned(), bomb().into())].into_iter().collect())
}

/// Runs it on a stack as small as those of tokio's workers.
fn on_a_small_stack(run: impl AsyncFnOnce() + Send + 'static) {
    let small = thread::Builder::new().stack_size(2 << 20);
    let run = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(run());
    };
    small.spawn(run).unwrap().join().unwrap();
}
