use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[state] struct E {}
#[node] fn read(_: A) -> Either<B, C> { Either::Left(B {}) }
#[node] fn there(_: B) -> D { D {} }
#[node] fn back(_: D) -> B { B {} }

#[flow]
fn story(a: A) -> C { flow! { read -> either(there, done); there -> back -> there } }

fn main() {}
