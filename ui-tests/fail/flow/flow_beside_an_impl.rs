use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn read(_: A) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { read } }

#[flow]
impl Flow for A {
    type Output = B;
    fn build() -> Result<FlowGraph, FlowError> { flow! { read } }
}

fn main() {}
