use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn there(_: C) -> D { D {} }
#[node] fn back(_: D) -> C { C {} }

#[flow]
fn story(a: A) -> B { flow! { read; there -> back -> there } }

fn main() {}
