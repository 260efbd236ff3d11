use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn list(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn write(_: B) -> C { C {} }
#[node] fn mend(_: Failure<B>) -> C { C {} }
#[node] fn sum(_: Each<C>) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { list -> each(write; catch(write) -> mend) -> sum } }

fn main() {}
