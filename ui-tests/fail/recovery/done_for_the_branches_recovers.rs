use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn meet(_: B, _: C) -> A { A {} }

#[flow]
fn story(a: A) -> A { flow! { split -> fork(done, done) -> meet } }

#[flow(named)]
fn outer(a: A) -> A { flow! { story } }

fn main() {}
