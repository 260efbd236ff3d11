use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}

#[migrate(slot)] fn c(_: C) -> B { B {} }

#[node] fn first(_: A) -> B { B {} }
#[node] fn second(_: B) -> C { C {} }
#[node] fn third(_: C) -> D { D {} }

#[flow(lock = "locks/fork.lock", migrate(c))]
fn story(a: A) -> D { flow! { first -> second -> third } }

fn main() {}
