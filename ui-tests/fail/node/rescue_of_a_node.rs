use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node(catch = rescue)] fn read(_: A) -> B { B {} }
#[node] fn rescue(_: Failure<A>) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read } }

fn main() {}
