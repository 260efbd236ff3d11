use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn there(_: B) -> C { C {} }
#[node] fn back(_: C) -> B { B {} }

#[flow]
fn story(a: A) -> D { flow! { read -> there -> back -> there } }

fn main() {}
