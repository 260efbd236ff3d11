use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn split(_: A) -> (B, C) { (B {}, C {}) }
#[node] fn b(_: B) -> C { C {} }

#[flow]
impl Flow for A {
    type Output = C;
    fn build() -> Result<FlowGraph, FlowError> { flow! { split -> fork(b, done) } }
}

fn main() {}
