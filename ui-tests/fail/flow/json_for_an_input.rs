use pravah_runtime::prelude::*;

#[state] struct Text {}
#[node] fn read(_: Text) -> Text { Text {} }

#[flow]
fn story(json: serde_json::Value) -> Text { flow! { read } }

fn main() {}
