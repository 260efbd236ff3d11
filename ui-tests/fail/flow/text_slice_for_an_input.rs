use pravah_runtime::prelude::*;

#[state] struct B {}
#[node] fn read(_: B) -> B { B {} }

#[flow] fn story(text: &str) -> B { flow! { read } }

fn main() {}
