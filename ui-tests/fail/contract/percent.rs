use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

const LOW: f64 = 0.6;
const HIGH: f64 = 0.8;
const VERSION: &str = "2";

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract(auto_approve_above = 85%))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
