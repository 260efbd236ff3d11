use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn many(_: A) -> Each<B> { Each::from(vec![]) }
#[node] fn one(_: B) -> C { C {} }
#[node] fn all(_: Each<C>) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { many -> each(join(one)) -> all } }

fn main() {}
