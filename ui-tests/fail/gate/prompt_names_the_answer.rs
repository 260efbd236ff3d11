use pravah_runtime::prelude::*;

#[state] struct A { name: String }
#[state] struct B {}

#[gate(prompt = format!("{}, is it {yes}?", a.name, yes = yes))]
fn ask(a: A, yes: bool) -> B { let _ = (a, yes); B {} }

fn main() {}
