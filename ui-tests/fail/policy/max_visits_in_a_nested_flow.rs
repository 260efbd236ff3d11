use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[gate(prompt = "Go on?", max_visits = 3)] fn ask(_: A, _: String) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }

#[flow]
fn inner(a: A) -> B { flow! { ask } }

#[flow(named)]
fn outer(a: A) -> C { flow! { inner -> write } }

fn main() {}
