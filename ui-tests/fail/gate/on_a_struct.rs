use pravah_runtime::prelude::*;

#[gate(prompt = "Go on?")]
struct Ask {}

fn main() {}
