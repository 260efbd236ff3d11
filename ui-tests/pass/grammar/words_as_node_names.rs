use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn join(_: A) -> B { B {} }
#[node] fn either(_: B) -> C { C {} }
#[node] fn done(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { join -> either -> self::done } }

pub fn main() {}
