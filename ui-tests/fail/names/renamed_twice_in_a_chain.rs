use pravah_runtime::prelude::*;

#[state] struct A {}
#[state] struct B {}
#[node] fn write(_: A) -> B { B {} }
#[node] fn tidy(b: B) -> B { b }
#[node] fn answer(b: B) -> B { b }

#[flow]
fn story(a: A) -> B { flow! { write -> tidy as clean -> answer -> tidy as clean } }

fn main() {}
