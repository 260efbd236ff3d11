use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[gate(prompt = "Go on?")]
fn ok(_: B, _: C) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { split -> fork(join(ok), join(ok)) } }

fn main() {}
