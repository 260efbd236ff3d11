use pravah_runtime::prelude::*;

#[state] struct Text {}
#[node] fn read(_: Text) -> Text { Text {} }

#[flow]
fn story(number: u32) -> Text { flow! { read } }

fn main() {}
