use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[state] struct D {}
#[node] fn read(_: A) -> B { B {} }
#[node] fn write(_: B) -> C { C {} }
#[node] fn print(_: C) -> D { D {} }

#[flow]
fn story(a: A) -> D { flow! { read -> print -> write } }

fn main() {}
