use pravah_runtime::prelude::*;

const MOST: u64 = 8;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: &B) -> C { C {} }
#[node] fn sum(_: &Each<C>) -> B { B {} }

#[flow]
fn story(a: A) -> B { flow! { many -> each(one, limit = MOST) -> sum } }

fn main() {}
