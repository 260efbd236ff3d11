use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

const LOW: f64 = 0.6;
const HIGH: f64 = 0.8;
const VERSION: &str = "2";

#[agent(model = "openai://gpt-4o-mini", preamble = "You decide.", output = B, contract(suppress_below = HIGH, auto_approve_above = LOW))]
fn ask(_: &A) -> String { String::new() }

fn main() {}
