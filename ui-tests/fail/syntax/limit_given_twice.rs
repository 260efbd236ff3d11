use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: &B) -> C { C {} }
#[node] fn sum(_: &Each<C>) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { many -> each(one, limit = 8, limit = 9) -> sum } }

fn main() {}
