use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}

#[node] fn read(a: A) -> A { a }
#[node] fn write(_: A) -> B { B {} }
#[node] fn rescue(_: Failure<A>) -> B { B {} }
#[flow] fn story(a: A) -> B { flow! { read -> write.catch(rescue) } }

fn main() {}
