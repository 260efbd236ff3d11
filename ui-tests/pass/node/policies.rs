use pravah_runtime::prelude::*;

const TRIES: u32 = 3;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}

#[node(timeout = "30s", retry(max_attempts = 3, backoff = "200ms", factor = 2.0, max_backoff = "5s", jitter))]
async fn fetch(_: A) -> B { B {} }

#[agent(model = "openai://m", preamble = "P", output = C, timeout = "2m", retry(max_attempts = TRIES))]
fn read(_: &B) -> String { String::new() }

#[gate(prompt = "Go on?", timeout = "7d")]
fn ask(_: C, _yes: bool) -> D { D {} }

#[agent(model = "openai://m", preamble = "P", output = E, total_timeout = "1h", retry(max_attempts = 1))]
struct Last {}

#[node] fn last(_: D) -> Last { Last {} }

#[flow(fail_fast = false)]
fn story(a: A) -> E { flow! { fetch -> read -> ask -> last -> Last } }

pub fn main() { let _ = story; }
