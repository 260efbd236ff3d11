use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[state] struct C {}
#[node] fn plan(_: A) -> B { B {} }
#[node(max_visits = 3)] fn write(_: B) -> C { C {} }

#[flow]
fn story(a: A) -> C { flow! { plan -> write } }

fn main() {}
