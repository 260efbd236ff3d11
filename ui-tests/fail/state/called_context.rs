use pravah_runtime::prelude::*;

#[state] struct Context { text: String }
#[state] struct B {}

#[node]
fn read(_: Context) -> B { B {} }

#[flow]
fn story(c: Context) -> B { flow! { read } }

fn main() {}
