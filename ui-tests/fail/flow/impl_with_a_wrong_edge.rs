use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: C) -> D { D {} }

#[flow]
impl Flow for A {
    type Output = D;
    fn build() -> Result<FlowGraph, FlowError> { flow! { read -> write -> done } }
}

fn main() {}
